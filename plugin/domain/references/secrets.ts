/** Which Secrets are named, so that each is read by its name: no others are. */
import type { FactKey, Facts } from "../facts/facts";
import { type KubeObject, readNamespace } from "../kube/objects";
import { isKeptHere, listReferences, type NamingObject } from "./read";

/** The lists of Secrets that are read by their names. */
export type NamedList = "namedSecrets" | "referredSecrets";

/** The lists of the objects that name them. */
export const namingLists = {
  namedSecrets: ["ecs", "ercs"],
  referredSecrets: ["ecs", "edbs", "eaadbs", "deployments"],
} as const satisfies Readonly<Record<NamedList, readonly FactKey[]>>;

/** A Secret that is named. */
export interface NamedSecret {
  readonly namespace: string;
  readonly name: string;
}

/** Where names are looked for. */
export interface NamingPlace extends Pick<Facts, "namespace" | "names" | "objects"> {
  /** The namespaces whose databases count. */
  readonly places: ReadonlySet<string>;
}

const ofKind =
  (by: NamingObject["by"]) =>
  (object: KubeObject): NamingObject => ({ by, object });

/** The objects that name Secrets of a list. */
export function listNamers(
  { namespace, names, objects, places }: NamingPlace,
  list: NamedList,
): readonly NamingObject[] {
  const isHere = (object: KubeObject): boolean => readNamespace(object) === namespace;
  const isInPlace = (object: KubeObject): boolean => places.has(readNamespace(object));
  const own = objects.ecs.filter(isHere).map(ofKind("ec"));
  if (list === "namedSecrets") return [...own, ...objects.ercs.filter(isHere).map(ofKind("erc"))];
  return [
    ...own,
    ...objects.edbs.filter(isInPlace).map(ofKind("edb")),
    ...objects.eaadbs.filter(isInPlace).map(ofKind("eaadb")),
    ...objects.deployments
      .filter(({ metadata }) => metadata.name === names.operator.deployment)
      .map(ofKind("operator")),
  ];
}

/** The Secrets of a list that objects name, usual names too, each once. */
export function listNamedSecrets(
  namers: readonly NamingObject[],
  list: NamedList,
  { names, objects }: Pick<Facts, "names" | "objects">,
): readonly NamedSecret[] {
  const named = namers
    .flatMap((one) => listReferences(one, names))
    .filter(({ row }) => row.kind === "Secret" && row.list === list)
    .filter((reference) => isKeptHere(reference, objects.ecs, names))
    .flatMap(({ object, name }) =>
      name === undefined ? [] : [{ namespace: readNamespace(object), name }],
    );
  return [...new Map(named.map((one) => [`${one.namespace}/${one.name}`, one])).values()];
}

/** The Secrets that databases name and no check of its own judges. */
export function listOfDatabases(facts: Pick<Facts, "names" | "objects">): readonly NamedSecret[] {
  const { edbs, eaadbs } = facts.objects;
  const namers = [...edbs.map(ofKind("edb")), ...eaadbs.map(ofKind("eaadb"))];
  return listNamedSecrets(namers, "referredSecrets", facts);
}

/** The same of one EC. */
export function listOfCluster(
  facts: Pick<Facts, "names" | "objects">,
  cluster: KubeObject,
): readonly NamedSecret[] {
  return listNamedSecrets([{ by: "ec", object: cluster }], "referredSecrets", facts);
}
