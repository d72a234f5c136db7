/**
 * Flags as one table: the parser, the help, the completion and `options` are made from it, and so
 * are the options that a command gets, with their types.
 */
import type { Text } from "../domain/names/text";
import { parseDuration } from "../domain/base/duration";
import type { ProductKind } from "../domain/names/names";
import { parseReleaseTag } from "../domain/base/versions";

/**
 * What a shell may be offered of the kubeconfig, of the cluster, or of this program; `release` is a
 * tag of the operator, `tag` one of the clusters.
 */
export type Offer =
  | ("context" | "cluster" | "user" | "namespace" | "code" | "kind")
  | ("version" | "release" | "tag");

/** What may stand in the place of a value, for shell completion. */
export interface Completed {
  readonly help: Text;
  /** May be given more than once. */
  readonly repeat?: true;
  /** Anything else is refused. */
  readonly choices?: readonly string[];
  /** What a choice means, for shell completion; absent: the help of the whole. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** It may be a file. */
  readonly file?: true;
  /** It names an object of one of these kinds, its kind before it or not. */
  readonly kinds?: readonly ProductKind[];
  /** What it may be too. */
  readonly offers?: Offer | readonly string[];
}

/** One flag, under its long name without dashes. */
interface Flag extends Completed {
  readonly short?: string;
  /** Placeholder of the value in help; a flag without one is true or false. */
  readonly value?: string;
  /** The default, as help shows it. */
  readonly fallback?: string;
  /** Its value is KEY=FILE. */
  readonly keyed?: true;
  /** The one command in which the flag may also stand without a value, with a meaning of its own. */
  readonly alone?: string;
  /** The flag without which this one means nothing. */
  readonly goesWith?: string;
  /** Name of the option; else the flag's own in camel case, without a leading `no-`. */
  readonly key?: string;
  /** How the option is made of what was typed; else by the shape of the flag. */
  readonly read?: (reader: FlagReader, name: string) => unknown;
}

/** The flags of a command by their names, in the order of the help. */
export type FlagTable = Readonly<Record<string, Flag>>;

/** A flag with its name. */
export interface FlagSpec extends Flag {
  readonly name: string;
}

type Camel<S extends string> = S extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : S;
type Key<Name extends string, F> = F extends { readonly key: infer K extends string }
  ? K
  : Camel<Name extends `no-${infer Denied}` ? Denied : Name>;
type Value<F> = F extends { readonly read: (...args: never[]) => infer T }
  ? T
  : F extends { readonly value: string }
    ? F extends { readonly repeat: true }
      ? readonly string[]
      : F extends { readonly choices: readonly (infer C)[] }
        ? C | (F extends { readonly fallback: string } ? never : undefined)
        : string | undefined
    : boolean;

/** The options that a table gives; what may be absent is an optional property. */
export type OptionsOf<T extends FlagTable> = {
  readonly [N in keyof T & string as undefined extends Value<T[N]> ? never : Key<N, T[N]>]: Value<
    T[N]
  >;
} & {
  readonly [N in keyof T & string as undefined extends Value<T[N]> ? Key<N, T[N]> : never]?: Value<
    T[N]
  >;
};

/** A table that keeps its exact type, so that options can be made of it. */
export function flagTable<const T extends FlagTable>(table: T): T {
  return table;
}

/** The flags as a list. */
export function listFlags(table: FlagTable): readonly FlagSpec[] {
  return Object.entries(table).map(([name, flag]) => ({ name, ...flag }));
}

/** The options of what was typed; each problem is kept by the reader. */
export function readOptions<T extends FlagTable>(table: T, reader: FlagReader): OptionsOf<T> {
  reader.requireOneStdin(table);
  const values = Object.entries<Flag>(table).map(
    ([name, flag]) => [flag.key ?? attribute(name), readFlag(reader, name, flag)] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as OptionsOf<T>;
}

function readFlag(reader: FlagReader, name: string, flag: Flag): unknown {
  const { goesWith, choices, fallback } = flag;
  if (goesWith !== undefined && reader.isGiven(name) && !reader.isGiven(goesWith)) {
    reader.missing.push(`--${name}: goes with --${goesWith}`);
  }
  if (flag.read !== undefined) return flag.read(reader, name);
  if (flag.value === undefined) return reader.on(name) !== name.startsWith("no-");
  if (flag.repeat === true) return reader.each(name);
  return choices === undefined ? reader.text(name) : reader.choice(name, choices, fallback);
}

/** A flag of values that commas separate as well. */
export const list = {
  repeat: true,
  read: (reader: FlagReader, name: string) => reader.list(name),
} as const;

/** A flag of a time; the default as it would be typed. */
export function duration(fallback: string) {
  return {
    value: "DURATION",
    fallback,
    read: (reader: FlagReader, name: string) => reader.duration(name, parseDuration(fallback) ?? 0),
  } as const;
}

/** A flag of a whole number that may be left out. */
export function count(min: number, max: number) {
  return {
    value: "N",
    read: (reader: FlagReader, name: string) => reader.count(name, { min, max }),
  } as const;
}

/** The same with a default. */
export function countOr(fallback: number, min: number, max: number) {
  return {
    value: "N",
    fallback: String(fallback),
    read: (reader: FlagReader, name: string) => reader.count(name, { min, max }) ?? fallback,
  } as const;
}

/** A flag of a release tag such as the example. */
export function tag(example: string) {
  return {
    value: "TAG",
    read: (reader: FlagReader, name: string) => reader.tag(name, example),
  } as const;
}

/** What commander has read: strings, lists of strings and booleans under camel-case names. */
export type RawFlags = Readonly<Record<string, unknown>>;

/** A value and where it came from, for messages. */
interface Typed {
  readonly value: string;
  /** `--timeout` or `ENGINE_TIMEOUT`. */
  readonly from: string;
}

/** True or false of an environment variable's or flag's spelling; undefined for anything else. */
export function parseBoolean(text: string): boolean | undefined {
  if (["true", "1", "t"].includes(text.toLowerCase())) return true;
  if (["false", "0", "f"].includes(text.toLowerCase())) return false;
  return undefined;
}

/** The attribute name that commander keeps a flag under: `no-input` is `input`, negated. */
export function attribute(name: string): string {
  return name.replace(/^no-/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The environment variable of a global flag: ENGINE_ and the long name in capitals. */
export function nameVariable({ name }: Pick<FlagSpec, "name">): string {
  return `ENGINE_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** The parts of a text that commas separate. */
export function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Reads flags one by one; each names its problem and continues, so that all are named at once. */
export class FlagReader {
  readonly problems: string[] = [];
  /** What is not given: named only where no mistyped flag may be the one that is missing. */
  readonly missing: string[] = [];
  readonly warnings: string[] = [];

  constructor(
    private readonly raw: RawFlags,
    private readonly variables: Readonly<Record<string, string | undefined>> = {},
  ) {}

  /** Whether the flag is on the command line, with a value or without. */
  isGiven(name: string): boolean {
    return this.raw[attribute(name)] !== undefined;
  }

  /** The value as typed; an empty one is a problem. */
  text(name: string): string | undefined {
    return this.readTyped(name)?.value;
  }

  /** Every value of a flag that may be repeated; in a variable, commas separate. */
  each(name: string): readonly string[] {
    const given = this.raw[attribute(name)];
    if (Array.isArray(given)) return given.map(String).filter((value) => value !== "");
    return splitList(this.variable(name) ?? "");
  }

  /** As `each`; an empty one on the command line is a problem. */
  eachFilled(name: string): readonly string[] {
    const given = this.raw[attribute(name)];
    if (Array.isArray(given) && given.includes("")) this.problems.push(`--${name}: needs a value`);
    return this.each(name);
  }

  /** Names the flags of a command line that lead to stdin, where there are several. */
  requireOneStdin(table: FlagTable): void {
    const streamed = Object.entries<Flag>(table).flatMap(([name, { file, keyed }]) => {
      const leads = (value: unknown): boolean =>
        (file === true && value === "-") ||
        (keyed === true && typeof value === "string" && value.endsWith("=-"));
      return [this.raw[attribute(name)]]
        .flat()
        .flatMap((value) => (leads(value) ? `--${name}` : []));
    });
    if (streamed.length < 2) return;
    const flags = [...new Set(streamed)].join(" and ");
    this.problems.push(`${flags}: stdin can be read once: write one of its inputs to a file`);
  }

  /** As `each`, where commas separate on the command line too. */
  list(name: string): readonly string[] {
    return this.each(name).flatMap(splitList);
  }

  /** One of the choices, else a problem that names them. */
  choice(name: string, choices: readonly string[], fallback?: string): string | undefined {
    const typed = this.readTyped(name);
    if (typed === undefined || choices.includes(typed.value)) return typed?.value ?? fallback;
    this.problem(typed, `is not one of ${choices.join(", ")}`);
    return fallback;
  }

  /** A release tag without the leading v of the repository's own tags, which no image has. */
  tag(name: string, example: string): string | undefined {
    const typed = this.readTyped(name);
    if (typed === undefined) return undefined;
    if (parseReleaseTag(typed.value) === undefined) {
      this.problem(typed, `is not a tag such as ${example}`);
      return typed.value;
    }
    const read = typed.value.replace(/^v/, "");
    if (read !== typed.value) {
      this.warnings.push(
        `${typed.from}: ${typed.value} is read as ${read}: tags have no leading v`,
      );
    }
    return read;
  }

  /** The value as a parser reads it; a problem that tells the form where it reads none. */
  parse<T>(name: string, parse: (text: string) => T | undefined, form: string): T | undefined {
    const typed = this.readTyped(name);
    if (typed === undefined) return undefined;
    const value = parse(typed.value);
    if (value === undefined) this.problem(typed, `is not ${form}`);
    return value;
  }

  /** Milliseconds; a number without unit is one of seconds. */
  duration(name: string, fallback: number): number {
    return this.parse(name, parseDuration, "a duration such as 500ms, 30s or 2m") ?? fallback;
  }

  /** A whole number between bounds. */
  count(name: string, { min, max }: { min: number; max: number }): number | undefined {
    const parse = (text: string): number | undefined => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max ? value : undefined;
    };
    return this.parse(name, parse, `a whole number from ${min} to ${max}`);
  }

  /** Whether a boolean flag is set; for `no-…` whether the denial is. */
  on(name: string): boolean {
    const given = this.raw[attribute(name)];
    if (typeof given === "boolean") return given !== name.startsWith("no-");
    const variable = this.variable(name);
    if (variable === undefined) return false;
    const value = parseBoolean(variable);
    if (value === undefined) {
      this.problem({ value: variable, from: nameVariable({ name }) }, "is neither true nor false");
    }
    return value ?? false;
  }

  /** Names two or three of these flags that were given together. */
  requireOne(...names: readonly string[]): void {
    const typed = names.filter((name) => this.isGiven(name)).map((name) => `--${name}`);
    if (typed.length < 2) return;
    const many = typed.length === 2 ? "two" : "three";
    this.problems.push(`${typed.join(" and ")}: give one of the ${many}`);
  }

  private readTyped(name: string): Typed | undefined {
    const given = this.raw[attribute(name)];
    if (typeof given === "string") return this.requireFilled({ value: given, from: `--${name}` });
    if (given === true) return undefined; // it stands alone, and wins over its variable
    const variable = this.variable(name);
    return variable === undefined ? undefined : { value: variable, from: nameVariable({ name }) };
  }

  private requireFilled(typed: Typed): Typed | undefined {
    if (typed.value !== "") return typed;
    this.problems.push(`${typed.from}: needs a value`);
    return undefined;
  }

  /** The variable's value; an empty one counts as unset. */
  private variable(name: string): string | undefined {
    const value = this.variables[nameVariable({ name })];
    return value === "" ? undefined : value;
  }

  private problem({ value, from }: Typed, what: string): void {
    this.problems.push(`${from}: ${JSON.stringify(value)} ${what}`);
  }
}
