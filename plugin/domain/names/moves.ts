/** Fields of the product's objects and definitions, moved to where other names have them. */
import { pathInGlobal } from "./database-paths";
import { defaultNames, kinds, type Names, type ProductKind } from "./names";
import {
  type FieldPath,
  getPath,
  isObject,
  type Json,
  asArray,
  getOwn,
  asString,
  withValue,
} from "../base/values";

/** In a path: every item of a list. */
const each = "[]";

/** The fields of a kind that have names, in an order that is the same for all names. */
function fieldsOfKind(kind: ProductKind, names: Names): readonly FieldPath[] {
  const { fields, entryFields: entry, edbFields, eaadbFields } = names;
  const inList = (list: FieldPath, ...keys: FieldPath): readonly FieldPath[] => [
    list,
    ...keys.map((key) => [...list, each, key]),
  ];
  const database = [
    fields.engineVersion,
    fields.clusterReference,
    fields.evictionPolicy,
    ...moduleLists(names).flatMap((name) =>
      inList(["spec", name], entry.moduleName, entry.moduleVersion),
    ),
    ...Object.values(edbFields),
    ...[
      ...[entry.replicaSourceName, entry.replicaSourceType],
      ...[entry.replicaClientSecret, entry.replicaServerSecret],
    ].map((key) => [...edbFields.replicaSources, each, key]),
    ...[
      [entry.backupS3, entry.backupS3Secret],
      [entry.backupBlob, entry.backupBlobSecret],
      [entry.backupCloud, entry.backupCloudSecret],
      [entry.backupSwift, entry.backupSwiftSecret],
      [entry.backupSftp, entry.backupSftpSecret],
    ].map((keys) => [...edbFields.backup, ...keys]),
  ];
  const byKind: Readonly<Record<ProductKind, readonly FieldPath[]>> = {
    ec: [
      fields.engineUpgradePolicy,
      ...inList(fields.userDefinedModules, entry.userModuleName, entry.userModuleSource),
      ...inList(
        fields.bundledDatabaseVersions,
        entry.bundledType,
        entry.bundledVersion,
        entry.bundledMajor,
      ),
      ...inList(
        fields.statusModules,
        entry.statusModuleName,
        entry.statusModuleDisplayName,
        entry.statusModuleVersions,
      ),
      ...Object.values(names.ecFields),
      [...names.ecFields.pullSecrets, each, entry.pullSecretName],
    ],
    edb: [...database, fields.statusVersion],
    eaadb: [
      fields.globalConfigurations,
      fields.clusterReference,
      fields.engineVersion,
      ...Object.values(eaadbFields),
      ...inList(
        eaadbFields.participatingClusters,
        entry.participatingName,
        entry.participatingNamespace,
      ),
      ...database.filter(([root]) => root === "spec").map((path) => pathInGlobal(path, names)),
    ],
    erc: Object.values(names.ercFields),
  };
  return byKind[kind];
}

/** As many spellings as the default has, the last one again where the names have fewer. */
function moduleLists({ fields: { moduleLists: lists } }: Names): readonly string[] {
  return defaultNames.fields.moduleLists.map((_, index) => String(lists[index] ?? lists.at(-1)));
}

/** Fields whose values are names themselves: a type or a channel. */
const valueFields: readonly FieldPath[] = (({ fields, entryFields, edbFields }) => [
  fields.engineUpgradePolicy,
  [...fields.bundledDatabaseVersions, each, entryFields.bundledType],
  ...[fields.engineVersion, edbFields.type].flatMap((path) => [
    path,
    pathInGlobal(path, defaultNames),
  ]),
])(defaultNames);

/** What stands at the end of a path; numbers are positions in lists. */
interface Leaf {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

function listLeaves(value: unknown, path: Leaf["path"] = []): readonly Leaf[] {
  const inner = Array.isArray(value)
    ? [...asArray(value).entries()]
    : Object.entries(isObject(value) ? value : {});
  if (inner.length === 0) return [{ path, value }];
  return inner.flatMap(([step, one]) => listLeaves(one, [...path, step]));
}

function put(node: unknown, [step, ...rest]: Leaf["path"], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "string") {
    return { ...(isObject(node) && node), [step]: put(getOwn(node, step), rest, value) };
  }
  const list = asArray(node);
  return list.slice(0, step).concat([put(list[step], rest, value)], list.slice(step + 1));
}

/** From where to where; the path that is longest counts for what is below it. */
type Moves = ReadonlyMap<string, FieldPath>;

/** The leaf at its new place; the same one where it stays. */
function moveLeaf(leaf: Leaf, moves: Moves): Leaf {
  const { path, value } = leaf;
  const fields = path.map((step) => (typeof step === "number" ? each : step));
  for (let length = fields.length; length > 0; length -= 1) {
    const from = fields.slice(0, length).join(".");
    const to = moves.get(from);
    if (to === undefined) continue;
    if (to.join(".") === from) return leaf;
    const positions = path.filter((step) => typeof step === "number");
    const at = to.map((step) => (step === each ? Number(positions.shift()) : step));
    return { path: [...at, ...path.slice(length)], value };
  }
  return leaf;
}

/** The tree of these leaves; what has moved comes last, and into what is there already. */
function moveAll(leaves: readonly Leaf[], moves: Moves): readonly Leaf[] {
  const all = leaves.map((leaf) => ({ leaf, now: moveLeaf(leaf, moves) }));
  const isMoved = ({ leaf, now }: (typeof all)[number]): boolean => leaf !== now;
  return [...all.filter((one) => !isMoved(one)), ...all.filter(isMoved)].map(({ now }) => now);
}

const buildTree = (leaves: readonly Leaf[]): unknown =>
  leaves.reduce<unknown>((node, { path, value }) => put(node, path, value), undefined);

/** An object of the product, or the definition of one of its kinds, with the fields moved. */
export function moveFields(document: unknown, names: Names): unknown {
  if (!isObject(document)) return document;
  const group = asString(document["apiVersion"])?.split("/")[0];
  const kind = findKind(document["kind"]);
  if (kind !== undefined && group === defaultNames.group) {
    const isName = new Set(valueFields.map((path) => path.join(".")));
    const leaves = listLeaves(document).map(({ path, value }) => {
      const fields = path.map((step) => (typeof step === "number" ? each : step)).join(".");
      return { path, value: isName.has(fields) ? renameValue(value, names) : value };
    });
    return buildTree(moveAll(leaves, listMoves(kind, names)));
  }
  const defined = findKind(getPath(document, ["spec", "names", "kind"]));
  const isDefinition = document["kind"] === "CustomResourceDefinition" && defined !== undefined;
  return isDefinition ? moveDefinition(document, defined, names) : document;
}

function findKind(kind: unknown): ProductKind | undefined {
  return kinds.find((key) => defaultNames[key].kind === kind);
}

function listMoves(kind: ProductKind, names: Names): Moves {
  const given = fieldsOfKind(kind, names);
  return new Map(
    fieldsOfKind(kind, defaultNames).flatMap((from, index) =>
      given.slice(index, index + 1).map((to) => [from.join("."), to] as const),
    ),
  );
}

/** A type or a channel under its new word. */
function renameValue(value: unknown, names: Names): unknown {
  const keys = ["engineDbType", "majorChannel", "latestChannel"] as const;
  const found = keys.find((key) => defaultNames[key] === value);
  return found === undefined ? value : names[found];
}

function moveDefinition(document: Json, kind: ProductKind, names: Names): unknown {
  const moves = listMoves(kind, names);
  const moveVersion = (version: unknown): unknown => {
    const schema = getPath(version, ["schema", "openAPIV3Schema"]);
    const columns = asArray(getOwn(version, "additionalPrinterColumns"));
    return {
      ...(isObject(version) && version),
      ...(columns.length > 0 && { additionalPrinterColumns: moveColumns(columns, moves) }),
      schema: { openAPIV3Schema: moveSchema(schema, moves, names) },
    };
  };
  const versions = asArray(getPath(document, ["spec", "versions"])).map(moveVersion);
  return { ...document, spec: { ...(document["spec"] as object), versions } };
}

/** Where a schema has a field. */
const inSchema = (path: FieldPath): FieldPath =>
  path.flatMap((step) => (step === each ? ["items"] : ["properties", step]));

function moveSchema(schema: unknown, fields: Moves, names: Names): unknown {
  if ([...fields].every(([from, to]) => from === to.join("."))) return schema;
  const froms = [...fields.keys()].map((from) => from.split("."));
  const moves = new Map(
    [...fields].map(([from, to]) => [inSchema(from.split(".")).join("."), inSchema(to)] as const),
  );
  const enums = valueFields.map((path) => `${inSchema(path).join(".")}.enum.`);
  const leaves = listLeaves(markRequired(schema)).map(({ path, value }) => {
    const isName = enums.some((start) => path.join(".").startsWith(start));
    return { path, value: isName ? renameValue(value, names) : value };
  });
  const below = (start: Leaf["path"]) => (leaf: Leaf) =>
    leaf.path.join(".").startsWith(`${start.join(".")}.`);
  // what has lost all its fields goes as well, the deepest first
  const left = froms
    .flatMap((from) => from.slice(2).map((_, at) => from.slice(0, at + 2)))
    .toSorted((one, other) => other.length - one.length)
    .reduce(
      (rest, parent) => {
        const before = inSchema(parent);
        const now = moveLeaf({ path: before, value: undefined }, moves).path;
        const isEmptied =
          leaves.some(below([...before, "properties"])) &&
          !rest.some(below([...now, "properties"]));
        return isEmptied ? rest.filter((leaf) => !below(now)(leaf)) : rest;
      },
      moveAll(leaves, moves),
    );
  return listRequired(buildTree(left));
}

/** No schema has such a key. */
const mark = "$required";

/** The schema with each required field marked by itself, so that the mark moves with it. */
function markRequired(node: unknown): unknown {
  if (!isObject(node)) return node;
  const inner: Json = Object.fromEntries(
    Object.entries(node).map(([key, one]) => [key, markRequired(one)]),
  );
  const { required, properties } = inner;
  if (!Array.isArray(required) || !isObject(properties)) return inner;
  const marked = Object.entries(properties).map(([key, one]) => [
    key,
    required.includes(key) && isObject(one) ? { ...one, [mark]: true } : one,
  ]);
  return {
    ...withValue(inner, ["required"], undefined),
    properties: Object.fromEntries(marked) as Json,
  };
}

/** The schema as it is written; one that holds fields is an object. */
function listRequired(node: unknown): unknown {
  if (!isObject(node)) return node;
  const { properties } = node;
  const required = Object.entries(isObject(properties) ? properties : {})
    .filter(([, one]) => getOwn(one, mark) === true)
    .map(([key]) => key);
  const inner = Object.entries(withValue(node, [mark], undefined)).map(([key, one]) => [
    key,
    listRequired(one),
  ]);
  return {
    ...(isObject(properties) && { type: "object" }),
    ...(Object.fromEntries(inner) as Json),
    ...(required.length > 0 && { required }),
  };
}

/** Columns that show a moved field, or something below one, find it there. */
function moveColumns(columns: readonly unknown[], moves: Moves): readonly unknown[] {
  return columns.map((column) => {
    const shown = `${asString(getOwn(column, "jsonPath")) ?? ""}.`;
    const move = [...moves].find(([from]) => shown.startsWith(`.${from}.`));
    if (move === undefined || !isObject(column)) return column;
    const [from, to] = move;
    return { ...column, jsonPath: `.${to.join(".")}${shown.slice(from.length + 1, -1)}` };
  });
}
