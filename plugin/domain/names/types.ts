/** What a name may look like, by the sort of thing that it names; and how a name is declared. */
import { isItem, isLabel, isOldLabel, isQualified, isSubdomain } from "../kube/selectors";

/** The place that a name has in a manifest: a Kubernetes kind, or another word for it. */
export type NamePlace = string;

/** One sort of name: which texts fit, and how a refusal says it. */
interface NameType {
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
  readonly place?: NamePlace;
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

const atLeastOne: NameType["list"] = {
  form: "a list of at least one",
  fits: (list) => list.length > 0,
  once: true,
};

const matches =
  (pattern: RegExp, limit: number) =>
  (name: string): boolean =>
    name.length <= limit && pattern.test(name);

/** Printable ASCII without a space. */
const printable = /^[\x21-\x7e]+$/;

const text =
  (sort: NameType) =>
  (value: string, says: string): NameSpec<string> =>
    new NameSpec(value, says, sort);

const makePlaced =
  (sort: NameType) =>
  (place: NamePlace | undefined, value: string, says: string): NameSpec<string> =>
    new NameSpec(value, says, { ...sort, place });

const makeListed =
  <V extends readonly string[]>(sort: NameType) =>
  (value: V, says: string): NameSpec<V> =>
    new NameSpec(value, says, sort);

/** The name of an object: a DNS subdomain. */
export const objectName = makePlaced({
  form: "an object name (lower-case letters, digits, - and ., as DNS has it)",
  fits: isSubdomain,
});

/** The name of a namespace, a Service or a container: one DNS label. */
export const label = makePlaced({
  form: "a DNS label (lower-case letters, digits and -, at most 63)",
  fits: isLabel,
});

/** The name of a role or of its binding: RBAC allows what a URL can carry. */
export const roleName = makePlaced({
  form: "the name of a role (no space, no /, no %)",
  fits: (name) => printable.test(name) && !/[/%]/.test(name) && !/^\.\.?$/.test(name),
});

/** An API group: a DNS subdomain with a dot, as the API server asks of custom resources. */
export const groupName = text({
  form: "an API group (a DNS name with at least one dot)",
  fits: (name) => isSubdomain(name) && name.includes("."),
  place: "group",
});

/** A version of an API. */
export const apiVersion = text({
  form: "an API version such as v1 or v1alpha1",
  fits: isOldLabel,
  place: "version",
});

/** A kind in CamelCase. */
export const kindName = text({
  form: "a kind (CamelCase, letters and digits, at most 63)",
  fits: matches(/^[A-Z][A-Za-z0-9]*$/, 63),
  place: "kind",
});

/** A plural or a short name of a kind. */
export const resourceName = makePlaced({
  form: "a resource name (lower-case letters, digits and -, a letter first)",
  fits: isOldLabel,
});

/** The name of a webhook's entry. */
export const entryName = text({
  form: "the name of a webhook entry (a DNS name of at least three parts)",
  fits: (name) => isSubdomain(name) && name.split(".").length >= 3,
  place: "entry",
});

/** The path of a URL; what stands in braces in the default has to stand in it too. */
export const urlPath = (value: string, says: string, place?: NamePlace): NameSpec<string> => {
  const holes = value.match(/\{\w+\}/g) ?? [];
  const held = holes.length === 0 ? "" : ` and holds ${holes.join(" and ")}`;
  return new NameSpec(value, says, {
    form: `a path that begins with /${held}`,
    fits: (path) =>
      /^\/[\x21-\x7e]*$/.test(path) &&
      !/[?#]/.test(path) &&
      (path.match(/\{\w+\}/g) ?? []).sort().join() === [...holes].sort().join(),
    place,
  });
};

/** The key of an item of a Secret or a ConfigMap. */
export const itemKey = text({
  form: "the key of an item (letters, digits, -, _ and .)",
  fits: isItem,
  place: "item",
});

const metadataForm: NameType = {
  form: "the key of a label or annotation (PREFIX/NAME or NAME)",
  fits: (key) => {
    const slash = key.lastIndexOf("/");
    const prefixFits = slash < 0 || isSubdomain(key.slice(0, slash));
    return prefixFits && isQualified(key.slice(slash + 1));
  },
  place: "key",
};

/** The key of a label or an annotation. */
export const metadataKey = text(metadataForm);

/** Spellings of one such key over time: all are read, the first is written. */
export const metadataKeys = makeListed<Spellings>({
  ...metadataForm,
  list: { ...atLeastOne, orText: true },
});

/** The value of a label. */
export const labelValue = text({
  form: "the value of a label (letters, digits, -, _ and ., at most 63)",
  fits: isQualified,
  place: "label",
});

const imageForm: NameType = {
  form: "an image without tag or digest",
  fits: matches(/^[a-z0-9]+([._-]+[a-z0-9]+)*(:\d+(?=\/))?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/, 255),
  place: "image",
};

/** An image without registry and tag. */
export const imageName = text(imageForm);

/** Images of one part where it may have others, or none of its own; the first is written. */
export const imageNames = makeListed({
  ...imageForm,
  list: { form: "a list", fits: () => true, once: true, orText: true },
});

const wordForm: NameType = {
  form: "a word (printable ASCII without spaces)",
  fits: matches(printable, 128),
};

/** A name for people, which may have several words. */
export const title = text({
  form: "a title (one line of printable characters)",
  fits: matches(/^[^\s\p{C}]+( [^\s\p{C}]+)*$/u, 128),
});

/** A word that is a value, or a name of no special form. */
export const word = text(wordForm);

/** Words of which any number may be there. */
export const words = makeListed(wordForm);

const fieldForm: NameType = {
  form: "the name of a field (letters, digits, -, _ and $; each part of a path by itself)",
  fits: matches(/^[A-Za-z_$][-A-Za-z0-9_$]*$/, 128),
};

/** The name of one field. */
export const field = text(fieldForm);

/** Names of one field in several spellings. */
export const fieldNames = makeListed({ ...fieldForm, list: atLeastOne });

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
export const tokens = makeListed({
  form: "a placeholder (at least 3 printable characters without spaces, quotes or \\)",
  fits: matches(/^[^\s"'\\\x00-\x20\x7f-\uffff]{3,}$/, 128),
  list: atLeastOne,
  place: "token",
});

/** Engine versions. */
export const versions = makeListed({
  form: 'an engine version such as "7.2"',
  fits: matches(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 13),
  list: atLeastOne,
});

/** Files of a release, relative to its folder, in the order in which they are looked for. */
export const files = makeListed({
  form: "a path inside a release's folder (with /, without ..)",
  fits: (path) => printable.test(path) && !/^\/|\\|(^|\/)\.\.(\/|$)/.test(path),
  list: atLeastOne,
});
