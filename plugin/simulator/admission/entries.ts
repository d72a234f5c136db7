/** The entries of stored webhook configurations, with what the API server puts in where nothing is said. */
import { asArray, asString, getOwn, type Json, oncePer } from "../../domain/base/values";
import type { KubeObject, Resource } from "../../ports/kubernetes";
import type { Attempt, StateView } from "../model";
import { ApiError } from "../../domain/base/errors";
import { isEmptySelector, selects } from "../../domain/kube/selectors";
import { isIP } from "node:net";
import { notAnswered } from "./trust";

/** Which requests a rule of an entry means. */
interface WebhookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  /** `pods`, `pods/status`, `*`, `pods/*`. */
  readonly resources: readonly string[];
  readonly scope: string;
}

/** Where a webhook is called. */
export type Callee =
  | {
      readonly kind: "service";
      readonly name: string;
      readonly namespace: string;
      readonly port: number;
      readonly path: string;
    }
  | { readonly kind: "url"; readonly url: string };

/** One webhook. */
export interface WebhookEntry {
  readonly name: string;
  readonly rules: readonly WebhookRule[];
  readonly equivalent: boolean;
  readonly namespaceSelector: unknown;
  readonly objectSelector: unknown;
  readonly conditional: boolean;
  readonly callee: Callee;
  /** As stored: base64 of PEM. */
  readonly caBundle: string;
  readonly failOpen: boolean;
  readonly dryRunSafe: boolean;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
}

/** All entries, by the name of their configuration and their place in it. */
export function listEntries(
  plural: "validatingwebhookconfigurations" | "mutatingwebhookconfigurations",
  state: StateView,
): readonly WebhookEntry[] {
  const configurations = state.list({ group: "admissionregistration.k8s.io", plural });
  const readName = ({ metadata: { name = "" } }: KubeObject): string => name;
  return [...configurations]
    .sort((a, b) => (readName(a) < readName(b) ? -1 : 1))
    .flatMap(entriesIn);
}

/** Stored objects are never changed in place, so what was read of one stays right. */
const entriesIn = oncePer((configuration: KubeObject): readonly WebhookEntry[] =>
  asArray(getOwn(configuration, "webhooks")).map(parseEntry),
);

function parseEntry(entry: unknown): WebhookEntry {
  const client = getOwn(entry, "clientConfig");
  const timeout = getOwn(entry, "timeoutSeconds");
  return {
    name: asString(getOwn(entry, "name")) ?? "",
    rules: asArray(getOwn(entry, "rules")).map(parseRule),
    equivalent: getOwn(entry, "matchPolicy") !== "Exact",
    namespaceSelector: getOwn(entry, "namespaceSelector"),
    objectSelector: getOwn(entry, "objectSelector"),
    conditional: asArray(getOwn(entry, "matchConditions")).length > 0,
    callee: readCallee(client),
    caBundle: asString(getOwn(client, "caBundle")) ?? "",
    failOpen: getOwn(entry, "failurePolicy") === "Ignore",
    dryRunSafe: ["None", "NoneOnDryRun"].includes(asString(getOwn(entry, "sideEffects")) ?? ""),
    timeoutSeconds: typeof timeout === "number" ? timeout : 10,
    reviewVersions: strings(entry, "admissionReviewVersions"),
  };
}

function parseRule(rule: unknown): WebhookRule {
  return {
    apiGroups: strings(rule, "apiGroups"),
    apiVersions: strings(rule, "apiVersions"),
    operations: strings(rule, "operations"),
    resources: strings(rule, "resources"),
    scope: asString(getOwn(rule, "scope")) ?? "*",
  };
}

function readCallee(client: unknown): Callee {
  const service = getOwn(client, "service");
  const url = asString(getOwn(client, "url"));
  if (url !== undefined) return { kind: "url", url };
  const port = getOwn(service, "port");
  return {
    kind: "service",
    name: asString(getOwn(service, "name")) ?? "",
    namespace: asString(getOwn(service, "namespace")) ?? "",
    port: typeof port === "number" ? port : 443,
    path: asString(getOwn(service, "path")) ?? "/",
  };
}

function strings(
  value: unknown,
  key: keyof WebhookRule | "admissionReviewVersions",
): readonly string[] {
  return asArray(getOwn(value as Json, key)).map(String);
}

/** An entry that is to be called, and the version that its rules name. */
export interface Invocation {
  readonly entry: WebhookEntry;
  readonly resource: Resource;
}

/** Objects that no webhook is asked about: webhooks could lock everybody out, and questions are no writes. */
export function isExempt({ resource }: Attempt["definition"]): boolean {
  const { group, kind } = resource;
  if (group === "admissionregistration.k8s.io") {
    return /^(Validating|Mutating)(WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)$/.test(
      kind,
    );
  }
  return /^(authorization|authentication)\.k8s\.io$/.test(group) && kind.endsWith("Review");
}

/** The call that the entry gets of this write, if any; throws 404 where its namespace is not there. */
export function findInvocation(
  entry: WebhookEntry,
  attempt: Attempt,
  state: StateView,
): Invocation | undefined {
  if (!selectsObject(entry, attempt)) return undefined;
  const resource = listVersions(entry, attempt, state).find((version) =>
    entry.rules.some((rule) => matches(rule, version, attempt)),
  );
  if (resource === undefined || !selectsNamespace(entry, attempt, state)) return undefined;
  return { entry, resource };
}

function matches(
  rule: WebhookRule,
  { group, version, plural }: Resource,
  attempt: Attempt,
): boolean {
  return (
    holds(rule.operations, attempt.operation) &&
    holds(rule.apiGroups, group) &&
    holds(rule.apiVersions, version) &&
    // The port writes no subresource: `pods/status` and the like never match, `pods/*` does.
    ["*", "*/*", plural, `${plural}/*`].some((one) => rule.resources.includes(one)) &&
    (rule.scope === "*" || (rule.scope === "Namespaced") === attempt.definition.namespaced)
  );
}

function holds(set: readonly string[], wanted: string): boolean {
  return set.includes("*") || set.includes(wanted);
}

/** The version of the request, then, where the entry wants it, the others of the same kind. */
function listVersions(
  entry: WebhookEntry,
  { definition }: Attempt,
  state: StateView,
): readonly Resource[] {
  const { resource, custom } = definition;
  if (!entry.equivalent || !custom) return [resource];
  const crds = { group: "apiextensions.k8s.io", plural: "customresourcedefinitions" };
  const crd = state.get(crds, `${resource.plural}.${resource.group}`);
  const served = asArray(getOwn(getOwn(crd, "spec"), "versions"))
    .filter((version) => getOwn(version, "served") === true)
    .map((version) => asString(getOwn(version, "name")) ?? "");
  const others = served.filter((version) => version !== resource.version);
  return [resource, ...others.map((version) => ({ ...resource, version }))];
}

function selectsObject({ objectSelector }: WebhookEntry, { object, before }: Attempt): boolean {
  return [object, before].some(
    (one) => one !== undefined && selects(objectSelector, one.metadata.labels ?? {}),
  );
}

/** Objects of no namespace are selected by every selector, namespaces by their own labels. */
function selectsNamespace(
  { namespaceSelector }: WebhookEntry,
  attempt: Attempt,
  state: StateView,
): boolean {
  if (isEmptySelector(namespaceSelector)) return true;
  const namespace = isNamespace(attempt)
    ? (attempt.object ?? attempt.before)
    : findNamespace(attempt, state);
  return namespace === undefined || selects(namespaceSelector, namespace.metadata.labels ?? {});
}

/** True for a write of a Namespace itself. */
export function isNamespace({ definition: { resource } }: Attempt): boolean {
  return resource.group === "" && resource.plural === "namespaces";
}

function findNamespace({ namespace }: Attempt, state: StateView): KubeObject | undefined {
  if (namespace === undefined) return undefined;
  const found = state.get({ group: "", plural: "namespaces" }, namespace);
  if (found !== undefined) return found;
  const message = `namespaces ${JSON.stringify(namespace)} not found`;
  throw new ApiError(message, { status: 404, reason: "NotFound" });
}

/** Where a call goes. */
export interface WebhookTarget {
  readonly host: string;
  readonly port: number;
  /** Host and port as the API server knows them. */
  readonly authority: string;
  readonly path: string;
  /** The whole address, for messages. */
  readonly url: string;
  /** What the certificate must be for. */
  readonly name: string;
  /** The address that messages about the connection show. */
  readonly shown: string;
  readonly caBundle: string;
}

/** The port of a Service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * Where a Service's port is on this machine. `refused`: nothing can be reached there, with Go's
 * words for it (`dial tcp 10.0.0.1:443: connect: connection refused`). Undefined: the code behind
 * it is not a part of the rehearsal, and the entry is not called.
 */
export type ServiceRoute = (
  service: ServicePort,
  state: StateView,
) => Place | undefined | Promise<Place | undefined>;

type Place = { readonly host: string; readonly port: number } | { readonly refused: string };

/** Why an entry is left out. */
interface Skipped {
  readonly skipped: string;
}

/** The target of a call, or why there is none in a rehearsal; throws CallFailure as a dialling API server. */
export async function resolveTarget(
  entry: WebhookEntry,
  route: ServiceRoute,
  state: StateView,
): Promise<WebhookTarget | Skipped> {
  const { callee } = entry;
  return callee.kind === "url"
    ? targetOfUrl(callee.url, entry)
    : await targetOfService(callee, entry, { route, state });
}

async function targetOfService(
  callee: Callee & { readonly kind: "service" },
  { caBundle, timeoutSeconds }: WebhookEntry,
  { route, state }: { readonly route: ServiceRoute; readonly state: StateView },
): Promise<WebhookTarget | Skipped> {
  const { namespace, port, path } = callee;
  const name = `${callee.name}.${namespace}.svc`;
  const address = buildAddress(`${name}:${port}`, path, timeoutSeconds);
  const service = state.get({ group: "", plural: "services" }, callee.name, namespace);
  const problem = judgeService(service, callee);
  if (problem !== undefined) throw notAnswered(address.url, problem);
  const found = await route({ namespace, name: callee.name, port }, state);
  if (found === undefined) {
    return { skipped: `the code behind service ${namespace}/${callee.name} is not rehearsed` };
  }
  if ("refused" in found) throw notAnswered(address.url, found.refused);
  const clusterIP = asString(getOwn(getOwn(service, "spec"), "clusterIP"));
  const shown = clusterIP === undefined ? `${found.host}:${found.port}` : `${clusterIP}:${port}`;
  return { ...found, ...address, name, shown, caBundle };
}

/** Why a Service cannot be called at a port; undefined where it can. */
export function judgeService(
  service: unknown,
  { name, port }: Pick<ServicePort, "name" | "port">,
): string | undefined {
  if (service === undefined) return `service ${JSON.stringify(name)} not found`;
  const spec = getOwn(service, "spec");
  if (getOwn(spec, "type") === "ExternalName") return undefined;
  if (getOwn(spec, "clusterIP") === "None") return 'cannot route to service with ClusterIP "None"';
  const ports = asArray(getOwn(spec, "ports")).map((one) => getOwn(one, "port"));
  if (ports.includes(port)) return undefined;
  return `no service port ${port} found for service ${JSON.stringify(name)}`;
}

/** Nothing outside this machine is called. */
function targetOfUrl(
  address: string,
  { caBundle, timeoutSeconds }: WebhookEntry,
): WebhookTarget | Skipped {
  const { protocol, hostname, pathname, port } = new URL(address);
  const host = hostname === "localhost" ? "127.0.0.1" : hostname.replace(/^\[(.*)\]$/, "$1");
  const isLoopback = host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (!isLoopback || protocol !== "https:") {
    return { skipped: `${hostname} is outside of this machine, where a rehearsal calls nobody` };
  }
  const number = port === "" ? 443 : Number(port);
  return {
    host,
    port: number,
    ...buildAddress(port === "" ? hostname : `${hostname}:${port}`, pathname, timeoutSeconds),
    name: hostname === "localhost" ? hostname : host,
    shown: `${host}:${number}`,
    caBundle,
  };
}

type Address = Pick<WebhookTarget, "authority" | "path" | "url">;

/** As Go prints it: with the port even where it is the usual one. */
function buildAddress(authority: string, path: string, timeoutSeconds: number): Address {
  const { pathname } = new URL(path, "https://path");
  const called = `${pathname}?timeout=${timeoutSeconds}s`;
  return { authority, path: called, url: `https://${authority}${called}` };
}
