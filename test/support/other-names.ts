/** Names of another product: every key another word, of another length and of other characters. */
import { mapNames, namesTree } from "../../plugin/domain/names/names";
import type { NameSpec } from "../../plugin/domain/names/types";

/** Forms of a word, from the plainest to what only some sorts take; `n` makes it one of its kind. */
const forms: readonly ((n: string) => string)[] = [
  (n) => `qx${n}`,
  (n) => `Qx${n}Thing`,
  (n) => `qx-${n}.tool.example`,
  (n) => `/qx/${n}`,
  (n) => `3${n.replaceAll(/\D/g, "") || "0"}.1`,
  (n) => `@@QX_${n}@@`,
];

/** A word that the sort takes; `n` is a number. */
function wordFor({ sort }: NameSpec, original: string, n: number): string {
  if (/^\d+$/.test(original)) return `${20_000 + n}`;
  const holes = (original.match(/\{\w+\}/g) ?? []).map((hole) => `/${hole}`).join("");
  const words = forms.map((form) => form(`${n}`) + (form(`${n}`).startsWith("/") ? holes : ""));
  const found = words.find((word) => sort.fits(word, original));
  if (found === undefined) throw new Error(`no word for ${original}`);
  return found;
}

let count = 0;
const next = (): number => (count += 1);

/** An entry for every key of a names file. */
export const otherNames = mapNames(namesTree, (named) => {
  const { value, sort } = named;
  if (typeof value === "string") return wordFor(named, value, next());
  if (sort.isPath === true) {
    const inner = value.length === 2 ? ["", ""] : [""];
    return [value[0], ...inner.map((text) => wordFor(named, text, next()))];
  }
  return ["", ...value].map((text) => wordFor(named, text, next()));
});
