/** Whose databases the entries judge (domain facts 4.4). */
import type { Found } from "../../domain/diagnosis/symptom";
import { type EntryInForce, selectsNamespace } from "../../domain/admission/configuration";
import { on } from "../../domain/checks/check";
import type { CheckContext } from "../../domain/checks/context";
import { readName } from "../../domain/kube/objects";

/** Entries that judge the databases of other operators too. */
export function judgeScope(
  { facts: { namespace, objects } }: CheckContext,
  inForce: readonly EntryInForce[],
): readonly Found[] {
  const others = objects.ecs
    .map(({ metadata }) => metadata.namespace)
    .filter((name) => name !== namespace);
  const theirs = objects.namespaces.filter(({ metadata }) => others.includes(metadata.name));
  return inForce.flatMap((one) => {
    const judged = theirs.filter((place) => selectsNamespace(one.entry, place));
    if (judged.length === 0) return [];
    const shown = judged.map(readName).join(", ");
    return [
      on(one.configuration, `it also checks the databases of ${shown}`, { field: one.field }),
    ];
  });
}
