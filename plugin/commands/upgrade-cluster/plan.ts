/** What an upgrade of an EC would write, and everything that stands against it (S12-S14, S48-S59). */
import type { Sourced } from "../../domain/advisories/row";
import { type Names, renderTerm } from "../../domain/names/names";
import type { JudgedCheck } from "../../domain/checks/judge";
import { accept } from "../../domain/checks/selection";
import type { Skip } from "../../domain/base/skip";
import { factNamed, type Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import type { Permission } from "../../domain/kube/permissions";
import type { Pause } from "../../domain/kube/planned-write";
import { readRunningVersion, type WantedCluster } from "../../domain/engine-cluster/rollout";
import { getPath, asString, pick } from "../../domain/base/values";
import { clusterFinding, clusterFindings } from "../../domain/engine-cluster/findings";
import { judgeFollowers } from "../../domain/database/channel";
import { judgeInactive } from "../../domain/database/state";
import {
  defineLine,
  findCauses,
  listDatabaseObjects,
  listUndefinedModules,
  listUsedModules,
  unpin,
} from "../../domain/engine-cluster/causes";
import type { FieldEdit } from "../../domain/kube/edits";
import { type AutoPlan, type ClusterWish, planEdits } from "../../domain/engine-cluster/edits";
import {
  aheadSymptoms,
  clusterGates,
  type ClusterScene,
  clusterSymptoms,
} from "../../domain/engine-cluster/symptoms";
import type { Diagnosed, Symptom } from "../../domain/diagnosis/symptom";
import {
  explainMistake,
  isOutOfReach,
  mistakenTag,
  rightTag,
} from "../../domain/engine-cluster/mistaken-tag";
import {
  isAutoUpgraded,
  autoOffEdits,
  autoPathIn,
  autoPaths,
} from "../../domain/engine-cluster/fields";
import { helperFindings, helperTags } from "../../domain/engine-cluster/helper-images";
import { gate } from "../../domain/diagnosis/diagnose";
import { operatorList } from "../../domain/operator/symptoms";
import { operatorFindings, operatorRelease } from "../../domain/engine-cluster/operator";
import type { CheckTarget } from "../../domain/checks/context";
import { lastFile } from "../../domain/kube/field-managers";
import {
  judgePrerequisites,
  prerequisiteCodes,
  warnOfReleases,
} from "../../domain/checks/prerequisites";
import { isOlder, isSameRelease } from "../../domain/base/versions";

/** What is asked for. */
export interface ClusterRequest extends ClusterWish {
  readonly name: string;
  /** Version of the API that the EC is read and written by. */
  readonly version: string;
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
  /** The definition of the EC that earlier parts of a whole upgrade bring; absent: it stays. */
  readonly definitionAhead?: CustomResourceDefinition | undefined;
  /** What is known of releases; absent: what ships with the tool. */
  readonly advised?: readonly Sourced[] | undefined;
  /** Release of the operator before this upgrade, where it is known. */
  readonly operatorBefore?: string | undefined;
}

/** The plan, and what may keep it from being done. */
export interface ClusterPlan {
  readonly ec: KubeObject;
  /** Empty: the EC's spec is up to date, and nothing is held against it. */
  readonly edits: readonly FieldEdit[];
  /** Exit 3. */
  readonly blocks: readonly Diagnosed[];
  readonly warnings: readonly Finding[];
  /** Permissions without which not every prerequisite is judged. */
  readonly missing: readonly Permission[];
  /** What stands against it by then, where an earlier part changes the definition. */
  readonly pauses?: Pause | undefined;
  /** A rolling restart without a change of version is under way: it is waited for (S55). */
  readonly restarting: boolean;
  /** What the pods are to come to. */
  readonly wanted: WantedCluster;
}

/** The plan for the EC of this name; undefined where there is none. */
export function planCluster(facts: Facts, request: ClusterRequest): ClusterPlan | undefined {
  const { names, namespace } = facts;
  const ec = factNamed(facts, "ecs", { name: request.name, namespace });
  if (ec === undefined) return undefined;
  const auto = planAuto(facts, ec, request);
  const helpers = helperTags(ec, {
    names,
    operator: operatorRelease(facts).version,
    before: request.operatorBefore,
  });
  const edits = planEdits(ec, request, { names, auto, helpers });
  const writes = edits.length > 0 || (request.auto && auto.path === undefined);
  const planned = { ec, edits, wish: request, auto, skip: request.skip };
  const { findings, missing } = writes
    ? judgeBeginning(facts, planned)
    : judgeBeforeRoll(facts, planned);
  const ahead = writes && findings.every(({ severity }) => severity === "warning");
  const state = edits.length > 0 ? asString(getPath(ec, names.ecFields.state)) : undefined;
  return {
    ec,
    edits,
    blocks: findings.filter(({ severity }) => severity === "error"),
    warnings: findings.filter(({ severity }) => severity === "warning"),
    missing,
    pauses: ahead ? findPause(facts, request, planned) : undefined,
    restarting: state === "RunningRollingUpdate",
    wanted: {
      ...describeWanted(facts, request),
      ...(state !== undefined && { stateBefore: state }),
    },
  };
}

/** Modules that only the definition to come has a place for are defined by people, once it is there (S56, S124). */
function findPause(
  facts: Facts,
  request: ClusterRequest,
  planned: PlannedUpgrade,
): Pause | undefined {
  const { definitionAhead } = request;
  if (definitionAhead === undefined) return undefined;
  const then = { ...facts, objects: { ...facts.objects, definitions: [definitionAhead] } };
  const auto = planAuto(then, planned.ec, request);
  const stands = judgeBeginning(then, { ...planned, auto }).findings.filter(
    ({ severity }) => severity === "error",
  );
  if (stands.length === 0) return undefined;
  const because = stands.map(({ object, cause }) => `${String(object)}: ${cause}`).join("; ");
  const { code } = clusterFindings.moduleUndefined;
  const modules = listUndefinedModules(then, planned.ec).map(({ module }) => module);
  const others = stands.filter((finding) => finding.code !== code).map(({ fix }) => fix);
  const define = others.length < stands.length ? [defineLine(planned.ec, modules)] : [];
  return { because, type: [...define, ...others].join("; ") };
}

/** What the pods are to run; without a tag, what the operator brings. */
function describeWanted(facts: Facts, request: ClusterRequest): WantedCluster {
  const { auto, repository, imagePullPolicy } = request;
  const tag = request.tag ?? operatorRelease(facts).clusterTag;
  return {
    ...(tag !== undefined && { tag }),
    ...(repository !== undefined && { repository }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    ...(auto && { sameRelease: true }),
  };
}

/** Where the automatic upgrade is written; off, where databases use user-defined modules (S51). */
function planAuto(facts: Facts, ec: KubeObject, request: ClusterRequest): AutoPlan {
  const { names } = facts;
  const [definition] = facts.objects.definitions.filter(
    ({ metadata }) => metadata.name === `${names.ec.plural}.${names.group}`,
  );
  const own = listUsedModules(facts, ec).length > 0;
  return {
    path: autoPathIn(definition, request.version, names),
    off: !request.auto && own && isAutoUpgraded(ec, names),
  };
}

/** The upgrade that is judged. */
interface PlannedUpgrade {
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
  readonly wish: ClusterRequest;
  readonly auto: AutoPlan;
  readonly skip: readonly Skip[];
}

/** Nothing is to be written, and what has been would still not come to its end. */
function judgeBeforeRoll(facts: Facts, { ec, wish, skip }: PlannedUpgrade): Prerequisites {
  const found = [
    ...mistakenTarget(facts, ec, wish),
    ...gate([clusterSymptoms.scaled], "upgrade-cluster", { facts, clusters: [ec] }),
    ...findCauses("standing", facts, { ec }),
    ...followersOfRoll(facts, ec, wish),
  ];
  return { findings: accept(found, skip), missing: [] };
}

interface Prerequisites {
  readonly findings: readonly Diagnosed[];
  readonly missing: readonly Permission[];
}

/** What is missing, what cannot be seen, and what may not be read, all at once. */
export function judgeBeginning(facts: Facts, planned: PlannedUpgrade): Prerequisites {
  const { ec, wish, skip } = planned;
  const { judged, missing } = judgePrerequisites(facts, describeTarget(facts, planned), {
    skip,
    acts: ["upgrade-cluster"],
  });
  const own = [
    ...gate(chooseRows(facts, planned), "upgrade-cluster", { facts, clusters: [ec] }),
    ...gate(operatorList, "upgrade-cluster", { facts }),
    ...operatorFindings(facts, ec, wish),
    ...targetFindings(facts, planned),
    ...findCauses("beginning", facts, { ec, auto: willFollow(facts, planned) }),
    ...autoFindings(facts, planned),
    ...pinnedFindings(facts, planned),
    ...manifestFindings(facts.names, planned),
    ...pinnedHelpers(facts, planned),
    ...databaseWarnings(facts, planned),
    ...warnOfReleases(facts, describeTarget(facts, planned), "upgrade-cluster"),
  ];
  return { findings: [...accept(own, skip), ...judged.flatMap(keepFindings)], missing };
}

/** What the roll meets in the EC's databases, and those that it may upgrade. */
function databaseWarnings(facts: Facts, { ec, wish }: PlannedUpgrade): readonly Finding[] {
  const { tag } = describeWanted(facts, wish);
  return [
    ...listDatabaseObjects(facts, ec).flatMap((database) => judgeInactive(facts, database) ?? []),
    ...judgeFollowers(facts, ec, { tag }),
  ];
}

/** An EC that follows its operator is rolled without a write here, and takes its databases along. */
function followersOfRoll(facts: Facts, ec: KubeObject, wish: ClusterRequest): readonly Finding[] {
  const { tag } = describeWanted(facts, wish);
  const isRolled = readRunningVersion(facts, ec).every((one) => isSameRelease(one, tag));
  return isRolled ? [] : judgeFollowers(facts, ec, { tag });
}

/** The tag that it is asked for is one of the operator: its correction is let through. */
function isMistaken(facts: Facts, { ec, wish }: PlannedUpgrade): boolean {
  return mistakenTag(facts, ec, wish.operatorBefore).length > 0;
}

/** Nothing but another tag or repository ends an upgrade to an image that no pod can pull. */
function isDeadEnd(facts: Facts, planned: PlannedUpgrade): boolean {
  return isMistaken(facts, planned) || isOutOfReach(facts, planned.ec);
}

/** The cluster follows its operator: what runs is what is wanted (S9). */
function describeTarget(facts: Facts, { ec, wish }: PlannedUpgrade): CheckTarget {
  return {
    operatorVersion: operatorRelease(facts).version ?? wish.tag,
    cluster: ec.metadata.name,
    clusterTag: describeWanted(facts, wish).tag,
    ...pick(wish, "advised"),
  };
}

/** The automatic upgrade is judged here as it will be, not as it is. */
function keepFindings({ check, findings }: JudgedCheck): readonly Diagnosed[] {
  return check.code === clusterFindings.autoUserModules.code ? [] : findings;
}

const { busy, held, noNode, quota, sickPod } = aheadSymptoms;
const ofRoll: readonly Symptom<ClusterScene>[] = [held, quota, noNode, sickPod];

/** Prerequisites are judged with those of the operator; what keeps an upgrade to a wrong tag does not keep its correction. */
function chooseRows(facts: Facts, planned: PlannedUpgrade): readonly Symptom<ClusterScene>[] {
  return clusterGates.filter((row) => {
    if (prerequisiteCodes.includes(row.code)) return false;
    if (row === busy) return !isDeadEnd(facts, planned);
    return !(ofRoll.includes(row) && isMistaken(facts, planned));
  });
}

/** The tag that is asked for is one of the operator. */
function mistakenTarget(facts: Facts, ec: KubeObject, { tag }: ClusterWish): readonly Finding[] {
  const told = tag === undefined ? undefined : explainMistake(facts, tag);
  if (told === undefined) return [];
  const about = {
    object: objectLabel(ec),
    field: facts.names.ecFields.versionTag.join("."),
    cause: `${String(tag)} is a release of the operator; ${told}`,
    fix: `give --target ${rightTag(String(tag)) ?? "with the tag that the release notes of the operator name"}`,
  };
  return [clusterFinding("mistakenTag", about, facts.names)];
}

/** A cluster is never lowered, neither below its spec nor below what its pods run. */
function targetFindings(facts: Facts, planned: PlannedUpgrade): readonly Finding[] {
  const { ec, wish } = planned;
  const { tag } = wish;
  const path = facts.names.ecFields.versionTag;
  const mistaken = mistakenTarget(facts, ec, wish);
  if (mistaken.length > 0) return mistaken;
  const spec = asString(getPath(ec, path));
  const isReached = !isDeadEnd(facts, planned);
  const running = readRunningVersion(facts, ec).filter((one) => rightTag(one) === undefined);
  const known = [spec, ...running].filter((one) => isReached || one !== spec);
  const newer = known.find((one) => isOlder(tag, one));
  if (newer === undefined) return [];
  return [
    clusterFinding(
      "targetLower",
      {
        object: objectLabel(ec),
        field: path.join("."),
        cause: `${String(tag)} is older than ${newer}, which it has already`,
      },
      facts.names,
    ),
  ];
}

/** Whether the EC will follow its operator by itself. */
function willFollow({ names }: Facts, { ec, wish, auto }: PlannedUpgrade): boolean {
  return wish.auto || (isAutoUpgraded(ec, names) && !auto.off);
}

/** Where the automatic upgrade is said, and whether the spellings agree (S13; domain facts 13). */
function autoFindings({ names }: Facts, { ec, wish, auto }: PlannedUpgrade): readonly Finding[] {
  const object = objectLabel(ec);
  const paths = autoPaths(names);
  const shown = paths.map((path) => path.join("."));
  if (wish.auto && auto.path === undefined) {
    const cause = `the ${renderTerm(names.ec)}'s definition has neither ${shown.join(" nor ")}: it would be dropped`;
    return [clusterFinding("autoFieldAbsent", { object, cause }, names)];
  }
  const said = paths.map((path) => getPath(ec, path)).filter((value) => value !== undefined);
  const conflicting =
    new Set(said).size > 1
      ? [clusterFinding("autoConflicting", { object, field: shown.join(", ") }, names)]
      : [];
  const goesOn = !wish.auto && isAutoUpgraded(ec, names) && !auto.off;
  return [...conflicting, ...(goesOn ? [clusterFinding("autoOn", { object }, names)] : [])];
}

/** A digest wins over the tag: with the old digest another tag would change nothing. */
function pinnedFindings({ names }: Facts, { ec, edits, wish }: PlannedUpgrade): readonly Finding[] {
  const path = names.ecFields.digestHash;
  const changes = edits.some((edit) => edit.path === names.ecFields.versionTag);
  if (wish.auto || !changes || asString(getPath(ec, path)) === undefined) return [];
  return [
    clusterFinding(
      "digestPinned",
      {
        object: objectLabel(ec),
        field: path.join("."),
        cause: `${path.join(".")} pins the current image: another tag would have no effect`,
        remedies: [{ ...unpin(ec, path, names), then: { says: "run again" } }],
      },
      names,
    ),
  ];
}

/** What is left beside an operator of another release (domain facts 7). */
function pinnedHelpers(facts: Facts, { ec, edits }: PlannedUpgrade): readonly Finding[] {
  const operator = operatorRelease(facts).version;
  if (operator === undefined) return [];
  const moved = edits.map(({ path }) => path.join("."));
  return helperFindings(ec, facts.names, { operator, fits: [operator] }).filter(
    ({ field }) => !moved.includes(String(field)),
  );
}

/** kubectl apply of an unchanged manifest would put the old value back. */
function manifestFindings(names: Names, { ec, edits }: PlannedUpgrade): readonly Finding[] {
  const applied = lastFile(ec);
  const fields = edits
    .filter(({ path, to }) => {
      const value = getPath(applied, path);
      return value !== undefined && value !== to;
    })
    .map(({ path }) => path.join("."));
  if (fields.length === 0) return [];
  const field = fields.join(", ");
  const cause = `the manifest that was applied last says otherwise at ${field}`;
  return [clusterFinding("manifestOld", { object: objectLabel(ec), field, cause }, names)];
}

/** The edits that switch the automatic upgrade off; none where no database uses a user-defined module. */
export function listOffEdits(facts: Facts, ec: KubeObject): readonly FieldEdit[] {
  return listUsedModules(facts, ec).length === 0 ? [] : autoOffEdits(ec, facts.names);
}
