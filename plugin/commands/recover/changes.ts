/** The writes of a recovery, with their text, and the permissions that they need. */
import type { Finding } from "../../domain/base/findings";
import { databaseFinding } from "../../domain/database/findings";
import { clusterFinding } from "../../domain/engine-cluster/findings";
import { type Facts, factSources } from "../../domain/facts/facts";
import { type Change, changeRef, listPermissions, type Patch } from "../../domain/kube/change";
import { renderEdits } from "../../domain/kube/edits";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, objectLabel, type Resource } from "../../domain/kube/objects";
import { chooseCause, findLivingOwner } from "../../domain/kube/owners";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import type { Names } from "../../domain/names/names";
import { type Apart, outOfLineAhead } from "../../domain/recovery/line";
import type { RollStep } from "../../domain/recovery/roll";
import { releasingEdits } from "../../domain/rollout/stateful-set";
import type { RecoveryPlan } from "./plan";
import type { RecoverySnapshot } from "./read";

const dataRisk = "the operator acts on the new spec; the database runs it already";

/** The names, and the objects whose owner is gone. */
type OwnedFacts = Pick<Facts, "names" | "left">;

/** The edits of resources that follow what runs. */
export function buildLineEdits(apart: readonly Apart[], facts: OwnedFacts): readonly Patch[] {
  const { resource } = factSources(facts.names).edbs;
  return apart.map(({ edb, edits }) => {
    const { name = "", namespace = "" } = edb.metadata;
    const id = `recover.line.${namespace}.${name}`;
    return buildPatch({ id, resource, object: edb, edits, risk: dataRisk }, facts);
  });
}

function buildPatch(
  write: Pick<Patch, "id" | "resource" | "object" | "edits" | "risk" | "backHolds">,
  { left }: OwnedFacts,
): Patch {
  const { namespace = "" } = write.object.metadata;
  const owned = describeOwner(write.object, left);
  return {
    verb: "patch",
    ...write,
    reverse: "the run saves the old values, and prints the command that puts them back",
    where: ["-n", namespace],
    owned: owned === undefined ? [] : [databaseFinding("owned", owned)],
    dropped: (lost, object) => {
      const cause = `the API server did not keep ${renderEdits(lost)}`;
      return [databaseFinding("writeFailed", { object, cause })];
    },
  };
}

/** Who else looks after the object, besides the managers of the field: exit 5, before anything is written. */
function describeOwner(
  object: KubeObject,
  left: OwnedFacts["left"],
): Pick<Finding, "object" | "cause" | "fix"> | undefined {
  const owner = findLivingOwner(object, left);
  if (owner === undefined) return undefined;
  const cause = chooseCause(owner, `${owner.name} owns it and would undo the change`);
  return { object: objectLabel(object), cause, fix: owner.way };
}

/** The removal of digests from the EC. */
export function buildDigestEdit(
  { ec, facts }: Pick<RecoverySnapshot, "ec" | "facts">,
  { digests }: Pick<RecoveryPlan, "digests">,
  resource: Resource,
): readonly Patch[] {
  if (digests.length === 0) return [];
  const risk = "the automatic upgrade begins, and all pods of the cluster are renewed";
  const backHolds = "until the first pod is recreated";
  return [
    buildPatch(
      { id: "recover.digests", resource, object: ec, edits: digests, risk, backHolds },
      facts,
    ),
  ];
}

/** What the plan will lead to: resources that differ now, and what the remedies bring about. */
export function listForeseenEdits(
  look: RecoverySnapshot,
  plan: Pick<RecoveryPlan, "upgrades" | "digests">,
): readonly Patch[] {
  const { facts, freeze, api } = look;
  const ahead = outOfLineAhead(
    facts,
    { databases: freeze.databases, api },
    {
      engineVersion: plan.upgrades[0]?.version,
      raised: new Set(plan.upgrades.map(({ database }) => database.label)),
    },
  );
  return [
    ...buildDigestEdit(look, plan, factSources(facts.names).ecs.resource),
    ...buildLineEdits(ahead, facts),
  ];
}

/** What the edits need: a database may come to need one later, so that its namespace is asked for. */
export function listWritePermissions(
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

/** What a step is about. */
export function findRolled(step: RollStep): KubeObject {
  return step.is === "outdated" ? step.pod : step.set;
}

/** The write of one step, bound to the object as it was read. */
export function buildRollChange(step: RollStep, facts: Pick<Facts, "names" | "left">): Change {
  const { name = "", namespace = "" } = findRolled(step).metadata;
  if (step.is === "outdated") {
    return {
      verb: "delete",
      id: `recover.pod.${name}`,
      resource: kinds.pod,
      object: step.pod,
      why: "it is of an earlier revision and not ready, and every other pod is ready",
      risk: "none for the others: it serves nothing now, and its volume stays",
      isHarmless: true,
      reverse: "none is needed: the StatefulSet controller creates it again as it is asked for now",
      needs: "to delete a pod of an earlier revision that is not ready",
    };
  }
  const owned = describeOwner(step.set, facts.left);
  return {
    verb: "patch",
    id: `recover.strategy.${name}`,
    resource: kinds.statefulSet,
    object: step.set,
    edits: releasingEdits(step.set),
    risk: "the pods that were kept are renewed, one after the other",
    where: ["-n", namespace],
    needs: "to remove what holds a roll",
    owned: owned === undefined ? [] : [clusterFinding("owned", owned, facts.names)],
  };
}

/** What a step is called in the question. */
export function describeRollStep(step: RollStep): string {
  const label = objectLabel(findRolled(step));
  if (step.is === "outdated") return `delete ${label}`;
  const [edit] = releasingEdits(step.set);
  const what = edit?.from === "OnDelete" ? "strategy OnDelete" : `partition ${String(edit?.from)}`;
  return `remove ${what} from ${label}`;
}

/** The write and the read that sees what came of it. */
export function listRollPermissions(changes: readonly Change[]): readonly Permission[] {
  return changes.flatMap((change) => {
    const { name, namespace } = changeRef(change);
    const why = "to see whether a write without an answer was done";
    return [
      ...listPermissions(change),
      permissionOn("get", change.resource, { why, namespace, name }),
    ];
  });
}
