/** The fields of each kind that the names know, as paths that line up between two sets of names. */
import { defaultNames, type Names } from "../names";

/** Fields from the root; `each` stands for every item of a list. */
export type Path = readonly string[];

/** A step into every item of a list; no field can be called so. */
export const each = "[]";

/** The kinds whose objects and definitions hold fields that carry names. */
export const kindKeys = ["ec", "edb", "eaadb", "erc"] as const;

/** One of the product's kinds. */
export type KindKey = (typeof kindKeys)[number];

/** The paths of a kind, in an order that is the same for all names. */
export function fieldsOfKind(kind: KindKey, names: Names): readonly Path[] {
  const { fields } = names;
  switch (kind) {
    case "ec":
      return [
        fields.engineUpgradePolicy,
        fields.userDefinedModules,
        fields.bundledDatabaseVersions,
        fields.statusModules,
        ...Object.values(names.ecFields),
      ];
    case "edb":
      return [...databaseFields(names), fields.statusVersion];
    case "eaadb":
      return [
        fields.globalConfigurations,
        fields.clusterReference,
        fields.engineVersion,
        ...Object.values(names.eaadbFields),
        ...databaseFields(names)
          .filter(([root]) => root === "spec")
          .map((path) => within(path, names)),
      ];
    case "erc":
      return Object.values(names.ercFields);
  }
}

/** Fields within the entries of lists: the list in the one, the field in the other. */
export function entryFieldsOfKind(
  kind: KindKey,
  names: Names,
): readonly { readonly list: Path; readonly field: string }[] {
  const { fields, entryFields: entry } = names;
  const inList = (list: Path, ...keys: readonly string[]) => keys.map((field) => ({ list, field }));
  const modules = moduleLists(names).map((name) => ["spec", name]);
  switch (kind) {
    case "ec":
      return [
        ...inList(
          fields.bundledDatabaseVersions,
          entry.bundledType,
          entry.bundledVersion,
          entry.bundledMajor,
        ),
        ...inList(fields.statusModules, entry.statusModuleName, entry.statusModuleDisplayName),
        ...inList(fields.userDefinedModules, entry.userModuleName, entry.userModuleSource),
      ];
    case "edb":
      return modules.flatMap((list) => inList(list, entry.moduleName, entry.moduleVersion));
    case "eaadb":
      return [
        ...modules.flatMap((list) =>
          inList(within(list, names), entry.moduleName, entry.moduleVersion),
        ),
        ...inList(
          names.eaadbFields.participatingClusters,
          entry.participatingName,
          entry.participatingNamespace,
        ),
      ];
    case "erc":
      return [];
  }
}

/** Fields whose values are names themselves. */
export function valueFieldsOfKind(kind: KindKey, names: Names): readonly Path[] {
  const { fields, entryFields, edbFields } = names;
  switch (kind) {
    case "ec":
      return [
        fields.engineUpgradePolicy,
        [...fields.bundledDatabaseVersions, each, entryFields.bundledType],
      ];
    case "edb":
      return [fields.engineVersion, edbFields.type];
    case "eaadb":
      return [
        fields.engineVersion,
        within(fields.engineVersion, names),
        within(edbFields.type, names),
      ];
    case "erc":
      return [];
  }
}

function databaseFields(names: Names): readonly Path[] {
  const { engineVersion, clusterReference, evictionPolicy } = names.fields;
  const lists = moduleLists(names).map((name) => ["spec", name]);
  return [
    engineVersion,
    clusterReference,
    evictionPolicy,
    ...lists,
    ...Object.values(names.edbFields),
  ];
}

/** As many spellings as the default has, the last one again where the names have fewer. */
function moduleLists({ fields }: Names): readonly string[] {
  const last = fields.moduleLists.slice(-1);
  return defaultNames.fields.moduleLists.flatMap((_, index) =>
    fields.moduleLists
      .slice(index, index + 1)
      .concat(last)
      .slice(0, 1),
  );
}

/** A field of a database as an active-active one has it. */
function within(path: Path, { fields }: Names): Path {
  return [...fields.globalConfigurations, ...path.slice(1)];
}
