/** What an unbinding is given, and everything that it is planned from. */
import { readLeftMarks } from "../../readers/left-marks";
import { type Facts, factsOf, factSources } from "../../domain/facts/facts";
import { kinds, type KnownResource, constraintResource } from "../../domain/kube/kinds";
import type { BuiltInKind, Typed } from "../../domain/kube/models";
import { getTyped, listTyped } from "../../ports/typed";
import type { KubeObject } from "../../domain/kube/objects";
import { accessResources, listBindings } from "../../domain/scc/grants";
import type { Reviews } from "../../readers/reviews";
import type { RunPorts } from "../../kernel/world";

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

/** What it reads and writes with, and asks for access reviews. */
export interface UnbindDeps extends RunPorts {
  readonly reviews: Reviews;
}

/** True where the API server has constraints, which OpenShift's alone does. */
export async function servesConstraints({
  cluster,
}: Pick<UnbindDeps, "cluster">): Promise<boolean> {
  const { group, version, plural } = constraintResource;
  const served = await cluster.serves(group, version);
  return served?.some((resource) => resource.plural === plural) === true;
}

/** Reads the whole situation: pods, roles and bindings of all namespaces, the ECs and their sets of this one. */
export async function readFacts(deps: UnbindDeps, options: UnbindOptions): Promise<Facts> {
  const { clock, cluster, names, signal } = deps;
  const { namespace, scc } = options;
  const all = async <Kind extends BuiltInKind>(
    resource: KnownResource<Kind>,
  ): Promise<readonly Typed<Kind>[]> => (await listTyped(cluster, resource, { signal })) ?? [];
  // of older releases' constraint nothing is asked where one was named
  const wanted = scc === undefined ? [names.scc.current, names.scc.older] : [scc];
  const operator = { resource: kinds.deployment, name: names.operator.deployment, namespace };
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = accessResources;
  const [constraints, pods, ecs, statefulSets, deployment] = await Promise.all([
    Promise.all(
      wanted.map((name) => cluster.get({ resource: constraintResource, name }, { signal })),
    ),
    all(kinds.pod),
    readClusters(deps, namespace),
    listTyped(cluster, kinds.statefulSet, { namespace, signal }),
    getTyped(cluster, operator, { signal }),
  ]);
  const facts = factsOf(
    { names, namespace, now: clock.now() },
    {
      ...{ pods, ecs, statefulSets: statefulSets ?? [] },
      constraints: constraints.filter((one) => one !== undefined),
      deployments: deployment === undefined ? [] : [deployment],
      clusterRoles: await all(clusterRoles),
      clusterRoleBindings: await all(clusterRoleBindings),
      roles: await all(roles),
      roleBindings: await all(roleBindings),
    },
  );
  const { objects } = facts;
  const marked = [...objects.constraints.slice(0, 1), ...listBindings(objects)];
  return { ...facts, left: await readLeftMarks(deps, marked) };
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
