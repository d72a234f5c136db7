/** The operator, and the ECs: the columns of the listing, wanted and running version, rollout, license (S57-S60). */
import { diagnose, gate, verdictOf } from "../../domain/diagnosis/diagnose";
import { operatorHealth } from "../../domain/operator/symptoms";
import { clusterGates, clusterList } from "../../domain/engine-cluster/symptoms";
import { clusterFindings } from "../../domain/engine-cluster/findings";
import type { CheckContext } from "../../domain/checks/context";
import { classifyFreeze } from "../../domain/recovery/classify";
import {
  findBehind,
  findOwnership,
  operatorRelease,
  chooseRelease,
  ownClusters,
} from "../../domain/engine-cluster/operator";
import { holdStep, type NextRelease, type NextStep } from "../../domain/rollout/next-step";
import { factNamed, type Facts, knownHere } from "../../domain/facts/facts";
import { type Names, renderTerm } from "../../domain/names/names";
import type { Deployment } from "../../domain/kube/models";
import { readAnnotation, type KubeObject, readName } from "../../domain/kube/objects";
import { findSet, judgeCluster, readRunningVersion } from "../../domain/engine-cluster/rollout";
import { getPath, asString } from "../../domain/base/values";
import { formatAge, daysUntil } from "../../domain/base/duration";
import {
  unreadVerdict,
  type ComponentHealth,
  renderMoving,
  findWorst,
  noteUnread,
  restingOn,
} from "../../domain/rollout/health";
import { podTrouble } from "../../domain/rollout/pod-causes";
import { findContainer, readRoll } from "../../domain/rollout/stateful-set";
import { parseImage } from "../../domain/release/images";
import { countReplicas } from "../../domain/rollout/deployment";

/** What is shown of the operator. */
export interface OperatorStatus {
  readonly deployment: string;
  /** The tag of its image; absent where it is pinned only by digest. */
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
  const { deployment: name } = facts.names.operator;
  const verdict = restingOn(operatorHealth(facts), "counted by its Deployment, log not read");
  const deployment = factNamed(facts, "deployments", { name });
  if (deployment === undefined) return { deployment: name, verdict };
  const version = operatorVersion(facts);
  const chart = findChart(facts, deployment);
  return {
    deployment: name,
    ...(version !== undefined && { version }),
    ...(chart !== undefined && { chart }),
    pods: countPods(deployment),
    verdict,
  };
}

/** The tag of the operator's image, else what the chart says of it (domain facts 8). */
export function operatorVersion(facts: Facts): string | undefined {
  const { names } = facts;
  const deployment = factNamed(facts, "deployments", { name: names.operator.deployment });
  const podSpec = deployment?.spec?.template?.spec;
  const container = findContainer(podSpec, names.operator.container);
  return (
    parseImage(container?.image)?.tag ??
    readAnnotation(deployment, names.annotations.operatorVersion)
  );
}

function findChart({ names }: Facts, deployment: KubeObject): OperatorStatus["chart"] {
  const version = readAnnotation(deployment, names.annotations.chartVersion);
  const operator = readAnnotation(deployment, names.annotations.operatorVersion);
  if (version === undefined && operator === undefined) return undefined;
  return {
    ...(version !== undefined && { version }),
    ...(operator !== undefined && { operator }),
  };
}

function countPods(deployment: Deployment): NonNullable<OperatorStatus["pods"]> {
  const { wanted, ready, updated: upToDate, available } = countReplicas(deployment);
  return { wanted, ready, upToDate, available };
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

/** The columns that -o wide adds: what runs, how far a roll is, and the pod that it waits for. */
export const wideColumns: readonly {
  readonly title: string;
  readonly cell: (cluster: ClusterStatus) => string;
}[] = [
  {
    title: "RUNNING VERSION",
    cell: ({ running }) => (running === undefined ? "unknown" : running.join(",") || "<none>"),
  },
  {
    title: "NEW PODS",
    cell: ({ rollout }) => (rollout === undefined ? "unknown" : `${rollout.done}/${rollout.of}`),
  },
  {
    title: "NEXT POD",
    cell: ({ rollout }) => (rollout === undefined ? "unknown" : (rollout.pod ?? "<none>")),
  },
  { title: "LICENSE DAYS", cell: ({ licenseDays }) => renderCell(licenseDays) },
];

/** What is shown of one EC. */
export interface ClusterStatus extends ClusterColumns {
  /** The tags that its pods run; more than one while it rolls. Absent where the pods were not read. */
  readonly running?: readonly string[];
  /** Why its pods were not read. */
  readonly unread?: string;
  readonly licenseDays?: number;
  readonly rollout?: RolloutStatus;
  readonly verdict: ComponentHealth;
}

/** All of them, and what is to be said of them together. */
export interface ClustersStatus {
  readonly items: readonly ClusterStatus[];
  /** Why there may be more of them than these. */
  readonly unread?: string;
  readonly verdict: ComponentHealth;
}

/** Every EC of the operator's namespace, by name. */
export function clustersStatus({ facts: all, clusters }: CheckContext): ClustersStatus {
  const facts = knownHere(all);
  const items = [...clusters].sort(byName).map((ec) => clusterStatus(facts, ec, all));
  const none: ComponentHealth = {
    is: "absent",
    says: `no ${renderTerm(facts.names.ec)} in this namespace`,
  };
  const verdict = unreadVerdict(facts, ["ecs"]) ?? findWorst(items.map((item) => item.verdict));
  return { items, ...noteUnread(facts, ["ecs"]), verdict: verdict ?? none };
}

function clusterStatus(facts: Facts, ec: KubeObject, all: Facts): ClusterStatus {
  const columns = makeColumns(ec, facts);
  const licenseDays = daysUntil(columns.licenseExpirationDate, facts.now);
  const note = noteUnread(facts, podLists);
  const rollout = note.unread === undefined ? findRollout(facts, ec) : undefined;
  return {
    ...columns,
    ...note,
    ...(note.unread === undefined && { running: readRunningVersion(facts, ec) }),
    ...(licenseDays !== undefined && { licenseDays }),
    ...(rollout !== undefined && { rollout }),
    verdict: restingOn(judgeOne(facts, ec, all), "by its pods and its status, REST API not asked"),
  };
}

/** By which the pods of an EC are found. */
const podLists = ["statefulSets", "pods"] as const;

/** What moves is told as its roll is, all else as it is diagnosed. */
function judgeOne(facts: Facts, ec: KubeObject, all: Facts): ComponentHealth {
  const progress = judgeCluster(facts, readName(ec));
  const isSeen = unreadVerdict(facts, podLists) === undefined;
  if (isSeen && progress.is === "moving") {
    // an upgrade is also held up by what its databases use, which may be in any namespace
    const isUpgrade = getPath(ec, facts.names.ecFields.state) === "Upgrade";
    const used = isUpgrade ? unreadVerdict(all, ["edbs", "eaadbs"]) : undefined;
    const hidden = unreadVerdict(facts, ["claims", "events"]) ?? used;
    return judgeMoving(renderMoving(progress), hidden);
  }
  const rests = progress.is === "done" ? progress.says : "";
  return verdictOf(diagnose(clusterList, { facts, clusters: [ec] }), rests);
}

/** What holds a roll up shows in other lists: without them it cannot be told from one that moves. */
function judgeMoving(on: string, hidden: ReturnType<typeof unreadVerdict>): ComponentHealth {
  if (hidden === undefined) return { is: "moving", on };
  return { is: "unknown", because: `${on}; ${hidden.because}, so no cause is seen` };
}

function byName(one: KubeObject, other: KubeObject): number {
  return String(one.metadata.name) < String(other.metadata.name) ? -1 : 1;
}

function makeColumns(ec: KubeObject, { names, now }: Facts): ClusterColumns {
  const { ecFields } = names;
  return {
    name: renderCell(ec.metadata.name),
    nodes: renderCell(getPath(ec, ecFields.nodes)),
    version: renderCell(getPath(ec, ecFields.versionTag)),
    state: renderCell(getPath(ec, ecFields.state)),
    specStatus: renderCell(getPath(ec, ecFields.specStatus)),
    licenseState: renderCell(getPath(ec, ecFields.licenseState)),
    shardsLimit: renderShards(ec, names),
    licenseExpirationDate: renderCell(getPath(ec, ecFields.licenseExpiration)),
    age: renderCell(formatAge(ec.metadata["creationTimestamp"], now)),
  };
}

/** The limit: a number, or the second half of a text such as "0/4" (domain facts 7, Columns). */
function renderShards(ec: KubeObject, { ecFields }: Names): string {
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
function findRollout(facts: Facts, ec: KubeObject): RolloutStatus | undefined {
  const set = findSet(facts, ec);
  if (set === undefined) return undefined;
  const { done, wanted, pods } = readRoll(facts, set);
  const first = pods.find(({ updated, ready }) => !updated || !ready);
  const trouble = first && podTrouble(first.pod, { facts });
  return {
    done,
    of: wanted,
    ...(first !== undefined && { pod: first.name }),
    ...(trouble !== undefined && { reason: trouble.cause }),
  };
}

/** Its own upgrade is the fix. */
function isFixedByUpgrade(verdict: ComponentHealth): boolean {
  return verdict.is === "stalled" && verdict.code === clusterFindings.behindOperator.code;
}

const refused: ReadonlySet<string | undefined> = new Set([
  clusterFindings.invalidUpgrade.code,
  clusterFindings.frozen.code,
]);

/** What the steps are chosen from. */
interface ClusterNext {
  readonly clusters: ClustersStatus;
  readonly operator: Pick<OperatorStatus, "version">;
  readonly situation: Pick<CheckContext, "facts" | "names">;
  readonly release?: NextRelease;
}

/** An upgrade that has come to a stand: what takes it on by itself is typed, all else is a person's decision (S113). */
export function recoverStep({
  clusters,
  situation: { facts },
}: Pick<ClusterNext, "clusters" | "situation">): NextStep | undefined {
  const stalled = new Map(
    clusters.items.flatMap(({ name, verdict }) =>
      verdict.is === "stalled" ? [[name, refused.has(verdict.code)] as const] : [],
    ),
  );
  return ownClusters(facts)
    .filter((ec) => stalled.has(readName(ec)))
    .map((ec) => resumeStep(facts, ec, stalled.get(readName(ec)) === true))
    .find((step) => step !== undefined);
}

function resumeStep(facts: Facts, ec: KubeObject, isRefused: boolean): NextStep | undefined {
  const { causes } = classifyFreeze(facts, ec);
  const [first] = causes;
  if (first === undefined) return undefined;
  const { object, cause, fix } = first.finding;
  const upgrade = `the upgrade of ${renderTerm(facts.names.ec)} ${readName(ec)}`;
  const why = `${String(object)}: ${cause}`;
  if (causes.every(({ is }) => is === "outdated" || is === "held")) {
    const words = ["recover", "--apply", `--ec=${readName(ec)}`];
    return { says: `continue ${upgrade}: ${why}`, words };
  }
  if (!isRefused) return undefined;
  return { says: `decide how ${upgrade} continues: ${why}: ${fix}; recover tells each step` };
}

/** The first EC that is not well, else the first that is behind its operator (S10). */
export function clusterStep(next: ClusterNext): NextStep | undefined {
  const { clusters, situation } = next;
  const term = renderTerm(situation.names.ec);
  for (const { name, verdict } of clusters.items) {
    if (verdict.is !== "fine" && !isFixedByUpgrade(verdict)) {
      return holdStep(`${term} ${name}`, verdict);
    }
  }
  const { verdict } = clusters;
  if (verdict.is === "unknown") return holdStep(`the ${term}s`, verdict);
  return behindStep(next, term);
}

function behindStep(
  { clusters, situation: { facts }, operator, release }: ClusterNext,
  term: string,
): NextStep | undefined {
  const cluster = findBehind(facts, clusters.items);
  if (cluster === undefined) return undefined;
  const own = ownClusters(facts).filter((ec) => readName(ec) === cluster.name);
  const [ahead] = gate(clusterGates, "upgrade-cluster", { facts, clusters: own }).filter(
    ({ severity }) => severity === "error",
  );
  // the command would end with this, and write nothing
  if (ahead !== undefined) {
    return { says: `before ${term} ${cluster.name} can be upgraded: ${ahead.fix}`, upgrades: true };
  }
  const target = operatorRelease(facts).clusterTag ?? release?.contents.clusterVersion;
  const says = `upgrade ${term} ${cluster.name} from ${chooseRelease(cluster)}`;
  const [owned] = own.flatMap((ec) => findOwnership(ec, facts));
  if (owned !== undefined) {
    return { says: `${says}; ${owned.cause}: ${owned.fix}`, upgrades: true };
  }
  if (target === undefined) {
    return {
      says: `${says} to the release of operator ${String(operator.version)}`,
      upgrades: true,
    };
  }
  return {
    says: `${says} to ${target}`,
    words: ["upgrade-cluster", cluster.name, `--target=${target}`],
    upgrades: true,
  };
}
