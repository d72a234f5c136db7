/** What keeps a database from being upgraded, judged from its own object, its EC and its owner. */
import { recoverLine } from "../cluster/causes";
import { termOf } from "../names";
import { isSuspended, operatorRelease } from "../cluster/operator";
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { objectLabel } from "../objects";
import { ownerOf } from "../owners";
import { fieldsOf, fieldText } from "../rules/fields";
import { showMiss } from "../rules/wording";
import { at, text } from "../values";
import { databaseFinding } from "./codes";
import type { Target } from "./target";

/** What keeps a database from being upgraded, whatever its EC is doing. */
export function ownBlocks(
  facts: Facts,
  target: Target,
  via: "resource" | "api",
): readonly Finding[] {
  const { names } = facts;
  const { object, kind, instanceOf, named } = target;
  const about = { object: objectLabel(object) };
  const type = at(object, names.edbFields.type) ?? names.engineDbType;
  const instance = via === "resource" && named ? instanceOf : undefined;
  const blocks: readonly (readonly [boolean, Finding])[] = [
    [object.metadata.deletionTimestamp !== undefined, databaseFinding("deleting", about)],
    [type !== names.engineDbType, databaseFinding("otherType", about)],
    [via === "api" && kind === "eaadb", databaseFinding("viaResource", about)],
    [
      instance !== undefined,
      databaseFinding("instance", {
        ...about,
        cause: `it is an instance of ${instance ?? ""}, and is not edited itself`,
      }),
    ],
  ];
  return [
    ...blocks.filter(([applies]) => applies).map(([, finding]) => finding),
    ...clusterBlocks(facts, target),
  ];
}

function clusterBlocks({ names }: Facts, { object, kind, lookup, ec }: Target) {
  const about = {
    object: objectLabel(object),
    field: fieldText(fieldsOf(kind, names).clusterReference),
  };
  if (lookup.is !== "found") {
    return [databaseFinding("clusterUnknown", { ...about, cause: showMiss(lookup, names) })];
  }
  if (ec !== undefined) return [];
  const { namespace } = lookup.cluster;
  const cause = `its ${termOf(names.ec)} is in namespace ${namespace}, another operator's`;
  return [databaseFinding("clusterUnknown", { ...about, cause, fix: `give -n ${namespace}` })];
}

/** The EC is Running and of the operator's release, else nobody looks after its databases (S10, S98). */
export function busyCluster(facts: Facts, { ec }: Target): readonly Finding[] {
  if (ec === undefined) return [];
  const { ecFields } = facts.names;
  const object = objectLabel(ec);
  const state = text(at(ec, ecFields.state)) ?? "not told";
  if (state !== "Running") {
    const cause = `its state is ${state}: databases are not reconciled until it is Running`;
    const frozen = ["Upgrade", "InvalidUpgrade"].includes(state);
    const wait = "bring the EC to Running first, or run again with --wait";
    const fix = `${wait}; where its upgrade is frozen, ${recoverLine(ec)} shows the way out`;
    return [databaseFinding("clusterNotRunning", { object, cause, ...(frozen && { fix }) })];
  }
  if (!isSuspended(facts, ec)) return [];
  const { version } = operatorRelease(facts);
  const tag = text(at(ec, ecFields.versionTag));
  const cause = `the operator is at ${String(version)} and the ${termOf(facts.names.ec)} still at ${String(tag)}: until it is upgraded the operator does not look after its databases`;
  return [databaseFinding("suspended", { object, cause })];
}

/** Another owner of the whole database, with its own way (domain facts 4.4). */
export function ownedBy({ object }: Target): readonly Finding[] {
  const owner = ownerOf(object);
  if (owner === undefined) return [];
  return [
    databaseFinding("owned", {
      object: objectLabel(object),
      cause: `${owner.name} owns the database and would undo the change`,
      fix: owner.way,
    }),
  ];
}
