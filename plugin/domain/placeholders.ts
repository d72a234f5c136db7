/** Placeholders of templates: put in their place, and found where they were left. */
import type { Names } from "./names";
import { isObject } from "./values";

/** The value with every token in its texts replaced. */
export function replaceTokens(value: unknown, tokens: readonly string[], by: string): unknown {
  if (typeof value === "string") {
    return tokens.reduce((result, token) => result.replaceAll(token, by), value);
  }
  if (Array.isArray(value)) return value.map((item) => replaceTokens(item, tokens, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replaceTokens(inner, tokens, by)]),
  );
}

/** The known placeholder spellings that still stand somewhere in a value, keys included. */
export function leftovers(value: unknown, names: Names): readonly string[] {
  const written = JSON.stringify(value);
  const known = [...names.placeholders.namespace, ...names.placeholders.serviceAccount];
  return known.filter((token) => written.includes(token));
}
