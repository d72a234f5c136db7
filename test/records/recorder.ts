/**
 * What a command does, kept as text: the requests that it sends in their order, what it prints, its
 * document, and how it ends. Everything is recorded at ports, so files of the product may move.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { type Gate, observe } from "../../plugin/simulator/observed-cluster";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import type { Report } from "../../plugin/kernel/report";
import { type Fault, faults } from "../jobs/faults";
import { admin } from "../support/world";
import { testTime } from "../support/manual-clock";
import type { Ended } from "../support/program-world";
import { type Start, Starts, type Words } from "../support/starts";
import { fieldsOf } from "./fields";
import { type FileObject, Requests } from "./requests";
import { masked, toldDocument, toldEnd } from "./told";

const namespace = names.operator.namespace;
const oneDay = 86_400_000;

/** What someone did, in words and as requests. */
export interface Change {
  readonly says: string;
  readonly make: (cluster: KubeClient) => Promise<unknown>;
}

/** One run of the program on a cluster in memory whose operator plays along. */
export interface Scenario extends Start {
  readonly words: Words;
  /** What someone else did before the run. */
  readonly change?: Change;
  /** The failure by this id is put in at the first write that it can meet. */
  readonly fault?: string;
  /** Who runs it, if not an administrator. */
  readonly user?: string;
  /** Answers nothing: without `--yes`. */
  readonly isUnconfirmed?: true;
}

/** How a run ended, and what it asked for. */
interface Run extends Ended {
  readonly requests: Requests;
  /** The cluster once all has come to rest. */
  readonly left: () => Promise<MemoryControlPlane>;
}

/** A run as text; what several records are made of ran once. */
export class Recorder {
  private readonly starts = new Starts(oneNamespace);
  private readonly files = objectsIn(this.starts.place.release);
  private readonly runs = new Map<string, Promise<Run>>();

  /** The requests, each with what it carries. */
  async requests(scenario: Scenario): Promise<string> {
    const { requests } = await this.run(scenario, "json");
    return this.masked([
      ...this.beginning(scenario),
      ...requests.lines(),
      ...(await this.end(scenario)),
    ]);
  }

  /** How it ends, with the writes that it sends or asks the API server to try. */
  async outcome(scenario: Scenario): Promise<string> {
    const { requests } = await this.run(scenario, "json");
    return this.masked([
      ...this.beginning(scenario),
      ...requests.writes(),
      ...(await this.end(scenario)),
    ]);
  }

  /** What it prints. */
  async text(scenario: Scenario): Promise<string> {
    const { out, err, code } = await this.run(scenario, "text");
    return this.masked([
      ...this.beginning(scenario),
      ...["--- stdout", out.trimEnd(), "--- stderr", err.trimEnd(), `--- exit ${String(code)}`],
    ]);
  }

  /** Its requests where what it prints is text, and where it is a document. */
  async bothRequests(scenario: Scenario): Promise<readonly string[]> {
    const runs = [await this.run(scenario, "text"), await this.run(scenario, "json")];
    return runs.map(({ requests }) => this.masked(requests.lines()));
  }

  /** Its document. */
  async document(scenario: Scenario): Promise<string> {
    const { out } = await this.run(scenario, "json");
    return this.masked([toldDocument(JSON.parse(out))]);
  }

  private beginning({ words, isUnconfirmed, change, fault, user }: Scenario): readonly string[] {
    return [
      `$ ${["kubectl engine", ...words(this.starts.place)].join(" ")}`,
      ...(isUnconfirmed === true ? ["# without --yes"] : []),
      ...(change === undefined ? [] : [`# ${change.says}`]),
      ...(fault === undefined ? [] : [`# the first write: ${faultBy(fault).says}`]),
      ...(user === undefined ? [] : [`# by ${user}`]),
    ];
  }

  private async end(scenario: Scenario): Promise<readonly string[]> {
    const { out } = await this.run(scenario, "json");
    return toldEnd(JSON.parse(out) as Report);
  }

  private run(scenario: Scenario, form: "text" | "json"): Promise<Run> {
    const { words, before = [], objects, change, ...more } = scenario;
    const typed = [...before, words].map((each) => each(this.starts.place));
    const key = JSON.stringify([form, typed, objects?.name, change?.says, more]);
    const run = this.runs.get(key) ?? this.typed(scenario, form);
    this.runs.set(key, run);
    return run;
  }

  /** Where a scenario begins: what the commands before it left, which are records themselves. */
  private async startOf({ before = [], objects }: Start): Promise<MemoryControlPlane> {
    const words = before.at(-1);
    const start = objects === undefined ? {} : { objects };
    if (words === undefined) return this.starts.of(start);
    const run = await this.run({ ...start, before: before.slice(0, -1), words }, "json");
    if (run.code !== 0) throw new Error(run.out);
    return run.left();
  }

  private async typed(scenario: Scenario, form: "text" | "json"): Promise<Run> {
    const { before = [], words, change, fault, isUnconfirmed } = scenario;
    const inner = new VirtualClock(testTime + oneDay * (before.length + 1));
    const controlPlane = (await this.startOf(scenario)).fork(inner);
    await change?.make(controlPlane.connect({ user: admin, namespace }));
    const clock = playAlong({ controlPlane, clock: inner, names, namespace });
    const requests = new Requests(this.files);
    const cluster = requests.of(withFault(this.connect(scenario, controlPlane), fault));
    const yes = isUnconfirmed === true ? [] : ["--yes"];
    const argv = [...words(this.starts.place), "-n", namespace, ...yes, "-o", form];
    const ended = await this.starts.typed(argv, { cluster, clock });
    return { ...ended, requests, left: () => clock.settle().then(() => controlPlane) };
  }

  private connect({ user }: Scenario, controlPlane: MemoryControlPlane): KubeClient {
    const who = user === undefined ? admin : { name: user, groups: [] };
    return controlPlane.connect({ user: who, namespace });
  }

  private masked(lines: readonly string[]): string {
    return masked(`${lines.join("\n")}\n`, this.starts);
  }
}

/** Several namespaces are worked on at once, in an order that differs from run to run. */
function oneNamespace(object: KubeObject): KubeObject {
  const { name, namespaces } = names.configMap;
  if (object.kind !== "ConfigMap" || object.metadata.name !== name) return object;
  return { ...object, data: { ...(object["data"] as object), [namespaces]: "shop" } };
}

function faultBy(id: string): Fault {
  const fault = faults.find((one) => one.id === id);
  if (fault === undefined) throw new Error(id);
  return fault;
}

/** The cluster that fails once, at the first write that the failure can meet. */
function withFault(cluster: KubeClient, id: string | undefined): KubeClient {
  if (id === undefined) return cluster;
  const fault = faultBy(id);
  let isOver = false;
  const gate: Gate = async (call, send) => {
    if (isOver || !call.writes || !fault.meets(call)) return send();
    isOver = true;
    if (fault.applied) await send();
    throw fault.error(call, cluster.server);
  };
  return observe(cluster, gate);
}

function objectsIn(folder: string): readonly FileObject[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".yaml"))
    .sort()
    .flatMap((file) =>
      parseDocuments(readFileSync(join(folder, file), "utf8"), file).map((object) => ({
        file,
        object: object as KubeObject,
        fields: fieldsOf(object),
      })),
    );
}
