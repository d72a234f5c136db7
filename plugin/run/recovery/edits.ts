/** The edits that follow the remedies: known before the first of them, judged then, written last. */
import { shownEdits } from "../../domain/cluster/edits";
import type { Act } from "../../domain/confirmed";
import { factSources } from "../../domain/facts";
import type { Names } from "../../domain/names";
import { objectLabel, type Resource } from "../../domain/objects";
import type { RecoveryPlan } from "../../domain/recovery/plan";
import { type Apart, outOfLineAhead } from "../../domain/recovery/line";
import { parseEngineVersion } from "../../domain/versions";
import { at } from "../../domain/values";
import type { Look } from "./look";
import type { Edit } from "./writes";

const dataRisk = "the operator acts on the new spec; the database runs it already";

/** The edits of resources that follow what runs. */
export function lineEdits(apart: readonly Apart[], names: Names): readonly Edit[] {
  const { resource } = factSources(names).edbs;
  return apart.map(({ edb, edits }) => ({
    id: `recover.line.${edb.metadata.namespace ?? ""}.${edb.metadata.name ?? ""}`,
    resource,
    object: edb,
    edits,
    risk: dataRisk,
  }));
}

/** The removal of digests from the EC. */
export function digestEdit(
  { ec }: Pick<Look, "ec">,
  { digests }: Pick<RecoveryPlan, "digests">,
  resource: Resource,
): readonly Edit[] {
  if (digests.length === 0) return [];
  const risk = "the automatic upgrade begins, and all pods of the cluster are renewed";
  return [{ id: "recover.digests", resource, object: ec, edits: digests, risk }];
}

/** Every edit that the plan will lead to, as far as it is known beforehand. */
export function followingEdits(
  look: Look,
  plan: Pick<RecoveryPlan, "upgrades" | "digests">,
): readonly Edit[] {
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

/** What edits do, for comparison with those that are planned after the remedies. */
export function actsOf(edits: readonly Edit[]): readonly Act[] {
  return edits.flatMap((edit) =>
    edit.edits.map((one) => ({
      object: objectLabel(edit.object),
      does: `write ${shownEdits([one])}`,
    })),
  );
}

/** What the resources will have to follow: what differs now, and what the remedies bring about. */
export function foreseenActs(
  look: Look,
  plan: Pick<RecoveryPlan, "upgrades" | "digests" | "installs">,
): readonly Act[] {
  const ahead = outOfLineAhead(
    look.facts,
    { databases: look.freeze.databases, api: look.api },
    {
      engineVersion: plan.upgrades[0]?.version,
      raised: new Set(plan.upgrades.map(({ database }) => database.label)),
      modules: plan.installs,
    },
  );
  return actsOf([...followingEdits(look, plan), ...lineEdits(ahead, look.facts.names)]);
}
