/** Whose databases the entries judge (domain facts 4.4). */
import { type EntryInForce, selectsNamespace } from "../../domain/admission/configuration";
import { fixByOwner } from "../../domain/admission/owned";
import { few } from "../../domain/base/values";
import { type CheckResult, on } from "../../domain/checks/check";
import type { CheckContext } from "../../domain/checks/context";
import { factNamed, type Facts } from "../../domain/facts/facts";
import type { Namespace } from "../../domain/kube/models";
import { objectLabel, readName, readNamespace } from "../../domain/kube/objects";
import { findLivingOwner } from "../../domain/kube/owners";
import { selects } from "../../domain/kube/selectors";
import { missingTargets, targetCommand } from "../../domain/operator/olm-obstacles";

/** Namespaces with databases that none of the product's entries selects. */
export function judgeSelectors(
  { databases, facts, names }: CheckContext,
  inForce: readonly EntryInForce[],
): readonly CheckResult[] {
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
        ...wayOfOlm(first, namespace, facts),
      }),
    );
  const missed = databases
    .map(({ object }) => object)
    .filter(({ metadata }) =>
      entries.every(({ entry }) => !selects(entry.objectSelector, metadata.labels ?? {})),
    );
  if (missed.length === 0) return inNamespaces;
  const cause = `its objectSelector leaves out ${few(missed.map(objectLabel))}: nothing validates them`;
  const about = {
    field: `${first.field}.objectSelector`,
    fix: "take the selector out with upgrade-webhook --take-template-selectors, or label the databases",
    ...fixByOwner(first.configuration, facts),
  };
  return [...inNamespaces, on(first.configuration, cause, about)];
}

/** OLM takes a label by hand and a wider selector back: what it selects are the targets of its OperatorGroup. */
function wayOfOlm(
  { entry, configuration }: EntryInForce,
  namespace: Namespace,
  { objects: { operatorGroups }, left }: Facts,
): { readonly fix?: string } {
  const labels = JSON.stringify([entry.namespaceSelector]);
  const [, uid] = /"olm\.operatorgroup\.uid\/([^"]+)"/.exec(labels) ?? [];
  if (uid === undefined || findLivingOwner(configuration, left)?.name !== "OLM") return {};
  const name = readName(namespace);
  const group = operatorGroups.find(({ metadata }) => metadata.uid === uid);
  const takesBack = "OLM takes a label by hand and a wider selector back";
  if (group === undefined) {
    return { fix: `add ${name} to the targets of the OperatorGroup with uid ${uid}; ${takesBack}` };
  }
  const missing = missingTargets(group, [name]);
  // OLM labels the namespaces of its group, and sets a label that was lost when it looks again
  const fix =
    missing.length === 0
      ? `OperatorGroup ${readName(group)} targets it already: have OLM look again with: kubectl annotate operatorgroups.operators.coreos.com ${readName(group)} --namespace=${readNamespace(group)} --overwrite looked-at=again`
      : `add it to the targets of OLM's group, which also makes the rights there; ${takesBack}: ${targetCommand(group, missing)}`;
  return { fix };
}

/** Entries that judge the databases of other operators too. */
export function judgeScope(
  { facts: { namespace, objects } }: CheckContext,
  inForce: readonly EntryInForce[],
): readonly CheckResult[] {
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
