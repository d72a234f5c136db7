/** Reads everything that an unbinding is planned from. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { kinds } from "../../domain/kinds";
import { type Names, termOf } from "../../domain/names";
import { type KubeObject, type Resource, objectLabel } from "../../domain/objects";
import { accessResources, constraintResource } from "../../domain/scc/constraint";
import { olderLeft } from "../../domain/scc/findings";
import type { Situation } from "../../domain/scc/plan";
import { type JudgedAccount, judgeAccounts, wantsAdjustment } from "../../domain/scc/refusals";
import { accountOf, userOf } from "../../domain/scc/account";
import { BlockedError } from "../recorder";
import { constraintOf, type UnbindDeps, type UnbindOptions } from "./deps";

export const podResource: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod" };

/** The kind of the ECs, in the version that all releases up to now serve. */
export function clusterResource(names: Names): Resource {
  const { kind, plural } = names.ec;
  return { group: names.group, version: names.version, kind, plural };
}

/** What was read, and each account judged. */
export interface Found {
  readonly situation: Situation;
  readonly accounts: readonly JudgedAccount[];
  readonly notes: readonly Finding[];
}

/** True where the API server has constraints, which OpenShift's alone does. */
export async function servesConstraints({ cluster }: UnbindDeps): Promise<boolean> {
  const { group, version, plural } = constraintResource;
  const served = await cluster.serves(group, version);
  return served?.some((resource) => resource.plural === plural) === true;
}

/** Reads the whole situation; stops with 3 where no EC tells whose account is meant. */
export async function readSituation(deps: UnbindDeps, options: UnbindOptions): Promise<Found> {
  const { cluster, names, signal } = deps;
  const { namespace } = options;
  const name = constraintOf(deps, options);
  const all = async (resource: Resource): Promise<readonly KubeObject[]> =>
    (await cluster.list(resource, { signal })) ?? [];
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = accessResources;
  const [constraint, pods, clusters, deployment, notes] = await Promise.all([
    cluster.get({ resource: constraintResource, name }, { signal }),
    all(podResource),
    readClusters(deps, namespace),
    cluster.get(
      { resource: kinds.deployment, name: names.operator.deployment, namespace },
      { signal },
    ),
    notesOf(deps, options),
  ]);
  const access = {
    clusterRoles: await all(clusterRoles),
    clusterRoleBindings: await all(clusterRoleBindings),
    roles: await all(roles),
    roleBindings: await all(roleBindings),
  };
  const wantedBy = clusters.filter((each) => wantsAdjustment(each, names)).map(objectLabel);
  const around = { constraint: name, deployment, pods };
  return {
    situation: { name, constraint, access, pods, wantedBy },
    accounts: judgeAccounts(meant(clusters, deps, options), around, names),
    notes,
  };
}

/** Releases differ in the versions that they serve. */
async function readClusters(
  { cluster, names, signal }: UnbindDeps,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const resource = clusterResource(names);
  const found = await cluster.list(resource, { namespace, signal });
  if (found !== undefined) return found;
  const newer = { ...resource, version: names.ecVersion };
  return (await cluster.list(newer, { namespace, signal })) ?? [];
}

/** The EC that was named with all that share its account, else every EC. */
function meant(
  clusters: readonly KubeObject[],
  { names }: UnbindDeps,
  { namespace, ec }: UnbindOptions,
): readonly KubeObject[] {
  const named = clusters.filter(({ metadata }) => ec === undefined || metadata.name === ec);
  if (named.length === 0) {
    throw new BlockedError(exitCodes.blocked, [
      {
        code: "SCC-NO-EC",
        severity: "error",
        object: ec === undefined ? `Namespace/${namespace}` : `${names.ec.kind}/${namespace}/${ec}`,
        cause: `there is no such ${termOf(names.ec)}, so no service account to take the constraint from`,
        fix: `give the namespace of the ${termOf(names.ec)} with -n${ec === undefined ? "" : ", and its name with --ec"}`,
        source: "S33",
      },
    ]);
  }
  const users = new Set(named.map((cluster) => userOf(accountOf(cluster, names))));
  return clusters.filter((cluster) => users.has(userOf(accountOf(cluster, names))));
}

async function notesOf(deps: UnbindDeps, options: UnbindOptions): Promise<readonly Finding[]> {
  const { older } = deps.names.scc;
  if (options.scc !== undefined) return [];
  const found = await deps.cluster.get({ resource: constraintResource, name: older });
  if (found === undefined) return [];
  return [olderLeft(older, deps.engine(["unbind-scc", "--scc", older]))];
}
