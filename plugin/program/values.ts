/** Reading typed values: each reader names its problem and goes on, so that all are named at once. */
import { parseDuration } from "../domain/duration";
import { parseReleaseTag } from "../domain/versions";

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

function split(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Reads flags one by one and collects the problems of all of them. */
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
  given(name: string): boolean {
    return this.raw[attribute(name)] !== undefined;
  }

  /** The value as typed; an empty one is a problem. */
  text(name: string): string | undefined {
    return this.typed(name)?.value;
  }

  /** Every value of a flag that may be repeated; in a variable, commas separate. */
  each(name: string): readonly string[] {
    const given = this.raw[attribute(name)];
    if (Array.isArray(given)) return given.map(String).filter((value) => value !== "");
    return split(this.variable(name) ?? "");
  }

  /** As `each`, where commas separate on the command line too. */
  list(name: string): readonly string[] {
    return this.each(name).flatMap(split);
  }

  /** One of the choices, else a problem that names them. */
  choice<C extends string>(name: string, choices: readonly C[], fallback: C): C {
    const typed = this.typed(name);
    if (typed === undefined) return fallback;
    const found = choices.find((choice) => choice === typed.value);
    if (found === undefined) this.problem(typed, `is not one of ${choices.join(", ")}`);
    return found ?? fallback;
  }

  /** A release tag without the leading v of the repository's own tags, which no image has. */
  tag(name: string, example: string): string | undefined {
    const typed = this.typed(name);
    if (typed === undefined) return undefined;
    if (parseReleaseTag(typed.value) === undefined) {
      this.problem(typed, `is not a tag such as ${example}`);
      return typed.value;
    }
    const tag = typed.value.replace(/^v/, "");
    if (tag !== typed.value) {
      this.warnings.push(`${typed.from}: ${typed.value} is read as ${tag}: tags have no leading v`);
    }
    return tag;
  }

  /** Milliseconds; a number without unit is one of seconds. */
  duration(name: string, fallback: number): number {
    const typed = this.typed(name);
    if (typed === undefined) return fallback;
    const parsed = parseDuration(typed.value);
    if (parsed === undefined) this.problem(typed, "is not a duration such as 500ms, 30s or 2m");
    return parsed ?? fallback;
  }

  /** A whole number between bounds. */
  count(name: string, bounds: { min: number; max: number; fallback: number }): number {
    const typed = this.typed(name);
    if (typed === undefined) return bounds.fallback;
    const value = /^\d{1,9}$/.test(typed.value) ? Number(typed.value) : NaN;
    if (value >= bounds.min && value <= bounds.max) return value;
    this.problem(typed, `is not a whole number from ${bounds.min} to ${bounds.max}`);
    return bounds.fallback;
  }

  /** Whether a boolean flag is set; for `no-…` whether the denial is. */
  on(name: string): boolean {
    const given = this.raw[attribute(name)];
    if (typeof given === "boolean") return given !== name.startsWith("no-");
    const variable = this.variable(name);
    if (variable === undefined) return false;
    const value = parseBoolean(variable);
    if (value === undefined) {
      this.problem({ value: variable, from: this.source(name) }, "is neither true nor false");
    }
    return value ?? false;
  }

  private typed(name: string): Typed | undefined {
    const given = this.raw[attribute(name)];
    if (typeof given === "string") return this.filled({ value: given, from: `--${name}` });
    if (given === true) return undefined; // it stands alone, and wins over its variable
    const variable = this.variable(name);
    return variable === undefined ? undefined : { value: variable, from: this.source(name) };
  }

  private filled(typed: Typed): Typed | undefined {
    if (typed.value !== "") return typed;
    this.problems.push(`${typed.from}: needs a value`);
    return undefined;
  }

  /** The variable's value; an empty one counts as unset. */
  private variable(name: string): string | undefined {
    const value = this.variables[this.source(name)];
    return value === "" ? undefined : value;
  }

  private source(name: string): string {
    return `ENGINE_${name.toUpperCase().replaceAll("-", "_")}`;
  }

  private problem({ value, from }: Typed, what: string): void {
    this.problems.push(`${from}: ${JSON.stringify(value)} ${what}`);
  }
}
