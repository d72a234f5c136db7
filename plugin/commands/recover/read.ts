/** One look at an EC that may be frozen: resources, REST API, and what stands beside as evidence. */
import type { AskingPorts } from "../../kernel/world";
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import { factNamed, type Facts } from "../../domain/facts/facts";
import { clusterFinding } from "../../domain/engine-cluster/findings";
import { type KubeObject, objectLabel, type Ref, type Resource } from "../../domain/kube/objects";
import type { ApiWish, Needs } from "../../domain/facts/needs";
import { lookKeys, recoverNeeds } from "./needs";
import { classifyFreeze, type Freeze } from "../../domain/recovery/classify";
import { eventEvidence, type Evidence, logEvidence } from "../../domain/recovery/evidence";
import type { ApiFacts } from "../../domain/recovery/databases";
import type { ClusterApi } from "../../ports/rest-api";
import { readClusterFacts, withEveryCluster } from "../../readers/engine-cluster";
import type { Session } from "../../kernel/session";
import { readDefinition, withDefinition } from "../../readers/snapshot";

/** What was seen. */
export interface RecoverySnapshot {
  readonly facts: Facts;
  readonly ec: KubeObject;
  readonly api: ApiFacts | undefined;
  readonly freeze: Freeze;
}

/** What the run may need in all. */
export function listNeeds(
  { names, api }: Pick<RecoverDeps, "names" | "api">,
  { namespace, name, apply }: Pick<RecoverOptions, "namespace" | "name" | "apply">,
  look?: RecoverySnapshot,
): Needs {
  const targets = look?.freeze.databases.flatMap(({ target }) => target ?? []);
  const places = targets?.map(({ object }) => object.metadata.namespace ?? "");
  return recoverNeeds({ names, namespace, name, applies: apply, api: api?.wish, places });
}

/**
 * Looks, and classifies what it sees. With `unread`, a REST API that cannot be asked is told, and the
 * resources alone are judged.
 */
export async function lookAt(
  { deps, options, resource, api }: RecoverContext,
  unread?: (error: EngineError) => void,
): Promise<RecoverySnapshot> {
  const { namespace, name } = options;
  const [read, defined, asked] = await Promise.allSettled([
    readClusterFacts(deps, { namespace, resource }, lookKeys).then((own) =>
      withEveryCluster(deps, own, resource),
    ),
    readDefinition(deps, "ec"),
    api === undefined ? undefined : readApi(deps, api).catch(passed),
  ]);
  // every one is seen to its end: a call that is under way would continue after the connection is closed
  if (read.status === "rejected") throw read.reason as Error;
  if (defined.status === "rejected") throw defined.reason as Error;
  if (asked.status === "rejected") throw asked.reason as Error;
  const [facts, told] = [withDefinition(read.value, defined.value), asked.value];
  const ec = factNamed(facts, "ecs", { name, namespace });
  if (ec === undefined) {
    const object = [deps.names.ec.kind, namespace, name].join("/");
    throw new BlockedError(exitCodes.blocked, [clusterFinding("absent", { object }, facts.names)]);
  }
  const patience = { stallAfterMs: options.stallAfterMs };
  return { facts, ec, api: told, freeze: classifyFreeze(facts, ec, { api: told, patience }) };

  function passed(error: unknown): undefined {
    deps.signal.throwIfAborted();
    if (unread === undefined || !(error instanceof EngineError)) throw error;
    unread(error);
  }
}

async function readApi({ signal }: RecoverDeps, api: ClusterApi): Promise<ApiFacts> {
  // one after the other: a failure leaves no call behind that a closed connection would wait for
  const databases = await api.databases(signal);
  const modules = await api.modules(signal);
  const license = await api.license(signal);
  const nodes = await api.nodes(signal);
  const policy = await api.policy(signal);
  return {
    databases,
    modules,
    ...(license !== undefined && { license }),
    ...(nodes !== undefined && { nodes }),
    ...(policy !== undefined && { policy }),
  };
}

const tailLines = 500;
const podResource: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod" };

/** The operator's log and the events; a log that cannot be read is only evidence missing. */
export async function readEvidence(
  deps: RecoverDeps,
  { facts, ec, freeze }: RecoverySnapshot,
): Promise<readonly Evidence[]> {
  const edbs = freeze.databases.flatMap(({ target }) => target?.object ?? []);
  const pods = facts.objects.pods.filter(
    ({ metadata }) => metadata.labels?.["name"] === deps.names.operator.podLabel,
  );
  const logs = await Promise.all(pods.map((pod) => logOf(deps, pod)));
  return [...logEvidence(logs.join("\n"), [ec, ...edbs]), ...eventEvidence(facts, ec, edbs)];
}

async function logOf(deps: RecoverDeps, pod: KubeObject): Promise<string> {
  const { cluster, names, signal, recorder } = deps;
  const { name = "", namespace = "" } = pod.metadata;
  const ref: Ref = { resource: podResource, name, namespace };
  const { container } = names.operator;
  try {
    return (await cluster.logs?.(ref, { container, tailLines, signal })) ?? "";
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineError)) throw error;
    recorder.note(`the log of ${objectLabel(pod)} could not be read: ${error.message}`);
    return "";
  }
}

/** The flags of the command, judged. */
export interface RecoverOptions {
  /** The operator's and the EC's. */
  readonly namespace: string;
  /** Name of the EC. */
  readonly name: string;
  readonly apply: boolean;
  readonly engineVersion?: string;
  readonly dropDigests: boolean;
  readonly mayDiscardData: boolean;
  readonly takeFields?: readonly string[];
  /** No progress for so long: it is stalled. */
  readonly stallAfterMs: number;
  /** Longest time for each wait; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for actions that run, instead of stopping. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** The REST API of the EC, not yet connected. */
interface ApiSource {
  readonly wish: ApiWish;
  readonly connect: () => Promise<ClusterApi>;
}

/** The world around a run. */
export interface RecoverDeps extends AskingPorts {
  /** Absent: nothing was given to reach it with, and it is judged from the resources. */
  readonly api: ApiSource | undefined;
}

/** One for a whole run. */
export interface RecoverContext {
  readonly deps: RecoverDeps;
  readonly options: RecoverOptions;
  readonly session: Session;
  /** By which version of its kind the EC is read. */
  readonly resource: Resource;
  /** The REST API where it is asked. */
  readonly api: ClusterApi | undefined;
}
