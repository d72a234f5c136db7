/** What a dry run says of the writes that it plans: how bad each is, its way back, its kubectl. */
import { type KubeObject, objectLabel, type Ref } from "../../domain/objects";
import { refOf } from "../../domain/scc/constraint";
import type { Change } from "../../domain/scc/plan";
import { plannedWrite, type PlannedWrite } from "../planned";
import type { UnbindDeps } from "./deps";

/** An account that goes out of a list, or the deletion of a binding that is for nobody else. */
export function plannedChange({ command }: UnbindDeps, change: Change): PlannedWrite {
  const { object, field, left, removed, deletes } = change;
  const ref = refOf(object);
  const patch = JSON.stringify({ [field]: left });
  return plannedWrite({
    verb: deletes ? "delete" : "patch",
    ref,
    before: object,
    ...(!deletes && {
      changes: removed.map((who) => ({ path: `.${field}[${JSON.stringify(who)}]`, to: null })),
    }),
    risk: `a pod of ${removed.join(", ")} that still needs the constraint is not admitted any more`,
    reverse: backBy(deletes ? "create" : "replace"),
    command: command([
      "kubectl",
      ...(deletes
        ? ["delete", ...wordsOf(ref)]
        : ["patch", ...wordsOf(ref), "--type=merge", "-p", patch]),
    ]),
  });
}

/** The deletion of the constraint. */
export function plannedRemoval({ command }: UnbindDeps, constraint: KubeObject): PlannedWrite {
  const ref = refOf(constraint);
  return plannedWrite({
    verb: "delete",
    ref,
    before: constraint,
    risk: `low: nobody uses ${objectLabel(constraint)} any more`,
    reverse: backBy("create"),
    command: command(["kubectl", "delete", ...wordsOf(ref)]),
  });
}

function backBy(verb: string): string {
  return `the run saves the object as it was, and prints the kubectl ${verb} that puts it back`;
}

function wordsOf({ resource, name, namespace }: Ref): readonly string[] {
  const kind = resource.kind.toLowerCase();
  return [kind, name, ...(namespace === undefined ? [] : ["-n", namespace])];
}
