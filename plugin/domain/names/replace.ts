/** Whole words of a manifest replaced: each name where a manifest may hold it. */
import { defaultNames, mapNames, type Names, namesTree } from "../names";
import { at, isObject } from "../values";
import { kindKeys } from "./kind-fields";
import { placeOf } from "./places";
import type { Place } from "./sorts";
import { spellings } from "./spellings";

interface Word {
  readonly from: string;
  readonly to: string;
  readonly place: Place;
}

/** The document with the words of the names in the place of the default ones. */
export function replaceWords(document: unknown, names: Names): unknown {
  const changed = wordsOf(names).filter(({ from, to }) => from !== to);
  return new Replacement(document, changed, names).of(document, []);
}

/** Every word that a manifest may hold, with the place that it has there. */
function wordsOf(names: Names): readonly Word[] {
  const words: Word[] = [];
  mapNames(namesTree, ({ value, sort: { place } }, path) => {
    if (place === undefined) return;
    const pairs = spellings([value].flat(), [at(names, path)].flat().map(String));
    words.push(...pairs.map(([from, to]) => ({ from, to, place })));
  });
  const kinds = kindKeys.flatMap((key) => {
    const [from, to] = [defaultNames[key].kind, names[key].kind];
    return [
      { from: `${from}List`, to: `${to}List`, place: "kind" },
      { from: from.toLowerCase(), to: to.toLowerCase(), place: "singular" },
    ];
  });
  return [...words, ...kinds];
}

/** Short lower-case words are common: they are replaced in their own place alone. */
const common = /^[a-z0-9]{1,15}$/;

class Replacement {
  constructor(
    private readonly document: unknown,
    private readonly words: readonly Word[],
    private readonly names: Names,
  ) {}

  of(value: unknown, path: readonly string[], holder?: unknown): unknown {
    if (typeof value === "string") return this.#text(value, placeOf(path, holder, this.document));
    if (Array.isArray(value)) return value.map((item) => this.of(item, [...path, "[]"], value));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, inner]) => [
      this.#key(key, path.at(-1)),
      this.of(inner, [...path, key], value),
    ]);
    return Object.fromEntries(entries) as unknown;
  }

  #key(key: string, parent: string | undefined): string {
    if (parent === "data" || parent === "stringData") return this.#word(key, "item");
    if (parent === "labels" || parent === "annotations" || parent === "matchLabels") {
      return this.#word(key, "key");
    }
    return key;
  }

  #text(value: string, place: Place | undefined): string {
    if (place === "apiVersion") return this.#apiVersion(value);
    if (place === "image") return this.#image(value);
    const whole = this.#word(value, place);
    return whole === value ? this.#parts(value, place) : whole;
  }

  #word(value: string, place: Place | undefined): string {
    const known = this.words.filter(({ from }) => from === value);
    const here = known.find((word) => word.place === place);
    if (here !== undefined) return here.to;
    const meanings = new Set(known.map(({ to }) => to));
    const [only] = meanings;
    return only !== undefined && meanings.size === 1 && !common.test(value) ? only : value;
  }

  /** Composed words: PLURAL.GROUP, PLURAL/status, COMPANION-certificate, system:serviceaccount:NAME. */
  #parts(value: string, place: Place | undefined): string {
    const { group, companion } = defaultNames;
    if (value.startsWith(`${companion.deployment}-`)) {
      return this.names.companion.deployment + value.slice(companion.deployment.length);
    }
    if (value.endsWith(`.${group}`)) {
      const parts = value.slice(0, -group.length - 1).split(".");
      return [...parts.map((part) => this.#word(part, "plural")), this.names.group].join(".");
    }
    const parts = value.split(/([/:])/);
    return parts.length === 1 ? value : parts.map((part) => this.#word(part, place)).join("");
  }

  #apiVersion(value: string): string {
    const before = `${defaultNames.group}/`;
    return value.startsWith(before)
      ? `${this.names.group}/${this.#word(value.slice(before.length), "version")}`
      : value;
  }

  /** An image with or without a registry in front, a tag or a digest behind. */
  #image(value: string): string {
    const name = value.replace(/(:[^/]*)?(@.*)?$/, "");
    const rest = value.slice(name.length);
    const word = this.words.find(
      ({ from, place }) => place === "image" && (name === from || name.endsWith(`/${from}`)),
    );
    return word === undefined ? value : `${name.slice(0, -word.from.length)}${word.to}${rest}`;
  }
}
