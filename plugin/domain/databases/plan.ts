/** What the upgrade of one database would write, and everything that stands against it (S10, S61-S67, S98). */
import { type FieldEdit, holdersOf, patchOf } from "../cluster/edits";
import type { StatusCause } from "../errors";
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { objectLabel } from "../objects";
import { databaseVersion, shownVersion } from "../rollout/edb";
import { fieldsOf } from "../rules/fields";
import { judgeEdit } from "../rules/order";
import { releasesOf } from "../rules/releases";
import { readSubject } from "../rules/subject";
import type { Edit, RuleOptions } from "../rules/types";
import { at, isObject, type Json } from "../values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
} from "../versions";
import { busyCluster, ownBlocks, ownedBy } from "./blocks";
import { databaseFinding } from "./codes";
import type { Target } from "./target";

/** What is asked for, and by which way. */
export interface DatabaseWish {
  /** A version or the channel of major ones; absent where the REST API is to choose. */
  readonly version?: string;
  readonly via: "resource" | "api";
  /** Planned before operator and EC are upgraded: both count as done (S9). */
  readonly assumeUpgraded?: boolean;
}

/** The plan for one database, and what may keep it from being done. */
export interface DatabasePlan {
  readonly target: Target;
  readonly label: string;
  /** Empty: the spec is as wanted. */
  readonly edits: readonly FieldEdit[];
  /** What has to run in the end; absent where it is not known before. */
  readonly version: EngineVersion | undefined;
  /** What runs now, where its status tells. */
  readonly runs: EngineVersion | undefined;
  /** A channel: what runs may be later. */
  readonly channel: boolean;
  /** It runs more than what is asked for, and was not named: it is left as it is. */
  readonly passedOver: boolean;
  /** Exit 3. */
  readonly blocks: readonly Finding[];
  /** The EC is not Running (S98): the block that waiting may lift. */
  readonly busy: readonly Finding[];
  /** The database is somebody else's: exit 5. */
  readonly owned: readonly Finding[];
  /** Who holds the field, as the API server tells conflicts. */
  readonly holders: readonly StatusCause[];
  readonly warnings: readonly Finding[];
}

/** Plans the edit of one database; the rules are the webhook's own. */
export function planDatabase(facts: Facts, given: Target, wish: DatabaseWish): DatabasePlan {
  const ahead = wish.assumeUpgraded === true;
  const target = ahead ? withoutVersions(given) : given;
  const label = objectLabel(target.object);
  const aim = aimOf(facts, target, wish);
  const edits = aim.passedOver ? [] : editsOf(facts, target, wantedText(aim, wish));
  const judged = judgedEdits(facts, target, edits);
  return {
    target,
    label,
    edits,
    ...aim,
    ...judged,
    blocks: [
      ...ownBlocks(facts, target, wish.via),
      ...lowered(label, target, aim),
      ...judged.blocks,
    ],
    busy: ahead ? [] : busyCluster(facts, target),
    warnings: [...judged.warnings, ...newerThan(label, aim)],
  };
}

/** The EC publishes other versions once it is upgraded: until then those of the specification count (C1). */
function withoutVersions(target: Target): Target {
  const { lookup } = target;
  if (lookup.is !== "found") return target;
  return { ...target, lookup: { ...lookup, cluster: { ...lookup.cluster, versions: [] } } };
}

interface Aim extends Pick<DatabasePlan, "version" | "runs" | "channel" | "passedOver"> {
  /** It runs more than what is asked for. */
  readonly newer: boolean;
}

function aimOf(facts: Facts, target: Target, wish: DatabaseWish): Aim {
  const version = versionOf(facts, target, wish);
  const runs = runningVersion(facts, target);
  const channel = wish.version === facts.names.majorChannel;
  const known = version !== undefined && runs !== undefined && !channel;
  const newer = known && compareEngineVersions(runs, version) > 0;
  return { version, runs, channel, newer, passedOver: newer && !target.named };
}

/** What the status tells, else what the spec asks for: an active-active database has no version in its status. */
function runningVersion(facts: Facts, { object, kind }: Target): EngineVersion | undefined {
  const asked = at(object, fieldsOf(kind, facts.names).engineVersion);
  return databaseVersion(facts, object) ?? parseEngineVersion(asked);
}

/** The version that has to run in the end: of the channel, the EC's newest major one (C4). */
function versionOf(
  { names }: Facts,
  { lookup }: Target,
  { version }: DatabaseWish,
): EngineVersion | undefined {
  if (version !== names.majorChannel) return parseEngineVersion(version);
  const releases = releasesOf(lookup, names);
  return releases.valid.findLast((release) => releases.isMajor(release))?.version;
}

/** The REST API takes no channel, and its number is what the resource follows with. */
function wantedText({ version }: Aim, wish: DatabaseWish): string | undefined {
  if (wish.via === "resource") return wish.version;
  return version === undefined ? undefined : formatEngineVersion(version);
}

function editsOf(
  { names }: Facts,
  { object, kind }: Target,
  to: string | undefined,
): readonly FieldEdit[] {
  const path = fieldsOf(kind, names).engineVersion;
  const from = at(object, path);
  return to === undefined || from === to ? [] : [{ path, from, to }];
}

type Judged = Pick<DatabasePlan, "blocks" | "warnings" | "owned" | "holders">;

/** An instance is not edited itself, so there is no edit to judge. */
function judgedEdits(facts: Facts, target: Target, edits: readonly FieldEdit[]): Judged {
  const { object, kind, instanceOf } = target;
  if (edits.length === 0 || instanceOf !== undefined) {
    return { blocks: [], warnings: [], owned: [], holders: [] };
  }
  const edit: Edit = { kind, before: object, after: merged(object, patchOf(edits)) };
  const { blocks, warnings } = ruled(facts, target, edit);
  const modules = readSubject(edit, facts.names).modules.length > 0;
  const follow = modules ? [databaseFinding("modulesFollow", { object: objectLabel(object) })] : [];
  return {
    blocks,
    warnings: [...warnings, ...follow],
    owned: ownedBy(target),
    holders: holdersOf(object, edits),
  };
}

function merged(base: Json, patch: Json): Json {
  const entries = Object.entries(patch).map(([key, value]) => {
    const before = base[key];
    return [key, isObject(value) ? merged(isObject(before) ? before : {}, value) : value];
  });
  return { ...base, ...(Object.fromEntries(entries) as Json) };
}

/** What the admission rules say of the edit, before it is sent (S61, S67, C1-C12). */
function ruled(
  { names }: Facts,
  { object, lookup }: Target,
  edit: Edit,
): Pick<Judged, "blocks" | "warnings"> {
  const options: RuleOptions = {
    reading: "target",
    allowLatest: false,
    names,
    rules: { version: "deny", policy: "deny", modules: "deny" },
  };
  const { causes, warnings } = judgeEdit(edit, { after: lookup }, options);
  const label = objectLabel(object);
  return {
    blocks: causes.map(({ field, message }) =>
      databaseFinding("refused", { object: label, field, cause: message }),
    ),
    warnings: warnings.map((cause) => databaseFinding("ruleWarning", { object: label, cause })),
  };
}

function lowered(object: string, { named }: Target, aim: Aim): readonly Finding[] {
  const [runs, version] = shownVersions(aim);
  if (!aim.newer || !named) return [];
  const cause = `it runs ${runs}, and an upgrade does not lower it to ${version}`;
  return [databaseFinding("lower", { object, cause })];
}

function newerThan(object: string, aim: Aim): readonly Finding[] {
  const [runs, version] = shownVersions(aim);
  if (!aim.passedOver) return [];
  const cause = `it runs ${runs}, later than ${version}, and is left as it is`;
  return [databaseFinding("newer", { object, cause })];
}

function shownVersions({ runs, version }: Aim): readonly [string, string] {
  return [shownVersion(runs), shownVersion(version)];
}
