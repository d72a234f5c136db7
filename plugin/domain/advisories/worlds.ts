/** The values of examples, as a file has them: words of the vocabulary, each of which may be left out. */
import { isObject, renderValue } from "../base/values";
import {
  type Keys,
  type Path,
  type RowProblem,
  type Shape,
  checkKeys,
  describeKeys,
} from "./shapes";
import { type TypeName, type Word, type WordType, variables, vocabulary } from "./vocabulary";

/** Any value: an example may be about one of another type. */
const anything: Shape = { schema: {}, check: () => [] };

/** A version, which a file without quotes makes a number of, so that 8.10 becomes 8.1. */
const version: Shape = {
  schema: { type: ["string", "null"] },
  check: (value, path) =>
    typeof value === "number" ? [{ path, says: `write ${value} in quotes: it is a version` }] : [],
};

/** A value of the type that a word has. */
function valueOf(type: string, fits: (value: unknown) => boolean): Shape {
  return {
    schema: anything.schema,
    check: (value, path) =>
      fits(value) ? [] : [{ path, says: `it is ${renderValue(value)}, and ${type} is expected` }],
  };
}

/** What a word of each type holds in an example that is judged. */
const plain: Readonly<Record<string, Shape>> = {
  string: valueOf("string", (value) => typeof value === "string"),
  int: valueOf("int", Number.isInteger),
  bool: valueOf("bool", (value) => typeof value === "boolean"),
};

function shapeOf(type: WordType, isTyped: boolean): Shape {
  if (typeof type === "object") return each(shapeOf(type.list, isTyped));
  if (type === "version") return version;
  if (isTypeName(type)) return thing(type, isTyped);
  return (isTyped ? plain[type] : undefined) ?? anything;
}

function isTypeName(type: string): type is TypeName {
  return Object.hasOwn(vocabulary, type);
}

function each(shape: Shape): Shape {
  return {
    schema: { items: shape.schema },
    check: (value, path) =>
      Array.isArray(value)
        ? value.flatMap((element, index) => shape.check(element, [...path, index]))
        : [],
  };
}

/** What is no object may be meant so, and is judged as one that is not known. */
function thing(type: TypeName, isTyped: boolean): Shape {
  return {
    schema: { $ref: `#/definitions/${type}` },
    check: (value, path) => checkWords(value, keysOf(vocabulary[type], isTyped), path),
  };
}

function checkWords(value: unknown, words: Keys, path: Path): readonly RowProblem[] {
  return isObject(value) ? checkKeys(value, words, path) : [];
}

function keysOf(words: Readonly<Record<string, Word>>, isTyped = false): Keys {
  return Object.fromEntries(
    Object.entries(words).map(([name, { type, says }]) => [
      name,
      { shape: shapeOf(type, isTyped), says },
    ]),
  );
}

function makeWorld(isTyped: boolean): Shape {
  return {
    schema: { $ref: "#/definitions/World" },
    check: (value, path) =>
      isObject(value)
        ? checkWords(value, keysOf(variables, isTyped), path)
        : [{ path, says: "an object of variables is expected" }],
  };
}

/** The values of an example in which something is not known: a value may have another type. */
export const world = makeWorld(false);

/** The values of an example that is judged: each has the type of its word. */
export const typedWorld = makeWorld(true);

/** What the schema calls by name. */
export function describeWorlds(): Readonly<Record<string, object>> {
  const types = Object.entries(vocabulary).map(
    ([name, words]) =>
      [name, { ...describeKeys(keysOf(words)), type: ["object", "null"] }] as const,
  );
  return { World: describeKeys(keysOf(variables)), ...Object.fromEntries(types) };
}
