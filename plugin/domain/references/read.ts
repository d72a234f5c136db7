/** What objects name: the rows of the table, walked through them. */
import { asArray, asString, getOwn, getPath } from "../base/values";
import { type KubeObject, readName } from "../kube/objects";
import type { Names } from "../names/names";
import { each, keepsSecretsHere, listRows, type Namer, type ReferenceRow } from "./table";

/** An object that may name others, and what it is. */
export interface NamingObject {
  readonly by: Namer;
  readonly object: KubeObject;
}

/** One object that another one names. */
export interface Reference {
  readonly row: ReferenceRow;
  readonly object: KubeObject;
  /** The field, with the number of each item of a list. */
  readonly field: string;
  /** What is there; anything but a text is no name. */
  readonly value: unknown;
  /** Undefined where what is there is no name. */
  readonly name: string | undefined;
}

/** What one object names, usual names too; an absent or an empty field names nothing else. */
export function listReferences({ by, object }: NamingObject, names: Names): readonly Reference[] {
  return listRows(names)
    .filter((row) => row.by === by)
    .flatMap((row) => {
      const found = findPlaces({ value: object, field: "" }, row.path)
        .filter(({ value }) => value !== undefined && value !== null && value !== "")
        .filter(({ entry }) => row.counts?.(entry) !== false)
        .map(({ value, field }) => ({ row, object, field, value, name: asString(value) }))
        // what the checks of their own cannot read is absent to them
        .filter(({ name }) => name !== undefined || row.told === undefined);
      if (found.length > 0 || row.usual === undefined) return found;
      const name = row.usual(object);
      return [{ row, object, field: row.path.join("."), value: name, name }];
    });
}

interface Place {
  readonly value: unknown;
  readonly field: string;
  /** The item of the innermost list. */
  readonly entry?: unknown;
}

function findPlaces(
  { value, field, entry }: Place,
  [step, ...rest]: readonly string[],
): readonly Place[] {
  if (step === undefined) return [{ value, field, entry }];
  if (step === each) {
    return asArray(value).flatMap((item, index) =>
      findPlaces({ value: item, field: `${field}[${index}]`, entry: item }, rest),
    );
  }
  const next = field === "" ? step : `${field}.${step}`;
  return findPlaces({ value: getOwn(value, step), field: next, entry }, rest);
}

/** Where the clusters of an object keep their secrets; what is kept elsewhere is no Secret. */
export function isKeptHere(
  { row, object }: Pick<Reference, "row" | "object">,
  clusters: readonly KubeObject[],
  names: Names,
): boolean {
  if (row.kind !== "Secret" || row.by === "operator" || row.use === "pull") return true;
  return clustersOf({ by: row.by, object }, clusters, names).every((cluster) =>
    keepsSecretsHere(cluster, names),
  );
}

/** The EC itself; of a database the one that it names; else all of them, as a remote cluster follows the operator. */
function clustersOf(
  { by, object }: NamingObject,
  clusters: readonly KubeObject[],
  { fields }: Names,
): readonly KubeObject[] {
  if (by === "ec") return [object];
  const named = asString(getPath(object, fields.clusterReference));
  const meant = clusters.filter((cluster) => readName(cluster) === named);
  return meant.length > 0 ? meant : clusters;
}
