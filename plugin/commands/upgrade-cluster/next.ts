/** The operator, and the ECs: the columns of the listing, wanted and running version, rollout, license (S57-S60). */
import { clusterFindings } from "../../domain/engine-cluster/findings";
import type { CheckContext } from "../../domain/checks/context";
import { causesOf } from "../../domain/engine-cluster/causes";
import { isSuspended, operatorRelease } from "../../domain/engine-cluster/operator";
import { expansionOf } from "../../domain/engine-cluster/volumes";
import { factNamed, type Facts, isKnown } from "../../domain/facts/facts";
import { type Names, termOf } from "../../domain/names/names";
import { annotationOf, type KubeObject, objectLabel } from "../../domain/kube/objects";
import { judgeCluster, runningVersion } from "../../domain/engine-cluster/rollout";
import { getPath, getOwn, asString, numberAt } from "../../domain/base/values";
import { ageOf, daysUntil } from "../../domain/base/duration";
import {
  unreadVerdict,
  type ComponentHealth,
  verdictOf,
  worstOf,
} from "../../domain/rollout/health";
import { podTrouble } from "../../domain/rollout/pod-causes";
import { containerOf, rollOf } from "../../domain/rollout/stateful-set";
import { parseImage } from "../../domain/release/images";
import { judgeDeployment } from "../../domain/rollout/deployment";

/** What is shown of the operator. */
export interface OperatorStatus {
  readonly deployment: string;
  /** The tag of its image; absent where it is pinned by digest alone. */
  readonly version?: string;
  /** What the chart says, where it came by one. */
  readonly chart?: { readonly version?: string; readonly operator?: string };
  /** As `kubectl get deployment` counts (S19). */
  readonly pods?: {
    readonly wanted: number;
    readonly ready: number;
    readonly upToDate: number;
    readonly available: number;
  };
  readonly verdict: ComponentHealth;
}

/** The operator's part of the screen. */
export function operatorStatus(facts: Facts): OperatorStatus {
  const { names, namespace } = facts;
  const { deployment: name } = names.operator;
  const unread = unreadVerdict(facts, ["deployments"]);
  if (unread !== undefined) return { deployment: name, verdict: unread };
  const deployment = factNamed(facts, "deployments", { name });
  if (deployment === undefined) {
    const because = `there is no Deployment ${name} in namespace ${namespace}`;
    const fix = "give the operator's namespace with -n, or install the operator";
    const { code } = clusterFindings.operatorAbsent;
    return { deployment: name, verdict: { is: "stalled", because, fix, code } };
  }
  const version = operatorVersion(facts);
  const chart = chartOf(facts, deployment);
  return {
    deployment: name,
    ...(version !== undefined && { version }),
    ...(chart !== undefined && { chart }),
    pods: podsOf(deployment),
    verdict: rolloutVerdict(facts, name),
  };
}

/** The tag of the operator's image, else what the chart says of it (domain facts 8). */
export function operatorVersion(facts: Facts): string | undefined {
  const { names } = facts;
  const deployment = factNamed(facts, "deployments", { name: names.operator.deployment });
  const podSpec = getPath(deployment, ["spec", "template", "spec"]);
  const container = containerOf(podSpec, names.operator.container);
  return (
    parseImage(getOwn(container, "image"))?.tag ??
    annotationOf(deployment, names.annotations.operatorVersion)
  );
}

/** Causes show in the pods: without them nothing is known of one that is not ready. */
function rolloutVerdict(facts: Facts, name: string): ComponentHealth {
  const verdict = verdictOf(judgeDeployment(facts, name));
  const unread = unreadVerdict(facts, ["replicaSets", "pods", "events"]);
  if (verdict.is !== "moving" || unread === undefined) return verdict;
  return { is: "unknown", because: `${verdict.on}; ${unread.because}, so no cause is seen` };
}

function chartOf({ names }: Facts, deployment: KubeObject): OperatorStatus["chart"] {
  const version = annotationOf(deployment, names.annotations.chartVersion);
  const operator = annotationOf(deployment, names.annotations.operatorVersion);
  if (version === undefined && operator === undefined) return undefined;
  return {
    ...(version !== undefined && { version }),
    ...(operator !== undefined && { operator }),
  };
}

function podsOf(deployment: KubeObject): NonNullable<OperatorStatus["pods"]> {
  return {
    wanted: numberAt(deployment, ["spec", "replicas"], 1),
    ready: numberAt(deployment, ["status", "readyReplicas"]),
    upToDate: numberAt(deployment, ["status", "updatedReplicas"]),
    available: numberAt(deployment, ["status", "availableReplicas"]),
  };
}

/** The columns of the listing, in its order and from the object itself (S57). */
export interface ClusterColumns {
  readonly name: string;
  readonly nodes: string;
  /** The wanted tag: the listing knows no other (domain facts 7). */
  readonly version: string;
  readonly state: string;
  readonly specStatus: string;
  readonly licenseState: string;
  readonly shardsLimit: string;
  readonly licenseExpirationDate: string;
  readonly age: string;
}

/** The headings of those columns (S57). */
export const columnTitles: Readonly<Record<keyof ClusterColumns, string>> = {
  name: "NAME",
  nodes: "NODES",
  version: "VERSION",
  state: "STATE",
  specStatus: "SPEC STATUS",
  licenseState: "LICENSE STATE",
  shardsLimit: "SHARDS LIMIT",
  licenseExpirationDate: "LICENSE EXPIRATION DATE",
  age: "AGE",
};

/** What is shown of one EC. */
export interface ClusterStatus extends ClusterColumns {
  /** The tags that its pods run; more than one while it rolls. */
  readonly running: readonly string[];
  readonly licenseDays?: number;
  readonly rollout?: RolloutStatus;
  readonly verdict: ComponentHealth;
}

/** All of them, and what is to be said of them together. */
export interface ClustersStatus {
  readonly items: readonly ClusterStatus[];
  readonly verdict: ComponentHealth;
}

/** Every EC of the operator's namespace, by name. */
export function clustersStatus({ facts, clusters }: CheckContext): ClustersStatus {
  const items = [...clusters].sort(byName).map((ec) => clusterStatus(facts, ec));
  const none: ComponentHealth = {
    is: "absent",
    says: `no ${termOf(facts.names.ec)} in this namespace`,
  };
  const verdict = unreadVerdict(facts, ["ecs"]) ?? worstOf(items.map((item) => item.verdict));
  return { items, verdict: verdict ?? none };
}

function clusterStatus(facts: Facts, ec: KubeObject): ClusterStatus {
  const columns = columnsOf(ec, facts);
  const licenseDays = daysUntil(columns.licenseExpirationDate, facts.now);
  const rollout = rolloutOf(facts, ec);
  return {
    ...columns,
    running: runningVersion(facts, ec),
    ...(licenseDays !== undefined && { licenseDays }),
    ...(rollout !== undefined && { rollout }),
    verdict:
      unreadVerdict(facts, ["statefulSets", "pods"]) ??
      withHolds(facts, ec, verdictOf(judgeCluster(facts, columns.name))),
  };
}

/** Pods that are well say nothing of what the operator will do with the EC (S10, S59). */
function withHolds(facts: Facts, ec: KubeObject, verdict: ComponentHealth): ComponentHealth {
  if (verdict.is !== "fine") return verdict;
  const [license] = causesOf("license", facts, { ec });
  const object = objectLabel(ec);
  if (license !== undefined) {
    const { code, cause: because, fix } = license;
    return { is: "stalled", because, fix, code, object };
  }
  const expansion = expansionOf(facts, ec);
  if (expansion !== undefined) {
    const { code, cause, fix } = expansion.finding;
    return expansion.failed
      ? { is: "stalled", because: cause, fix, code, object }
      : { is: "moving", on: cause };
  }
  if (!isSuspended(facts, ec)) return verdict;
  const because = `suspended: the operator is already at ${String(operatorRelease(facts).version)}, and manages neither it nor its databases until it follows`;
  return {
    is: "stalled",
    because,
    fix: "upgrade it with upgrade-cluster",
    code: suspendedCode,
    object,
  };
}

/** The code of an EC that its operator does not manage until it is upgraded. */
export const suspendedCode = clusterFindings.behindOperator.code;

function byName(one: KubeObject, other: KubeObject): number {
  return String(one.metadata.name) < String(other.metadata.name) ? -1 : 1;
}

function columnsOf(ec: KubeObject, { names, now }: Facts): ClusterColumns {
  const { ecFields } = names;
  return {
    name: renderCell(ec.metadata.name),
    nodes: renderCell(getPath(ec, ecFields.nodes)),
    version: renderCell(getPath(ec, ecFields.versionTag)),
    state: renderCell(getPath(ec, ecFields.state)),
    specStatus: renderCell(getPath(ec, ecFields.specStatus)),
    licenseState: renderCell(getPath(ec, ecFields.licenseState)),
    shardsLimit: shardsOf(ec, names),
    licenseExpirationDate: renderCell(getPath(ec, ecFields.licenseExpiration)),
    age: renderCell(ageOf(ec.metadata["creationTimestamp"], now)),
  };
}

/** The limit: a number, or the second half of a text such as "0/4" (domain facts 7, Columns). */
function shardsOf(ec: KubeObject, { ecFields }: Names): string {
  const value = getPath(ec, ecFields.shardsLimit);
  return /^\d+\/(\d+)$/.exec(String(value))?.[1] ?? renderCell(value);
}

/** A cell as kubectl prints it: texts and numbers, `<none>` for what is not there. */
function renderCell(value: unknown): string {
  return typeof value === "number" ? String(value) : (asString(value) ?? "<none>");
}

/** A rolling upgrade in numbers. */
interface RolloutStatus {
  /** Pods that are on the new revision and ready. */
  readonly done: number;
  readonly of: number;
  /** The first pod that is not, in the order in which they roll. */
  readonly pod?: string;
  /** Why it is not, as the pod says it. */
  readonly reason?: string;
}

/** The roll of the StatefulSet named as the EC; undefined where it cannot be determined. */
function rolloutOf(facts: Facts, ec: KubeObject): RolloutStatus | undefined {
  const set = setOf(facts, ec);
  if (set === undefined || !isKnown(facts, "pods")) return undefined;
  const { done, wanted, pods } = rollOf(facts, set);
  const first = pods.find(({ updated, ready }) => !updated || !ready);
  const trouble = first && podTrouble(first.pod, { facts });
  return {
    done,
    of: wanted,
    ...(first !== undefined && { pod: first.name }),
    ...(trouble !== undefined && { reason: trouble.because }),
  };
}

function setOf(facts: Facts, { metadata }: KubeObject): KubeObject | undefined {
  return factNamed(facts, "statefulSets", { name: String(metadata.name) });
}
