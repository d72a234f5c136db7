/** Names that people call bundled modules by, beside the modules' own (S54; domain facts 7). */
import type { Names } from "../names/names";
import { escapeRegExp, oncePer } from "../base/values";

/** A shorter end of a module's name says too little. */
const shortestEnd = 4;

/** Characters that may follow: no name is longer, and an expression must not cost much. */
const mostAfter = 64;

/** Which names are taken for one of a bundled module. */
interface NamePatterns {
  /** What may be its display name. */
  readonly display: RegExp;
  /** Its own name, in whatever letters. */
  readonly own: RegExp;
  /** Each module, and the names that tell which one is meant. */
  readonly behind: readonly { readonly module: string; readonly called: RegExp }[];
}

/** For JavaScript and for the API server (RE2), which read them alike. */
export const namePatterns = oncePer((names: Names): NamePatterns => {
  const { bundledModules, moduleDisplayNames } = names;
  const brand = findBrand(moduleDisplayNames);
  const callers = (modules: readonly string[]): string =>
    `(?:${escapeRegExp(brand)})?${matchOne(modules.flatMap(listEnds))}[ 0-9._-]{0,${mostAfter}}`;
  const known =
    brand === "" ? matchOne(moduleDisplayNames) : `${escapeRegExp(brand)}[^\\n]{0,${mostAfter}}`;
  return {
    display: whole(`${known}|${callers(bundledModules)}`),
    own: whole(matchOne(bundledModules)),
    behind: bundledModules.map((module) => ({ module, called: whole(callers([module])) })),
  };
});

/** The bundled module that people may mean by a display name, or by its name in other letters (S54). */
export function findBundled(name: string, names: Names): string | undefined {
  return namePatterns(names).behind.find(({ called }) => called.test(name))?.module;
}

/** Whether a name could be a bundled module's display name, which only an EC's status tells. */
export function mayBeDisplayName(name: string, names: Names): boolean {
  const { display, own } = namePatterns(names);
  return display.test(name) && !own.test(name);
}

/** What all display names begin with. */
function findBrand([first = "", ...others]: readonly string[]): string {
  let shared = others.length === 0 ? 0 : first.length;
  const begins = (name: string): boolean =>
    name.toLowerCase().startsWith(first.slice(0, shared).toLowerCase());
  while (!others.every(begins)) shared -= 1;
  return first.slice(0, shared);
}

/** The name, and its ends: who writes JSON means ReJSON. */
function listEnds(module: string): readonly string[] {
  const count = Math.max(module.length - shortestEnd, 0) + 1;
  return Array.from({ length: count }, (_, from) => module.slice(from));
}

const whole = (alternatives: string): RegExp => new RegExp(`^(?:${alternatives})$`, "iu");

const matchOne = (texts: readonly string[]): string => `(?:${texts.map(escapeRegExp).join("|")})`;
