/** A namespace of Secrets in memory, and everything else that the `cert` commands are given. */
import {
  generatePair,
  type KeyPair,
  parseCertificateFile,
  readPemCertificate,
  readSecretCertificate,
} from "../../../../plugin/adapters/certificate";
import { renderDocuments } from "../../../../plugin/adapters/yaml";
import { RecordError } from "../../../../plugin/adapters/home";
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { KubeObject, Ref } from "../../../../plugin/domain/kube/objects";
import type { CreateDeps } from "../../../../plugin/commands/cert/plan";
import type {
  Access,
  KubeClient,
  Preconditions,
  WriteOptions,
} from "../../../../plugin/ports/kubernetes";
import { Recorder } from "../../../../plugin/kernel/recorder";
import type { Event, Report } from "../../../../plugin/kernel/report";

export const now = Date.parse("2026-06-15T12:00:00Z");
export const names = defaultNames;

const notHere = (): never => {
  throw new Error("not part of this fake");
};

/** Counts resource versions as the API server does, and refuses what it refuses. */
export class SecretsCluster implements KubeClient {
  readonly server = "https://cluster.test";
  readonly namespace = "engine";
  readonly secrets = new Map<string, KubeObject>();
  readonly writes: string[] = [];
  /** Verbs that the user does not have. */
  denied: readonly string[] = [];
  /** Runs before a write and may throw in its place. */
  before: (verb: string, name: string) => void = () => {};
  /** Runs after a write was done, and may lose its answer. */
  after: (verb: string, name: string) => void = () => {};
  /** Runs before a read and may throw in its place. */
  reading: () => void = () => {};
  #version = 0;

  put(object: KubeObject): KubeObject {
    this.#version += 1;
    const version = String(this.#version);
    const stored = {
      ...object,
      metadata: { uid: `uid-${version}`, ...object.metadata, resourceVersion: version },
    };
    this.secrets.set(nameOf(object), stored);
    return stored;
  }

  async get({ name }: Ref): Promise<KubeObject | undefined> {
    await Promise.resolve();
    this.reading();
    return this.secrets.get(name);
  }

  watch(): never {
    throw new Error("this fake knows no watch");
  }

  create(object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write({ verb: "create", name: nameOf(object) }, options, (found) => {
      if (found !== undefined) throw refusal(409, "AlreadyExists");
      return options.dryRun === true ? object : this.put(object);
    });
  }

  update(object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#write({ verb: "update", name: nameOf(object) }, options, (found) => {
      if (found === undefined) throw refusal(404, "NotFound");
      if (found.metadata.resourceVersion !== object.metadata.resourceVersion) {
        throw refusal(409, "Conflict");
      }
      if (found["type"] !== object["type"]) throw refusal(422, "Invalid");
      return options.dryRun === true ? object : this.put(object);
    });
  }

  async delete({ name }: Ref, { uid }: Preconditions, options: WriteOptions = {}): Promise<void> {
    await this.#write({ verb: "delete", name }, options, (found) => {
      if (found === undefined) throw refusal(404, "NotFound");
      if (found.metadata.uid !== uid) throw refusal(409, "Conflict");
      if (options.dryRun !== true) this.secrets.delete(name);
      return found;
    });
  }

  can({ verb }: Access): Promise<boolean> {
    return Promise.resolve(!this.denied.includes(verb));
  }

  readonly apply = notHere;
  readonly patch = notHere;
  readonly list = notHere;
  readonly serves = notHere;
  whoAmI(): Promise<string | undefined> {
    return Promise.resolve("jane");
  }

  version(): Promise<string | undefined> {
    return Promise.resolve("v1.34.4");
  }

  close(): void {}

  /** As a request: an answer or a refusal, never a throw on the spot. */
  async #write(
    { verb, name }: { readonly verb: string; readonly name: string },
    { dryRun }: WriteOptions,
    answer: (found: KubeObject | undefined) => KubeObject,
  ): Promise<KubeObject> {
    await Promise.resolve();
    this.writes.push(`${verb} ${name}${dryRun === true ? " (dry run)" : ""}`);
    this.before(verb, name);
    const answered = answer(this.secrets.get(name));
    this.after(verb, name);
    return answered;
  }
}

export function refusal(status: number, reason: string, cause?: string): ApiError {
  const causes = cause === undefined ? [] : [{ reason: cause }];
  return new ApiError(`refused: ${reason}`, { status, reason, causes });
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? "";

/** What the commands are given, with everything that they said kept. */
export function aWorld(pairs: readonly KeyPair[]) {
  const cluster = new SecretsCluster();
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
  return { cluster, events, lines, asked, controller, journal, deps };
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
