/** Databases on a channel: they follow their cluster, so whoever upgrades a cluster may upgrade them (S61, C2-C4). */
import type { Finding } from "../base/findings";
import { asString, boundList, type FieldPath, getPath, oncePer } from "../base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  isSameRelease,
  parseEngineVersion,
} from "../base/versions";
import { isTooOld } from "../engine-cluster/causes";
import { listRunning } from "../engine-cluster/database-versions";
import { isAutoUpgraded, versionPaths } from "../engine-cluster/fields";
import { type Facts, isKnown } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import { renderTerm } from "../names/names";
import { listBundledVersions } from "../release/platforms";
import { findReleases } from "../rules/engine-version";
import { fieldText } from "../rules/fields";
import type { ClusterFacts } from "../rules/types";
import { databaseFinding } from "./findings";
import { askedKeeping, describeRisk } from "./keeping";
import { renderVersion } from "./rollout";
import { type DatabaseTarget, isHeldToMajor, selectDatabases } from "./target";

/** A database on a channel. */
export interface Follower {
  readonly target: DatabaseTarget;
  readonly label: string;
  readonly channel: string;
  /** Where the channel stands. */
  readonly path: FieldPath;
}

/** Those of every EC of this operator, in all namespaces; an instance goes with its active-active database. */
export const listFollowers = oncePer((facts: Facts): readonly Follower[] =>
  listOwn(facts).flatMap((target) => {
    const { majorChannel, latestChannel } = facts.names;
    const path = versionPaths(facts, target).find((one) =>
      [majorChannel, latestChannel].some((channel) => getPath(target.object, one) === channel),
    );
    if (path === undefined) return [];
    const channel = String(getPath(target.object, path));
    return [{ target, label: objectLabel(target.object), channel, path }];
  }),
);

/** The databases of this operator's ECs that are not instances of one that is listed as well. */
function listOwn(facts: Facts): readonly DatabaseTarget[] {
  const all = (via: "resource" | "api") =>
    selectDatabases(facts, { names: [], everywhere: true, via }).targets;
  const labels = new Set(facts.objects.eaadbs.map(objectLabel));
  const foreign = all("api").filter(
    ({ instanceOf }) => instanceOf !== undefined && !labels.has(instanceOf),
  );
  return [...all("resource"), ...foreign];
}

/** What becomes of the versions of databases that nobody writes, for a sentence. */
export function describeUnwritten(facts: Facts): string {
  if (!isKnown(facts, "edbs") || !isKnown(facts, "eaadbs")) {
    return "no database is written; which ones follow their cluster by a channel is not known";
  }
  const followers = listFollowers(facts);
  if (followers.length === 0) return "the databases keep theirs";
  const shown = boundList(followers.map(({ label, channel }) => `${label} (${channel})`));
  const follow = followers.length === 1 ? "follows its cluster" : "follow their cluster";
  const others = listOwn(facts).length > followers.length ? "; the others keep their version" : "";
  return `no database is written, and ${shown} ${follow} by a channel${others}`;
}

/** The release that an EC comes to. */
export interface ClusterGoal {
  /** Undefined where it is not known which one it will be. */
  readonly tag: string | undefined;
}

/** Each database of the EC that may move with it, and where to; without a goal the EC stays as it is. */
export function judgeFollowers(
  facts: Facts,
  ec: KubeObject,
  goal: ClusterGoal | undefined,
): readonly Finding[] {
  return listFollowers(facts).flatMap((follower) => {
    const { ec: own, lookup } = follower.target;
    if (own !== ec || lookup.is !== "found") return [];
    return judgeFollower(facts, follower, { ec, cluster: lookup.cluster, goal }) ?? [];
  });
}

/** The same of every EC that is upgraded with its operator, without a write of its own (S13, S51). */
export function judgeAutomaticFollowers(facts: Facts, goal: ClusterGoal): readonly Finding[] {
  const rolled = facts.objects.ecs.filter((ec) => isAutoUpgraded(ec, facts.names));
  return rolled.flatMap((ec) => judgeFollowers(facts, ec, goal));
}

/** The EC that a database follows, and where that goes. */
interface Leading {
  readonly ec: KubeObject;
  readonly cluster: ClusterFacts;
  readonly goal: ClusterGoal | undefined;
}

function judgeFollower(facts: Facts, follower: Follower, leading: Leading): Finding | undefined {
  const { names } = facts;
  const { target, label: object, channel, path } = follower;
  const { goal } = leading;
  const [runs] = listRunning(facts, target.object);
  const onlyMajor = channel === names.majorChannel || isHeldToMajor(facts, target);
  const to = findEnd(facts, leading, onlyMajor);
  const stays = to !== undefined && runs !== undefined && compareEngineVersions(to, runs) <= 0;
  // with the release that is asked for it does not move
  if (stays && goal !== undefined) return undefined;
  const move = stays || to === undefined ? undefined : renderMove(runs, to);
  const risk = describeRisk(askedKeeping(target, names));
  const loss = risk === undefined ? "" : `; its data may be lost with it: ${risk}`;
  const end = describeEnd(move, { goal, onlyMajor });
  const cause = `it follows its ${renderTerm(names.ec)} by the channel ${channel}: ${end}${loss}`;
  const fix = describeFix(facts, follower, runs);
  const about = { object, field: fieldText(path), cause, ...(fix !== undefined && { fix }) };
  return databaseFinding("channel", about, names);
}

function renderMove(runs: EngineVersion | undefined, to: EngineVersion): string {
  const from = runs === undefined ? "" : `from ${renderVersion(runs)} `;
  return `${from}to ${renderVersion(to)}`;
}

function describeEnd(
  move: string | undefined,
  { goal, onlyMajor }: { readonly goal: ClusterGoal | undefined; readonly onlyMajor: boolean },
): string {
  const undone = "and that cannot be undone";
  if (goal === undefined) {
    const later = `its version with a later release is unknown, ${undone}`;
    return move === undefined ? later : `it may go ${move} at any time; ${later}`;
  }
  const release = goal.tag ?? "the release that is asked for";
  if (move === undefined) return `its version with ${release} is unknown, ${undone}`;
  const newest = onlyMajor ? "the newest major version" : "the newest version";
  return `with ${release} it may go ${move}, ${newest} that is known of that release, ${undone}`;
}

/** The operator writes an instance; what runs is written in place of the channel in whatever state the cluster is. */
function describeFix(
  { names }: Facts,
  { target: { kind, object, instanceOf }, path }: Follower,
  runs: EngineVersion | undefined,
): string | undefined {
  if (instanceOf !== undefined || runs === undefined) return undefined;
  const { name, namespace } = object.metadata;
  const version = formatEngineVersion(runs);
  const body = path.reduceRight<unknown>((value, key) => ({ [key]: value }), version);
  const line = `kubectl patch ${names[kind].plural} ${String(name)} -n ${String(namespace)} --type merge -p '${JSON.stringify(body)}'`;
  return `nothing, if it may go there, but make a backup; to keep it at ${version}: ${line}`;
}

/** The newest version of the release, or the newest major one; undefined where its versions are not known. */
function findEnd(facts: Facts, leading: Leading, onlyMajor: boolean): EngineVersion | undefined {
  const cluster = { ...leading.cluster, versions: listVersions(facts, leading) };
  const { publisher, valid, isMajor } = findReleases({ is: "found", cluster }, facts.names);
  const known = publisher === undefined ? [] : valid;
  return known.findLast((one) => !onlyMajor || isMajor(one))?.version;
}

/** What the EC publishes where it stays at its release, else what is published of the release. */
function listVersions({ names }: Facts, { ec, cluster, goal }: Leading): ClusterFacts["versions"] {
  const own = asString(getPath(ec, names.ecFields.versionTag));
  const stays = goal === undefined || (goal.tag !== undefined && isSameRelease(own, goal.tag));
  if (stays && cluster.versions.length > 0) return cluster.versions;
  const bundled = listBundledVersions(stays ? own : goal.tag) ?? [];
  return bundled
    .map((version) => ({ version, major: false }))
    .filter(({ version }) => !isTooOld(parseEngineVersion(version)));
}
