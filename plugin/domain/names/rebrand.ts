/** A manifest that the tool ships, or one in the specification's words, under other names. */
import { defaultNames, kinds, mapNames, type Names, namesTree } from "./names";
import { moveFields } from "./moves";
import { getPath, isObject, asArray, getOwn, asString } from "../base/values";
import type { NamePlace } from "./types";

/** Which spelling stands for which, where a name has several. */
type Spellings = readonly (readonly [from: string, to: string])[];

/** Each spelling by the one at its position, else by the first. */
function spellings(from: readonly string[], to: readonly string[]): Spellings {
  return from.flatMap((word, index) =>
    [...to.slice(index), ...to].slice(0, 1).map((given) => [word, given] as const),
  );
}

/** Places that the last field of a path tells. */
const byField: Readonly<Record<string, NamePlace>> = {
  apiVersion: "apiVersion",
  kind: "kind",
  listKind: "kind",
  plural: "plural",
  singular: "singular",
  group: "group",
  apiGroup: "group",
  image: "image",
  serviceAccountName: "ServiceAccount",
  serviceAccount: "ServiceAccount",
  secretName: "Secret",
  "kubernetes.io/service-name": "Service",
};

/** Places that the end of a path tells; `[]` is an item of a list. */
const byEnd: readonly (readonly [end: string, place: NamePlace])[] = [
  ["shortNames.[]", "short"],
  ["resources.[]", "plural"],
  ["apiGroups.[]", "group"],
  ["apiVersions.[]", "version"],
  ["versions.[].name", "version"],
  ["webhooks.[].name", "entry"],
  ["containers.[].name", "container"],
  ["initContainers.[].name", "container"],
  ["service.name", "Service"],
  ["service.path", "path"],
  ["configMapRef.name", "ConfigMap"],
  ["configMapKeyRef.name", "ConfigMap"],
  ["configMapKeyRef.key", "item"],
  ["secretKeyRef.name", "Secret"],
  ["secretKeyRef.key", "item"],
  ["items.[].key", "item"],
  ["items.[].path", "item"],
  ["env.[].name", "item"],
];

/** The variable of the webhook's pods whose value is the operator's namespace. */
const operatorNamespace = "ENGINE_NAMESPACE";

const labelHolders = ["labels", "matchLabels", "selector"];

/** The place of the text at a path; `holder` is the mapping or list that it stands in. */
function findPlace(
  path: readonly string[],
  holder: unknown,
  document: unknown,
): NamePlace | undefined {
  const end = path.join(".");
  const found = byEnd.find(([known]) => end.endsWith(`.${known}`) || end === known);
  if (found !== undefined) return found[1];
  const last = path.at(-1) ?? "";
  if (end.endsWith("env.[].value") && getOwn(holder, "name") === operatorNamespace) {
    return "operatorNamespace";
  }
  if (Object.hasOwn(byField, last)) return byField[last];
  if (labelHolders.includes(path.at(-2) ?? "")) return "label";
  if (end === "metadata.name") return asString(getOwn(document, "kind"));
  return last === "name" ? asString(getOwn(holder, "kind")) : undefined;
}

interface Word {
  readonly from: string;
  readonly to: string;
  readonly place: NamePlace;
}

/** The document with the words of the names in the place of the default ones. */
function replaceWords(document: unknown, names: Names): unknown {
  const changed = listWords(names).filter(({ from, to }) => from !== to);
  return new Replacement(document, changed, names).of(document, []);
}

/** Every word that a manifest may hold, with the place that it has there. */
function listWords(names: Names): readonly Word[] {
  const words: Word[] = [];
  mapNames(namesTree, ({ value, sort: { place } }, path) => {
    if (place === undefined) return;
    const pairs = spellings([value].flat(), [getPath(names, path)].flat().map(String));
    words.push(...pairs.map(([from, to]) => ({ from, to, place })));
  });
  const ofKinds = kinds.flatMap((key) => {
    const [from, to] = [defaultNames[key].kind, names[key].kind];
    return [
      { from: `${from}List`, to: `${to}List`, place: "kind" },
      { from: from.toLowerCase(), to: to.toLowerCase(), place: "singular" },
    ];
  });
  return [...words, ...ofKinds];
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
    if (typeof value === "string") return this.#text(value, findPlace(path, holder, this.document));
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

  #text(value: string, place: NamePlace | undefined): string {
    if (place === "apiVersion") return this.#apiVersion(value);
    if (place === "image") return this.#image(value);
    const whole = this.#word(value, place);
    return whole === value ? this.#parts(value, place) : whole;
  }

  #word(value: string, place: NamePlace | undefined): string {
    const known = this.words.filter(({ from }) => from === value);
    const here = known.find((word) => word.place === place);
    if (here !== undefined) return here.to;
    const meanings = new Set(known.map(({ to }) => to));
    const [only] = meanings;
    return only !== undefined && meanings.size === 1 && !common.test(value) ? only : value;
  }

  /** Composed words: PLURAL.GROUP, PLURAL/status, COMPANION-certificate, system:serviceaccount:NAME. */
  #parts(value: string, place: NamePlace | undefined): string {
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

/**
 * The document with every whole word that is a default name replaced by the given one, composed
 * ones as PLURAL.GROUP included, and the fields of the product's kinds moved to where the names
 * have them. Texts for people and namespaces stay. The document itself for the default names.
 */
export function rebrand(document: unknown, names: Names): unknown {
  if (names === defaultNames) return document;
  if (isObject(document) && Array.isArray(document["items"])) {
    const { items, ...head } = document;
    return {
      ...(replaceWords(head, names) as object),
      items: asArray(items).map((item) => rebrand(item, names)),
    };
  }
  return replaceWords(moveFields(document, names), names);
}
