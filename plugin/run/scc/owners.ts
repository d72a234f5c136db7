/** Helm, OLM and GitOps controllers would undo a change of what they look after. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { type KubeObject, objectLabel } from "../../domain/objects";
import type { Unbinding } from "../../domain/scc/plan";
import { ownerOf } from "../../domain/owners";
import { BlockedError } from "../recorder";

/** The plan without the deletion of what somebody else looks after; 5 where a change is needed there. */
export function respectOwners(plan: Unbinding): {
  readonly plan: Unbinding;
  readonly findings: readonly Finding[];
} {
  const changed = plan.changes.flatMap(({ object }) => findingOf(object, "error"));
  if (changed.length > 0) throw new BlockedError(exitCodes.conflict, changed);
  const { remove } = plan;
  const kept = remove === undefined ? [] : findingOf(remove, "warning");
  return kept.length === 0
    ? { plan, findings: [] }
    : { plan: { ...plan, remove: undefined }, findings: kept };
}

function findingOf(object: KubeObject, severity: Finding["severity"]): readonly Finding[] {
  const owner = ownerOf(object);
  if (owner === undefined) return [];
  return [
    {
      code: "SCC-OWNED",
      severity,
      object: objectLabel(object),
      cause: `${owner.name} owns it and may undo the change: it is left alone`,
      fix: `${owner.way}; then run again`,
      source: "domain facts 5",
    },
  ];
}
