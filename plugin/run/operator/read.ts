/** What is there, and the permissions to read and to write it. */
import { ApiError, exitCodes } from "../../domain/errors";
import { kinds } from "../../domain/kinds";
import type { KubeObject, Ref, Resource } from "../../domain/objects";
import { operatorFinding } from "../../domain/operator/codes";
import {
  csvNameOf,
  type Installed,
  installPlanNameOf,
  type Olm,
  olmResources,
  subscriptionOf,
} from "../../domain/operator/refusals";
import { bundleRef, isOperator, type Wanted } from "../../domain/operator/wanted";
import type { Permission } from "../../domain/permissions";
import type { Platform } from "../../domain/release/platforms";
import { namespaceMissing } from "../../domain/webhook/codes";
import { type Patch, permissionsOf } from "../engine/change";
import type { Cluster } from "../ports";
import { BlockedError } from "../engine/recorder";
import { readSnapshot } from "../snapshot";
import { applyOf, clusterResource, unjudged } from "./changes";
import type { BundleOptions, OperatorDeps } from "./deps";

const permission = (verb: string, { resource, name, namespace }: Ref, why: string): Permission => ({
  verb,
  group: resource.group,
  resource: resource.plural,
  // a list is of no single name
  ...(verb !== "list" && { name }),
  ...(namespace !== undefined && { namespace }),
  why,
});

/** What is read before anything is planned. */
export function readPermissions(
  { names }: OperatorDeps,
  { namespace, registry, pullSecret }: BundleOptions,
  wanted: readonly Wanted[],
): readonly Permission[] {
  const list = (resource: Resource, why: string): Permission =>
    permission("list", { resource, name: "", namespace }, why);
  return [
    permission("get", { resource: kinds.namespace, name: namespace }, "to see that it exists"),
    list(kinds.deployment, "to follow the operator's roll-out"),
    ...(registry === undefined && pullSecret === undefined
      ? []
      : [list(clusterResource(names), "to find the clusters that follow the registry")]),
    ...(pullSecret === undefined
      ? []
      : [permission("get", pullSecretRef(namespace, pullSecret), "to see that it exists")]),
    ...wanted.map(({ kind, object }) =>
      permission("get", bundleRef(kind, object), "to compare it with the release"),
    ),
  ];
}

/** What trying the objects takes, and writing them: even what is as wanted is tried. */
export function writePermissions(
  { fieldManager: ours }: BundleOptions,
  { objects }: Installed,
  { wanted, patches }: { readonly wanted: readonly Wanted[]; readonly patches: readonly Patch[] },
): readonly Permission[] {
  return [
    ...wanted.flatMap((one) => {
      const { kind, metadata } = one.object;
      const live = objects.find((it) => it.kind === kind && it.metadata.name === metadata.name);
      return permissionsOf(applyOf(unjudged(one, { live, ours })));
    }),
    ...patches.flatMap(permissionsOf).flatMap((write) => {
      return [{ ...write, verb: "get", why: "to write over what is stored by then" }, write];
    }),
  ];
}

/** The platform that the API server shows by what it serves. */
export async function platformOf(cluster: Cluster): Promise<Platform> {
  const served = await Promise.all([
    cluster.serves("config.openshift.io", "v1"),
    cluster.serves("security.openshift.io", "v1"),
  ]);
  return served.some((resources) => (resources ?? []).length > 0) ? "openshift" : "kubernetes";
}

/** Stops where the namespace is not there. */
export async function requireNamespace({ cluster }: OperatorDeps, name: string): Promise<void> {
  if ((await cluster.get({ resource: kinds.namespace, name })) !== undefined) return;
  throw new BlockedError(exitCodes.blocked, [namespaceMissing(name)]);
}

/** The operator as it is installed, seen by the objects that the bundle would write. */
export async function readInstalled(
  deps: OperatorDeps,
  namespace: string,
  wanted: readonly Wanted[],
): Promise<Installed> {
  const { cluster, names, command, signal } = deps;
  const refs: readonly Ref[] = wanted.map(({ kind, object }) => bundleRef(kind, object));
  const found = await Promise.all(refs.map((ref) => cluster.get(ref, { signal })));
  const objects = found.filter((object) => object !== undefined);
  const deployment = objects.find((object) => isOperator(object, names));
  const olm = await readOlm(deps, namespace, deployment);
  return { deployment, objects, olm, namespace, names, command };
}

/** What OLM keeps of the operator that it has made; what is not served or not to be read is absent. */
async function readOlm(
  deps: OperatorDeps,
  namespace: string,
  deployment: KubeObject | undefined,
): Promise<Olm> {
  const named = deployment === undefined ? undefined : csvNameOf(deployment);
  if (named === undefined) return noOlm;
  const { objects } = await readSnapshot(deps, namespace, ["subscriptions"]);
  const subscription = subscriptionOf(objects.subscriptions, named);
  const read = async (resource: Resource, name: string | undefined) =>
    name === undefined ? undefined : await readable(deps, { resource, name, namespace });
  const [installPlan, clusterServiceVersion] = await Promise.all([
    read(olmResources.installPlan, installPlanNameOf(subscription)),
    read(olmResources.clusterServiceVersion, named),
  ]);
  return { subscription, installPlan, clusterServiceVersion };
}

const noOlm: Olm = {
  subscription: undefined,
  installPlan: undefined,
  clusterServiceVersion: undefined,
};

/** An object that only makes the advice better: a refusal to read it is no reason to stop. */
async function readable({ cluster, signal }: OperatorDeps, ref: Ref) {
  try {
    return await cluster.get(ref, { signal });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The Secret to pull images with. */
export function pullSecretRef(namespace: string, name: string): Ref {
  return { resource: kinds.secret, name, namespace };
}

/** Stops where the Secret to pull with is not there; a copy of a cluster has no other Secrets. */
export async function requirePullSecret(
  { cluster, recorder, command }: OperatorDeps,
  { namespace, pullSecret, rehearsed }: BundleOptions,
): Promise<void> {
  if (pullSecret === undefined) return;
  if ((await cluster.get(pullSecretRef(namespace, pullSecret))) !== undefined) return;
  if (rehearsed === true) {
    recorder.note(
      `Secret/${namespace}/${pullSecret} is not in the copy: whether it exists is not known`,
    );
    return;
  }
  const file = "--from-file=.dockerconfigjson=FILE";
  const words = ["kubectl", "create", "secret", "docker-registry", pullSecret, file];
  throw new BlockedError(exitCodes.blocked, [
    operatorFinding("pullSecret", {
      object: `Secret/${namespace}/${pullSecret}`,
      fix: `create it with ${command(words)}, or correct --pull-secret`,
    }),
  ]);
}

/** The cluster resources of the namespace. */
export async function readClusters(
  deps: OperatorDeps,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const { cluster, names, signal } = deps;
  return (await cluster.list(clusterResource(names), { namespace, signal })) ?? [];
}
