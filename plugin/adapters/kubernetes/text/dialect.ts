/**
 * The YAML that kubectl reads: YAML 1.1 as sigs.k8s.io/yaml resolves it, where `on` is true and 010 is 8,
 * dates stay text, tags that it does not know are passed over, and `<<` takes effect where it stands.
 */
import { randomUUID } from "node:crypto";
import { FAILSAFE_SCHEMA, loadAll, type LoadOptions, Type } from "js-yaml";
import { isObject, type Json } from "../../../domain/base/values";

/** No manifest is nested deeper; other code may then walk an object by recursion. */
const deepest = 250;
/** Keys that merging may look at in one text: each merge copies every key that it names. */
const mostMerged = 1_000_000;

const words = new Map<string, boolean>(
  ["y", "yes", "true", "on", "n", "no", "false", "off"].flatMap((word, at) =>
    [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()].map(
      (each): [string, boolean] => [each, at < 4],
    ),
  ),
);
const nothing: ReadonlySet<string> = new Set(["", "~", "null", "Null", "NULL"]);
const whole = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const fraction = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const endless = /^([-+]?)\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$/;
const bare = (text: string): string => (/^[-+0-9]/.test(text) ? text.replaceAll("_", "") : text);
/** Most texts are words: their first character alone tells that they are no numbers. */
const isNumberLike = (text: string): boolean => "+-.0123456789".includes(text.charAt(0));

function parseNumber(text: string): number {
  const [, sign = "", digits = ""] = whole.exec(bare(text)) ?? [];
  const octal = /^0[0-7]+$/.test(digits) ? digits.replace(/^0/, "0o") : digits;
  return (sign === "-" ? -1 : 1) * Number(octal);
}

function parseFraction(text: string): number {
  const [, sign, isInfinite] = endless.exec(text) ?? [];
  if (isInfinite !== undefined) return sign === "-" ? -Infinity : Infinity;
  return fraction.test(bare(text))
    ? Number(bare(text))
    : whole.test(bare(text))
      ? parseNumber(text)
      : NaN;
}

const scalar = (
  name: string,
  resolve: (text: string) => boolean,
  construct?: (text: string) => unknown,
): Type =>
  new Type(`tag:yaml.org,2002:${name}`, {
    kind: "scalar",
    resolve: (text: unknown) => resolve(String(text)),
    ...(construct && { construct }),
  });

/** A key of each `<<` by itself, which no text can spell: js-yaml would let earlier keys win over it. */
const mergeMark = `\u0000<<${randomUUID()}`;

/** What stands under a tag that is not known, as if the tag were not there; a scalar is text. */
const unknownTag = (kind: "scalar" | "sequence" | "mapping"): Type =>
  new Type("", {
    kind,
    multi: true,
    ...(kind === "scalar" && { construct: (value: unknown) => value ?? "" }),
  });

const schema = FAILSAFE_SCHEMA.extend({
  implicit: [
    scalar(
      "null",
      (text) => nothing.has(text),
      () => null,
    ),
    scalar(
      "bool",
      (text) => words.has(text),
      (text) => words.get(text),
    ),
    scalar("int", (text) => isNumberLike(text) && whole.test(bare(text)), parseNumber),
    scalar(
      "float",
      (text) => isNumberLike(text) && (fraction.test(bare(text)) || endless.test(text)),
      parseFraction,
    ),
    new Type("tag:yaml.org,2002:merge-in-place", {
      kind: "scalar",
      resolve: (text: unknown) => text === "<<",
      construct: () => `${mergeMark}${randomUUID()}`,
    }),
  ],
  explicit: [
    scalar(
      "binary",
      () => true,
      (text) => Buffer.from(text, "base64").toString("utf8"),
    ),
    unknownTag("scalar"),
    unknownTag("sequence"),
    unknownTag("mapping"),
  ],
});

/** Options of js-yaml beside the dialect: `json` lets the last one of two keys of one name win. */
export type DialectOptions = Pick<LoadOptions, "json" | "listener">;

/** The documents of a text, empty ones as null; throws js-yaml's YAMLException, or MergeError. */
export function loadDialect(text: string, options: DialectOptions = {}): readonly unknown[] {
  const documents = loadAll(text, null, { ...options, schema, maxDepth: deepest } as LoadOptions);
  if (text.includes("<<")) new Merging().inside(documents);
  return documents;
}

/** Why the merge keys of a text cannot be followed. */
export class MergeError extends Error {}

/** Puts what `<<` names into the maps, in place: aliases share them. */
class Merging {
  private left = mostMerged;
  private readonly done = new Set<unknown>();
  private readonly under = new Set<unknown>();

  /** Of the values of a map or a list. */
  inside(holder: object): void {
    for (const [key, value] of Object.entries(holder) as [string, unknown][]) {
      // a merge key that stands in the place of a value is a word like others
      if (typeof value === "string" && isMerge(value)) Reflect.set(holder, key, "<<");
      else this.visit(value);
    }
  }

  private visit(value: unknown): void {
    if (typeof value !== "object" || value === null || this.done.has(value)) return;
    this.done.add(value);
    this.under.add(value);
    this.inside(value);
    if (isObject(value) && Object.keys(value).some(isMerge)) this.merge(value);
    this.under.delete(value);
  }

  private merge(map: Json): void {
    const merged = new Map<string, unknown>();
    for (const [key, value] of Object.entries(map)) {
      if (isMerge(key)) this.take(value, merged);
      else merged.set(key, value);
    }
    for (const key of Object.keys(map)) Reflect.deleteProperty(map, key);
    const field = { enumerable: true, configurable: true, writable: true };
    for (const [key, value] of merged) Object.defineProperty(map, key, { ...field, value });
  }

  /** Of a list the first map wins. */
  private take(named: unknown, into: Map<string, unknown>): void {
    const sources = Array.isArray(named) ? (named as readonly unknown[]).toReversed() : [named];
    for (const source of sources) {
      if (!isObject(source)) throw new MergeError("a merge key (<<) needs a map or a list of maps");
      if (this.under.has(source)) throw new MergeError("it contains itself by a merge key (<<)");
      const entries = Object.entries(source);
      if ((this.left -= entries.length + 1) < 0) {
        throw new MergeError("its merge keys (<<) expand to an absurd size: write it without them");
      }
      for (const [key, value] of entries) into.set(key, value);
    }
  }
}

const isMerge = (key: string): boolean => key.startsWith(mergeMark);
