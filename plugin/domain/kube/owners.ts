/** Who else looks after an object: Helm, OLM, a GitOps controller (domain facts 4.4). */
import { olmKinds } from "./kinds";
import { type KubeObject, objectLabel, type Resource } from "./objects";
import { getOwn, asString, type Json } from "../base/values";
import type { StatusCause } from "../base/errors";
import { error, type Explained, type Finding } from "../base/findings";

/** Another owner and its own way of changing the object. */
export interface Owner {
  readonly name: string;
  readonly way: string;
  /** How the object is given over, where nobody can see from here whether the owner is still at work. */
  readonly over?: string;
  /** Why it is no owner any more: what made the mark is gone. */
  readonly left?: string;
}

/** A label or an annotation, and the value that counts; absent: any. */
type Sign = readonly [key: string, value?: string];

interface Mark extends Omit<Owner, "over" | "left"> {
  readonly labels?: readonly Sign[];
  readonly annotations?: readonly Sign[];
  /**
   * How the object is given over, where the owner may live in another cluster: an annotation that is put on it, its
   * marks taken off, or a line of the owner's own program.
   */
  readonly over?: string | ((object: KubeObject, mark: Mark) => string);
}

const trackingId = "argocd.argoproj.io/tracking-id";
const managedBy = "app.kubernetes.io/managed-by";
const alongside = "operatorframework.io/installed-alongside-";

// The label app.kubernetes.io/instance alone is no sign: people set it by hand.
const marks: readonly Mark[] = [
  {
    name: "OLM",
    way: "approve the InstallPlan of the operator's Subscription; OLM writes the webhook",
    labels: [["olm.owner"], ["olm.managed"], ["olm.webhook-description-generate-name"]],
    annotations: [["olm.operatorGroup"]],
  },
  {
    name: "Argo CD",
    way: "change the object in the repository of the Argo CD application and sync it",
    labels: [["argocd.argoproj.io/instance"]],
    annotations: [[trackingId]],
    over: withoutMarks,
  },
  {
    name: "Flux",
    way: "change the object in the repository that Flux follows and reconcile it",
    labels: [["kustomize.toolkit.fluxcd.io/name"]],
    over: "kustomize.toolkit.fluxcd.io/reconcile=disabled",
  },
  {
    // helm-controller reads no annotation of an object
    name: "Flux",
    way: "change the values of the HelmRelease in the repository that Flux follows and reconcile it",
    labels: [["helm.toolkit.fluxcd.io/name"]],
    over: suspendRelease,
  },
  {
    name: "Fleet",
    way: "change the object in the repository of the Fleet bundle",
    annotations: [["objectset.rio.cattle.io/id"]],
    labels: [["objectset.rio.cattle.io/hash"]],
    over: withoutMarks,
  },
  {
    name: "Config Sync",
    way: "change the object in the repository that Config Sync follows",
    labels: [[managedBy, "configmanagement.gke.io"]],
    annotations: [["configsync.gke.io/resource-id"]],
    over: "configmanagement.gke.io/managed=disabled",
  },
  {
    name: "HNC",
    way: "change the object in the parent namespace from which HNC copies it",
    labels: [["hnc.x-k8s.io/inherited-from"]],
  },
  {
    name: "Kyverno",
    way: "change the policy of Kyverno that generates the object",
    labels: [["generate.kyverno.io/policy-name"], [managedBy, "kyverno"]],
  },
  {
    name: "Helm",
    way: "upgrade the release with helm upgrade",
    annotations: [["meta.helm.sh/release-name"], ["meta.helm.sh/release-namespace"]],
  },
  {
    // a chart that something else renders and applies has the label, and no release
    name: "Helm",
    way: "upgrade the release with helm upgrade",
    labels: [[managedBy, "Helm"]],
    over: withoutMarks,
  },
];

/** Told to leave the object as it is, these own it no more. */
const leftAlone: readonly (readonly [owner: string, annotation: string, value: string])[] = [
  ["Flux", "kustomize.toolkit.fluxcd.io/reconcile", "disabled"],
  ["Flux", "kustomize.toolkit.fluxcd.io/ssa", "Ignore"],
  ["Config Sync", "configmanagement.gke.io/managed", "disabled"],
];

/** What made a mark, by the object that has it: why that is no owner any more, by the object's label. */
export type LeftMarks = ReadonlyMap<string, string>;

/**
 * The owner that an object's labels, annotations or owner references show, if any; the most exact mark
 * counts. `left`: the objects whose owner was looked for and is gone.
 */
export function findOwner(object: KubeObject, left?: LeftMarks): Owner | undefined {
  const mark = findMark(object);
  if (mark === undefined) return undefined;
  const { name, way } = mark;
  const over =
    typeof mark.over === "string"
      ? renderLine("annotate", object, [mark.over])
      : mark.over?.(object, mark);
  const why = left?.get(objectLabel(object));
  return {
    ...{ name, way },
    ...(over !== undefined && { over }),
    ...(why !== undefined && { left: why }),
  };
}

/** The owner that is at work, or may be: only such a one stands against a write. */
export function findLivingOwner(
  object: KubeObject,
  left: LeftMarks | undefined,
): Owner | undefined {
  const owner = findOwner(object, left);
  return owner?.left === undefined ? owner : undefined;
}

function findMark(object: KubeObject): Mark | undefined {
  const { labels, annotations, ownerReferences = [] } = object.metadata;
  const isOlms =
    ownerReferences.some(isVersion) ||
    Object.keys(annotations ?? {}).some((key) => key.startsWith(alongside));
  if (isOlms) return marks.find(({ name }) => name === "OLM");
  const found = marks.find(
    (mark) =>
      (mark.labels ?? []).some((sign) => hasSign(labels, sign)) ||
      (mark.annotations ?? []).some(
        (sign) => hasSign(annotations, sign) && isOwnMark(object, sign[0]),
      ),
  );
  const isLeft = leftAlone.some(
    ([owner, key, value]) => owner === found?.name && getOwn(annotations, key) === value,
  );
  return isLeft ? undefined : found;
}

function hasSign(map: unknown, [key, value]: Sign): boolean {
  const found = getOwn(map, key);
  return value === undefined ? found !== undefined : found === value;
}

function isVersion(reference: Json): boolean {
  return getOwn(reference, "kind") === "ClusterServiceVersion";
}

function renderLine(
  verb: "annotate" | "label",
  object: KubeObject,
  what: readonly string[],
): string {
  const { namespace, name = "" } = object.metadata;
  const place = namespace === undefined ? "" : ` --namespace=${namespace}`;
  return `kubectl ${verb} ${object.kind.toLowerCase()} ${name}${place} ${what.join(" ")}`;
}

/** Each mark of the owner that the object has is taken off. */
function withoutMarks(object: KubeObject, mark: Mark): string {
  const { labels, annotations } = object.metadata;
  const off = (map: unknown, signs: readonly Sign[] = []): readonly string[] =>
    signs.filter((sign) => hasSign(map, sign)).map(([key]) => `${key}-`);
  const lines = [
    { verb: "annotate", keys: off(annotations, mark.annotations) },
    { verb: "label", keys: off(labels, mark.labels) },
  ] as const;
  return lines
    .filter(({ keys }) => keys.length > 0)
    .map(({ verb, keys }) => renderLine(verb, object, keys))
    .join(" && ");
}

/** The HelmRelease that the labels name is not carried out until it is resumed. */
function suspendRelease({ metadata: { labels, namespace } }: KubeObject): string {
  const name = String(getOwn(labels, "helm.toolkit.fluxcd.io/name"));
  const place = asString(getOwn(labels, "helm.toolkit.fluxcd.io/namespace")) ?? namespace;
  return `flux suspend helmrelease ${name}${place === undefined ? "" : ` --namespace=${place}`}`;
}

/** A finding's fix where an owner stands against a write. */
export function renderOwnersWay({ way, over }: Owner): string {
  const given = "; where it is to be given over, or is the owner's no more, with: ";
  return over === undefined ? way : `${way}${given}${over}`;
}

/** Who owns an object that a run is to write: an error while that owner may be at work. */
export function judgeOwnership(owner: Owner): Pick<Finding, "severity" | "cause" | "fix"> {
  const { name, left } = owner;
  if (left === undefined) {
    const cause = `${name} owns the object and would undo or fight the change`;
    return { severity: "error", cause, fix: renderOwnersWay(owner) };
  }
  const cause = `it has marks of ${name} and may be written all the same: ${left}`;
  return { severity: "warning", cause, fix: `nothing, unless ${name} is to have it again` };
}

/** A ClusterServiceVersion of OLM. */
interface Version {
  readonly namespace: string;
  readonly name: string;
}

/** Kinds by which owners are looked for. */
export const ownerResources = {
  versions: olmKinds.clusterServiceVersion,
  subscriptions: olmKinds.subscription,
  policies: {
    group: "kyverno.io",
    version: "v1",
    kind: "ClusterPolicy",
    plural: "clusterpolicies",
  },
} as const satisfies Readonly<Record<string, Resource>>;

/** What to look for to see whether the owner of an object is still there. */
export type Sought =
  | { readonly is: "versions"; readonly versions: readonly Version[] }
  | { readonly is: "namespace"; readonly name: string }
  | { readonly is: "policy"; readonly name: string };

/** Undefined where an absence would prove nothing: the owner may live in another cluster, or is not named. */
export function seekOwner(object: KubeObject): Sought | undefined {
  const { labels, annotations } = object.metadata;
  const text = (map: unknown, key: string): string | undefined => asString(getOwn(map, key));
  const { name = "" } = findMark(object) ?? {};
  switch (name) {
    case "OLM":
      return soughtVersions(findVersions(object));
    case "HNC":
      return soughtAs("namespace", text(labels, "hnc.x-k8s.io/inherited-from"));
    case "Kyverno":
      return text(labels, "generate.kyverno.io/policy-namespace") === undefined
        ? soughtAs("policy", text(labels, "generate.kyverno.io/policy-name"))
        : undefined;
    case "Helm": {
      const place = text(annotations, "meta.helm.sh/release-namespace");
      return place === object.metadata.namespace ? undefined : soughtAs("namespace", place);
    }
    default:
      return undefined;
  }
}

function soughtVersions(versions: readonly Version[]): Sought | undefined {
  const isPlaced = versions.length > 0 && versions.every(({ namespace }) => namespace !== "");
  return isPlaced ? { is: "versions", versions } : undefined;
}

function soughtAs(is: "namespace" | "policy", name: string | undefined): Sought | undefined {
  return name === undefined || name === "" ? undefined : { is, name };
}

/** The ClusterServiceVersions that the object says it is of; on a definition the annotation names them. */
function findVersions({ metadata }: KubeObject): readonly Version[] {
  const { labels, annotations, ownerReferences = [], namespace: own = "" } = metadata;
  const namespace = asString(getOwn(labels, "olm.owner.namespace")) ?? own;
  const referred = ownerReferences.filter(isVersion);
  const named = [...referred.map((one) => getOwn(one, "name")), getOwn(labels, "olm.owner")];
  const beside = Object.entries(annotations ?? {}).flatMap(([key, value]) => {
    const [namespace, name] = [value.replace(/\/.*$/, ""), value.replace(/^[^/]*\/?/, "")];
    return key.startsWith(alongside) ? [{ namespace, name }] : [];
  });
  return [
    ...named.flatMap((name) => (typeof name === "string" ? [{ namespace, name }] : [])),
    ...beside,
  ];
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
  const held = listHeld(facts.causes);
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
export function listHeld(causes: readonly StatusCause[]): readonly HeldField[] {
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
