/** Who else looks after an object: Helm, OLM, a GitOps controller (domain facts 4.4). */
import type { KubeObject } from "./objects";
import { getOwn, asString } from "../base/values";
import type { StatusCause } from "../base/errors";
import { error, type Explained, type Finding } from "../base/findings";

/** Another owner and its own way of changing the object. */
export interface Owner {
  readonly name: string;
  readonly way: string;
}

interface Mark extends Owner {
  readonly labels?: readonly string[];
  readonly annotations?: readonly string[];
}

const trackingId = "argocd.argoproj.io/tracking-id";

// The label app.kubernetes.io/instance alone is no sign: people set it by hand.
const marks: readonly Mark[] = [
  {
    name: "OLM",
    way: "approve the InstallPlan of the operator's Subscription; OLM writes the webhook",
    labels: ["olm.owner", "olm.managed", "olm.webhook-description-generate-name"],
    annotations: ["olm.operatorGroup"],
  },
  {
    name: "Argo CD",
    way: "change the object in the repository of the Argo CD application and sync it",
    labels: ["argocd.argoproj.io/instance"],
    annotations: [trackingId],
  },
  {
    name: "Flux",
    way: "change the object in the repository that Flux follows and reconcile it",
    labels: ["kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"],
  },
  {
    name: "Fleet",
    way: "change the object in the repository of the Fleet bundle",
    annotations: ["objectset.rio.cattle.io/id"],
    labels: ["objectset.rio.cattle.io/hash"],
  },
  {
    name: "Config Sync",
    way: "change the object in the repository that Config Sync follows",
    annotations: ["configsync.gke.io/resource-id"],
  },
  {
    name: "HNC",
    way: "change the object in the parent namespace from which HNC copies it",
    labels: ["hnc.x-k8s.io/inherited-from"],
  },
  {
    name: "Kyverno",
    way: "change the policy of Kyverno that generates the object",
    labels: ["generate.kyverno.io/policy-name"],
  },
  {
    name: "Helm",
    way: "upgrade the release with helm upgrade",
    annotations: ["meta.helm.sh/release-name", "meta.helm.sh/release-namespace"],
  },
];

/** Told to leave the object as it is, Flux owns it no more. */
const leftAlone: readonly (readonly [annotation: string, value: string])[] = [
  ["kustomize.toolkit.fluxcd.io/reconcile", "disabled"],
  ["kustomize.toolkit.fluxcd.io/ssa", "Ignore"],
];

/** The owner that an object's labels, annotations or owner references show, if any; the most exact mark counts. */
export function ownerOf(object: KubeObject): Owner | undefined {
  const { labels, annotations, ownerReferences } = object.metadata;
  const byOlm = (ownerReferences ?? []).some(
    (reference) => asString(getOwn(reference, "kind")) === "ClusterServiceVersion",
  );
  if (byOlm) return marks.find(({ name }) => name === "OLM");
  const found = marks.find(
    (mark) =>
      (mark.labels ?? []).some((key) => getOwn(labels, key) !== undefined) ||
      (mark.annotations ?? []).some((key) => isOwnMark(object, key)),
  );
  const isLeft = leftAlone.some(([key, value]) => getOwn(annotations, key) === value);
  if (found !== undefined) return found.name === "Flux" && isLeft ? undefined : found;
  // charts that are rendered and applied by others have the label, too
  return getOwn(labels, "app.kubernetes.io/managed-by") === "Helm"
    ? marks.find(({ name }) => name === "Helm")
    : undefined;
}

/** An annotation is copied with an object; that of Argo CD says which object it was written to. */
function isOwnMark({ apiVersion, kind, metadata }: KubeObject, key: string): boolean {
  const value = getOwn(metadata.annotations, key);
  if (typeof value !== "string" || key !== trackingId) return value !== undefined;
  const tracked = /:([^/:]*)\/([^/:]+):([^/:]*)\/([^/:]+)$/.exec(value);
  if (tracked === null) return true;
  const [, group, trackedKind, namespace, name] = tracked;
  const own = apiVersion.includes("/") ? apiVersion.replace(/\/.*/, "") : "";
  const isPlace = metadata.namespace === undefined || metadata.namespace === namespace;
  return group === own && trackedKind === kind && name === metadata.name && isPlace;
}

/** Nobody but people's own kubectl and this tool has written the object as it was read. */
export function isPersons({ metadata }: KubeObject, ours: readonly string[]): boolean {
  const managers = metadata.managedFields ?? [];
  return managers.every(({ manager = "" }) => isPersonsManager(manager, ours));
}

/** Managers that a person's kubectl or oc leaves behind; a take-over from these is no theft. */
export function isPersonsManager(manager: string, ours: readonly string[]): boolean {
  if (ours.includes(manager) || manager === "before-first-apply") return true;
  return /^(kubectl|oc)(-(create|client-side-apply|apply|edit|patch|replace|label|annotate|last-applied|set))?(\.exe)?$/.test(
    manager,
  );
}

/** The code of a field that somebody else holds. */
export const conflictFindings = {
  fieldConflict: error("FIELD-CONFLICT", "S18", {
    cause: "another field manager holds a field that has to be written, and may write it again",
    fix: "change the field through that manager, or take it with --take-fields",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** Force when only a person's own kubectl or oc holds the fields; else the findings say who does. */
type ConflictVerdict =
  { readonly is: "force" } | { readonly is: "refuse"; readonly findings: readonly Finding[] };

/** What the verdict rests on. */
interface ConflictFacts {
  readonly causes: readonly StatusCause[];
  readonly object: string;
  /** Managers that count as this tool's own. */
  readonly ours: readonly string[];
  /** Fields that the person has said to take, as the conflict names them. */
  readonly takeFields: readonly string[];
}

/** Judges the causes of a 409 of a server-side apply. */
export function judgeConflict(facts: ConflictFacts): ConflictVerdict {
  const held = heldOf(facts.causes);
  const foreign = held.filter(
    ({ field, manager }) =>
      !isPersonsManager(manager, facts.ours) && !takes(facts.takeFields, field),
  );
  if (held.length > 0 && foreign.length === 0) return { is: "force" };
  const named = foreign.length > 0 ? foreign : [{ field: "", manager: "" }];
  return {
    is: "refuse",
    findings: named.map(({ field, manager }): Finding => ({
      ...conflictFindings.fieldConflict,
      object: facts.object,
      ...(field !== "" && { field }),
      cause: `the field is held by ${manager === "" ? "another manager" : `manager "${manager}"`}, which may write it again`,
      fix:
        field === ""
          ? "find out who writes the object: kubectl get -o yaml --show-managed-fields"
          : `change it through that manager, or take the field with --take-fields '${field}'`,
    })),
  };
}

/** A field that someone else holds, and that an apply would change. */
export interface HeldField {
  readonly field: string;
  readonly manager: string;
}

/** The fields and managers of a 409, which names the manager in the message alone: `conflict with "NAME" using …`. */
export function heldOf(causes: readonly StatusCause[]): readonly HeldField[] {
  return causes.map(({ field = "", message = "" }) => ({
    field,
    manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? "",
  }));
}

/** True for a field that --take-fields names: the API server writes a dot before it. */
export function takes(takeFields: readonly string[], field: string): boolean {
  return takeFields.some((wanted) => bareField(wanted) === bareField(field));
}

function bareField(field: string): string {
  return field.replace(/^\./, "");
}
