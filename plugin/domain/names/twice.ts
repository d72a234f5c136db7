/** Keys that a names file has twice: YAML gives up at the first, a person wants to know all. */
import { at } from "../values";

/** No key of the names begins so. */
const mark = /^twice~+/;

/** So many are looked for. */
const most = 10;

/** Parses a text again with each key marked that the parser found twice; what else it throws stays. */
export function parseMarked<T>(text: string, parse: (text: string) => T): T {
  let rest = text;
  for (let found = 1; ; found += 1) {
    try {
      return parse(rest);
    } catch (error) {
      const position = placeOf(error);
      if (position === undefined || found > most) throw error;
      const from = /["']/.test(rest.charAt(position)) ? position + 1 : position;
      rest = `${rest.slice(0, from)}twice${"~".repeat(found)}${rest.slice(from)}`;
    }
  }
}

/** The key as it was written, where it was marked. */
export function twiceKey(key: string): string | undefined {
  return mark.test(key) ? key.replace(mark, "") : undefined;
}

/** Where the second one begins, as js-yaml tells it. */
function placeOf(error: unknown): number | undefined {
  const position = at(error, ["mark", "position"]);
  const isTwice = at(error, ["reason"]) === "duplicated mapping key";
  return isTwice && typeof position === "number" ? position : undefined;
}
