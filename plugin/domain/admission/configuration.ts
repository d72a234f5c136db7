/** Reading a ValidatingWebhookConfiguration (domain facts 4.1). */
import type { Names } from "../names/names";
import { kinds } from "../kube/kinds";
import { type KubeObject, readName } from "../kube/objects";
import { selects } from "../kube/selectors";
import type {
  EndpointSlice,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookConfiguration,
  WebhookRule,
} from "../kube/models";
import { asString } from "../base/values";
import type { Facts } from "../facts/facts";
import { type FailurePolicy, policiesOf } from "./consequence";
import { findLivingOwner, type LeftMarks } from "../kube/owners";

const operations = ["CREATE", "UPDATE", "DELETE"] as const;
/** What `*` stands for. */
const everyOperation = [...operations, "CONNECT"] as const;

/** One edit that the rules of an entry match. */
export interface Reached {
  readonly group: string;
  readonly plural: string;
  readonly operation: string;
}

/**
 * What the live entry is called for and the wanted one would no longer be. Versions do not count: the API server
 * serves each object in all of them.
 */
export function listLost(live: Entry, wanted: Entry): readonly Reached[] {
  return listReached(live).filter((one) => !matchesResource(wanted, one));
}

/** The same, a line for each resource: `plural.group (CREATE, UPDATE)`. */
export function renderReached(reached: readonly Reached[]): readonly string[] {
  const lines = new Map<string, Set<string>>();
  for (const { group, plural, operation } of reached) {
    const resource = group === "" ? plural : `${plural}.${group}`;
    lines.set(resource, (lines.get(resource) ?? new Set()).add(operation));
  }
  return [...lines].map(([resource, lacks]) => `${resource} (${[...lacks].join(", ")})`);
}

/** True when some edit that one entry matches is matched by the other, too. */
function reachesSame(entry: Entry, other: Entry): boolean {
  return listReached(entry).some((one) => matchesResource(other, one));
}

/**
 * What a template's rules say beyond the product's own group, as `field=value`: another API group,
 * a wildcard for group or resources, an operation other than CREATE, UPDATE and DELETE. Under
 * failurePolicy Fail such a rule stops edits of the whole cluster while the webhook is away.
 */
export function wideRules(entry: Entry, { group }: Names): readonly string[] {
  const beyond = (
    field: "apiGroups" | "operations" | "resources",
    fits: (value: string) => boolean,
  ): readonly string[] =>
    (entry?.rules ?? [])
      .flatMap((rule) => rule[field] ?? [])
      .flatMap((value) => (fits(value) ? [] : [`${field}=${value}`]));
  return [
    ...new Set([
      ...beyond("apiGroups", (value) => value === group),
      ...beyond("resources", (value) => !value.includes("*")),
      ...beyond("operations", (value) => operations.some((one) => one === value)),
    ]),
  ];
}

function listReached(entry: Entry): readonly Reached[] {
  return (entry?.rules ?? []).flatMap((rule) =>
    (rule.apiGroups ?? []).flatMap((group) =>
      (rule.resources ?? []).flatMap((plural) =>
        listOperations(rule).map((operation) => ({ group, plural, operation })),
      ),
    ),
  );
}

function listOperations({ operations: named }: WebhookRule): readonly string[] {
  return named?.includes("*") === true ? everyOperation : (named ?? []);
}

/** How the API server addresses webhook configurations. */
export const configurationResource = kinds.webhookConfiguration;

/** An entry, undefined where the configuration has none. */
type Entry = ValidatingWebhook | undefined;

/** The entries of a configuration. */
export function listEntries(
  configuration: WebhookConfiguration | undefined,
): readonly ValidatingWebhook[] {
  return configuration?.webhooks ?? [];
}

/** The entry of a name, undefined when the configuration has none. */
export function findEntry(configuration: WebhookConfiguration | undefined, name: string): Entry {
  return listEntries(configuration).find((entry) => entry.name === name);
}

/** Where an entry stands, as findings and differences write it. */
export function fieldOf(entry: Entry): string {
  return nameField(String(entry?.name));
}

/** The same for the entry of a name. */
export function nameField(name: string): string {
  return `webhooks[name=${name}]`;
}

/** True for an entry that is called for the edits of a namespace, whose name the API server adds as a label. */
export function selectsNamespace(entry: Entry, namespace: KubeObject): boolean {
  return selects(entry?.namespaceSelector, {
    "kubernetes.io/metadata.name": readName(namespace),
    ...namespace.metadata.labels,
  });
}

/** Names of all entries. */
export function entryNames(configuration: WebhookConfiguration): readonly string[] {
  return listEntries(configuration).map(({ name }) => name ?? "");
}

/** Namespace of the Service that an entry calls, undefined for a URL. */
export function readServiceNamespace(entry: Entry): string | undefined {
  return asString(entry?.clientConfig?.service?.namespace);
}

/** Name of the Service that an entry calls, undefined for a URL. */
export function readServiceName(entry: Entry): string | undefined {
  return asString(entry?.clientConfig?.service?.name);
}

/** A Service, as an entry names it. */
export interface CalledService {
  readonly namespace: string;
  readonly name: string;
}

/** True for an entry that calls the Service. */
export function callsService(entry: Entry, { namespace, name }: CalledService): boolean {
  return readServiceNamespace(entry) === namespace && readServiceName(entry) === name;
}

/** True for an entry that calls the Service of the other one, which has one. */
export function callsSame(entry: Entry, other: Entry): boolean {
  return callsService(entry, {
    namespace: String(readServiceNamespace(other)),
    name: String(readServiceName(other)),
  });
}

/** The caBundle of an entry as stored, base64; empty when absent. */
export function readCaBundle(entry: Entry): string {
  return entry?.clientConfig?.caBundle ?? "";
}

/** The entry with another CA. */
export function withCa(entry: ValidatingWebhook, caBundle: string): ValidatingWebhook {
  return { ...entry, clientConfig: { ...entry.clientConfig, caBundle } };
}

/** True when some rule of the entry has the resource of the group for the operation. */
export function matchesResource(
  entry: Entry,
  wanted: { readonly group: string; readonly plural: string; readonly operation: string },
): boolean {
  const has = (items: WebhookRule["apiGroups"], value: string): boolean =>
    items?.some((item) => item === value || item === "*") === true;
  return (
    entry?.rules?.some(
      ({ apiGroups, resources, operations: named }) =>
        has(apiGroups, wanted.group) &&
        resources?.some((item) => coversResource(item, wanted.plural)) === true &&
        has(named, wanted.operation),
    ) === true
  );
}

/** The entry with the rules by which it is called for objects of namespaces: others match them in words alone. */
export function withMatchingRules(entry: ValidatingWebhook): ValidatingWebhook {
  return { ...entry, rules: entry.rules?.filter(({ scope }) => scope !== "Cluster") };
}

/** As the API server matches: by resource and subresource, each equal or `*`. */
function coversResource(rule: string, wanted: string): boolean {
  const [resource, sub = ""] = rule.split("/");
  const [wantedResource, wantedSub = ""] = wanted.split("/");
  return (resource === "*" || resource === wantedResource) && (sub === "*" || sub === wantedSub);
}

/** The configurations that carry the new or the old entry or have one of the two names (4.4). */
export function listCandidates<T extends WebhookConfiguration>(
  configurations: readonly T[],
  names: Names,
): readonly T[] {
  const { configuration, oldConfiguration, entry, oldEntry } = names.webhook;
  return configurations.filter((object) => {
    const called = object.metadata.name ?? "";
    if (called === configuration || called === oldConfiguration) return true;
    return entryNames(object).some((name) => name === entry || name === oldEntry);
  });
}

/** An entry by which the product's webhook is called, and the configuration that holds it. */
export interface EntryInForce {
  readonly configuration: WebhookConfiguration;
  readonly entry: ValidatingWebhook;
  readonly field: string;
}

/**
 * The entries of the product's names, and in the configuration of today also those under other names
 * that call the same Service: the API server asks them all.
 */
export function entriesInForce(
  configuration: WebhookConfiguration,
  service: CalledService,
  { webhook }: Names,
): readonly EntryInForce[] {
  const isCurrent = configuration.metadata.name === webhook.configuration;
  return listEntries(configuration).flatMap((entry) => {
    const isNamed = entry.name === webhook.entry || entry.name === webhook.oldEntry;
    if (!isNamed && !(isCurrent && callsService(entry, service))) return [];
    return [{ configuration, entry, field: fieldOf(entry) }];
  });
}

/** The configuration whose selectors a swap keeps, and the entry that has them: the new one's, else the old one's. */
export function findSource<T extends WebhookConfiguration>(
  { live, old }: { readonly live: T | undefined; readonly old: T | undefined },
  { webhook }: Names,
): { readonly configuration: T; readonly entry: Entry } | undefined {
  if (live !== undefined) return { configuration: live, entry: findEntry(live, webhook.entry) };
  if (old === undefined) return undefined;
  return { configuration: old, entry: findEntry(old, webhook.oldEntry) ?? listEntries(old)[0] };
}

/** The policies of the entries in force that call the Service; of all where none of them calls it. */
export function policiesTo(
  entries: readonly Pick<EntryInForce, "entry">[],
  service: CalledService,
): readonly FailurePolicy[] {
  const calling = entries.filter(({ entry }) => callsService(entry, service));
  return policiesOf(calling.length > 0 ? calling : entries);
}

/**
 * True for a configuration that OLM made with a Service and a certificate of its own, as it does for the
 * webhooks of a ClusterServiceVersion: the operator's Secret has no part in it (domain facts 8).
 */
export function hasOlmPair(
  configuration: WebhookConfiguration,
  { names: { webhook }, left }: Pick<OlmServed, "names" | "left">,
): boolean {
  const services = listEntries(configuration).map(readServiceName);
  const owner = findLivingOwner(configuration, left);
  return owner?.name === "OLM" && !services.includes(webhook.service);
}

/** True where every webhook entry that calls the namespace is one of OLM's, with OLM's own certificate. */
export function isOlmServed(
  configurations: readonly WebhookConfiguration[],
  served: OlmServed,
): boolean {
  const calling = listCandidates(configurations, served.names).filter((one) =>
    listEntries(one).some((entry) => readServiceNamespace(entry) === served.namespace),
  );
  return calling.length > 0 && calling.every((one) => hasOlmPair(one, served));
}

/** The operator's namespace, and whose marks are those of an owner that is gone. */
interface OlmServed {
  readonly names: Names;
  readonly namespace: string;
  readonly left?: LeftMarks | undefined;
}

/** How the CA of an entry stands. */
export type Trust = "empty" | "encoded-twice" | "no-pem" | "stale" | "fit";

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function holdsCertificate(base64: string): boolean {
  return certificate.test(decode(base64));
}

/**
 * Beside the certificate that is served, as an API server would judge it: the CA that issued it will
 * do, and so will a bundle of the old one and the new one. Of what was not read nothing is said.
 */
export function compareTrust(entry: Entry, served: Facts["certificate"]): Trust {
  const bundle = readCaBundle(entry);
  if (bundle === "") return "empty";
  if (isKnownToFit(bundle, served)) return "fit";
  if (!holdsCertificate(bundle)) {
    return holdsCertificate(decode(bundle)) ? "encoded-twice" : "no-pem";
  }
  return served?.trustedBy === undefined || served.count === 0 ? "fit" : "stale";
}

function isKnownToFit(bundle: string, served: Facts["certificate"]): boolean {
  const { caBundle, caRefuses, trustedBy = [] } = served ?? {};
  return (bundle === caBundle && caRefuses === undefined) || trustedBy.includes(bundle);
}

/** Entries of our entry's name in configurations that are neither the new nor the old one. */
export function namesakesIn(
  configurations: readonly WebhookConfiguration[],
  names: Names,
): readonly ValidatingWebhook[] {
  return others(configurations, names).flatMap((object) =>
    listEntries(object).filter(({ name }) => name === names.webhook.entry),
  );
}

/**
 * Configurations with an entry of the same purpose: the same kinds, by the same Service, or by
 * another one of that namespace under the product's entry name, as OLM makes its own Service.
 */
export function purposesBeside(
  configurations: readonly ValidatingWebhookConfiguration[],
  wanted: ValidatingWebhookConfiguration,
  names: Names,
): readonly ValidatingWebhookConfiguration[] {
  const { entry: current, oldEntry } = names.webhook;
  const ours = findEntry(wanted, current);
  return others(configurations, names).filter((object) =>
    listEntries(object).some(
      (entry) =>
        readServiceNamespace(entry) === readServiceNamespace(ours) &&
        (readServiceName(entry) === readServiceName(ours) ||
          [current, oldEntry].some((name) => name === entry.name)) &&
        reachesSame(ours, entry),
    ),
  );
}

function others<T extends WebhookConfiguration>(
  configurations: readonly T[],
  names: Names,
): readonly T[] {
  return configurations.filter((one) => isOthers(one, names));
}

/** True for a configuration of neither of the product's two names. */
export function isOthers({ metadata }: WebhookConfiguration, { webhook }: Names): boolean {
  return metadata.name !== webhook.configuration && metadata.name !== webhook.oldConfiguration;
}

/**
 * Number of ready endpoints in the slices of a Service; a missing condition counts as ready, and a pod with an address of
 * each family stands in a slice of each.
 */
export function readyEndpoints(slices: readonly EndpointSlice[]): number {
  const ready = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ targetRef, addresses }) => {
      const pod = asString(targetRef?.name);
      const all = addresses ?? [];
      return pod === undefined || all.length === 0 ? all : [`pod ${pod}`];
    });
  return new Set(ready).size;
}
