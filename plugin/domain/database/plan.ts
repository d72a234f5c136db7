/** What the upgrade of one database would write, and everything that stands against it (S10, S61-S67, S98). */
import { type FieldEdit, fieldEdits } from "../kube/edits";
import { factNamed, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type Diagnosed, rowOf } from "../diagnosis/symptom";
import { type KubeObject, objectLabel } from "../kube/objects";
import { databaseVersion } from "../engine-cluster/database-versions";
import { type Participant, renderVersion } from "./rollout";
import { readSubject } from "../rules/fields";
import { ruleFindings } from "../rules/findings";
import { judgeEdit } from "../rules/order";
import { findReleases } from "../rules/engine-version";
import type { Edit, RuleOptions } from "../rules/types";
import { renderCause } from "../rules/wording";
import { getPath, type Json, asArray, getOwn, asString, withValue } from "../base/values";
import {
  compareEngineVersions,
  compareReleaseTags,
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
  parseReleaseTag,
} from "../base/versions";
import {
  busyCluster,
  type DatabaseTarget,
  findOwnership,
  isHeldToMajor,
  ownBlocks,
} from "./target";
import type { RequestWish } from "./bdb";
import { isWaitedFor } from "./state";
import { databaseGate, databaseSymptoms } from "./symptoms";
import { judgeChoice, pickOffered } from "./offer";
import { judgeVersions } from "./two-versions";
import { databaseFinding, isLeftOut } from "./findings";
import { versionPaths } from "../engine-cluster/fields";
import { operatorRelease } from "../engine-cluster/operator";

/** What is asked for, and by which way. */
export interface DatabaseWish {
  /** A version, the channel of major ones, or `latest`: the newest one. Absent: it stays as it is. */
  readonly version?: string;
  readonly via: "resource" | "api";
  /** What passes by itself is waited for, and blocks nothing. */
  readonly wait?: boolean;
  /** Whether data may be lost; what else is asked for concerns the REST API alone. */
  readonly request?: Pick<RequestWish, "mayDiscardData">;
}

/** The plan for one database, and what may keep it from being done. */
export interface DatabasePlan {
  readonly target: DatabaseTarget;
  readonly label: string;
  /** Empty: the spec is up to date. */
  readonly edits: readonly FieldEdit[];
  /** What has to run in the end; absent where it is not known before. */
  readonly version: EngineVersion | undefined;
  /** What runs now, where its status tells. */
  readonly runs: EngineVersion | undefined;
  /** A channel: what runs may be later. */
  readonly channel: boolean;
  /** It runs more than what is asked for, and was not named: it is left as it is. */
  readonly passedOver: boolean;
  /** The channel that its spec follows, where a number is to replace it. */
  readonly leaves?: string;
  /** Exit 3. */
  readonly blocks: readonly Finding[];
  /** The EC is not Running (S98), or the database is busy: the block that waiting may lift. */
  readonly busy: readonly Finding[];
  /** The database is someone else's: exit 5. */
  readonly owned: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Plans the edit of one database; the rules are the webhook's own. */
export function planDatabase(
  facts: Facts,
  target: DatabaseTarget,
  wish: DatabaseWish,
): DatabasePlan {
  const label = objectLabel(target.object);
  const aim = aimOf(facts, target, wish);
  const asked = aim.passedOver ? [] : editsOf(facts, target, wantedText(aim, wish));
  const judged = judgedEdits(facts, target, asked);
  // what the call has led to is written after it, and a channel or an owner is left in peace
  const isAfterwards = wish.via === "api" && wish.version === facts.names.latestChannel;
  const edits = isAfterwards ? [] : asked;
  const leaves = leftBy(facts, edits);
  const later = judgeLater(label, target, aim);
  const all = findAgainst(facts, target, { aim, edits: asked, wish });
  const told = all.filter((one) => !isRisk(one));
  // what was not seen, and what the operator makes up for, refuses nothing
  const against = told.filter(({ severity }) => severity === "error");
  const passing = against.filter(isWaitedFor);
  const blocks = [
    ...against.filter((one) => wish.wait !== true || !isWaitedFor(one)),
    ...ownBlocks(facts, target, wish.via),
    ...later.filter(({ severity }) => severity === "error"),
    ...untold(facts, target, { aim, edits, wish }),
    ...judged.blocks,
  ];
  // what is left out keeps its data
  const risks = isLeftOut(blocks) ? [] : all.filter(isRisk);
  return {
    target,
    label,
    edits,
    ...aim,
    ...judged,
    ...(isAfterwards && { owned: [] }),
    ...(leaves !== undefined && { leaves }),
    blocks: [...blocks, ...risks.filter(({ severity }) => severity === "error")],
    busy: [...busyCluster(facts, target), ...(wish.wait === true ? passing : [])],
    warnings: [
      ...told.filter(({ severity }) => severity === "warning"),
      ...judged.warnings,
      ...later.filter(({ severity }) => severity === "warning"),
      ...judgeVersions(facts, target),
      ...risks.filter(({ severity }) => severity === "warning"),
      ...endedChannel(facts, target, { leaves, edits }),
    ],
  };
}

interface Aim extends Pick<DatabasePlan, "version" | "runs" | "channel" | "passedOver"> {
  /** It runs more than what is asked for. */
  readonly newer: boolean;
}

function aimOf(facts: Facts, target: DatabaseTarget, wish: DatabaseWish): Aim {
  const version = versionOf(facts, target, wish);
  const runs = runningVersion(facts, target);
  const channel = wish.version === facts.names.majorChannel;
  const known = version !== undefined && runs !== undefined && !channel;
  const newer = known && compareEngineVersions(runs, version) > 0;
  return { version, runs, channel, newer, passedOver: newer && !target.named };
}

/** What the status tells, else what the spec asks for: an active-active database has no version in its status. */
function runningVersion(facts: Facts, target: DatabaseTarget): EngineVersion | undefined {
  return (
    databaseVersion(facts, target.object) ??
    parseEngineVersion(getPath(target.object, versionPaths(facts, target)[0]))
  );
}

/** The version that has to run in the end: of a channel, the EC's newest, or newest major one (C4). */
function versionOf(
  facts: Facts,
  target: DatabaseTarget,
  { version, via }: DatabaseWish,
): EngineVersion | undefined {
  const { names } = facts;
  const { lookup } = target;
  const releases = findReleases(lookup, names);
  const choices = pickOffered(target.offer, releases.valid);
  if (version === names.majorChannel) {
    return choices.findLast((release) => releases.isMajor(release))?.version;
  }
  if (version !== names.latestChannel) return parseEngineVersion(version);
  // what neither an EC nor its nodes publish is not guessed
  if (releases.publisher === undefined) return undefined;
  // the REST API by itself would take the newest one, whatever the policy is (S67)
  const onlyMajor = via === "api" && isHeldToMajor(facts, target);
  return choices.findLast((release) => !onlyMajor || releases.isMajor(release))?.version;
}

/** The channel of major versions is written as it is; the REST API takes none, and follows with its number. */
function wantedText({ version, channel }: Aim, wish: DatabaseWish): string | undefined {
  if (channel && wish.via === "resource") return wish.version;
  return version === undefined ? undefined : formatEngineVersion(version);
}

/** Every place that the served definition has and the database fills: an EAADB may have two (S61, C8). */
function editsOf(
  facts: Facts,
  target: DatabaseTarget,
  to: string | undefined,
): readonly FieldEdit[] {
  if (to === undefined) return [];
  const wanted = versionPaths(facts, target).map((path) => [path, to] as const);
  return fieldEdits(target.object, wanted);
}

/** An instance is not written, and what runs the version already is not restarted. */
function isRestarted(
  facts: Facts,
  { object, instanceOf }: DatabaseTarget,
  { version }: Aim,
): boolean {
  const runs = databaseVersion(facts, object);
  const isBelow =
    runs === undefined || version === undefined || compareEngineVersions(runs, version) < 0;
  return instanceOf === undefined && isBelow;
}

function isRisk(finding: Finding): boolean {
  return rowOf(finding) === databaseSymptoms.volatile.code;
}

/** From then on a later release of its cluster no longer raises it. */
function endedChannel(
  { names }: Facts,
  { object, instanceOf }: DatabaseTarget,
  { leaves, edits }: Pick<DatabasePlan, "leaves" | "edits">,
): readonly Finding[] {
  if (leaves === undefined || instanceOf !== undefined) return [];
  const cause = `${leaves} -> ${String(edits[0]?.to)} fixes the version: it no longer follows the cluster`;
  return [databaseFinding("channelEnds", { object: objectLabel(object), cause }, names)];
}

type EvaluatedEdits = Pick<DatabasePlan, "blocks" | "warnings" | "owned">;

/** An instance is not edited itself, so there is no edit to judge. */
function judgedEdits(
  facts: Facts,
  target: DatabaseTarget,
  edits: readonly FieldEdit[],
): EvaluatedEdits {
  const { object, kind, instanceOf } = target;
  if (edits.length === 0 || instanceOf !== undefined) {
    return { blocks: [], warnings: [], owned: [] };
  }
  const edit: Edit = { kind, before: object, after: withEdits(object, edits) };
  const { blocks, warnings } = ruled(facts, target, edit);
  const modules = readSubject(edit, facts.names).modules.length > 0;
  const follow = modules ? [databaseFinding("modulesFollow", { object: objectLabel(object) })] : [];
  return {
    blocks,
    warnings: [...warnings, ...follow],
    owned: findOwnership(target, facts),
  };
}

function withEdits(object: Json, edits: readonly FieldEdit[]): Json {
  return edits.reduce((one, { path, to }) => withValue(one, path, to), object);
}

/** What the admission rules say of the edit, before it is sent (S61, S67, C1-C12). */
function ruled(
  { names }: Facts,
  { object, lookup }: DatabaseTarget,
  edit: Edit,
): Pick<EvaluatedEdits, "blocks" | "warnings"> {
  const options: RuleOptions = {
    reading: "target",
    allowLatest: false,
    names,
    rules: { version: "deny", policy: "deny", modules: "deny" },
  };
  const { causes, warnings } = judgeEdit(edit, { after: lookup }, options);
  const label = objectLabel(object);
  return {
    blocks: causes.map((cause) =>
      databaseFinding("refused", { object: label, field: cause.field, cause: renderCause(cause) }),
    ),
    warnings: warnings.map((cause) => ({
      ...ruleFindings.warned,
      object: label,
      cause,
    })),
  };
}

/** The channel that the spec follows, where a number replaces it. */
function leftBy(
  { names: { majorChannel, latestChannel } }: Facts,
  edits: readonly FieldEdit[],
): string | undefined {
  const channels = [majorChannel, latestChannel];
  const left = edits.find(({ from, to }) => channels.includes(String(from)) && to !== majorChannel);
  return left && String(left.from);
}

interface Untold {
  readonly aim: Aim;
  readonly edits: readonly FieldEdit[];
  readonly wish: DatabaseWish;
}

/** What has to be known before the write or the call; what runs is told by the REST API itself. */
function untold(
  { names }: Facts,
  target: DatabaseTarget,
  { aim, edits, wish }: Untold,
): readonly Finding[] {
  const object = objectLabel(target.object);
  if (wish.via === "api") return judgeChoice({ ...target, object }, aim.version, names);
  if (target.instanceOf !== undefined) return [];
  const isOpen = wish.version === names.latestChannel && aim.version === undefined;
  if (isOpen) return [databaseFinding("latestUnknown", { object }, names)];
  return edits.length > 0 && aim.runs === undefined
    ? [databaseFinding("runsUnknown", { object })]
    : [];
}

/** What is so of the database itself; what the REST API tells of it is judged once that was asked. */
function findAgainst(
  facts: Facts,
  target: DatabaseTarget,
  { aim, edits, wish }: Untold,
): readonly Diagnosed[] {
  const acts = edits.length > 0;
  const { kind, object } = target;
  // what the rules refuse now is perhaps what the edit corrects
  const mends =
    acts && ruled(facts, target, { kind, before: undefined, after: object }).blocks.length > 0;
  const identity = wish.via === "api" ? ({ identity: "later" } as const) : {};
  const subject = { ...target, loss: wish.request, ...identity };
  return databaseGate(facts, subject, { acts, mends, restarts: isRestarted(facts, target, aim) });
}

/** It runs more than what is asked for: refused where it was named, else left as it is. */
function judgeLater(object: string, { named }: DatabaseTarget, aim: Aim): readonly Finding[] {
  if (!aim.newer) return [];
  const [runs, version] = [renderVersion(aim.runs), renderVersion(aim.version)];
  const lowers = `it runs ${runs}, and an upgrade does not lower it to ${version}`;
  const stays = `it runs ${runs}, later than ${version}, and is left as it is`;
  return [
    named
      ? databaseFinding("lower", { object, cause: lowers })
      : databaseFinding("newer", { object, cause: stays }),
  ];
}

const oldest = "8.0.2-2";

/** An active-active database that is upgraded. */
export interface ActiveActive {
  readonly object: KubeObject;
  /** Its spec is written by this run: what is not seen blocks it. */
  readonly changes: boolean;
}

/** Operators here and on the other clusters that are too old (S66), and those that are not seen. */
export function participantFindings(
  facts: Facts,
  eaadbs: readonly ActiveActive[],
  participants: readonly Participant[],
): readonly Finding[] {
  if (eaadbs.length === 0) return [];
  const changes = eaadbs.some((one) => one.changes);
  return [
    ...operatorFindings({ facts, changes }),
    ...participants.flatMap(({ name, facts }) => operatorFindings({ facts, changes, name })),
    ...eaadbs.flatMap((one) => unseen(facts, one, participants.length)),
  ];
}

interface Operator {
  readonly facts: Facts;
  readonly changes: boolean;
  /** The other cluster, as it was given; absent: the one here. */
  readonly name?: string;
}

/** 8.0.2-2 or later. */
function operatorFindings({ facts, changes, name }: Operator): readonly Finding[] {
  const { version } = operatorRelease(facts);
  const { namespace, names } = facts;
  const object = name ?? `Deployment/${namespace}/${names.operator.deployment}`;
  const where = name ?? "here";
  const [has, needs] = [parseReleaseTag(version), parseReleaseTag(oldest)];
  if (has === undefined || needs === undefined) {
    const cause = `${where}: the release of the operator in namespace ${namespace} cannot be determined`;
    return [unseenFinding(object, cause, changes)];
  }
  if (compareReleaseTags(has, needs) >= 0) return [];
  const cause = `${where}: the operator in namespace ${namespace} is at ${String(version)}, active-active databases need ${oldest} or later`;
  return [databaseFinding("participantOld", { object, cause })];
}

/** It blocks a write alone: a database that asks for the version already is only followed. */
function unseenFinding(object: string, cause: string, changes: boolean): Finding {
  const finding = databaseFinding("participantUnseen", { object, cause });
  return changes ? finding : { ...finding, severity: "warning" };
}

/** All but one take part from elsewhere; a remote cluster resource reports which one is here. */
function unseen(facts: Facts, { object, changes }: ActiveActive, seen: number): readonly Finding[] {
  const { eaadbFields, entryFields, ercFields } = facts.names;
  const all = asArray(getPath(object, eaadbFields.participatingClusters))
    .map((entry) => asString(getOwn(entry, entryFields.participatingName)))
    .filter((name) => name !== undefined);
  if (seen >= all.length - 1) return [];
  const elsewhere = all.filter(
    (name) => getPath(factNamed(facts, "ercs", { name }), ercFields.local) !== true,
  );
  const given = seen === 0 ? "none of them is" : `only ${seen} of them are`;
  const cause = `${elsewhere.join(", ")} participate, and ${given} given with --participant: their operators and instances were not checked`;
  return [unseenFinding(objectLabel(object), cause, changes)];
}
