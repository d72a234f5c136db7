/** The entries of stored webhook configurations, with what the API server puts in where nothing is said. */
import { asString, oncePer } from "../../domain/base/values";
import { kinds } from "../../domain/kube/kinds";
import type {
  LabelSelector,
  MutatingWebhook,
  Namespace,
  Service,
  ValidatingWebhook,
  WebhookConfiguration,
  WebhookRule,
} from "../../domain/kube/models";
import { readName } from "../../domain/kube/objects";
import type { Resource } from "../../ports/kubernetes";
import type { Attempt, StateView } from "../model";
import { ApiError } from "../../domain/base/errors";
import { isEmptySelector, selects } from "../../domain/kube/selectors";
import { isIP } from "node:net";
import { notAnswered } from "./trust";

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
  readonly namespaceSelector: LabelSelector | null | undefined;
  readonly objectSelector: LabelSelector | null | undefined;
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
  kind: typeof kinds.webhookConfiguration | typeof kinds.mutatingConfiguration,
  state: StateView,
): readonly WebhookEntry[] {
  return [...state.list(kind)]
    .sort((a, b) => (readName(a) < readName(b) ? -1 : 1))
    .flatMap(entriesIn);
}

/** Stored objects are never changed in place, so what was read of one stays right. */
const entriesIn = oncePer(({ webhooks }: WebhookConfiguration): readonly WebhookEntry[] =>
  (webhooks ?? []).map(parseEntry),
);

function parseEntry(entry: MutatingWebhook | ValidatingWebhook): WebhookEntry {
  return {
    name: entry.name ?? "",
    rules: entry.rules ?? [],
    equivalent: entry.matchPolicy !== "Exact",
    namespaceSelector: entry.namespaceSelector,
    objectSelector: entry.objectSelector,
    conditional: (entry.matchConditions ?? []).length > 0,
    callee: readCallee(entry.clientConfig),
    caBundle: entry.clientConfig?.caBundle ?? "",
    failOpen: entry.failurePolicy === "Ignore",
    dryRunSafe: ["None", "NoneOnDryRun"].includes(entry.sideEffects ?? ""),
    timeoutSeconds: entry.timeoutSeconds ?? 10,
    reviewVersions: entry.admissionReviewVersions ?? [],
  };
}

function readCallee(client: ValidatingWebhook["clientConfig"]): Callee {
  const url = asString(client?.url);
  if (url !== undefined) return { kind: "url", url };
  const service = client?.service;
  return {
    kind: "service",
    name: service?.name ?? "",
    namespace: service?.namespace ?? "",
    port: service?.port ?? 443,
    path: asString(service?.path) ?? "/",
  };
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
  const scope = asString(rule.scope) ?? "*";
  return (
    holds(rule.operations, attempt.operation) &&
    holds(rule.apiGroups, group) &&
    holds(rule.apiVersions, version) &&
    // The port writes no subresource: `pods/status` and the like never match, `pods/*` does.
    ["*", "*/*", plural, `${plural}/*`].some((one) => rule.resources?.includes(one) === true) &&
    (scope === "*" || (scope === "Namespaced") === attempt.definition.namespaced)
  );
}

function holds(set: readonly string[] | null | undefined, wanted: string): boolean {
  return set?.some((one) => one === "*" || one === wanted) === true;
}

/** The version of the request, then, where the entry wants it, the others of the same kind. */
function listVersions(
  entry: WebhookEntry,
  { definition }: Attempt,
  state: StateView,
): readonly Resource[] {
  const { resource, custom } = definition;
  if (!entry.equivalent || !custom) return [resource];
  const crd = state.get(kinds.definition, `${resource.plural}.${resource.group}`);
  const others = (crd?.spec?.versions ?? []).filter(
    ({ name, served }) => served === true && name !== resource.version,
  );
  return [resource, ...others.map(({ name }) => ({ ...resource, version: name ?? "" }))];
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

function findNamespace({ namespace }: Attempt, state: StateView): Namespace | undefined {
  if (namespace === undefined) return undefined;
  const found = state.get(kinds.namespace, namespace);
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
  const service = state.get(kinds.service, callee.name, namespace);
  const problem = judgeService(service, callee);
  if (problem !== undefined) throw notAnswered(address.url, problem);
  const found = await route({ namespace, name: callee.name, port }, state);
  if (found === undefined) {
    return { skipped: `the code behind service ${namespace}/${callee.name} is not rehearsed` };
  }
  if ("refused" in found) throw notAnswered(address.url, found.refused);
  const clusterIP = asString(service?.spec?.clusterIP);
  const shown = clusterIP === undefined ? `${found.host}:${found.port}` : `${clusterIP}:${port}`;
  return { ...found, ...address, name, shown, caBundle };
}

/** Why a Service cannot be called at a port; undefined where it can. */
export function judgeService(
  service: Service | undefined,
  { name, port }: Pick<ServicePort, "name" | "port">,
): string | undefined {
  if (service === undefined) return `service ${JSON.stringify(name)} not found`;
  const { type, clusterIP, ports } = service.spec ?? {};
  if (type === "ExternalName") return undefined;
  if (clusterIP === "None") return 'cannot route to service with ClusterIP "None"';
  if (ports?.some((one) => one.port === port) === true) return undefined;
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
    shown: `${host.includes(":") ? `[${host}]` : host}:${number}`,
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
