/** One look at an EC that may be frozen: resources, REST API, and what stands beside as evidence. */
import { EngineError, exitCodes } from "../../domain/errors";
import type { Facts } from "../../domain/facts";
import { clusterFinding } from "../../domain/cluster/codes";
import { type KubeObject, objectLabel, type Ref, type Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import {
  classifyFreeze,
  eventEvidence,
  type Evidence,
  type Freeze,
  logEvidence,
} from "../../domain/recovery/classify";
import type { ApiFacts } from "../../domain/recovery/databases";
import { own } from "../../domain/values";
import type { ClusterApi } from "../cluster-api";
import { lookPermissions, readDefinition, readFacts, withDefinition } from "../cluster/read";
import { BlockedError } from "../engine/recorder";
import type { RecoverContext, RecoverDeps, RecoverOptions } from "./deps";

/** What was seen. */
export interface Look {
  readonly facts: Facts;
  readonly ec: KubeObject;
  readonly api: ApiFacts | undefined;
  readonly freeze: Freeze;
}

/** What is read at every look. */
export const looked = [
  "statefulSets",
  "pods",
  "deployments",
  "events",
  "edbs",
  "eaadbs",
] as const satisfies Parameters<typeof readFacts>[2];

/** What is read in any case; the operator's log is evidence alone, and not insisted on. */
export function readPermissions(
  { names, api }: RecoverDeps,
  place: Pick<RecoverOptions, "namespace" | "name">,
): readonly Permission[] {
  const why = (): string => "to see why the upgrade does not go on";
  return [...lookPermissions(names, place, { keys: looked, why }), ...(api?.permissions ?? [])];
}

/**
 * Looks, and classifies what it sees. With `unread`, a REST API that cannot be asked is told, and the
 * resources alone are judged.
 */
export async function lookAt(
  { deps, options, resource, api }: RecoverContext,
  unread?: (error: EngineError) => void,
): Promise<Look> {
  const { namespace, name } = options;
  const [read, defined, asked] = await Promise.allSettled([
    readFacts(deps, { namespace, resource }, looked),
    readDefinition(deps, "ec"),
    api === undefined ? undefined : readApi(deps, api).catch(passed),
  ]);
  // every one is seen to its end: a call that is under way would go on after the connection is closed
  if (read.status === "rejected") throw read.reason as Error;
  if (defined.status === "rejected") throw defined.reason as Error;
  if (asked.status === "rejected") throw asked.reason as Error;
  const [facts, told] = [withDefinition(read.value, defined.value), asked.value];
  const ec = facts.objects.ecs.find(({ metadata }) => metadata.name === name);
  if (ec === undefined) {
    const object = [deps.names.ec.kind, namespace, name].join("/");
    throw new BlockedError(exitCodes.blocked, [clusterFinding("absent", { object })]);
  }
  return { facts, ec, api: told, freeze: classifyFreeze(facts, ec, told) };

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
  return {
    databases,
    modules,
    ...(license !== undefined && { license }),
    ...(nodes !== undefined && { nodes }),
  };
}

const tailLines = 500;
const podResource: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod" };

/** The operator's log and the events; a log that cannot be read is only evidence missing. */
export async function readEvidence(
  deps: RecoverDeps,
  { facts, ec, freeze }: Look,
): Promise<readonly Evidence[]> {
  const edbs = freeze.databases.flatMap(({ target }) => target?.object ?? []);
  const pods = facts.objects.pods.filter(
    ({ metadata }) => own(metadata.labels, "name") === deps.names.operator.podLabel,
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
