/**
 * What a command does, kept as text: the requests that it sends in their order, what it prints, its
 * document, and its exit code. Everything is recorded at ports, so files of the product may move.
 */
import { dump } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject, Ref, Resource } from "../../plugin/domain/kube/objects";
import { faults } from "../jobs/faults";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { type Gate, ObservedCluster } from "../../plugin/simulator/observed-cluster";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/simulator/virtual-clock";
import type { Cluster, WriteOptions } from "../../plugin/ports/kubernetes";
import { admin } from "../plugin/simulator/memory-cluster";
import { testTime } from "../support/manual-clock";
import type { Ended } from "../support/program-world";
import { type Start, Starts, type Words } from "../support/starts";

const namespace = names.operator.namespace;
const oneDay = 86_400_000;

/** One run of the program on a cluster in memory whose operator plays along. */
export interface Scenario extends Start {
  /** Names the file that keeps it. */
  readonly title: string;
  readonly words: Words;
  /** What someone did before the run. */
  readonly change?: (cluster: Cluster) => Promise<unknown>;
  /** The failure by this id is put in at the first write that it can meet. */
  readonly fault?: string;
  /** Who runs it, if not an administrator. */
  readonly user?: string;
  /** Answers nothing: without `--yes`. */
  readonly unconfirmed?: true;
  /** Its document is kept too. */
  readonly withDocument?: boolean;
}

/** How a run ended, and what it asked for. */
interface Run extends Ended {
  readonly requests: readonly string[];
}

/** Makes records. */
export class Freezer {
  private readonly starts = new Starts(oneNamespace);

  /** The whole record of a scenario. */
  async recordOf(scenario: Scenario): Promise<string> {
    const start = (await this.starts.of(scenario)).fork(new VirtualClock(testTime));
    await scenario.change?.(start.connect({ user: admin, namespace }));
    const text = await this.run(scenario, start, []);
    const told = [
      `$ kubectl engine ${scenario.words({ release: "RELEASE" }).join(" ")}`,
      ...text.requests,
      "--- stdout",
      text.out,
      "--- stderr",
      text.err,
      `--- exit ${String(text.code)}`,
      ...(scenario.withDocument === true ? await this.document(scenario, start, text) : []),
    ];
    return masked(`${told.map((part) => part.trimEnd()).join("\n")}\n`, this.starts.folder);
  }

  /** The document of a run of its own, which sends the same requests. */
  private async document(
    scenario: Scenario,
    start: MemoryControlPlane,
    text: Run,
  ): Promise<readonly string[]> {
    const json = await this.run(scenario, start, ["-o", "json"]);
    const isSame = json.requests.join("\n") === text.requests.join("\n");
    return [
      ...(isSame ? [] : ["--- requests with -o json", ...json.requests]),
      `--- -o json, exit ${String(json.code)}`,
      json.out,
    ];
  }

  private async run(
    scenario: Scenario,
    start: MemoryControlPlane,
    more: readonly string[],
  ): Promise<Run> {
    const inner = new VirtualClock(testTime + oneDay);
    const controlPlane = start.fork(inner);
    const clock = playAlong({ controlPlane, clock: inner, names, namespace });
    const user = scenario.user === undefined ? admin : { name: scenario.user, groups: [] };
    const connected = controlPlane.connect({ user, namespace });
    const record = new Requests();
    const recorded = record.of(withFault(connected, scenario.fault));
    const yes = scenario.unconfirmed === true ? [] : ["--yes"];
    const argv = [...scenario.words(this.starts.place), "-n", namespace, ...yes, ...more];
    const ended = await this.starts.typed(argv, { cluster: recorded, clock });
    return { ...ended, requests: record.lines() };
  }
}

/** Several namespaces are worked on at once, in an order that differs from run to run. */
function oneNamespace(object: KubeObject): KubeObject {
  const { name, namespaces } = names.configMap;
  if (object.kind !== "ConfigMap" || object.metadata.name !== name) return object;
  return { ...object, data: { ...(object["data"] as object), [namespaces]: "shop" } };
}

/** The cluster that fails once, at the first write that the failure can meet. */
function withFault(cluster: Cluster, id: string | undefined): Cluster {
  if (id === undefined) return cluster;
  const fault = faults.find((one) => one.id === id);
  if (fault === undefined) throw new Error(id);
  let isOver = false;
  const gate: Gate = async (call, send) => {
    if (isOver || !call.writes || !fault.meets(call)) return send();
    isOver = true;
    if (fault.applied) await send();
    throw fault.error(call, cluster.server);
  };
  return new ObservedCluster(cluster, gate);
}

/**
 * Requests in their order. Between two writes, reads and dry runs are kept once, sorted: how often
 * something is looked at while it is waited for is no behavior.
 */
class Requests {
  private readonly all: string[] = [];
  private readonly reads = new Set<string>();

  lines(): readonly string[] {
    this.endOfReads();
    return this.all;
  }

  /** A cluster that keeps what is asked of it. */
  of(cluster: Cluster): Cluster {
    const read = (line: string): void => {
      this.reads.add(line);
    };
    const write = (line: string, body: unknown, options: WriteOptions = {}): void => {
      const lines = [`${line}${toldOptions(options)}`, ...toldBody(body)];
      if (options.dryRun === true) read(lines.join("\n"));
      else {
        this.endOfReads();
        this.all.push(...lines);
      }
    };
    return {
      server: cluster.server,
      namespace: cluster.namespace,
      get: (ref, options) => {
        read(`GET ${toldRef(ref)}`);
        return cluster.get(ref, options);
      },
      list: (resource, options = {}) => {
        read(`LIST ${toldKind(resource)}${toldOptions(options)}`);
        return cluster.list(resource, options);
      },
      watch: (resource, options) => {
        read(
          `WATCH ${toldKind(resource)}${toldOptions({ ...options, resourceVersion: undefined })}`,
        );
        return cluster.watch(resource, options);
      },
      logs: async (pod, options) => {
        read(`LOG ${toldRef(pod)}${toldOptions(options)}`);
        return cluster.logs?.(pod, options);
      },
      create: (object, options) => {
        const line = `CREATE ${toldObject(object)}`;
        if (object.apiVersion.startsWith("authorization.k8s.io/")) read(line);
        else write(line, object, options);
        return cluster.create(object, options);
      },
      update: (object, options) => {
        write(`UPDATE ${toldObject(object)}`, object, options);
        return cluster.update(object, options);
      },
      apply: (object, options) => {
        write(`APPLY ${toldObject(object)}`, object, options);
        return cluster.apply(object, options);
      },
      patch: (ref, body, options) => {
        write(`PATCH ${toldRef(ref)}`, body, options);
        return cluster.patch(ref, body, options);
      },
      delete: (ref, preconditions, options) => {
        write(`DELETE ${toldRef(ref)}`, preconditions, options);
        return cluster.delete(ref, preconditions, options);
      },
      can: (access) => {
        read(`CAN ${JSON.stringify(access)}`);
        return cluster.can(access);
      },
      whoAmI: () => {
        read("WHOAMI");
        return cluster.whoAmI();
      },
      version: () => {
        read("VERSION");
        return cluster.version();
      },
      serves: (group, version) => {
        read(`KINDS ${group}/${version}`);
        return cluster.serves(group, version);
      },
      close: () => {
        cluster.close();
      },
    };
  }

  private endOfReads(): void {
    this.all.push(...[...this.reads].sort());
    this.reads.clear();
  }
}

const toldKind = ({ plural, group, version }: Resource): string =>
  `${plural}.${version}.${group}`.replace(/\.$/, "");

const toldRef = ({ resource, namespace: within, name }: Ref): string =>
  `${toldKind(resource)} ${within === undefined ? "" : `${within}/`}${name}`;

const toldObject = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${apiVersion} ${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name ?? ""}`;

/** In the order of the alphabet; false says the same as nothing. */
function toldOptions(options: object): string {
  const told = Object.entries(options).filter(
    ([, value]) => value !== false && !["object", "function", "undefined"].includes(typeof value),
  );
  return told
    .sort()
    .map(([key, value]) => ` ${key}=${String(value)}`)
    .join("");
}

function toldBody(body: unknown): readonly string[] {
  const text = dump(body, { lineWidth: -1, noRefs: true, sortKeys: true }).trimEnd();
  return text.split("\n").map((line) => `    ${line}`);
}

/** Without what differs from run to run: folders, identifiers, keys, and certificates. */
function masked(text: string, folder: string): string {
  const uids = new Map<string, string>();
  return text
    .replaceAll(folder, "FOLDER")
    .replaceAll(/\bhome-\d+/g, "home")
    .replaceAll(/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, "RUN")
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (uid) => {
      uids.set(uid, uids.get(uid) ?? `UID-${String(uids.size + 1)}`);
      return uids.get(uid) ?? uid;
    })
    .replaceAll(/[A-Za-z0-9+/]{120,}={0,2}/g, "BASE64")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "DIGEST")
    .replaceAll(/(?:[0-9A-F]{2}:){19,}[0-9A-F]{2}/g, "FINGERPRINT");
}
