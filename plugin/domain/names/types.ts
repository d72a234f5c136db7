/** What a name may look like, by the sort of thing that it names; and how a name is declared. */
import { isItem, isLabel, isOldLabel, isQualified, isSubdomain } from "../kube/names";

/** The place that a name has in a manifest: a Kubernetes kind, or another word for it. */
export type Place = string;

/** One sort of name: which texts fit, and how a refusal says it. */
export interface NameType {
  /** Completes "… is not …". */
  readonly form: string;
  /** `original` is the specification's word. */
  readonly fits: (text: string, original: string) => boolean;
  /** What is asked of a list beside its single texts. */
  readonly list?: {
    readonly form: string;
    readonly fits: (list: readonly string[], original: readonly string[]) => boolean;
    /** Each text may be there once. */
    readonly once?: true;
    /** One text stands for a list of it: the key had a single text in earlier names files. */
    readonly orText?: true;
  };
  /** A list whose texts follow each other, and do not stand for one another. */
  readonly isPath?: true;
  /** Where a manifest may hold it as a whole word; absent: it is never looked for there. */
  readonly place?: Place;
}

/** A name as it is declared: the specification's word, what it is, and its sort. */
export class NameSpec<V extends string | readonly string[] = string | readonly string[]> {
  constructor(
    readonly value: V,
    /** One line, shown above the key by `options --names`. */
    readonly says: string,
    readonly sort: NameType,
  ) {}
}

/** At least one text; the first is the one that is written. */
export type Spellings = readonly [first: string, ...others: string[]];

const atLeastOne = {
  form: "a list of at least one",
  fits: (list: readonly string[]): boolean => list.length > 0,
  once: true,
} as const;

const matches =
  (pattern: RegExp, limit: number) =>
  (text: string): boolean =>
    text.length <= limit && pattern.test(text);

/** Printable ASCII without a space. */
const printable = /^[\x21-\x7e]+$/;

/** The name of an object: a DNS subdomain. */
export const objectName = (place: Place, value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "an object name (lower-case letters, digits, - and ., as DNS has it)",
    fits: isSubdomain,
    place,
  });

/** The name of a namespace, a Service or a container: one DNS label. */
export const label = (place: Place | undefined, value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "a DNS label (lower-case letters, digits and -, at most 63)",
    fits: isLabel,
    ...(place !== undefined && { place }),
  });

/** The name of a role or of its binding: RBAC allows what a URL can carry. */
export const roleName = (place: Place, value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "the name of a role (no space, no /, no %)",
    fits: (text) => printable.test(text) && !/[/%]/.test(text) && !/^\.\.?$/.test(text),
    place,
  });

/** An API group: a DNS subdomain with a dot, as the API server asks of custom resources. */
export const groupName = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "an API group (a DNS name with at least one dot)",
    fits: (text) => isSubdomain(text) && text.includes("."),
    place: "group",
  });

/** A version of an API. */
export const apiVersion = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "an API version such as v1 or v1alpha1",
    fits: isOldLabel,
    place: "version",
  });

/** A kind in CamelCase. */
export const kindName = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "a kind (CamelCase, letters and digits, at most 63)",
    fits: matches(/^[A-Z][A-Za-z0-9]*$/, 63),
    place: "kind",
  });

/** A plural or a short name of a kind. */
export const resourceName = (place: Place, value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "a resource name (lower-case letters, digits and -, a letter first)",
    fits: isOldLabel,
    place,
  });

/** The name of a webhook's entry. */
export const entryName = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "the name of a webhook entry (a DNS name of at least three parts)",
    fits: (text) => isSubdomain(text) && text.split(".").length >= 3,
    place: "entry",
  });

/** The path of a URL; what stands in braces in the default has to stand in it too. */
export const urlPath = (value: string, says: string, place?: Place): NameSpec<string> => {
  const holes = value.match(/\{\w+\}/g) ?? [];
  const held = holes.length === 0 ? "" : ` and holds ${holes.join(" and ")}`;
  return new NameSpec(value, says, {
    form: `a path that begins with /${held}`,
    fits: (text) =>
      /^\/[\x21-\x7e]*$/.test(text) &&
      !/[?#]/.test(text) &&
      (text.match(/\{\w+\}/g) ?? []).sort().join() === [...holes].sort().join(),
    ...(place !== undefined && { place }),
  });
};

/** The key of an item of a Secret or a ConfigMap. */
export const itemKey = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "the key of an item (letters, digits, -, _ and .)",
    fits: isItem,
    place: "item",
  });

const metadataForm = {
  form: "the key of a label or annotation (PREFIX/NAME or NAME)",
  fits: (text: string): boolean => {
    const slash = text.lastIndexOf("/");
    const prefixFits = slash < 0 || isSubdomain(text.slice(0, slash));
    return prefixFits && isQualified(text.slice(slash + 1));
  },
  place: "key",
} as const satisfies NameType;

/** The key of a label or an annotation. */
export const metadataKey = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, metadataForm);

/** Spellings of one such key over time: all are read, the first is written. */
export const metadataKeys = (value: Spellings, says: string): NameSpec<Spellings> =>
  new NameSpec(value, says, { ...metadataForm, list: { ...atLeastOne, orText: true } });

/** The value of a label. */
export const labelValue = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "the value of a label (letters, digits, -, _ and ., at most 63)",
    fits: isQualified,
    place: "label",
  });

const imageForm = {
  form: "an image without tag or digest",
  fits: matches(/^[a-z0-9]+([._-]+[a-z0-9]+)*(:\d+(?=\/))?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/, 255),
  place: "image",
} as const satisfies NameType;

/** An image without registry and tag. */
export const imageName = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, imageForm);

/** Images of one part where it may have others, or none of its own; the first is written. */
export const imageNames = (value: readonly string[], says: string): NameSpec<readonly string[]> =>
  new NameSpec(value, says, {
    ...imageForm,
    list: { form: "a list", fits: () => true, once: true, orText: true },
  });

const wordForm = {
  form: "a word (printable ASCII without spaces)",
  fits: matches(printable, 128),
} as const satisfies NameType;

/** A name for people, which may have several words. */
export const title = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, {
    form: "a title (one line of printable characters)",
    fits: matches(/^[^\s\p{C}]+( [^\s\p{C}]+)*$/u, 128),
  });

/** A word that is a value, or a name of no special form. */
export const word = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, wordForm);

/** Words of which any number may be there. */
export const words = (value: readonly string[], says: string): NameSpec<readonly string[]> =>
  new NameSpec(value, says, wordForm);

const fieldForm = {
  form: "the name of a field (letters, digits, -, _ and $; each part of a path by itself)",
  fits: matches(/^[A-Za-z_$][-A-Za-z0-9_$]*$/, 128),
} as const satisfies NameType;

/** The name of one field. */
export const field = (value: string, says: string): NameSpec<string> =>
  new NameSpec(value, says, fieldForm);

/** Names of one field in several spellings. */
export const fieldNames = (value: readonly string[], says: string): NameSpec<readonly string[]> =>
  new NameSpec(value, says, { ...fieldForm, list: atLeastOne });

/** A path of fields from the object's root; the API server itself fixes where it begins. */
export const fieldPath = (
  value: readonly [root: "spec" | "status", ...rest: string[]],
  says: string,
): NameSpec<readonly string[]> =>
  new NameSpec<readonly string[]>(value, says, {
    ...fieldForm,
    isPath: true,
    list: {
      form: `a path of at least two fields that begins with ${value[0]}`,
      fits: (list, [root]) => list.length >= 2 && list[0] === root,
    },
  });

/** Spellings of a placeholder. */
export const tokens = (value: readonly string[], says: string): NameSpec<readonly string[]> =>
  new NameSpec(value, says, {
    form: "a placeholder (at least 3 printable characters without spaces, quotes or \\)",
    fits: matches(/^[^\s"'\\\x00-\x20\x7f-\uffff]{3,}$/, 128),
    list: atLeastOne,
    place: "token",
  });

/** Engine versions. */
export const versions = (value: readonly string[], says: string): NameSpec<readonly string[]> =>
  new NameSpec(value, says, {
    form: 'an engine version such as "7.2"',
    fits: matches(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 13),
    list: atLeastOne,
  });

/** Files of a release, relative to its folder, in the order in which they are looked for. */
export const files = (value: readonly string[], says: string): NameSpec<readonly string[]> =>
  new NameSpec(value, says, {
    form: "a path inside a release's folder (with /, without ..)",
    fits: (text) => printable.test(text) && !/^\/|\\|(^|\/)\.\.(\/|$)/.test(text),
    list: atLeastOne,
  });
