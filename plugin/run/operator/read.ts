/** What is there: the namespace, the bundle's objects, the clusters that follow a registry. */
import { exitCodes } from "../../domain/errors";
import { kinds } from "../../domain/kinds";
import type { Names } from "../../domain/names";
import type { KubeObject, Ref, Resource } from "../../domain/objects";
import type { Installed } from "../../domain/operator/refusals";
import { bundleRef } from "../../domain/operator/kinds";
import { isOperator, type Wanted } from "../../domain/operator/wanted";
import type { Platform } from "../../domain/release/platforms";
import type { Cluster } from "../ports";
import { BlockedError } from "../recorder";
import { readSnapshot } from "../snapshot";
import type { OperatorDeps } from "./deps";

/** How cluster resources are addressed: in the version that every release serves. */
export function clusterResource({ group, version, ec }: Names): Resource {
  return { group, version, plural: ec.plural, kind: ec.kind };
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
  throw new BlockedError(exitCodes.blocked, [
    {
      code: "NAMESPACE-MISSING",
      severity: "error",
      object: `Namespace/${name}`,
      cause: "the operator's namespace does not exist",
      fix: "give the operator's namespace with -n",
      source: "S29",
    },
  ]);
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
  const { objects: lists } = await readSnapshot(deps, namespace, ["subscriptions"]);
  return {
    deployment: objects.find((object) => isOperator(object, names)),
    objects,
    subscriptions: lists.subscriptions,
    names,
    command,
  };
}

/** The cluster resources of the namespace. */
export async function readClusters(
  deps: OperatorDeps,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const { cluster, names, signal } = deps;
  return (await cluster.list(clusterResource(names), { namespace, signal })) ?? [];
}
