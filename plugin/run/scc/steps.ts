/** How the writes of an unbinding are named in the report and in the question before them. */
import type { Act } from "../../domain/confirmed";
import { type KubeObject, objectLabel } from "../../domain/objects";
import type { Change, Unbinding } from "../../domain/scc/plan";
import type { StepInfo } from "../recorder";
import type { UnbindDeps } from "./deps";

/** One change. */
export function changeInfo({ object, field, removed, deletes }: Change): StepInfo {
  const who = removed.join(", ");
  return {
    id: "scc.unbind",
    action: deletes ? "delete" : "patch",
    object: objectLabel(object),
    why: deletes ? `it is bound to ${who} alone` : `${who} goes out of its ${field}`,
  };
}

/** The deletion of the constraint. */
export function deleteInfo(constraint: KubeObject): StepInfo {
  return {
    id: "scc.delete",
    action: "delete",
    object: objectLabel(constraint),
    why: "no subject and no pod uses it any more (S33)",
  };
}

/** What the question names, for comparison with a plan that is made again. */
export function actsOf({ changes, remove }: Unbinding): readonly Act[] {
  return [
    ...changes.flatMap(({ object, field, removed, deletes }) => [
      ...removed.map((who) => ({
        object: objectLabel(object),
        does: `take ${who} out of its ${field}`,
      })),
      ...(deletes ? [{ object: objectLabel(object), does: "delete it" }] : []),
    ]),
    ...(remove === undefined ? [] : [{ object: objectLabel(remove), does: "delete it" }]),
  ];
}

/** What is asked before the first write. */
export function questionOf(deps: UnbindDeps, { changes, remove }: Unbinding): string {
  const acts = [
    ...changes.map((change) =>
      change.deletes
        ? `delete ${objectLabel(change.object)}`
        : `take ${change.removed.join(", ")} out of ${objectLabel(change.object)}`,
    ),
    ...(remove === undefined ? [] : [`delete ${objectLabel(remove)}`]),
  ];
  return `On ${deps.cluster.server}: ${acts.join(", then ")}?`;
}
