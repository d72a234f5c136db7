/** What has to hold before a field of an EC is written for an upgrade (S51, S56, S59, S123-S125). */
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import { runningVersion } from "../rollout/cluster";
import { at, text } from "../values";
import { compareReleaseTags, parseReleaseTag, type ReleaseTag } from "../versions";
import { upgradeCauses } from "./causes";
import { clusterFinding } from "./codes";
import { databasesOf } from "./databases";
import type { AutoPlan, ClusterWish, FieldEdit } from "./edits";
import { autoOf, autoPaths } from "./fields";
import { operatorFindings } from "./operator";

/** The upgrade that is judged. */
export interface PlannedUpgrade {
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
  readonly wish: ClusterWish;
  readonly auto: AutoPlan;
}

/** Every prerequisite that is missing (errors) or cannot be seen (warnings), all at once. */
export function prerequisites(facts: Facts, planned: PlannedUpgrade): readonly Finding[] {
  const { ec, wish } = planned;
  return [
    ...stateFindings(facts, ec),
    ...operatorFindings(facts, ec, wish),
    ...targetFindings(facts, ec, wish),
    ...causeFindings(facts, planned),
    ...licenseUnknown(facts, ec),
    ...unknownVersions(facts, ec),
    ...autoFindings(facts, planned),
    ...pinnedFindings(facts, planned),
    ...manifestFindings(planned),
  ];
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
  const target = parseReleaseTag(tag);
  if (target === undefined) return [];
  const path = facts.names.ecFields.versionTag;
  const known = [text(at(ec, path)), ...runningVersion(facts, ec)];
  const newer = known.find((one) => isNewer(parseReleaseTag(one), target));
  if (newer === undefined) return [];
  return [
    clusterFinding("targetLower", {
      object: objectLabel(ec),
      field: path.join("."),
      cause: `${String(tag)} is older than ${newer}, which it has already`,
    }),
  ];
}

function isNewer(one: ReleaseTag | undefined, other: ReleaseTag): boolean {
  return one !== undefined && compareReleaseTags(one, other) > 0;
}

/** The floor of databases is that of upgrades to 7.8.2-6 and later (S123). */
function causeFindings(facts: Facts, { ec, wish, auto }: PlannedUpgrade): readonly Finding[] {
  const after = wish.auto || (autoOf(ec, facts.names) && !auto.off);
  const target = parseReleaseTag(wish.tag);
  const early = target !== undefined && isBefore(target, [7, 8, 2]);
  return upgradeCauses(facts, ec, after).filter(
    ({ code }) => !early || code !== "CLUSTER-DATABASE-OLD",
  );
}

function isBefore({ numbers }: ReleaseTag, line: readonly [number, number, number]): boolean {
  const [major, minor, patch] = line;
  return (numbers[0] - major || numbers[1] - minor || numbers[2] - patch) < 0;
}

function licenseUnknown({ names }: Facts, ec: KubeObject): readonly Finding[] {
  const field = names.ecFields.licenseState;
  if (text(at(ec, field)) !== undefined) return [];
  return [clusterFinding("licenseUnknown", { object: objectLabel(ec), field: field.join(".") })];
}

function unknownVersions(facts: Facts, ec: KubeObject): readonly Finding[] {
  return databasesOf(facts, ec)
    .filter(({ version }) => version === undefined)
    .map(({ label }) => clusterFinding("databaseUnknown", { object: label }));
}

/** Where the automatic upgrade is said, and whether the spellings agree (S13; domain facts 13). */
function autoFindings({ names }: Facts, { ec, wish, auto }: PlannedUpgrade): readonly Finding[] {
  const object = objectLabel(ec);
  const paths = autoPaths(names);
  const shown = paths.map((path) => path.join("."));
  if (wish.auto && auto.path === undefined) {
    const cause = `the EC's definition has neither ${shown.join(" nor ")}: it would be dropped`;
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
  const applied = parsed(
    ec.metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"],
  );
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

function parsed(annotation: string | undefined): unknown {
  try {
    return JSON.parse(annotation ?? "null");
  } catch {
    return undefined;
  }
}
