/** The forms of names in Kubernetes. */

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
