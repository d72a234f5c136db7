/** What has to hold before a field of an EC is written for an upgrade (S51, S56, S59, S123-S125). */
import { termOf } from "../names";
import type { JudgedCheck } from "../checks/judge";
import { accept, type Skip } from "../checks/selection";
import type { CheckTarget } from "../checks/target";
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import { lastFile } from "../operator/managers";
import type { Permission } from "../permissions";
import { runningVersion } from "../rollout/cluster";
import { at, text } from "../values";
import { judgePrerequisites } from "../upgrade/prerequisites";
import { isOlder } from "../versions";
import { causesOf } from "./causes";
import { clusterFinding, clusterFindings } from "./codes";
import type { AutoPlan, ClusterWish, FieldEdit } from "./edits";
import { autoOf, autoPaths } from "./fields";
import { operatorFindings, operatorRelease } from "./operator";

/** The upgrade that is judged. */
export interface PlannedUpgrade {
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
  readonly wish: ClusterWish;
  readonly auto: AutoPlan;
  readonly skip: readonly Skip[];
}

/** What is missing, what cannot be seen, and what may not be read, all at once. */
export function prerequisites(
  facts: Facts,
  planned: PlannedUpgrade,
): { readonly findings: readonly Finding[]; readonly missing: readonly Permission[] } {
  const { ec, wish, skip } = planned;
  const { judged, missing } = judgePrerequisites(facts, targetOf(facts, planned), skip);
  const own = [
    ...stateFindings(facts, ec),
    ...operatorFindings(facts, ec, wish),
    ...targetFindings(facts, ec, wish),
    ...causesOf("beginning", facts, { ec, auto: willFollow(facts, planned) }),
    ...autoFindings(facts, planned),
    ...pinnedFindings(facts, planned),
    ...manifestFindings(planned),
  ];
  return { findings: [...accept(own, skip), ...judged.flatMap(ofList)], missing };
}

/** The cluster follows its operator: what runs is what is wanted (S9). */
function targetOf(facts: Facts, { ec, wish }: PlannedUpgrade): CheckTarget {
  return {
    operatorVersion: operatorRelease(facts).version ?? wish.tag,
    cluster: ec.metadata.name,
  };
}

/** The automatic upgrade is judged here as it will be, not as it is. */
function ofList({ check, findings }: JudgedCheck): readonly Finding[] {
  return check.code === clusterFindings.autoUserModules.code ? [] : findings;
}

const waited = new Set(["Running", "InvalidUpgrade", "RunningRollingUpdate"]);

/** The EC has to be Running, or InvalidUpgrade with its cause gone; a restart is waited for. */
function stateFindings({ names }: Facts, ec: KubeObject): readonly Finding[] {
  const object = objectLabel(ec);
  if (ec.metadata.deletionTimestamp !== undefined) return [clusterFinding("deleting", { object })];
  const state = text(at(ec, names.ecFields.state));
  const field = names.ecFields.state.join(".");
  if (state === "Upgrade") {
    const tag = text(at(ec, names.ecFields.versionTag)) ?? "the operator's own release";
    const cause = `an upgrade to ${tag} is under way`;
    return [clusterFinding("busy", { object, field, cause })];
  }
  if (state === undefined || !waited.has(state)) {
    const cause = `its state is ${state ?? "not told"}, and an upgrade begins at Running`;
    return [clusterFinding("state", { object, field, cause })];
  }
  const status = text(at(ec, names.ecFields.specStatus)) ?? "Valid";
  // the cause of InvalidUpgrade is judged by itself: this change may be its cure
  if (status === "Valid" || state === "InvalidUpgrade") return [];
  const cause = `its spec status is ${status}`;
  return [
    clusterFinding("specInvalid", { object, field: names.ecFields.specStatus.join("."), cause }),
  ];
}

/** A cluster is never lowered, neither below its spec nor below what its pods run. */
function targetFindings(facts: Facts, ec: KubeObject, { tag }: ClusterWish): readonly Finding[] {
  const path = facts.names.ecFields.versionTag;
  const known = [text(at(ec, path)), ...runningVersion(facts, ec)];
  const newer = known.find((one) => isOlder(tag, one));
  if (newer === undefined) return [];
  return [
    clusterFinding("targetLower", {
      object: objectLabel(ec),
      field: path.join("."),
      cause: `${String(tag)} is older than ${newer}, which it has already`,
    }),
  ];
}

/** Whether the EC will follow its operator by itself. */
function willFollow({ names }: Facts, { ec, wish, auto }: PlannedUpgrade): boolean {
  return wish.auto || (autoOf(ec, names) && !auto.off);
}

/** Where the automatic upgrade is said, and whether the spellings agree (S13; domain facts 13). */
function autoFindings({ names }: Facts, { ec, wish, auto }: PlannedUpgrade): readonly Finding[] {
  const object = objectLabel(ec);
  const paths = autoPaths(names);
  const shown = paths.map((path) => path.join("."));
  if (wish.auto && auto.path === undefined) {
    const cause = `the ${termOf(names.ec)}'s definition has neither ${shown.join(" nor ")}: it would be dropped`;
    return [clusterFinding("autoFieldAbsent", { object, cause })];
  }
  const said = paths.map((path) => at(ec, path)).filter((value) => value !== undefined);
  const conflicting =
    new Set(said).size > 1
      ? [clusterFinding("autoConflicting", { object, field: shown.join(", ") })]
      : [];
  const goesOn = !wish.auto && autoOf(ec, names) && !auto.off;
  return [...conflicting, ...(goesOn ? [clusterFinding("autoOn", { object })] : [])];
}

/** A digest wins over the tag: with the old digest another tag would change nothing. */
function pinnedFindings({ names }: Facts, { ec, edits, wish }: PlannedUpgrade): readonly Finding[] {
  const path = names.ecFields.digestHash;
  const changes = edits.some((edit) => edit.path === names.ecFields.versionTag);
  if (wish.auto || !changes || text(at(ec, path)) === undefined) return [];
  return [
    clusterFinding("digestPinned", {
      object: objectLabel(ec),
      field: path.join("."),
      cause: `${path.join(".")} pins the present image, another tag would not be what runs`,
      fix: `remove ${path.join(".")}, then run again`,
    }),
  ];
}

/** kubectl apply of an unchanged manifest would put the old value back. */
function manifestFindings({ ec, edits }: PlannedUpgrade): readonly Finding[] {
  const applied = lastFile(ec);
  const fields = edits
    .filter(({ path, to }) => {
      const value = at(applied, path);
      return value !== undefined && value !== to;
    })
    .map(({ path }) => path.join("."));
  if (fields.length === 0) return [];
  return [
    clusterFinding("manifestOld", {
      object: objectLabel(ec),
      field: fields.join(", "),
      cause: `the manifest that was applied last says otherwise at ${fields.join(", ")}`,
    }),
  ];
}
