/** Fields of the product's objects and definitions, moved to where other names have them. */
import { defaultNames, type Names } from "../names";
import { getPath, isObject, type Json, asArray, getOwn, asString } from "../values";

/** What stands in a field; in a schema also whether the field is required. */
export interface Slot {
  readonly value: unknown;
  readonly required?: boolean;
}

/** How a tree holds its fields. */
export interface Shape {
  readonly read: (node: unknown, key: string) => Slot | undefined;
  /** The node with the slot in the field, or without the field. */
  readonly write: (node: unknown, key: string, slot: Slot | undefined) => unknown;
  /** The node with every item of the list that it is changed. */
  readonly items: (node: unknown, change: (item: unknown) => unknown) => unknown;
  /** A node without fields. */
  readonly empty: Json;
  readonly isEmpty: (node: unknown) => boolean;
}

/** Objects as they are: fields are properties. */
export const objectShape: Shape = {
  read: (node, key) => (getOwn(node, key) === undefined ? undefined : { value: getOwn(node, key) }),
  write: (node, key, slot) => {
    const others = without(node, key);
    return slot === undefined ? others : { ...others, [key]: slot.value };
  },
  items: (node, change) => (Array.isArray(node) ? node.map(change) : node),
  empty: {},
  isEmpty: (node) => isObject(node) && Object.keys(node).length === 0,
};

/** Schemas of structural definitions: fields are under `properties`, items under `items`. */
export const schemaShape: Shape = {
  read: (node, key) => {
    const value = getOwn(getOwn(node, "properties"), key);
    const required = asArray(getOwn(node, "required")).includes(key);
    return value === undefined ? undefined : { value, required };
  },
  write: (node, key, slot) => {
    const others = without(getOwn(node, "properties"), key);
    const before = asArray(getOwn(node, "required"));
    const stay = before.filter((name) => name !== key);
    const added = before.includes(key) ? before : [...stay, key];
    const required = slot?.required === true ? added : stay;
    return {
      ...without(node, "required"),
      ...(required.length > 0 && { required }),
      properties: slot === undefined ? others : { ...others, [key]: slot.value },
    };
  },
  items: (node, change) => {
    const item = getOwn(node, "items");
    return item === undefined ? node : { ...(node as Json), items: change(item) };
  },
  empty: { type: "object" },
  isEmpty: (node) => objectShape.isEmpty(getOwn(node, "properties")),
};

function without(node: unknown, key: string): Json {
  const properties = isObject(node) ? Object.entries(node) : [];
  return Object.fromEntries(properties.filter(([name]) => name !== key));
}

/** The tree with the node at a path changed, where there is one. */
export function changeAt(
  node: unknown,
  path: Path,
  how: { readonly shape: Shape; readonly change: (node: unknown) => unknown },
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return how.change(node);
  if (step === each) return how.shape.items(node, (item) => changeAt(item, rest, how));
  const slot = how.shape.read(node, step);
  if (slot === undefined) return node;
  return how.shape.write(node, step, { ...slot, value: changeAt(slot.value, rest, how) });
}

/** From where to where. */
export interface Move {
  readonly from: Path;
  readonly to: Path;
}

/** The tree with its values moved: all are taken out, the deepest first, before any is put in. */
export function moveAll(root: unknown, moves: readonly Move[], shape: Shape): unknown {
  const real = moves.filter(({ from, to }) => from.join(".") !== to.join("."));
  const outwards = [...real].sort((one, other) => other.from.length - one.from.length);
  let tree: Slot | undefined = { value: root };
  const taken: { readonly to: Path; readonly slot: Slot }[] = [];
  for (const { from, to } of outwards) {
    const { slot, left }: Taken = takeOut(tree, from, shape);
    if (slot !== undefined) taken.push({ to, slot });
    tree = left;
  }
  const inwards = [...taken].sort((one, other) => one.to.length - other.to.length);
  for (const { to, slot } of inwards) tree = putIn(tree, to, { shape, slot });
  return tree?.value;
}

interface Taken {
  readonly slot: Slot | undefined;
  /** What it was taken from, undefined when that is left empty. */
  readonly left: Slot | undefined;
}

function takeOut(from: Slot | undefined, [key, ...rest]: Path, shape: Shape): Taken {
  if (key === undefined) return { slot: from, left: undefined };
  const child = shape.read(from?.value, key);
  const inner = child && takeOut(child, rest, shape);
  if (inner?.slot === undefined) return { slot: undefined, left: from };
  const value = shape.write(from?.value, key, inner.left);
  return { slot: inner.slot, left: shape.isEmpty(value) ? undefined : { ...from, value } };
}

function putIn(
  into: Slot | undefined,
  [key, ...rest]: Path,
  what: { readonly shape: Shape; readonly slot: Slot },
): Slot {
  if (key === undefined) return what.slot;
  const { shape } = what;
  const { value, required } = into ?? { value: shape.empty };
  const child = putIn(shape.read(value, key), rest, what);
  return { ...(required === true && { required }), value: shape.write(value, key, child) };
}

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

/** An object of the product, or the definition of one of its kinds, with the fields moved. */
export function moveFields(document: unknown, names: Names): unknown {
  if (!isObject(document)) return document;
  const group = asString(document["apiVersion"])?.split("/")[0];
  const kind = kindOf(document["kind"]);
  if (kind !== undefined && group === defaultNames.group) {
    return movedIn(document, kind, { names, shape: objectShape, value: renamedValue(names) });
  }
  const defined = kindOf(getPath(document, ["spec", "names", "kind"]));
  const isDefinition = document["kind"] === "CustomResourceDefinition" && defined !== undefined;
  return isDefinition ? movedDefinition(document, defined, names) : document;
}

function kindOf(kind: unknown): KindKey | undefined {
  return kindKeys.find((key) => defaultNames[key].kind === kind);
}

interface How {
  readonly names: Names;
  readonly shape: Shape;
  /** What becomes of a value that is a name itself. */
  readonly value: (value: unknown) => unknown;
}

/** Values first, then the fields of list entries, then the fields: paths are the default's so far. */
function movedIn(root: unknown, kind: KindKey, { names, shape, value }: How): unknown {
  const values = valueFieldsOfKind(kind, defaultNames).reduce<unknown>(
    (node, path) => changeAt(node, path, { shape, change: value }),
    root,
  );
  return moveAll(movedEntries(values, kind, { names, shape }), movesOf(kind, names), shape);
}

function movedEntries(
  root: unknown,
  kind: KindKey,
  { names, shape }: Pick<How, "names" | "shape">,
): unknown {
  const given = entryFieldsOfKind(kind, names).map(({ field }) => field);
  const known = entryFieldsOfKind(kind, defaultNames);
  return known
    .map(({ list: path }) => path)
    .filter((path, index, all) => all.findIndex((other) => same(other, path)) === index)
    .reduce((node, path) => {
      const moves = known.flatMap(({ list: other, field }, index) =>
        same(other, path) ? [{ from: [field], to: given.slice(index, index + 1) }] : [],
      );
      const change = (item: unknown): unknown => moveAll(item, moves, shape);
      return changeAt(node, [...path, each], { shape, change });
    }, root);
}

function same(one: Path, other: Path): boolean {
  return one.join(".") === other.join(".");
}

function movesOf(kind: KindKey, names: Names): readonly Move[] {
  const given = fieldsOfKind(kind, names);
  return fieldsOfKind(kind, defaultNames).flatMap((from, index) =>
    given.slice(index, index + 1).map((to) => ({ from, to })),
  );
}

/** A type or a channel under its new word. */
function renamedValue(names: Names): How["value"] {
  const keys = ["engineDbType", "majorChannel", "latestChannel"] as const;
  return (value) => {
    const found = keys.find((key) => defaultNames[key] === value);
    return found === undefined ? value : names[found];
  };
}

function movedDefinition(document: Json, kind: KindKey, names: Names): unknown {
  const rename = renamedValue(names);
  const value = (schema: unknown): unknown =>
    isObject(schema) && Array.isArray(schema["enum"])
      ? { ...schema, enum: asArray(schema["enum"]).map(rename) }
      : schema;
  const movedVersion = (version: unknown): unknown => ({
    ...(isObject(version) && version),
    ...(asArray(getOwn(version, "additionalPrinterColumns")).length > 0 && {
      additionalPrinterColumns: columnsOf(version, movesOf(kind, names)),
    }),
    schema: {
      openAPIV3Schema: movedIn(getPath(version, ["schema", "openAPIV3Schema"]), kind, {
        names,
        shape: schemaShape,
        value,
      }),
    },
  });
  const versions = asArray(getPath(document, ["spec", "versions"])).map(movedVersion);
  return { ...document, spec: { ...(document["spec"] as object), versions } };
}

/** Columns that show a moved field, or something below one, find it there. */
function columnsOf(version: unknown, moves: readonly Move[]): readonly unknown[] {
  return asArray(getOwn(version, "additionalPrinterColumns")).map((column) => {
    const shown = `${asString(getOwn(column, "jsonPath")) ?? ""}.`;
    const move = moves.find(({ from }) => shown.startsWith(`.${from.join(".")}.`));
    if (move === undefined || !isObject(column)) return column;
    const rest = shown.slice(move.from.join(".").length + 1, -1);
    return { ...column, jsonPath: `.${move.to.join(".")}${rest}` };
  });
}
