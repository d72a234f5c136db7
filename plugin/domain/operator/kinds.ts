/** The kinds that an operator's bundle holds, in the order in which they are written (S16). */
import { kinds } from "../kinds";
import type { KubeObject, Ref, Resource } from "../objects";
import { rbacKinds } from "../rbac/kinds";
import { constraintResource } from "../scc/constraint";

/** A kind of the bundle: its step, and whether it lies in a namespace. */
export interface BundleKind {
  readonly resource: Resource;
  readonly step: string;
  readonly namespaced: boolean;
}

/** Definitions of kinds, which are cluster-wide and shared by all operators. */
export const definitionResource: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
};

const account: Resource = {
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
};

const own = (step: string, resource: Resource): BundleKind => ({
  step: `operator.${step}`,
  resource,
  namespaced: true,
});
const wide = (step: string, resource: Resource): BundleKind => ({
  ...own(step, resource),
  namespaced: false,
});

/** In the order of writing: what comes later needs what comes before. */
export const bundleKinds: readonly BundleKind[] = [
  wide("crd", definitionResource),
  // bundles for OpenShift up to 7.8 bring it
  wide("constraint", constraintResource),
  own("account", account),
  own("role", rbacKinds.role),
  wide("role", rbacKinds.clusterRole),
  own("binding", rbacKinds.roleBinding),
  wide("binding", rbacKinds.clusterRoleBinding),
  own("settings", kinds.configMap),
  own("service", kinds.service),
  own("deployment", kinds.deployment),
];

/** The kind of an object, undefined when it is none of a bundle's. */
export function bundleKindOf({ apiVersion, kind }: KubeObject): BundleKind | undefined {
  return bundleKinds.find(({ resource }) => {
    const { group, version } = resource;
    const served = group === "" ? version : `${group}/${version}`;
    return resource.kind === kind && served === apiVersion;
  });
}

/** Where the object is stored. */
export function bundleRef({ resource, namespaced }: BundleKind, { metadata }: KubeObject): Ref {
  const { name = "", namespace } = metadata;
  return { resource, name, ...(namespaced && namespace !== undefined && { namespace }) };
}
