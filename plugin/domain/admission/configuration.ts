/** Reading a ValidatingWebhookConfiguration of unknown content (domain facts 4.1). */
import type { Names } from "../names/names";
import { kinds } from "../kube/kinds";
import { type KubeObject, readName, readNamespace, objectLabel } from "../kube/objects";
import { asArray, asString, getOwn, getPath, isObject, type Json } from "../base/values";
import type { Facts } from "../facts/facts";
import { type FailurePolicy, policiesOf } from "./consequence";
import { webhookFinding } from "./findings";
import type { Finding } from "../base/findings";
import { countReplicas } from "../rollout/deployment";
import { findLivingOwner, type LeftMarks } from "../kube/owners";

const operations = ["CREATE", "UPDATE", "DELETE"] as const;
/** What `*` stands for. */
const everyOperation = [...operations, "CONNECT"] as const;

/** One edit that the rules of an entry match. */
interface Reached {
  readonly group: string;
  readonly plural: string;
  readonly operation: string;
}

/**
 * What the live entry is called for and the wanted one would no longer be, a line for each
 * resource: `plural.group (CREATE, UPDATE)`. Versions do not count: the API server serves each
 * object in all of them.
 */
export function findLostRules(live: unknown, wanted: unknown): readonly string[] {
  const lost = listReached(live).filter((one) => !matchesResource(wanted, one));
  const lines = new Map<string, Set<string>>();
  for (const { group, plural, operation } of lost) {
    const resource = group === "" ? plural : `${plural}.${group}`;
    lines.set(resource, (lines.get(resource) ?? new Set()).add(operation));
  }
  return [...lines].map(([resource, lacks]) => `${resource} (${[...lacks].join(", ")})`);
}

/** True when some edit that one entry matches is matched by the other, too. */
function reachesSame(entry: unknown, other: unknown): boolean {
  return listReached(entry).some((one) => matchesResource(other, one));
}

/**
 * What a template's rules say beyond the product's own group, as `field=value`: another API group,
 * a wildcard for group or resources, an operation other than CREATE, UPDATE and DELETE. Under
 * failurePolicy Fail such a rule stops edits of the whole cluster while the webhook is away.
 */
export function wideRules(entry: unknown, { group }: Names): readonly string[] {
  const beyond = (field: string, fits: (value: string) => boolean): readonly string[] =>
    asArray(getOwn(entry, "rules")).flatMap((rule) =>
      listTexts(rule, field).flatMap((value) => (fits(value) ? [] : [`${field}=${value}`])),
    );
  return [
    ...new Set([
      ...beyond("apiGroups", (value) => value === group),
      ...beyond("resources", (value) => !value.includes("*")),
      ...beyond("operations", (value) => operations.some((one) => one === value)),
    ]),
  ];
}

function listReached(entry: unknown): readonly Reached[] {
  return asArray(getOwn(entry, "rules")).flatMap((rule) =>
    listTexts(rule, "apiGroups").flatMap((group) =>
      listTexts(rule, "resources").flatMap((plural) =>
        listOperations(rule).map((operation) => ({ group, plural, operation })),
      ),
    ),
  );
}

function listOperations(rule: unknown): readonly string[] {
  const named = listTexts(rule, "operations");
  return named.includes("*") ? everyOperation : named;
}

function listTexts(rule: unknown, field: string): readonly string[] {
  // the empty text is the core group
  return asArray(getOwn(rule, field)).filter((value) => typeof value === "string");
}

/** How the API server addresses webhook configurations. */
export const configurationResource = kinds.webhookConfiguration;

/** The entries of a configuration that are objects. */
export function listEntries(configuration: unknown): readonly Json[] {
  return asArray(getOwn(configuration, "webhooks")).filter(isObject);
}

/** The entry of a name, undefined when the configuration has none. */
export function findEntry(configuration: unknown, name: string): Json | undefined {
  return listEntries(configuration).find((entry) => getOwn(entry, "name") === name);
}

/** Names of all entries. */
export function entryNames(configuration: unknown): readonly string[] {
  return listEntries(configuration).map((entry) => asString(getOwn(entry, "name")) ?? "");
}

/** Namespace of the Service that an entry calls, undefined for a URL. */
export function readServiceNamespace(entry: unknown): string | undefined {
  return asString(getPath(entry, ["clientConfig", "service", "namespace"]));
}

/** Name of the Service that an entry calls, undefined for a URL. */
export function readServiceName(entry: unknown): string | undefined {
  return asString(getPath(entry, ["clientConfig", "service", "name"]));
}

/** A Service, as an entry names it. */
export interface CalledService {
  readonly namespace: string;
  readonly name: string;
}

/** True for an entry that calls the Service. */
export function callsService(entry: unknown, { namespace, name }: CalledService): boolean {
  return readServiceNamespace(entry) === namespace && readServiceName(entry) === name;
}

/** True for an entry that calls the Service of the other one, which has one. */
export function callsSame(entry: unknown, other: unknown): boolean {
  return callsService(entry, {
    namespace: String(readServiceNamespace(other)),
    name: String(readServiceName(other)),
  });
}

/** The caBundle of an entry as stored, base64; empty when absent. */
export function readCaBundle(entry: unknown): string {
  return asString(getPath(entry, ["clientConfig", "caBundle"])) ?? "";
}

/** The entry with another CA. */
export function withCa(entry: Json, caBundle: string): Json {
  return { ...entry, clientConfig: { ...(getOwn(entry, "clientConfig") as object), caBundle } };
}

/** True when some rule of the entry has the resource of the group for the operation. */
export function matchesResource(
  entry: unknown,
  wanted: { readonly group: string; readonly plural: string; readonly operation: string },
): boolean {
  const has = (rule: unknown, key: string, value: string): boolean =>
    asArray(getOwn(rule, key)).some((item) => item === value || item === "*");
  return asArray(getOwn(entry, "rules")).some(
    (rule) =>
      has(rule, "apiGroups", wanted.group) &&
      asArray(getOwn(rule, "resources")).some((item) =>
        coversResource(String(item), wanted.plural),
      ) &&
      has(rule, "operations", wanted.operation),
  );
}

/**
 * The entry with the rules by which it is called for objects of namespaces, in one of the versions
 * where some are given: others match resources of the product in words alone.
 */
export function withMatchingRules(entry: Json, versions: readonly string[] = ["*"]): Json {
  const isCalled = (rule: unknown): boolean => {
    const own = listTexts(rule, "apiVersions");
    const all = [...own, ...versions].includes("*") || own.length === 0;
    const isOfVersion = all || own.some((version) => versions.includes(version));
    return getOwn(rule, "scope") !== "Cluster" && isOfVersion;
  };
  return { ...entry, rules: asArray(getOwn(entry, "rules")).filter(isCalled) };
}

/** The versions that the rules of an entry name. */
export function listRuleVersions(entry: unknown): readonly string[] {
  return asArray(getOwn(entry, "rules")).flatMap((rule) => listTexts(rule, "apiVersions"));
}

/** As the API server matches: by resource and subresource, each equal or `*`. */
function coversResource(rule: string, wanted: string): boolean {
  const [resource, sub = ""] = rule.split("/");
  const [wantedResource, wantedSub = ""] = wanted.split("/");
  return (resource === "*" || resource === wantedResource) && (sub === "*" || sub === wantedSub);
}

/** The configurations that carry the new or the old entry or have one of the two names (4.4). */
export function listCandidates(
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

/** An entry by which the product's webhook is called, and the configuration that holds it. */
export interface EntryInForce {
  readonly configuration: KubeObject;
  readonly entry: Json;
  /** Where it stands, as findings write it. */
  readonly field: string;
}

/**
 * The entries of the product's names, and in the configuration of today also those under other names
 * that call the same Service: the API server asks them all.
 */
export function entriesInForce(
  configuration: KubeObject,
  service: CalledService,
  { webhook }: Names,
): readonly EntryInForce[] {
  const isCurrent = configuration.metadata.name === webhook.configuration;
  return asArray(getOwn(configuration, "webhooks")).flatMap((entry, index) => {
    const name = getOwn(entry, "name");
    const isNamed = name === webhook.entry || name === webhook.oldEntry;
    if (!isObject(entry) || (!isNamed && !(isCurrent && callsService(entry, service)))) return [];
    return [{ configuration, entry, field: `webhooks[${index}]` }];
  });
}

/** The policies of the entries in force that call the Service; of all where none of them calls it. */
export function policiesTo(
  entries: readonly { readonly entry: Json }[],
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
  configuration: KubeObject,
  { names: { webhook }, left }: Pick<OlmServed, "names" | "left">,
): boolean {
  const services = listEntries(configuration).map(readServiceName);
  const owner = findLivingOwner(configuration, left);
  return owner?.name === "OLM" && !services.includes(webhook.service);
}

/** True where every webhook entry that calls the namespace is one of OLM's, with OLM's own certificate. */
export function isOlmServed(configurations: readonly KubeObject[], served: OlmServed): boolean {
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
export function compareTrust(entry: unknown, served: Facts["certificate"]): Trust {
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
export function namesakesIn(configurations: readonly KubeObject[], names: Names): readonly Json[] {
  return others(configurations, names).flatMap((object) =>
    listEntries(object).filter((entry) => getOwn(entry, "name") === names.webhook.entry),
  );
}

/**
 * Configurations with an entry of the same purpose: the same kinds, by the same Service, or by
 * another one of that namespace under the product's entry name, as OLM makes its own Service.
 */
export function purposesBeside(
  configurations: readonly KubeObject[],
  wanted: KubeObject,
  names: Names,
): readonly KubeObject[] {
  const { entry: current, oldEntry } = names.webhook;
  const ours = findEntry(wanted, current);
  return others(configurations, names).filter((object) =>
    listEntries(object).some(
      (entry) =>
        readServiceNamespace(entry) === readServiceNamespace(ours) &&
        (readServiceName(entry) === readServiceName(ours) ||
          [current, oldEntry].some((name) => name === getOwn(entry, "name"))) &&
        reachesSame(ours, entry),
    ),
  );
}

function others(configurations: readonly KubeObject[], names: Names): readonly KubeObject[] {
  return configurations.filter((one) => isOthers(one, names));
}

/** True for a configuration of neither of the product's two names. */
export function isOthers({ metadata }: KubeObject, { webhook }: Names): boolean {
  return metadata.name !== webhook.configuration && metadata.name !== webhook.oldConfiguration;
}

/**
 * Number of ready endpoints in the slices of a Service; a missing condition counts as ready, and a pod with an address of
 * each family stands in a slice of each.
 */
export function readyEndpoints(slices: readonly KubeObject[]): number {
  const ready = slices
    .flatMap((slice) => asArray(getOwn(slice, "endpoints")))
    .filter((endpoint) => getPath(endpoint, ["conditions", "ready"]) !== false)
    .flatMap((endpoint) => {
      const pod = asString(getPath(endpoint, ["targetRef", "name"]));
      const addresses = asArray(getOwn(endpoint, "addresses"));
      return pod === undefined || addresses.length === 0 ? addresses : [`pod ${pod}`];
    });
  return new Set(ready).size;
}

/** Whether the operator is ready, up to date and available; nothing is said of one that is not there. */
export function judgeOperator(deployment: KubeObject | undefined): readonly Finding[] {
  const seen = deployment && describeShortfall(deployment);
  if (deployment === undefined || seen === undefined) return [];
  const reason = explainBlocked(deployment);
  return [
    webhookFinding("operatorNotReady", {
      object: objectLabel(deployment),
      cause: `the operator is not ready: ${seen}${reason === undefined ? "" : ` (${reason})`}`,
      fix:
        countReplicas(deployment).wanted === 0
          ? `have its pod started with: kubectl scale deployment ${readName(deployment)} --namespace=${readNamespace(deployment)} --replicas=1`
          : "wait until the operator reports 1/1 ready, up to date and available, or run again with --wait",
    }),
  ];
}

/** What is missing for ready, up to date and available, undefined when nothing is. */
function describeShortfall(deployment: KubeObject): string | undefined {
  const { observed, generation, wanted, ready, updated, available } = countReplicas(deployment);
  // a status of an older generation says nothing of this one
  if (observed < generation) return "its new generation has not been observed yet";
  if (wanted > 0 && Math.min(ready, updated, available) >= wanted) return undefined;
  return `${ready} ready, ${updated} up to date, ${available} available of ${wanted}`;
}

function explainBlocked(deployment: KubeObject | undefined): string | undefined {
  const conditions = asArray(getPath(deployment, ["status", "conditions"]));
  const blocking = conditions.find((condition) => getOwn(condition, "status") === "False");
  return asString(getOwn(blocking, "message"));
}
