/** The ECs: the columns of the listing, wanted and running version, roll-out, license (S57-S60). */
import type { Situation } from "../checks/situation";
import { causesOf } from "../cluster/causes";
import { isSuspended, operatorRelease } from "../cluster/operator";
import type { Facts } from "../facts";
import { type Names, termOf } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { judgeCluster, runningVersion } from "../rollout/cluster";
import { at, text } from "../values";
import { ageOf, daysUntil } from "../duration";
import { rolloutOf, type RolloutStatus } from "./rollout";
import { unreadVerdict, verdictOf, worstOf, type Verdict } from "./verdict";

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
  readonly verdict: Verdict;
}

/** All of them, and what is to be said of them together. */
export interface ClustersStatus {
  readonly items: readonly ClusterStatus[];
  readonly verdict: Verdict;
}

/** Every EC of the operator's namespace, by name. */
export function clustersStatus({ facts, clusters }: Situation): ClustersStatus {
  const items = [...clusters].sort(byName).map((ec) => clusterStatus(facts, ec));
  const none: Verdict = { is: "absent", says: `no ${termOf(facts.names.ec)} in this namespace` };
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
function withHolds(facts: Facts, ec: KubeObject, verdict: Verdict): Verdict {
  if (verdict.is !== "fine") return verdict;
  const [license] = causesOf("license", facts, { ec });
  const object = objectLabel(ec);
  if (license !== undefined) {
    const { code, cause: because, fix } = license;
    return { is: "stalled", because, fix, code, object };
  }
  if (!isSuspended(facts, ec)) return verdict;
  const because = `suspended: the operator has gone ahead to ${String(operatorRelease(facts).version)}, and manages neither it nor its databases until it follows`;
  return {
    is: "stalled",
    because,
    fix: "upgrade it with upgrade-cluster",
    code: suspendedCode,
    object,
  };
}

/** The code of an EC that its operator does not manage until it is upgraded. */
export const suspendedCode = "CLUSTER-BEHIND-OPERATOR";

function byName(one: KubeObject, other: KubeObject): number {
  return String(one.metadata.name) < String(other.metadata.name) ? -1 : 1;
}

function columnsOf(ec: KubeObject, { names, now }: Facts): ClusterColumns {
  const { ecFields } = names;
  return {
    name: shownCell(ec.metadata.name),
    nodes: shownCell(at(ec, ecFields.nodes)),
    version: shownCell(at(ec, ecFields.versionTag)),
    state: shownCell(at(ec, ecFields.state)),
    specStatus: shownCell(at(ec, ecFields.specStatus)),
    licenseState: shownCell(at(ec, ecFields.licenseState)),
    shardsLimit: shardsOf(ec, names),
    licenseExpirationDate: shownCell(at(ec, ecFields.licenseExpiration)),
    age: shownCell(ageOf(ec.metadata["creationTimestamp"], now)),
  };
}

/** The limit: a number, or the second half of a text such as "0/4" (domain facts 7, Columns). */
function shardsOf(ec: KubeObject, { ecFields }: Names): string {
  const value = at(ec, ecFields.shardsLimit);
  return /^\d+\/(\d+)$/.exec(String(value))?.[1] ?? shownCell(value);
}

/** A cell as kubectl prints it: texts and numbers, `<none>` for what is not there. */
function shownCell(value: unknown): string {
  return typeof value === "number" ? String(value) : (text(value) ?? "<none>");
}
