/**
 * What is being deleted. Nothing is written into such an object or into what lives in it, and nothing
 * is advised for it: the write would be lost, or would let the deletion go through (Facts 7, 8).
 */
import { type Facts, factNamed, type FactKey } from "./facts";
import type { Finding } from "../base/findings";
import { type Names, renderTerm } from "../names/names";
import type { CustomResourceDefinition } from "../kube/models";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { boundList } from "../base/values";
import { deletionFinding, isDeleting, renderDeletion, renderHolders } from "../kube/deletion";

/** The names of the definitions that everything rests on. */
export function definitionNames({ ec, edb, eaadb, erc, group }: Names): readonly string[] {
  return [ec, edb, eaadb, erc].map(({ plural }) => `${plural}.${group}`);
}

/** The product's definitions that are being deleted, each with the objects that go with it. */
export function findDeletingDefinitions(facts: Facts): readonly Finding[] {
  const { names, objects } = facts;
  const known = definitionNames(names);
  return objects.definitions
    .filter((one) => known.includes(readName(one)) || one.spec?.group === names.group)
    .filter(isDeleting)
    .map((definition) =>
      deletionFinding("definition", definition, {
        cause: `${renderDeletion(definition)}${describeLoss(facts, definition)}`,
      }),
    );
}

/** The lists of the kinds that a definition may define. */
export const products = { ec: "ecs", edb: "edbs", eaadb: "eaadbs", erc: "ercs" } as const;
type Product = keyof typeof products;
const productKeys = Object.keys(products) as readonly Product[];

function describeLoss(facts: Facts, definition: CustomResourceDefinition): string {
  const { names } = facts;
  const product = productKeys.find(
    (key) => `${names[key].plural}.${names.group}` === definition.metadata.name,
  );
  if (product === undefined) return "";
  return renderGoing(facts, [[product, facts.objects[products[product]]]]);
}

/** Objects of one kind that go with what is being deleted. */
export type Going = readonly [product: Product, objects: readonly KubeObject[]];

/** `; with it go 2 EDBs (a/orders, b/carts), held by finalizer x`; what may not be listed is said. */
export function renderGoing(facts: Facts, all: readonly Going[]): string {
  const parts = all.flatMap(([product, objects]) => {
    const term = renderTerm(facts.names[product]);
    const key: FactKey = products[product];
    if (objects.length === 0) {
      return facts.unread.has(key) ? [`every ${term} (they may not be listed)`] : [];
    }
    const labels = boundList(objects.map((one) => `${readNamespace(one)}/${readName(one)}`));
    const count = objects.length === 1 ? `1 ${term}` : `${objects.length} ${term}s`;
    return [`${count} (${labels})${renderHolders(objects)}`];
  });
  return parts.length === 0 ? "" : `; with it go ${parts.join(", and ")}`;
}

/** The operator's namespace that is being deleted, with what goes with it. */
export function findDeletingNamespace(facts: Facts): readonly Finding[] {
  const { namespace: name } = facts;
  const namespace = factNamed(facts, "namespaces", { name });
  if (namespace === undefined || !isDeleting(namespace)) return [];
  const inside = productKeys.map((product): Going => [
    product,
    facts.objects[products[product]].filter((one) => readNamespace(one) === name),
  ]);
  const cause = `${renderDeletion(namespace)}${renderGoing(facts, inside)}`;
  return [deletionFinding("namespace", namespace, { cause })];
}
