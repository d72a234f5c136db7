/** Fields of the product's objects and definitions, moved to where other names have them. */
import { defaultNames, type Names } from "../names";
import { at, type Json, isObject, list, own, text } from "../values";
import {
  each,
  entryFieldsOfKind,
  fieldsOfKind,
  type KindKey,
  kindKeys,
  type Path,
  valueFieldsOfKind,
} from "./kind-fields";
import { changeAt, type Move, moveAll, objectShape, schemaShape, type Shape } from "./tree-moves";

/** An object of the product, or the definition of one of its kinds, with the fields moved. */
export function moveFields(document: unknown, names: Names): unknown {
  if (!isObject(document)) return document;
  const group = text(document["apiVersion"])?.split("/")[0];
  const kind = kindOf(document["kind"]);
  if (kind !== undefined && group === defaultNames.group) {
    return movedIn(document, kind, { names, shape: objectShape, value: renamedValue(names) });
  }
  const defined = kindOf(at(document, ["spec", "names", "kind"]));
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
      ? { ...schema, enum: list(schema["enum"]).map(rename) }
      : schema;
  const movedVersion = (version: unknown): unknown => ({
    ...(isObject(version) && version),
    ...(list(own(version, "additionalPrinterColumns")).length > 0 && {
      additionalPrinterColumns: columnsOf(version, movesOf(kind, names)),
    }),
    schema: {
      openAPIV3Schema: movedIn(at(version, ["schema", "openAPIV3Schema"]), kind, {
        names,
        shape: schemaShape,
        value,
      }),
    },
  });
  const versions = list(at(document, ["spec", "versions"])).map(movedVersion);
  return { ...document, spec: { ...(document["spec"] as object), versions } };
}

/** Columns that show a moved field, or something below one, find it there. */
function columnsOf(version: unknown, moves: readonly Move[]): readonly unknown[] {
  return list(own(version, "additionalPrinterColumns")).map((column) => {
    const shown = `${text(own(column, "jsonPath")) ?? ""}.`;
    const move = moves.find(({ from }) => shown.startsWith(`.${from.join(".")}.`));
    if (move === undefined || !isObject(column)) return column;
    const rest = shown.slice(move.from.join(".").length + 1, -1);
    return { ...column, jsonPath: `.${move.to.join(".")}${rest}` };
  });
}
