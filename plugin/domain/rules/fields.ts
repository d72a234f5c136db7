/** Where each kind keeps what is judged (C8, C11, C16). */
import type { Names } from "../names";
import type { Edit } from "./types";

/** The paths of one kind. */
export interface JudgedFields {
  readonly engineVersion: readonly string[];
  /** All places of the version, that of the specification first: an EAADB may have two (S61, C8). */
  readonly engineVersions: readonly (readonly string[])[];
  /** The object that holds the module list, under either name (C11). */
  readonly moduleParent: readonly string[];
  readonly clusterReference: readonly string[];
  /** The module list under each of its names (C11). */
  readonly moduleLists: readonly (readonly string[])[];
  /** The paths as messages write them. */
  readonly texts: {
    readonly moduleLists: readonly string[];
    readonly clusterReference: string;
  };
}

/** Made once for each set of names: every review asks for them several times. */
const known = new WeakMap<Names, Readonly<Record<Edit["kind"], JudgedFields>>>();

/** The paths in an EDB, or in an EAADB, which has most below its global configurations (C8). */
export function fieldsOf(kind: Edit["kind"], names: Names): JudgedFields {
  const found = known.get(names);
  if (found !== undefined) return found[kind];
  const both = { edb: pathsOf("edb", names), eaadb: pathsOf("eaadb", names) };
  known.set(names, both);
  return both[kind];
}

function pathsOf(kind: Edit["kind"], { fields }: Names): JudgedFields {
  const { globalConfigurations, clusterReference } = fields;
  const isPlain = kind === "edb";
  const moduleParent = isPlain ? fields.engineVersion.slice(0, 1) : globalConfigurations;
  const engineVersion = isPlain
    ? fields.engineVersion
    : [...globalConfigurations, ...fields.engineVersion.slice(1)];
  const engineVersions = isPlain ? [engineVersion] : [fields.engineVersion, engineVersion];
  const moduleLists = fields.moduleLists.map((name) => [...moduleParent, name]);
  const texts = {
    moduleLists: moduleLists.map(fieldText),
    clusterReference: fieldText(clusterReference),
  };
  return { engineVersion, engineVersions, moduleParent, clusterReference, moduleLists, texts };
}

/** What a field is called where its path needs no saying. */
export function fieldName(path: readonly string[]): string {
  return path.slice(-1).join("");
}

/** A path as messages write it: dots between the names. */
export function fieldText(path: readonly string[]): string {
  return path.join(".");
}
