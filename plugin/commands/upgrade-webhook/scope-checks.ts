/** Whose databases the entries judge (domain facts 4.4). */
import type { Found } from "../../domain/diagnosis/symptom";
import { type EntryInForce, selectsNamespace } from "../../domain/admission/configuration";
import { fixByOwner } from "../../domain/admission/owned";
import { fixByGroup } from "../../domain/admission/selected";
import { few } from "../../domain/base/values";
import { on } from "../../domain/checks/check";
import type { CheckContext } from "../../domain/checks/context";
import { factNamed } from "../../domain/facts/facts";
import { objectLabel, readName, readNamespace } from "../../domain/kube/objects";
import { selects } from "../../domain/kube/selectors";

/** Namespaces with databases that none of the product's entries selects. */
export function judgeSelectors(
  { databases, facts, names }: CheckContext,
  inForce: readonly EntryInForce[],
): readonly Found[] {
  // what a person added may match some kinds alone: it takes the place of none of the product's
  const { entry: current, oldEntry } = names.webhook;
  const entries = inForce.filter(({ entry }) =>
    [current, oldEntry].some((name) => name === entry.name),
  );
  const [first] = entries;
  if (first === undefined) return [];
  const places = [...new Set(databases.map(({ object }) => readNamespace(object)))];
  const inNamespaces = places
    .map((name) => factNamed(facts, "namespaces", { name }))
    .filter((one) => one !== undefined)
    .filter((namespace) => !entries.some((one) => selectsNamespace(one.entry, namespace)))
    .map((namespace) =>
      on(namespace, `${readName(first.configuration)} does not select it`, {
        ...fixByGroup(first, readName(namespace), facts),
      }),
    );
  const missed = databases
    .map(({ object }) => object)
    .filter(({ metadata }) =>
      entries.every(({ entry }) => !selects(entry.objectSelector, metadata.labels ?? {})),
    );
  if (missed.length === 0) return inNamespaces;
  const cause = `its objectSelector leaves out ${few(missed.map(objectLabel))}: nothing validates them`;
  const takeOut =
    "take the selector out with upgrade-webhook --take-template-selectors, or label the databases";
  const about = {
    field: `${first.field}.objectSelector`,
    remedies: [{ says: takeOut }],
    ...fixByOwner(first.configuration, facts),
  };
  return [...inNamespaces, on(first.configuration, cause, about)];
}

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
