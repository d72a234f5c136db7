/** Shapes of the parts of a file: each checks a value, and is told to editors as JSON Schema. */
import { countNoun, isObject, renderValue, suggestion } from "../base/values";

/** What is wrong with a row, or with a file. */
export interface RowProblem {
  /** Keys and indexes from the root of the file. */
  readonly path: Path;
  /** The id of the row, or its code. */
  readonly row?: string;
  /** The file was written for a later release of this tool. */
  readonly kind?: "newer";
  readonly says: string;
}

export type Path = readonly (string | number)[];

/** What a value may be. */
export interface Shape {
  readonly schema: object;
  readonly check: (value: unknown, path: Path) => readonly RowProblem[];
}

/** One key of an object. */
export interface Key {
  readonly shape: Shape;
  readonly says: string;
  readonly needed?: true;
}

/** The keys of an object. */
export type Keys = Readonly<Record<string, Key>>;

const longest = 2000;

function refuse(value: unknown, expected: string, path: Path): readonly RowProblem[] {
  const shown = Array.isArray(value)
    ? "a list"
    : isObject(value)
      ? "an object"
      : renderValue(value);
  return [{ path, says: `it is ${shown.slice(0, 80)}, and ${expected} is expected` }];
}

/** A text that is not empty. */
export const text: Shape = {
  schema: { type: "string", minLength: 1, maxLength: longest },
  check: (value, path) => {
    if (typeof value !== "string" || value.trim() === "") return refuse(value, "a text", path);
    const says = `it has more than ${longest} characters`;
    return value.length > longest ? [{ path, says }] : [];
  },
};

/** A text of a form that a person is told in words. */
export function textLike(pattern: RegExp, expected: string): Shape {
  return {
    schema: { type: "string", pattern: pattern.source },
    check: (value, path) =>
      typeof value === "string" && pattern.test(value) ? [] : refuse(value, expected, path),
  };
}

/** A text that a function reads: it says what is wrong with it. */
export function textThat(read: (text: string) => string | undefined): Shape {
  return {
    schema: text.schema,
    check: (value, path) => {
      const wrong = text.check(value, path);
      if (wrong.length > 0) return wrong;
      const says = read(String(value));
      return says === undefined ? [] : [{ path, says }];
    },
  };
}

/** One of some words. */
export function choice(words: readonly string[]): Shape {
  return {
    schema: { enum: words },
    check: (value, path) => {
      if (typeof value !== "string") return refuse(value, `one of ${words.join(", ")}`, path);
      if (words.includes(value)) return [];
      const near = suggestion(value, words);
      return [{ path, says: `${JSON.stringify(value)} is none of ${words.join(", ")}${near}` }];
    },
  };
}

/** True or false. */
export const flag: Shape = {
  schema: { type: "boolean" },
  check: (value, path) => (typeof value === "boolean" ? [] : refuse(value, "true or false", path)),
};

/** At least one of the same, and at most so many. */
export function makeList(shape: Shape, most = 50): Shape {
  return {
    schema: { type: "array", minItems: 1, maxItems: most, items: shape.schema },
    check: (value, path) => {
      if (!Array.isArray(value)) return refuse(value, "a list", path);
      if (value.length === 0) return [{ path, says: "it is empty" }];
      const says = `it has ${countNoun(value.length, "element")}, and ${most} are the most`;
      if (value.length > most) return [{ path, says }];
      return value.flatMap((element, index) => shape.check(element, [...path, index]));
    },
  };
}

/** An object with these keys and no others. */
export function makeObject(keys: Keys): Shape {
  return {
    schema: describeKeys(keys),
    check: (value, path) =>
      isObject(value)
        ? [...checkNeeded(value, keys, path), ...checkKeys(value, keys, path)]
        : refuse(value, "an object", path),
  };
}

/** Those that are there, and that they are some of the keys. */
export function checkKeys(value: object, keys: Keys, path: Path): readonly RowProblem[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (key !== undefined) return key.shape.check(inner, [...path, name]);
    const says = `there is no key ${name.slice(0, 80)}${suggestion(name, Object.keys(keys))}`;
    return [{ path: [...path, name], says }];
  });
}

/** Those that are missing. */
export function checkNeeded(value: object, keys: Keys, path: Path): readonly RowProblem[] {
  return Object.entries(keys)
    .filter(([name, { needed }]) => needed === true && !Object.hasOwn(value, name))
    .map(([name, { says }]) => ({ path, says: `${name} is missing: ${says}` }));
}

/** The schema of an object with these keys. */
export function describeKeys(keys: Keys): object {
  const all = Object.entries(keys);
  const required = all.filter(([, { needed }]) => needed === true).map(([name]) => name);
  return {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      all.map(([name, { shape, says }]) => [name, describe(shape, says)]),
    ),
  };
}

function describe({ schema }: Shape, description: string): object {
  // beside $ref draft 07 reads no other key
  return "$ref" in schema ? { description, allOf: [schema] } : { description, ...schema };
}
