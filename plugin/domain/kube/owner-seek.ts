/** What to look for to see whether the owner of an object is still there (domain facts 4.4). */
import { getOwn, asString, type Json } from "../base/values";
import { olmKinds } from "./kinds";
import { type KubeObject, objectLabel, type Resource } from "./objects";
import type { LeftMarks } from "./owners";
import { alongside, findController, findMark } from "./owner-marks";

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
  generatingPolicies: {
    group: "policies.kyverno.io",
    version: "v1",
    kind: "GeneratingPolicy",
    plural: "generatingpolicies",
  },
  extensions: {
    group: "olm.operatorframework.io",
    version: "v1",
    kind: "ClusterExtension",
    plural: "clusterextensions",
  },
  helmReleases: {
    group: "helm.toolkit.fluxcd.io",
    version: "v2",
    kind: "HelmRelease",
    plural: "helmreleases",
  },
} as const satisfies Readonly<Record<string, Resource>>;

/** What to look for to see whether the owner of an object is still there. */
export type Sought =
  | { readonly is: "versions"; readonly versions: readonly Version[] }
  | { readonly is: "namespace"; readonly name: string }
  | { readonly is: "policy" | "extension"; readonly name: string }
  /** Its absence proves nothing: it may live in another cluster. What is suspended writes nothing. */
  | { readonly is: "helmRelease"; readonly namespace: string; readonly name: string }
  /** Found by what an owner reference or a mark says of it; its plural is the API server's to tell. */
  | {
      readonly is: "object";
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly namespace: string | undefined;
    };

/** Undefined where an absence would prove nothing: the owner may live in another cluster, or is not named. */
export function seekOwner(object: KubeObject): Sought | undefined {
  if (object.kind === "Secret") return seekKeeper(object) ?? seekMarked(object);
  return seekMarked(object);
}

/** True where the owner was looked for and found: what may not be read, or lives elsewhere, was not. */
export function isLookedFor(object: KubeObject, left: LeftMarks | undefined): boolean {
  return left?.has(objectLabel(object)) === false && seekOwner(object) !== undefined;
}

/** Annotations of a Secret that name, or stand for, the object that it is kept by. */
const keptBy: readonly (readonly [annotation: string, apiVersion: string, kind: string])[] = [
  ["cert-manager.io/certificate-name", "cert-manager.io/v1", "Certificate"],
  ["service.beta.openshift.io/originating-service-name", "v1", "Service"],
  ["service.alpha.openshift.io/originating-service-name", "v1", "Service"],
];

/** What keeps a Secret: what its owner references name, else its annotations. */
function seekKeeper(secret: KubeObject): Sought | undefined {
  const { annotations, namespace, ownerReferences = [] } = secret.metadata;
  const [reference] = ownerReferences.filter((one) => !isVersion(one));
  if (reference !== undefined) return seekReference(secret, reference);
  for (const [key, apiVersion, kind] of keptBy) {
    const name = asString(getOwn(annotations, key));
    if (name !== undefined) return { is: "object", apiVersion, kind, name, namespace };
  }
  return undefined;
}

function seekMarked(object: KubeObject): Sought | undefined {
  const { labels, annotations } = object.metadata;
  const text = (map: unknown, key: string): string | undefined => asString(getOwn(map, key));
  const { name = "" } = findMark(object) ?? {};
  switch (name) {
    case "OLM":
      return soughtVersions(findVersions(object));
    case "Flux":
      return seekHelmRelease(object) ?? seekController(object);
    case "HNC":
      return soughtAs("namespace", text(labels, "hnc.x-k8s.io/inherited-from"));
    case "Kyverno":
      return seekPolicy(object);
    case "Terraform":
    case "Helm": {
      const place = text(annotations, "meta.helm.sh/release-namespace");
      return place === object.metadata.namespace ? undefined : soughtAs("namespace", place);
    }
    case "OLM v1":
      return soughtAs("extension", text(labels, "olm.operatorframework.io/owner-name"));
    default:
      return seekController(object);
  }
}

/** Undefined where a Kustomization of Flux writes the object, which its own annotation tells to leave it. */
function seekHelmRelease({ metadata }: KubeObject): Sought | undefined {
  const [name, namespace, kustomization] = [
    "helm.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/namespace",
    "kustomize.toolkit.fluxcd.io/name",
  ].map((key) => asString(getOwn(metadata.labels, key)));
  if (name === undefined || namespace === undefined || kustomization !== undefined)
    return undefined;
  return { is: "helmRelease", namespace, name };
}

/** A policy of a namespace may be of two kinds; Kyverno writes an empty namespace for one of the cluster. */
function seekPolicy({ metadata }: KubeObject): Sought | undefined {
  const read = (key: string): string =>
    asString(getOwn(metadata.labels, `generate.kyverno.io/policy-${key}`)) ?? "";
  return read("namespace") === "" ? soughtAs("policy", read("name")) : undefined;
}

function soughtVersions(versions: readonly Version[]): Sought | undefined {
  const isPlaced = versions.length > 0 && versions.every(({ namespace }) => namespace !== "");
  return isPlaced ? { is: "versions", versions } : undefined;
}

/** The object that an owner reference of a controller names. */
function seekController(object: KubeObject): Sought | undefined {
  const reference = findController(object);
  return reference === undefined ? undefined : seekReference(object, reference);
}

/** What an owner reference names: an object of the same namespace, or of the cluster. */
function seekReference({ metadata }: KubeObject, reference: Json): Sought {
  const [apiVersion, kind, name] = ["apiVersion", "kind", "name"].map((key) =>
    String(getOwn(reference, key)),
  ) as [string, string, string];
  return { is: "object", apiVersion, kind, name, namespace: metadata.namespace };
}

function soughtAs(
  is: "namespace" | "policy" | "extension",
  name: string | undefined,
): Sought | undefined {
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

function isVersion(reference: Json): boolean {
  return getOwn(reference, "kind") === olmKinds.clusterServiceVersion.kind;
}
