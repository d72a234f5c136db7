/** The databases by version, and those that are on their way or refused (S61, S65; domain facts 7, 11). */
import { nameFinding } from "../../domain/base/awaited";
import type { Finding } from "../../domain/base/findings";
import { planDatabases } from "./plan";
import { listFollowers } from "../../domain/database/channel";
import type { DatabaseScene } from "../../domain/database/subject";
import { databaseSymptoms } from "../../domain/database/symptoms";
import { diagnose, diagnoseRow, type Diagnosis, verdictOn } from "../../domain/diagnosis/diagnose";
import type { CheckContext } from "../../domain/checks/context";
import { versionPaths } from "../../domain/engine-cluster/fields";
import { products } from "../../domain/facts/deletion";
import { type Facts, isKnown, isPartlyRead, knownHere } from "../../domain/facts/facts";
import { renderTerm } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import type { Edit } from "../../domain/rules/types";
import { listRunning } from "../../domain/engine-cluster/database-versions";
import { getPath, asString, boundList, few, omit } from "../../domain/base/values";
import {
  compareEngineVersions,
  formatEngineVersion,
  parseEngineVersion,
} from "../../domain/base/versions";
import { isOfEngine } from "../../domain/engine-cluster/causes";
import { type ComponentHealth, restingOn, unreadVerdict } from "../../domain/rollout/health";
import { holdStep, type NextStep } from "../../domain/rollout/next-step";
import { findReleases } from "../../domain/rules/engine-version";

/** Databases that are wanted and run alike. */
interface VersionCount {
  /** As the resources say it: a version or a channel; absent where they say nothing. */
  readonly wanted?: string;
  /** major.minor of what runs; absent where no status tells. */
  readonly running?: string;
  readonly count: number;
  /** namespace/name of the first ones, as -o wide shows them. */
  readonly first: readonly string[];
}

/** So many databases that are alike are named. */
const mostNamed = 3;

/** The headings of the listing; the last one is a column of -o wide. */
export const versionTitles = ["KIND", "WANTED", "RUNNING", "COUNT", "NAMES"] as const;

/** A row for each pair of versions of the databases of one kind. */
export function listVersionRows(
  kind: string,
  { versions, unread }: Pick<DatabasesStatus, "versions" | "unread">,
): readonly (readonly string[])[] {
  return versions.map(({ wanted = "<none>", running = "unknown", count, first }) => {
    const more = count > first.length ? ` and ${count - first.length} more` : "";
    const counted = unread === undefined ? String(count) : `${count} seen`;
    return [kind, wanted, running, counted, `${first.join(",")}${more}`];
  });
}

/** One database that is worth a name. */
interface NamedDatabase {
  /** namespace/name. */
  readonly name: string;
  readonly why: string;
}

/** What is shown of one kind of databases. */
export interface DatabasesStatus {
  /** Absent where their list was not read. */
  readonly count?: number;
  /** Those that were looked at: the operator's own, and the managed ones as far as they are known. */
  readonly namespaces: readonly string[];
  /** Why there may be more of them than those that were seen. */
  readonly unread?: string;
  /** The oldest that run first. */
  readonly versions: readonly VersionCount[];
  /** On their way to what is wanted. */
  readonly pending: readonly NamedDatabase[];
  /** Not accepted, failed, or not replicating. */
  readonly refused: readonly NamedDatabase[];
  readonly verdict: ComponentHealth;
}

/** The databases of one kind in numbers, those in the way by name. */
export function databasesStatus(situation: CheckContext, kind: Edit["kind"]): DatabasesStatus {
  const { facts, databases } = situation;
  const placed = databases.filter((one) => one.kind === kind);
  const all = diagnose(looked, { facts, databases: placed });
  const unread = findUnread(situation, kind);
  const counts = {
    ...(isKnown(knownHere(facts), products[kind]) && { count: placed.length }),
    namespaces: listPlaces(situation, kind),
    ...(unread !== undefined && { unread }),
  };
  const named = (is: "pending" | "refused"): readonly NamedDatabase[] =>
    placed.flatMap(({ object }) => {
      const own = all.findings.filter((one) => one.object === objectLabel(object));
      // what does not end by waiting leads
      const first = own.find(({ passes }) => passes !== true) ?? own[0];
      const late = first === undefined ? renderLateness(facts, object, kind) : undefined;
      const why = first?.cause ?? late;
      const isOf = (first === undefined || first.passes === true) === (is === "pending");
      return why === undefined || !isOf ? [] : [{ name: spellPlace(object), why }];
    });
  const [pending, refused] = [named("pending"), named("refused")];
  const versions = countVersions(
    facts,
    placed.map(({ object }) => object),
    kind,
  );
  const words = {
    term: renderTerm(facts.names[kind]),
    more: kind === "eaadb" ? ", no replication is down" : describeBackups(facts, placed),
  };
  const shown = { ...counts, versions, pending, refused };
  const verdict = judgeAll(shown, all, words);
  return { ...shown, verdict: restingOn(verdict, "by their status, REST API not asked") };
}

/** It keeps nothing from being done now, and no database from being healthy. */
function describeBackups(facts: Facts, databases: DatabaseScene["databases"]): string {
  const failed = databases.filter(
    (one) => diagnoseRow(backupFailed, { facts, databases: [one] }).findings.length > 0,
  );
  if (failed.length === 0) return "";
  const shown = failed.map(({ object }) => spellPlace(object));
  return `; the last backup failed: ${boundList(shown, mostNamed)}`;
}

const { backupFailed, deleting, specInvalid, notActive, notReplicating, notObserved } =
  databaseSymptoms;

/** What tells how databases fare. */
const looked = [deleting, specInvalid, notActive, notReplicating, notObserved];

/** The namespaces that were looked at. */
function listPlaces({ facts, managed }: CheckContext, kind: Edit["kind"]): readonly string[] {
  return [facts.namespace, ...(isPartlyRead(facts, products[kind]) ? [] : managed)];
}

/** Why not all of them are seen: which namespaces they are in, the operator's settings tell. */
function findUnread(
  { configured, facts, managed }: CheckContext,
  kind: Edit["kind"],
): string | undefined {
  const settings = ["deployments", "configMaps"] as const;
  const places = configured.is === "label" ? [...settings, "namespaces" as const] : settings;
  // of an operator that manages no other namespace those of its own are all
  const isAll = managed.length === 0 && unreadVerdict(facts, places) === undefined;
  const hidden = unreadVerdict(isAll ? knownHere(facts) : facts, [products[kind], ...places]);
  return hidden?.because ?? (configured.is === "unknown" ? configured.because : undefined);
}

/** "2 EDB in engine and shop"; of a list that was not read whole, what was seen of it. */
export function countDatabases(
  {
    count,
    namespaces,
    unread,
  }: Required<Pick<DatabasesStatus, "count">> & Pick<DatabasesStatus, "namespaces" | "unread">,
  term: string,
): string {
  const seen = unread === undefined ? "" : " seen";
  return `${count === 0 ? "no" : count} ${term}${seen} in ${few(namespaces)}`;
}

const spellPlace = ({ metadata }: KubeObject): string =>
  `${String(metadata.namespace)}/${String(metadata.name)}`;

/** The version that a database asks for, as its resource says it. */
export function wantedVersion(
  facts: Facts,
  object: KubeObject,
  kind: Edit["kind"],
): string | undefined {
  return asString(getPath(object, versionPaths(facts, { kind, object })[0]));
}

/** major.minor of what runs, each once; undefined where no status reports. */
function renderRunning(facts: Facts, object: KubeObject): string | undefined {
  const running = listRunning(facts, object).map(formatEngineVersion);
  return running.length === 0 ? undefined : [...new Set(running)].join(", ");
}

function countVersions(
  facts: Facts,
  databases: readonly KubeObject[],
  kind: Edit["kind"],
): readonly VersionCount[] {
  const counts = new Map<string, VersionCount>();
  for (const object of databases) {
    const wanted = wantedVersion(facts, object, kind);
    const running = renderRunning(facts, object);
    // a number has a length that texts compare by: 10.2 comes after 8.2
    const key = [running, wanted].map((one) => (one ?? "").padStart(8)).join("/");
    const { count = 0, first = [] } = counts.get(key) ?? {};
    counts.set(key, {
      ...(wanted !== undefined && { wanted }),
      ...(running !== undefined && { running }),
      count: count + 1,
      first: [...first, spellPlace(object)].slice(0, mostNamed),
    });
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
}

/** What is wanted and does not run yet. */
function renderLateness(facts: Facts, object: KubeObject, kind: Edit["kind"]): string | undefined {
  const wanted = parseEngineVersion(wantedVersion(facts, object, kind));
  const running = renderRunning(facts, object);
  if (wanted === undefined || running === undefined) return undefined;
  const version = formatEngineVersion(wanted);
  return version === running ? undefined : `${running} runs, ${version} is requested`;
}

/** The verdict of the first finding that waiting does not end, in the words of all of them. */
function judgeAll(
  databases: Omit<DatabasesStatus, "verdict">,
  { findings, unseen }: Diagnosis,
  { term, more }: { readonly term: string; readonly more: string },
): ComponentHealth {
  const { count = 0, pending, refused, unread = unseen[0]?.because } = databases;
  const counted = `${count} ${term}${databases.unread === undefined ? "" : " seen"}`;
  const named = (all: readonly NamedDatabase[]): string =>
    boundList(
      all.map(({ name, why }) => `${name} (${why})`),
      3,
    );
  const held = findings.find(({ passes }) => passes !== true);
  if (held !== undefined) {
    const cause = `${refused.length} of ${counted} are not as expected: ${named(refused)}`;
    return verdictOn({ ...omit(held, "object", "field"), cause }, unseen);
  }
  if (unread !== undefined) return { is: "unknown", because: unread };
  if (pending.length > 0) {
    return { is: "moving", on: `${pending.length} of ${counted}: ${named(pending)}` };
  }
  const says = countDatabases({ ...databases, count }, term);
  if (count === 0) return { is: "absent", says };
  return { is: "fine", says: `${says}: all active${more}` };
}

/** Databases below the newest version that their EC publishes, and its policy allows (S61, S67). */
export function databaseStep({
  databases,
  activeActive,
  situation,
}: {
  readonly databases: DatabasesStatus;
  readonly activeActive: DatabasesStatus;
  readonly situation: CheckContext;
}): NextStep | undefined {
  return (
    holdStep("the databases", databases.verdict) ??
    holdStep("the active-active databases", activeActive.verdict) ??
    versionStep(situation)
  );
}

function versionStep(situation: CheckContext): NextStep | undefined {
  const { facts, names, databases } = situation;
  const targets = databases.flatMap(({ object, kind, lookup }) => {
    const own = getPath(object, names.edbFields.activeActive) === undefined;
    if (lookup.is !== "found" || !own || !isOfEngine(object, names)) return [];
    const target = findNewest(lookup, situation);
    const wanted = wantedVersion(facts, object, kind) ?? renderRunning(facts, object);
    const current = parseEngineVersion(wanted);
    const below =
      target !== undefined &&
      current !== undefined &&
      compareEngineVersions(current, target.version) < 0;
    return below
      ? [{ text: target.text, isWide: object.metadata.namespace !== facts.namespace, object }]
      : [];
  });
  const [first, ...others] = [...new Set(targets.map(({ text }) => text))];
  if (first === undefined) return undefined;
  const count = `${targets.length} ${targets.length === 1 ? "database is" : "databases are"}`;
  if (others.length > 0) return { says: `${count} below the newest version of their cluster` };
  const says = `${count} below ${first}, the newest version that the cluster offers them`;
  const everywhere = targets.some(({ isWide }) => isWide);
  // with all of them the version would replace the channels that others are on
  const isAll = listFollowers(facts).length === 0;
  const named = isAll ? [] : targets.map(({ object }) => spellPlace(object));
  const against = findAgainst(facts, { version: first, everywhere, databases: named });
  if (against !== undefined) {
    return { says: `${says}; before that: ${nameFinding(against)}; ${against.fix}` };
  }
  return {
    says,
    words: [
      ...["upgrade-database", ...(isAll ? ["--all"] : named), `--engine-version=${first}`],
      ...(everywhere && isAll ? ["--all-namespaces"] : []),
    ],
  };
}

/** What the command would end with before its first write: then it is no step. */
function findAgainst(
  facts: Facts,
  wish: {
    readonly version: string;
    readonly everywhere: boolean;
    readonly databases: readonly string[];
  },
): Finding | undefined {
  const { blocks, plans } = planDatabases(
    { facts, participants: [], chosen: undefined },
    { ...wish, via: "resource", skip: [], wait: false },
  );
  const owned = plans.flatMap((plan) => (plan.edits.length > 0 ? plan.owned : []));
  return [...blocks, ...owned][0];
}

function findNewest(
  lookup: CheckContext["databases"][number]["lookup"],
  { names }: CheckContext,
): ReturnType<typeof findReleases>["valid"][number] | undefined {
  const { valid, publisher, isMajor } = findReleases(lookup, names);
  if (publisher === undefined) return undefined;
  const allowed = publisher.policy === names.majorChannel ? valid.filter(isMajor) : valid;
  return allowed.at(-1);
}
