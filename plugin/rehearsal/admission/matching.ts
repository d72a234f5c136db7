/** Which entries a write is shown to, and as which version of its kind. */
import { ApiError } from "../../domain/errors";
import { list, own, text } from "../../domain/values";
import { isEmptySelector, selects } from "../../domain/kube/selectors";
import type { KubeObject, Resource } from "../../run/ports";
import type { Attempt, StateView } from "../model";
import type { Entry, Rule } from "./entries";

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
  const served = list(own(own(crd, "spec"), "versions"))
    .filter((version) => own(version, "served") === true)
    .map((version) => text(own(version, "name")) ?? "");
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
