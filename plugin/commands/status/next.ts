/** What is left to do of each part of the procedure, as `status` names it (S9; domain facts 12). */
import type { CheckContext } from "../../domain/checks/context";
import { isOfEngine } from "../../domain/engine-cluster/causes";
import { clusterFindings } from "../../domain/engine-cluster/findings";
import { lowestManaged, operatorRelease } from "../../domain/engine-cluster/operator";
import { judgeGround } from "../../domain/engine-cluster/deletion";
import { isOpenShift } from "../../domain/facts/facts";
import { termOf } from "../../domain/names/names";
import type { ReleaseContents } from "../../domain/release/contents";
import { releasesOf } from "../../domain/rules/engine-version";
import {
  isPrivileged,
  releasesOf as reportedReleases,
  wantsAdjustment,
} from "../../domain/scc/refusals";
import { getPath } from "../../domain/base/values";
import { compareEngineVersions, isOlder, parseEngineVersion } from "../../domain/base/versions";
import {
  type ClustersStatus,
  type ClusterStatus,
  type OperatorStatus,
  suspendedCode,
} from "../upgrade-cluster/next";
import {
  runningDatabaseVersion,
  wantedVersion,
  type DatabasesStatus,
} from "../upgrade-database/next";
import type { RbacStatus } from "../reapply-rbac/next";
import { webhookFindings } from "../../domain/admission/findings";
import type { WebhookStatus } from "../upgrade-webhook/next";
import type { ComponentHealth } from "../../domain/rollout/health";

/** What to do next: something to run, or something to wait for or to fix first. */
export interface NextStep {
  readonly says: string;
  /** Words of a command of this tool, unquoted, without the flags of the context. */
  readonly words?: readonly string[];
  /** It upgrades the operator or an EC, which may not begin without the prerequisites. */
  readonly upgrades?: true;
}

/** What the step is chosen from. */
export interface NextFacts {
  readonly situation: CheckContext;
  /** Of --release: its files, and how it was given. */
  readonly release?: { readonly contents: ReleaseContents; readonly given: string };
  readonly operator: OperatorStatus;
  readonly clusters: ClustersStatus;
  readonly databases: DatabasesStatus;
  readonly activeActive: DatabasesStatus;
  readonly webhook: WebhookStatus;
  readonly rbac: RbacStatus;
}

/** What no part can go ahead of: a deletion, an operator that is not there, and an upgrade that has come to a stand (S70, S113). */
export function pressingStep(facts: NextFacts): NextStep | undefined {
  const [deletion] = judgeGround(facts.situation.facts);
  if (deletion !== undefined) {
    const { object, fix } = deletion;
    return { says: `write nothing while ${String(object)} is being deleted: ${fix}` };
  }
  return held("the operator", facts.operator.verdict) ?? recoverStep(facts);
}

/** Nothing to run while something moves, is stalled, or is not known. */
function held(what: string, verdict: ComponentHealth): NextStep | undefined {
  switch (verdict.is) {
    case "fine":
    case "absent":
      return undefined;
    case "moving":
      return { says: `wait for ${what}: ${verdict.on}` };
    case "stalled":
      return { says: `fix ${what} first: ${verdict.fix}` };
    case "unknown":
      return { says: `it cannot be determined while ${what} cannot be read: ${verdict.because}` };
  }
}

function fromRelease({ release }: NextFacts): readonly string[] {
  return release === undefined ? [] : [`--release=${release.given}`];
}

/** The operator is older than the release that was given. */
export function operatorStep(facts: NextFacts): NextStep | undefined {
  const { operator, release } = facts;
  const newer = release?.contents.operatorVersion;
  if (!isOlder(operator.version, newer)) return undefined;
  return {
    says: `upgrade the operator from ${String(operator.version)} to ${String(newer)}`,
    words: ["upgrade-operator", ...fromRelease(facts)],
    upgrades: true,
  };
}

/** Missing rights hurt the operator that runs now; what is too much may wait for the EC. */
export function lackingStep(facts: NextFacts): NextStep | undefined {
  const { lacking } = facts.rbac;
  if (lacking.length === 0 || behind(facts) === undefined) return undefined;
  return {
    says: `grant the operator the permissions that it lacks in ${places(lacking)}`,
    words: ["reapply-rbac", ...fromRelease(facts)],
  };
}

function places(all: readonly string[]): string {
  return all.length === 1 ? String(all[0]) : `${all.length} places`;
}

/** The configuration is old, or does not fit its Secret. */
export function webhookStep(facts: NextFacts): NextStep | undefined {
  const { configurations, verdict } = facts.webhook;
  if (verdict.is === "stalled" && verdict.code === webhookFindings.injectedOther.code) {
    return held("the webhook", verdict);
  }
  const ours = ["fits", "empty", "differs"];
  const unfit =
    verdict.is === "stalled" &&
    verdict.object?.startsWith("ValidatingWebhookConfiguration/") === true;
  const old = configurations.some(({ old: isOld, ca }) => isOld && ours.includes(ca));
  if (!unfit && !old) return held("the webhook", verdict.is === "unknown" ? fine : verdict);
  return {
    says: old ? "replace the old webhook configuration" : "fix the webhook configuration",
    words: ["upgrade-webhook", ...fromRelease(facts)],
  };
}

const fine: ComponentHealth = { is: "fine", says: "" };

interface Behind {
  readonly cluster: ClusterStatus;
  readonly target: string | undefined;
}

/** The first EC that is older than the operator; equal in the first three numbers is not (domain facts 8). */
function behind({ clusters, situation }: NextFacts): Behind | undefined {
  const lowest = lowestManaged(situation.facts);
  const cluster = clusters.items.find((each) => isOlder(each.version, lowest));
  return cluster && { cluster, target: operatorRelease(situation.facts).clusterTag };
}

/** Its own upgrade is the fix. */
function isSuspended(verdict: ComponentHealth): boolean {
  return verdict.is === "stalled" && verdict.code === suspendedCode;
}

const refused: ReadonlySet<string | undefined> = new Set([
  clusterFindings.invalidUpgrade.code,
  clusterFindings.frozen.code,
]);

/** An upgrade that the operator refuses or has frozen. */
function recoverStep({ clusters, situation }: NextFacts): NextStep | undefined {
  const found = clusters.items.find(
    ({ verdict }) => verdict.is === "stalled" && refused.has(verdict.code),
  );
  if (found === undefined) return undefined;
  const term = termOf(situation.names.ec);
  return {
    says: `find out why the upgrade of ${term} ${found.name} makes no progress`,
    words: ["recover"],
  };
}

/** The first EC that is not well, else the first that is behind its operator (S10). */
export function clusterStep(facts: NextFacts): NextStep | undefined {
  const term = termOf(facts.situation.names.ec);
  for (const { name, verdict } of facts.clusters.items) {
    if (verdict.is !== "fine" && !isSuspended(verdict)) return held(`${term} ${name}`, verdict);
  }
  const { verdict } = facts.clusters;
  if (verdict.is === "unknown") return held(`the ${term}s`, verdict);
  const found = behind(facts);
  if (found === undefined) return undefined;
  const { cluster, target = facts.release?.contents.clusterVersion } = found;
  const says = `upgrade ${term} ${cluster.name} from ${cluster.version}`;
  if (target === undefined) {
    const release = `the release of operator ${String(facts.operator.version)}`;
    return { says: `${says} to ${release}`, upgrades: true };
  }
  return {
    says: `${says} to ${target}`,
    words: ["upgrade-cluster", cluster.name, `--target=${target}`],
    upgrades: true,
  };
}

/** The old constraint is left, and nothing needs it any more (S31-S33). */
export function constraintStep({ situation }: NextFacts): NextStep | undefined {
  const { facts, names, clusters, deployment } = situation;
  const { current } = names.scc;
  const left = facts.objects.constraints.some(({ metadata }) => metadata.name === current);
  const needed = clusters.some(
    (cluster) =>
      wantsAdjustment(cluster, names) ||
      reportedReleases({ deployment, cluster, pods: [] }, names).some(isPrivileged),
  );
  if (!isOpenShift(facts) || !left || needed || clusters.length === 0) return undefined;
  return { says: `remove the old constraint ${current}`, words: ["unbind-scc"] };
}

/** Roles differ from those of the release (S34). */
export function rbacStep(facts: NextFacts): NextStep | undefined {
  const { differing, lacking, beyond, comparedWith } = facts.rbac;
  if (differing.length === 0) return undefined;
  const narrows = lacking.length === 0 && beyond.length > 0;
  return {
    says: `bring role and binding in ${places(differing)} in line with ${comparedWith}`,
    words: ["reapply-rbac", ...(narrows ? ["--mode=contract"] : []), ...fromRelease(facts)],
  };
}

/** Databases below the newest version that their EC publishes, and its policy allows (S61, S67). */
export function databaseStep(facts: NextFacts): NextStep | undefined {
  return (
    held("the databases", facts.databases.verdict) ??
    held("the active-active databases", facts.activeActive.verdict) ??
    versionStep(facts)
  );
}

function versionStep({ situation }: NextFacts): NextStep | undefined {
  const { facts, names, databases } = situation;
  const targets = databases.flatMap(({ object, kind, lookup }) => {
    const own = getPath(object, names.edbFields.activeActive) === undefined;
    if (lookup.is !== "found" || !own || !isOfEngine(object, names)) return [];
    const target = newestOf(lookup, situation);
    const wanted = wantedVersion(facts, object, kind) ?? runningDatabaseVersion(facts, object);
    const current = parseEngineVersion(wanted);
    const below =
      target !== undefined &&
      current !== undefined &&
      compareEngineVersions(current, target.version) < 0;
    return below ? [target.text] : [];
  });
  const [first, ...others] = [...new Set(targets)];
  if (first === undefined) return undefined;
  const count = `${targets.length} ${targets.length === 1 ? "database is" : "databases are"}`;
  if (others.length > 0) return { says: `${count} below the newest version of their cluster` };
  return {
    says: `${count} below ${first}, the newest version that the cluster offers them`,
    words: ["upgrade-database", "--all", `--engine-version=${first}`],
  };
}

function newestOf(
  lookup: CheckContext["databases"][number]["lookup"],
  { names }: CheckContext,
): ReturnType<typeof releasesOf>["valid"][number] | undefined {
  const { valid, publisher, isMajor } = releasesOf(lookup, names);
  if (publisher === undefined) return undefined;
  const allowed = publisher.policy === names.majorChannel ? valid.filter(isMajor) : valid;
  return allowed.at(-1);
}
