/** What an unbinding is given, and everything that it is planned from. */
import type { LeftMarks } from "../../domain/kube/owners";
import { readLeftMarks } from "../../readers/left-marks";
import { factSources } from "../../domain/facts/facts";
import { kinds, type KnownResource, constraintResource } from "../../domain/kube/kinds";
import type { BuiltInKind, Deployment, Pod, StatefulSet, Typed } from "../../domain/kube/models";
import { getTyped, listTyped } from "../../ports/typed";
import type { KubeObject } from "../../domain/kube/objects";
import { accessResources, type AccessObjects, chooseConstraint } from "../../domain/scc/grants";
import type { Reviews } from "../../readers/reviews";
import type { AskingPorts, RunPorts } from "../../kernel/world";

/** The flags of the command, judged. */
export interface UnbindOptions {
  readonly namespace: string;
  /** The constraint to unbind; absent: the current one, and the older one is looked for. */
  readonly scc?: string;
  /** The EC whose account is meant; absent: every EC of the namespace that no longer needs it. */
  readonly ec?: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** Ports of `unbind-scc`; its kubectl commands name their namespace themselves. */
export type UnbindPorts = AskingPorts;

/** What it reads and writes with, and asks for access reviews. */
export interface UnbindDeps extends RunPorts {
  readonly reviews: Reviews;
}

/** What was read. */
export interface UnbindFacts {
  readonly constraint: KubeObject | undefined;
  readonly access: AccessObjects;
  /** Pods of all namespaces. */
  readonly pods: readonly Pod[];
  /** ECs of the namespace. */
  readonly clusters: readonly KubeObject[];
  /** What makes their pods. */
  readonly statefulSets: readonly StatefulSet[];
  /** The operator's. */
  readonly deployment: Deployment | undefined;
  /** The constraint of still older releases; it is not looked for where one was named. */
  readonly older: KubeObject | undefined;
  /** The objects whose owner is gone; absent: every mark counts. */
  readonly left?: LeftMarks;
}

/** True where the API server has constraints, which OpenShift's alone does. */
export async function servesConstraints({
  cluster,
}: Pick<UnbindDeps, "cluster">): Promise<boolean> {
  const { group, version, plural } = constraintResource;
  const served = await cluster.serves(group, version);
  return served?.some((resource) => resource.plural === plural) === true;
}

/** Reads the whole situation. */
export async function readFacts(deps: UnbindDeps, options: UnbindOptions): Promise<UnbindFacts> {
  const { cluster, names, signal } = deps;
  const { namespace, scc } = options;
  const all = async <Kind extends BuiltInKind>(
    resource: KnownResource<Kind>,
  ): Promise<readonly Typed<Kind>[]> => (await listTyped(cluster, resource, { signal })) ?? [];
  const constraintNamed = (name: string): Promise<KubeObject | undefined> =>
    cluster.get({ resource: constraintResource, name }, { signal });
  const operator = { resource: kinds.deployment, name: names.operator.deployment, namespace };
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = accessResources;
  const [constraint, pods, clusters, statefulSets, deployment, older] = await Promise.all([
    constraintNamed(chooseConstraint(names, options)),
    all(kinds.pod),
    readClusters(deps, namespace),
    listTyped(cluster, kinds.statefulSet, { namespace, signal }),
    getTyped(cluster, operator, { signal }),
    scc === undefined ? constraintNamed(names.scc.older) : undefined,
  ]);
  const access = {
    clusterRoles: await all(clusterRoles),
    clusterRoleBindings: await all(clusterRoleBindings),
    roles: await all(roles),
    roleBindings: await all(roleBindings),
  };
  const bindings = [...access.clusterRoleBindings, ...access.roleBindings];
  const left = await readLeftMarks(deps, [...(constraint ? [constraint] : []), ...bindings]);
  const sets = { statefulSets: statefulSets ?? [] };
  return { constraint, access, pods, clusters, ...sets, deployment, older, left };
}

/** Releases differ in the versions that they serve. */
async function readClusters(
  { cluster, names, signal }: UnbindDeps,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const { resource } = factSources(names).ecs;
  const newer = { ...resource, version: names.ecVersion };
  const found = await cluster.list(resource, { namespace, signal });
  return found ?? (await cluster.list(newer, { namespace, signal })) ?? [];
}
