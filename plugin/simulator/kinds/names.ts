/** The rules for names, labels and keys, in the API server's words. */
import { patterns } from "../../domain/kube/selectors";
import type { FieldRule } from "./refusal";

const { label, subdomain, oldLabel, qualified, item } = patterns;
const optional = `(${qualified})?`;

const lowerCase = "must consist of lower case alphanumeric characters";
const anyCase = "must consist of alphanumeric characters, '-', '_' or '.'";
const ends = "must start and end with an alphanumeric character";

const subdomainWords = pattern(
  `a lowercase RFC 1123 subdomain ${lowerCase}, '-' or '.', and ${ends}`,
  subdomain,
  ["example.com"],
);
const labelWords = pattern(`a lowercase RFC 1123 label ${lowerCase} or '-', and ${ends}`, label, [
  "my-name",
  "123-abc",
]);
const oldLabelWords = pattern(
  `a DNS-1035 label ${lowerCase} or '-', start with an alphabetic character, ` +
    "and end with an alphanumeric character",
  oldLabel,
  ["my-name", "abc-123"],
);
const qualifiedWords = pattern(`${anyCase}, and ${ends}`, qualified, [
  "MyName",
  "my.name",
  "123-abc",
]);
const valueWords = pattern(
  `a valid label must be an empty string or ${anyCase.slice("must ".length)}, and ${ends}`,
  optional,
  ["MyValue", "my_value", "12345"],
);
const keyWords = pattern(`a valid config key ${anyCase}`, item, [
  "key.name",
  "KEY_NAME",
  "key-name",
]);

/** A rule and its pattern in one sentence. */
function pattern(rule: string, regex: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${regex}')`;
}

function fits(value: string, regex: string): boolean {
  return new RegExp(`^${regex}$`).test(value);
}

function length(value: string, most: number): readonly string[] {
  return value.length > most ? [`must be no more than ${most} characters`] : [];
}

/** Most names: dots allowed. */
export const subdomainRule: FieldRule = (value) => [
  ...length(value, 253),
  ...(fits(value, subdomain) ? [] : [subdomainWords]),
];

/** Names of namespaces and ports: no dots. */
export const labelRule: FieldRule = (value) => {
  if (fits(value, label)) return length(value, 63);
  const dotted = fits(value, subdomain);
  return [...length(value, 63), dotted ? "must not contain dots" : labelWords];
};

/** Names of Services, which start with a letter. */
export const oldLabelRule: FieldRule = (value) => [
  ...length(value, 63),
  ...(fits(value, oldLabel) ? [] : [oldLabelWords]),
];

/** Names of roles and bindings: whatever a path can hold. */
export const pathSegmentRule: FieldRule = (value) => {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"]
    .filter((part) => value.includes(part))
    .map((part) => `may not contain '${part}'`);
};

/** Keys of labels and annotations, names of finalizers. */
export const qualifiedRule: FieldRule = (value) => {
  const parts = value.split("/");
  if (parts.length > 2) {
    const prefixed = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a qualified name ${qualifiedWords} ${prefixed}`];
  }
  const [name = "", prefix] = parts.reverse();
  const empty = prefix === "" ? ["must be non-empty"] : subdomainRule(prefix ?? "x");
  return [...empty.map((text) => `prefix part ${text}`), ...namePart(name)];
};

function namePart(name: string): readonly string[] {
  const size = name === "" ? ["must be non-empty"] : length(name, 63);
  const form = fits(name, qualified) ? [] : [qualifiedWords];
  return [...size, ...form].map((text) => `name part ${text}`);
}

/** Values of labels. */
export const labelValueRule: FieldRule = (value) => [
  ...length(value, 63),
  ...(fits(value, optional) ? [] : [valueWords]),
];

/** Keys of Secrets and ConfigMaps. */
export const dataKeyRule: FieldRule = (value) => {
  const form = [...length(value, 253), ...(fits(value, item) ? [] : [keyWords])];
  if (value === "." || value === "..") return [...form, `must not be '${value}'`];
  return value.startsWith("..") ? [...form, "must not start with '..'"] : form;
};
