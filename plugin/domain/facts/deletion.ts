/**
 * What is being deleted. Nothing is written into such an object or into what lives in it, and nothing
 * is advised for it: the write would be lost, or would let the deletion go through (Facts 7, 8).
 */
import { clusterLookups } from "../rules/clusters";
import { type Facts, factNamed, type FactKey } from "./facts";
import { error, type Explained, type Finding } from "../base/findings";
import { findingIn } from "../names/codes";
import { type Names, termOf } from "../names/names";
import { conditionOf, type KubeObject, nameOf, namespaceOf, objectLabel } from "../kube/objects";
import { asArray, asString, bounded, getOwn, getPath } from "../base/values";
import { clusterFinding } from "../engine-cluster/findings";

/** The codes by what is being deleted. */
export const deletionFindings = {
  definition: error("DEFINITION-DELETING", "Facts 8", {
    cause:
      "a definition is being deleted: every object of its kind goes with it once their finalizers are handled",
    fix: "save the objects first; while they are needed do not remove their finalizers and do not restart the operator, which handles them; when the definition is gone, apply it and the objects again",
  }),
  namespace: error("NAMESPACE-DELETING", "Facts 6", {
    cause:
      "the operator's namespace is being deleted: all that is in it goes, and nothing can be created in it",
    fix: "save what is needed of it first; when it is gone, create it and install the operator again",
  }),
  object: error("OBJECT-DELETING", "Facts 8", {
    cause: "an object that has to be written is being deleted: the write would be lost with it",
    fix: "wait until it is gone, or see to what its finalizers wait for; then run again",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

const deletionFinding = findingIn(deletionFindings);

/** True for an object that is being deleted; a namespace and a definition also say so in their status. */
export function isDeleting(object: KubeObject): boolean {
  return (
    object.metadata.deletionTimestamp !== undefined ||
    getPath(object, ["status", "phase"]) === "Terminating" ||
    getOwn(conditionOf(object, "Terminating"), "status") === "True"
  );
}

/** Since when it is being deleted and what holds it: `it is being deleted since …, held by finalizer …`. */
export function renderDeletion(object: KubeObject): string {
  const { deletionTimestamp } = object.metadata;
  const since = deletionTimestamp === undefined ? "" : ` since ${deletionTimestamp}`;
  return `it is being deleted${since}${renderHolders([object])}`;
}

/** Why an object cannot be written; undefined for one that stays. */
export function deletionOf(object: KubeObject | undefined): Finding | undefined {
  if (object === undefined || !isDeleting(object)) return undefined;
  const about = { object: objectLabel(object), cause: renderDeletion(object) };
  return deletionFinding("object", about);
}

/** The names of the definitions that everything rests on. */
export function definitionNames({ ec, edb, eaadb, erc, group }: Names): readonly string[] {
  return [ec, edb, eaadb, erc].map(({ plural }) => `${plural}.${group}`);
}

/** The product's definitions that are being deleted, each with the objects that go with it. */
export function deletingDefinitions(facts: Facts): readonly Finding[] {
  const { names, objects } = facts;
  const known = definitionNames(names);
  return objects.definitions
    .filter((one) => known.includes(nameOf(one)) || getPath(one, ["spec", "group"]) === names.group)
    .filter(isDeleting)
    .map((definition) =>
      deletionFinding("definition", {
        object: objectLabel(definition),
        cause: `${renderDeletion(definition)}${goingWith(facts, definition)}`,
      }),
    );
}

/** The lists of the kinds that a definition may define. */
const products = { ec: "ecs", edb: "edbs", eaadb: "eaadbs", erc: "ercs" } as const;
type Product = keyof typeof products;
const productKeys = Object.keys(products) as readonly Product[];

function goingWith(facts: Facts, definition: KubeObject): string {
  const { names } = facts;
  const product = productKeys.find(
    (key) => `${names[key].plural}.${names.group}` === definition.metadata.name,
  );
  if (product === undefined) return "";
  return renderGoing(facts, [[product, facts.objects[products[product]]]]);
}

type Going = readonly [product: Product, objects: readonly KubeObject[]];

/** `; with it go 2 EDBs (a/orders, b/carts), held by finalizer x`; what may not be listed is said. */
function renderGoing(facts: Facts, all: readonly Going[]): string {
  const parts = all.flatMap(([product, objects]) => {
    const term = termOf(facts.names[product]);
    const key: FactKey = products[product];
    if (objects.length === 0) {
      return facts.unread.has(key) ? [`every ${term} (they may not be listed)`] : [];
    }
    const labels = bounded(objects.map((one) => `${namespaceOf(one)}/${nameOf(one)}`));
    const count = objects.length === 1 ? `1 ${term}` : `${objects.length} ${term}s`;
    return [`${count} (${labels})${renderHolders(objects)}`];
  });
  return parts.length === 0 ? "" : `; with it go ${parts.join(", and ")}`;
}

/** What holds objects that are being deleted, or would be. */
function renderHolders(objects: readonly KubeObject[]): string {
  const finalizers = [...new Set(objects.flatMap(finalizersOf))];
  if (finalizers.length === 0) return "";
  return `, held by ${finalizers.length === 1 ? "finalizer" : "finalizers"} ${bounded(finalizers)}`;
}

/** Of a namespace those of its spec too. */
function finalizersOf(object: KubeObject): readonly string[] {
  const own = [object.metadata["finalizers"], getPath(object, ["spec", "finalizers"])];
  return own.flatMap(asArray).flatMap((one) => asString(one) ?? []);
}

/** The operator's namespace that is being deleted, with what goes with it. */
export function deletingNamespace(facts: Facts): readonly Finding[] {
  const { namespace: name } = facts;
  const namespace = factNamed(facts, "namespaces", { name });
  if (namespace === undefined || !isDeleting(namespace)) return [];
  const inside = productKeys.map((product): Going => [
    product,
    facts.objects[products[product]].filter((one) => namespaceOf(one) === name),
  ]);
  const cause = `${renderDeletion(namespace)}${renderGoing(facts, inside)}`;
  return [deletionFinding("namespace", { object: objectLabel(namespace), cause })];
}

/** An EC that is being deleted, with the databases that it takes along; undefined for one that stays. */
export function deletingCluster(facts: Facts, ec: KubeObject): Finding | undefined {
  if (!isDeleting(ec)) return undefined;
  const lookUp = clusterLookups(facts);
  const own = (kind: "edb" | "eaadb"): Going => [
    kind,
    facts.objects[products[kind]].filter((database) => {
      const found = lookUp(database, kind);
      return (
        found.is === "found" &&
        found.cluster.name === ec.metadata.name &&
        found.cluster.namespace === ec.metadata.namespace
      );
    }),
  ];
  const cause = `${renderDeletion(ec)}${renderGoing(facts, [own("edb"), own("eaadb")])}`;
  return clusterFinding("deleting", { object: objectLabel(ec), cause }, facts.names);
}

/**
 * All that an upgrade stands on and that is being deleted, the widest first: definitions, the
 * operator's namespace, ECs; `clusters` names those that matter, absent: all of the namespace.
 */
export function judgeGround(facts: Facts, clusters?: readonly string[]): readonly Finding[] {
  const { namespace, objects } = facts;
  const ecs = objects.ecs.filter(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      (clusters === undefined || clusters.includes(String(metadata.name))),
  );
  return [
    ...deletingDefinitions(facts),
    ...deletingNamespace(facts),
    ...ecs.flatMap((ec) => deletingCluster(facts, ec) ?? []),
  ];
}
