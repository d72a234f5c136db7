/** The edits that follow the remedies: known before the first of them, judged then, written last. */
import { shownEdits } from "../../domain/cluster/edits";
import { databaseFinding } from "../../domain/databases/codes";
import { factSources } from "../../domain/facts";
import type { Finding } from "../../domain/findings";
import type { Names } from "../../domain/names";
import { type KubeObject, objectLabel, type Resource } from "../../domain/objects";
import { ownerOf } from "../../domain/owners";
import type { RecoveryPlan } from "../../domain/recovery/plan";
import type { Permission } from "../../domain/permissions";
import { type Apart, outOfLineAhead } from "../../domain/recovery/line";
import { parseEngineVersion } from "../../domain/versions";
import { at } from "../../domain/values";
import type { Patch } from "../engine/change";
import type { Look } from "./look";

const dataRisk = "the operator acts on the new spec; the database runs it already";

/** The edits of resources that follow what runs. */
export function lineEdits(apart: readonly Apart[], names: Names): readonly Patch[] {
  const { resource } = factSources(names).edbs;
  return apart.map(({ edb, edits }) => {
    const { name = "", namespace = "" } = edb.metadata;
    const id = `recover.line.${namespace}.${name}`;
    return patchOf({ id, resource, object: edb, edits, risk: dataRisk });
  });
}

function patchOf(write: Pick<Patch, "id" | "resource" | "object" | "edits" | "risk">): Patch {
  const { namespace = "" } = write.object.metadata;
  return {
    verb: "patch",
    ...write,
    reverse: "the run saves the old values, and prints the command that puts them back",
    where: ["-n", namespace],
    owned: ownedBy(write.object),
    dropped: (lost, object) => {
      const cause = `the API server did not keep ${shownEdits(lost)}`;
      return [databaseFinding("writeFailed", { object, cause })];
    },
  };
}

/** Who else looks after the object: exit 5, before anything is written. */
function ownedBy(object: KubeObject): readonly Finding[] {
  const owner = ownerOf(object);
  if (owner === undefined) return [];
  const cause = `${owner.name} owns it and would undo the change`;
  return [databaseFinding("owned", { object: objectLabel(object), cause, fix: owner.way })];
}

/** The removal of digests from the EC. */
export function digestEdit(
  { ec }: Pick<Look, "ec">,
  { digests }: Pick<RecoveryPlan, "digests">,
  resource: Resource,
): readonly Patch[] {
  if (digests.length === 0) return [];
  const risk = "the automatic upgrade begins, and all pods of the cluster are renewed";
  return [patchOf({ id: "recover.digests", resource, object: ec, edits: digests, risk })];
}

/** Every edit that the plan will lead to, as far as it is known beforehand. */
export function followingEdits(
  look: Look,
  plan: Pick<RecoveryPlan, "upgrades" | "digests">,
): readonly Patch[] {
  const { names } = look.facts;
  const path = names.fields.engineVersion;
  const raised = plan.upgrades.flatMap(({ database, version }): readonly Apart[] => {
    const { target } = database;
    if (target === undefined || target.instanceOf !== undefined) return [];
    const from = at(target.object, path);
    // an absent version or a channel asks for nothing that would undo it
    if (parseEngineVersion(from) === undefined) return [];
    return [{ database, edb: target.object, edits: [{ path, from, to: version }] }];
  });
  const known = new Set(raised.map(({ edb }) => objectLabel(edb)));
  const others = look.freeze.apart.filter(({ edb }) => !known.has(objectLabel(edb)));
  return [
    ...digestEdit(look, plan, factSources(names).ecs.resource),
    ...lineEdits([...raised, ...others], names),
  ];
}

/** What the resources will have to follow: what differs now, and what the remedies bring about. */
export function foreseenEdits(
  look: Look,
  plan: Pick<RecoveryPlan, "upgrades" | "digests" | "installs">,
): readonly Patch[] {
  const ahead = outOfLineAhead(
    look.facts,
    { databases: look.freeze.databases, api: look.api },
    {
      engineVersion: plan.upgrades[0]?.version,
      raised: new Set(plan.upgrades.map(({ database }) => database.label)),
      modules: plan.installs,
    },
  );
  return [...followingEdits(look, plan), ...lineEdits(ahead, look.facts.names)];
}

/** What the edits need: a database may come to need one later, so that its namespace is asked for. */
export function writePermissions(
  { group, ec, edb }: Names,
  edits: readonly Patch[],
): readonly Permission[] {
  const places = new Set<string>();
  const digests: Permission[] = [];
  for (const { object } of edits) {
    const { name = "", namespace = "" } = object.metadata;
    if (object.kind === edb.kind) places.add(namespace);
    else {
      const why = "to remove the digests that pin images";
      digests.push({ verb: "patch", group, resource: ec.plural, namespace, name, why });
    }
  }
  const lines = [...places].flatMap((namespace) =>
    ["patch", "get"].map((verb) => ({
      ...{ verb, group, resource: edb.plural, namespace },
      why: "to bring the databases in line with what runs",
    })),
  );
  return [...digests, ...lines];
}
