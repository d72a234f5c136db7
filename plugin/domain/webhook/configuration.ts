/** Reading a ValidatingWebhookConfiguration of unknown content (domain facts 4.1). */
import type { Names } from "../names";
import type { KubeObject, Resource } from "../objects";
import { at, isObject, list, own, text, type Json } from "../values";

/** How the API server addresses webhook configurations. */
export const configurationResource: Resource = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "validatingwebhookconfigurations",
  kind: "ValidatingWebhookConfiguration",
};

/** The entries of a configuration that are objects. */
export function entriesOf(configuration: unknown): readonly Json[] {
  return list(own(configuration, "webhooks")).filter(isObject);
}

/** The entry of a name, undefined when the configuration has none. */
export function entryOf(configuration: unknown, name: string): Json | undefined {
  return entriesOf(configuration).find((entry) => own(entry, "name") === name);
}

/** Names of all entries. */
export function entryNames(configuration: unknown): readonly string[] {
  return entriesOf(configuration).map((entry) => text(own(entry, "name")) ?? "");
}

/** Namespace of the Service that an entry calls, undefined for a URL. */
export function serviceNamespaceOf(entry: unknown): string | undefined {
  return text(at(entry, ["clientConfig", "service", "namespace"]));
}

/** Name of the Service that an entry calls, undefined for a URL. */
export function serviceNameOf(entry: unknown): string | undefined {
  return text(at(entry, ["clientConfig", "service", "name"]));
}

/** The caBundle of an entry as stored, base64; empty when absent. */
export function caBundleOf(entry: unknown): string {
  return text(at(entry, ["clientConfig", "caBundle"])) ?? "";
}

/** True when some rule of the entry has the resource of the group for the operation. */
export function matchesResource(
  entry: unknown,
  wanted: { readonly group: string; readonly plural: string; readonly operation: string },
): boolean {
  const has = (rule: unknown, key: string, value: string): boolean =>
    list(own(rule, key)).some((item) => item === value || item === "*");
  return list(own(entry, "rules")).some(
    (rule) =>
      has(rule, "apiGroups", wanted.group) &&
      list(own(rule, "resources")).some((item) => coversResource(String(item), wanted.plural)) &&
      has(rule, "operations", wanted.operation),
  );
}

/** As the API server matches: by resource and subresource, each equal or `*`. */
function coversResource(rule: string, wanted: string): boolean {
  const [resource, sub = ""] = rule.split("/");
  const [wantedResource, wantedSub = ""] = wanted.split("/");
  return (resource === "*" || resource === wantedResource) && (sub === "*" || sub === wantedSub);
}

/** The configurations that carry the new or the old entry or have one of the two names (4.4). */
export function candidatesOf(
  configurations: readonly KubeObject[],
  names: Names,
): readonly KubeObject[] {
  const { configuration, oldConfiguration, entry, oldEntry } = names.webhook;
  return configurations.filter((object) => {
    const called = object.metadata.name ?? "";
    if (called === configuration || called === oldConfiguration) return true;
    return entryNames(object).some((name) => name === entry || name === oldEntry);
  });
}
