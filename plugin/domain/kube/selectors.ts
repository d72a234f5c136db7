/** Label selectors of Kubernetes (matching, and labels that would match) and the forms of its names. */
import { asArray, getOwn, isObject } from "../base/values";
import type { KubeObject } from "./objects";

type Labels = Readonly<Record<string, string>>;

/** For a label that only has to exist. */
const anyValue = "probe";

/** True when the labels meet a selector; an absent or empty selector matches everything. */
export function selects(selector: unknown, labels: Labels): boolean {
  return listRequirements(selector).every((requirement) => meets(requirement, labels));
}

/** True for a selector that requires nothing. */
export function isEmptySelector(selector: unknown): boolean {
  return listRequirements(selector).length === 0;
}

/**
 * Labels that meet the selector, or undefined when its requirements contradict each other.
 * DoesNotExist and NotIn are met by leaving the label out.
 */
export function labelsFor(selector: unknown): Labels | undefined {
  const requirements = listRequirements(selector);
  const positive = requirements.filter(
    ({ operator }) => operator === "In" || operator === "Exists",
  );
  const labels = Object.fromEntries(
    [...new Set(positive.map(({ key }) => key))].map((key) => {
      const own = requirements.filter((requirement) => requirement.key === key);
      const candidates = [...own.flatMap(({ values }) => values), anyValue];
      const fits = (value: string): boolean => own.every((one) => meets(one, { [key]: value }));
      return [key, candidates.find(fits) ?? anyValue];
    }),
  );
  return selects(selector, labels) ? labels : undefined;
}

/** One requirement of a selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** What a selector asks for, its equal labels as expressions too. */
export function listRequirements(selector: unknown): readonly Requirement[] {
  const matchLabels = getOwn(selector, "matchLabels");
  const exact = Object.entries(isObject(matchLabels) ? matchLabels : {}).map(([key, value]) => ({
    key,
    operator: "In",
    values: [String(value)],
  }));
  const expressions = asArray(getOwn(selector, "matchExpressions")).map((expression) => ({
    key: String(getOwn(expression, "key")),
    operator: String(getOwn(expression, "operator")),
    values: asArray(getOwn(expression, "values")).map(String),
  }));
  return [...exact, ...expressions];
}

/** True when the labels fulfil the wish; an operator that is not known is met by none. */
export function meets({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

/** The two selectors of a query. */
interface Query {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/**
 * True for an object that a query chooses by name, namespace and equal labels. Any other selector is an error:
 * a query that is typed by a person may hold more, and goes to the API server.
 */
export function matchesQuery(object: KubeObject, { labelSelector, fieldSelector }: Query): boolean {
  const { metadata } = object;
  return (
    equalities(fieldSelector).every(
      ([field, value]) => getOwn(metadata, field.replace(/^metadata\./, "")) === value,
    ) && equalities(labelSelector).every(([key, value]) => metadata.labels?.[key] === value)
  );
}

/** The name that a query chooses by; undefined: every one. */
export function readSelectedName(fieldSelector: string | undefined): string | undefined {
  return equalities(fieldSelector).find(([field]) => field === "metadata.name")?.[1];
}

type Equality = readonly [key: string, value: string];

/** A selector of equal values alone; undefined for any other one. */
export function readEqualities(selector: string): readonly Equality[] | undefined {
  if (selector === "") return [];
  const parts = selector.split(",");
  const pairs = parts.flatMap((part): readonly Equality[] => {
    const [, key, value] = /^\s*([^\s=!()]+)\s*==?\s*([^\s=!()]*)\s*$/.exec(part) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value]];
  });
  return pairs.length === parts.length ? pairs : undefined;
}

function equalities(selector = ""): readonly Equality[] {
  const pairs = readEqualities(selector);
  if (pairs === undefined)
    throw new Error(`a selector that cannot be laid over a plan: ${selector}`);
  return pairs;
}

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** As the API server's messages show them. */
export const patterns = {
  /** DNS-1123: namespaces, containers. */
  label,
  /** The same with dots between: most objects. */
  subdomain: `${label}(\\.${label})*`,
  /** DNS-1035, a letter first: Services, kinds in a URL. */
  oldLabel: "[a-z]([-a-z0-9]*[a-z0-9])?",
  /** A label's key without its prefix, and its value. */
  qualified: "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]",
  /** Items of Secrets and ConfigMaps. */
  item: "[-._a-zA-Z0-9]+",
} as const;

/** Whether a whole text is of a form, and no longer than that allows. */
const matches = (pattern: string, longest: number): ((text: string) => boolean) => {
  const whole = new RegExp(`^${pattern}$`);
  return (text) => text.length <= longest && whole.test(text);
};

export const isLabel = matches(patterns.label, 63);
export const isSubdomain = matches(patterns.subdomain, 253);
export const isOldLabel = matches(patterns.oldLabel, 63);
export const isQualified = matches(patterns.qualified, 63);
export const isItem = matches(patterns.item, 253);
