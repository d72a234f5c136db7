/** The entries of stored webhook configurations, with what the API server puts in where nothing is said. */
import { type Json, asArray, getOwn, asString } from "../../domain/values";
import type { KubeObject, Resource } from "../../run/ports";
import type { Attempt, StateView } from "../model";
import { ApiError } from "../../domain/errors";
import { isEmptySelector, selects } from "../../domain/kube/selectors";

/** Which requests a rule of an entry means. */
export interface Rule {
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
export interface Entry {
  readonly name: string;
  readonly rules: readonly Rule[];
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

/** Stored objects are never changed in place, so what was read of one stays right. */
const parsed = new WeakMap<KubeObject, readonly Entry[]>();

/** All entries, by the name of their configuration and their place in it. */
export function entriesOf(
  plural: "validatingwebhookconfigurations" | "mutatingwebhookconfigurations",
  state: StateView,
): readonly Entry[] {
  const configurations = state.list({ group: "admissionregistration.k8s.io", plural });
  const nameOf = ({ metadata: { name = "" } }: KubeObject): string => name;
  return [...configurations].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).flatMap(entriesIn);
}

function entriesIn(configuration: KubeObject): readonly Entry[] {
  const known = parsed.get(configuration);
  if (known !== undefined) return known;
  const entries = asArray(getOwn(configuration, "webhooks")).map(parseEntry);
  parsed.set(configuration, entries);
  return entries;
}

function parseEntry(entry: unknown): Entry {
  const client = getOwn(entry, "clientConfig");
  const timeout = getOwn(entry, "timeoutSeconds");
  return {
    name: asString(getOwn(entry, "name")) ?? "",
    rules: asArray(getOwn(entry, "rules")).map(parseRule),
    equivalent: getOwn(entry, "matchPolicy") !== "Exact",
    namespaceSelector: getOwn(entry, "namespaceSelector"),
    objectSelector: getOwn(entry, "objectSelector"),
    conditional: asArray(getOwn(entry, "matchConditions")).length > 0,
    callee: calleeOf(client),
    caBundle: asString(getOwn(client, "caBundle")) ?? "",
    failOpen: getOwn(entry, "failurePolicy") === "Ignore",
    dryRunSafe: ["None", "NoneOnDryRun"].includes(asString(getOwn(entry, "sideEffects")) ?? ""),
    timeoutSeconds: typeof timeout === "number" ? timeout : 10,
    reviewVersions: strings(entry, "admissionReviewVersions"),
  };
}

function parseRule(rule: unknown): Rule {
  return {
    apiGroups: strings(rule, "apiGroups"),
    apiVersions: strings(rule, "apiVersions"),
    operations: strings(rule, "operations"),
    resources: strings(rule, "resources"),
    scope: asString(getOwn(rule, "scope")) ?? "*",
  };
}

function calleeOf(client: unknown): Callee {
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

function strings(value: unknown, key: keyof Rule | "admissionReviewVersions"): readonly string[] {
  return asArray(getOwn(value as Json, key)).map(String);
}

/** An entry that is to be called, and the version that its rules name. */
export interface Invocation {
  readonly entry: Entry;
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
export function invocationOf(
  entry: Entry,
  attempt: Attempt,
  state: StateView,
): Invocation | undefined {
  if (!selectsObject(entry, attempt)) return undefined;
  const resource = versionsOf(entry, attempt, state).find((version) =>
    entry.rules.some((rule) => matches(rule, version, attempt)),
  );
  if (resource === undefined || !selectsNamespace(entry, attempt, state)) return undefined;
  return { entry, resource };
}

function matches(rule: Rule, { group, version, plural }: Resource, attempt: Attempt): boolean {
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
function versionsOf(entry: Entry, { definition }: Attempt, state: StateView): readonly Resource[] {
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

function selectsObject({ objectSelector }: Entry, { object, before }: Attempt): boolean {
  return [object, before].some(
    (one) => one !== undefined && selects(objectSelector, one.metadata.labels ?? {}),
  );
}

/** Objects of no namespace are selected by every selector, namespaces by their own labels. */
function selectsNamespace(
  { namespaceSelector }: Entry,
  attempt: Attempt,
  state: StateView,
): boolean {
  if (isEmptySelector(namespaceSelector)) return true;
  const namespace = isNamespace(attempt)
    ? (attempt.object ?? attempt.before)
    : namespaceOf(attempt, state);
  return namespace === undefined || selects(namespaceSelector, namespace.metadata.labels ?? {});
}

/** True for a write of a Namespace itself. */
export function isNamespace({ definition: { resource } }: Attempt): boolean {
  return resource.group === "" && resource.plural === "namespaces";
}

function namespaceOf({ namespace }: Attempt, state: StateView): KubeObject | undefined {
  if (namespace === undefined) return undefined;
  const found = state.get({ group: "", plural: "namespaces" }, namespace);
  if (found !== undefined) return found;
  const message = `namespaces ${JSON.stringify(namespace)} not found`;
  throw new ApiError(message, { status: 404, reason: "NotFound" });
}
