/** A cluster with a namespace for the pair, and everything else that the `cert` commands are given. */
import {
  generatePair,
  type KeyPair,
  parseCertificateFile,
  readPemCertificate,
  readSecretCertificate,
} from "../../../../plugin/adapters/certificate";
import { renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { RecordError } from "../../../../plugin/adapters/home";
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { CreateDeps } from "../../../../plugin/commands/cert/plan";
import { Recorder } from "../../../../plugin/kernel/recorder";
import type { Event, Report } from "../../../../plugin/kernel/report";
import { aNamespace } from "../../../support/builders";
import type { Call } from "../../../support/kept-cluster";
import { ManualClock } from "../../../support/manual-clock";
import { makeWorld } from "../../../support/world";

export const now = Date.parse("2026-06-15T12:00:00Z");
export const names = defaultNames;

const notHere = (): never => {
  throw new Error("not part of this fake");
};

export function refusal(status: number, reason: string, cause?: string): ApiError {
  const causes = cause === undefined ? [] : [{ reason: cause }];
  return new ApiError(`refused: ${reason}`, { status, reason, causes });
}

const objects = [aNamespace("engine")];

type Act = (verb: string, name: string) => unknown;

function isWrite({ verb }: Call): boolean {
  return verb === "create" || verb === "update" || verb === "delete";
}

function nameOf({ target }: Call): string {
  return target.split("/").at(-1) ?? "";
}

function writesOnly(act: Act): (call: Call) => void {
  return (call) => {
    if (isWrite(call)) act(call.verb, nameOf(call));
  };
}

/** What the commands are given, with everything that they said kept. */
export function aWorld(pairs: readonly KeyPair[]) {
  const world = makeWorld({ clock: new ManualClock(now), objects });
  const { cluster, controlPlane } = world;
  const secret = (name: string) => controlPlane.state.get(kinds.secret, name, "engine");
  const events: Event[] = [];
  const lines: unknown[] = [];
  const asked: string[] = [];
  const controller = new AbortController();
  const journal = { problem: undefined as string | undefined, answer: true, fails: false };
  const rest = [...pairs];
  const write = (type: string) => (line: object) => {
    if (journal.fails) return Promise.reject(new RecordError("the disk is full"));
    lines.push({ type, ...line });
    return Promise.resolve();
  };
  const clock = { now: () => now, sleep: notHere };
  const { server, namespace } = cluster;
  const deps = (kind: string, run: NonNullable<Report["run"]>): CreateDeps => ({
    ...{ cluster, names, clock, signal: controller.signal },
    recorder: new Recorder(
      { kind, run, target: { server, namespace } },
      { clock, event: (event) => events.push(event) },
    ),
    certificates: {
      readSecretCertificate,
      readPemCertificate,
      parseCertificateFile,
      // Keys are dear: each test takes from those that its file has made once.
      generatePair: (request) => {
        const next = rest.shift();
        return next === undefined ? generatePair(request) : Promise.resolve(next);
      },
    },
    journal: {
      problem: () => Promise.resolve(journal.problem),
      intent: write("intent"),
      outcome: write("outcome"),
      save: notHere,
    },
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(journal.answer);
    },
    yaml: renderDocuments,
    command: (words) => words.join(" "),
    engine: (words) => ["kubectl", "engine", ...words, "-n", "engine"].join(" "),
  });
  return {
    ...{ world, cluster, events, lines, asked, controller, journal, deps, secret },
    /** Stores a Secret as it is given, with what the server notes of it. */
    put: (object: KubeObject) => {
      controlPlane.load([object]);
      return secret(object.metadata.name ?? "");
    },
    /** The writes that were sent, dry runs too. */
    sent: () =>
      cluster.calls
        .filter(isWrite)
        .map((call) => `${call.verb} ${nameOf(call)}${call.dryRun ? " (dry run)" : ""}`),
    /** Verbs that the user does not have. */
    deny: (...verbs: readonly string[]) => {
      world.lacks = ({ verb }) => verbs.includes(verb);
    },
    /** Acts before each write that is sent, in its place by a throw. */
    beforeWrites: (act: Act) => {
      cluster.before = writesOnly(act);
    },
    /** Acts after each write was done: a throw loses its answer. */
    afterWrites: (act: Act) => {
      cluster.after = writesOnly(act);
    },
    /** Acts before each read of a Secret. */
    beforeReads: (act: () => void) => {
      cluster.before = ({ verb }) => {
        if (verb === "get") act();
      };
    },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A Secret as someone else has made it. */
export function aSecret(pair: KeyPair, changes: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "admission-tls", namespace: "engine" },
    type: "Opaque",
    data: { cert: base64(pair.certPem), privateKey: base64(pair.keyPem) },
    ...changes,
  };
}
