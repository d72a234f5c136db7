/** Reads what the operator is told, the namespaces, and the roles and bindings that exist. */
import { exitCodes } from "../../domain/errors";
import { kinds } from "../../domain/kinds";
import { type KubeObject, refTo, type Resource } from "../../domain/objects";
import { type Configured, configuredNamespaces } from "../../domain/rbac/managed";
import { kindsIn, type Pair, rbacKinds } from "../../domain/rbac/kinds";
import type { Found } from "../../domain/rbac/plan";
import { roleRefOf } from "../../domain/rbac/subjects";
import { rulesOf } from "../../domain/rbac/rules";
import { rbacFinding } from "../../domain/rbac/codes";
import { releasesOf } from "../../domain/scc/release";
import { at, type Json, text } from "../../domain/values";
import { missingPermissions } from "../ledger";
import { BlockedError } from "../recorder";
import type { RbacDeps, RbacOptions } from "./deps";
import { listPermissions } from "./permissions";

/** The operator as it is set up. */
export interface Operator {
  /** What it is told; undefined where it is not in this namespace at all. */
  readonly configured: Configured | undefined;
  /** The tag of the release that runs, where it tells. */
  readonly running: string | undefined;
}

/** Reads the operator's Deployment and its settings. */
export async function readOperator(
  { cluster, names }: RbacDeps,
  { namespace }: RbacOptions,
): Promise<Operator> {
  const [deployment, configMap] = await Promise.all([
    cluster.get({ resource: kinds.deployment, name: names.operator.deployment, namespace }),
    cluster.get({ resource: kinds.configMap, name: names.configMap.name, namespace }),
  ]);
  const absent = deployment === undefined && configMap === undefined;
  const [release] = releasesOf({ deployment, cluster: undefined, pods: [] }, names);
  return {
    configured: absent ? undefined : configuredNamespaces({ deployment, configMap, names }),
    running: release?.tag,
  };
}

/** The service accounts of the clusters in the operator's namespace, or the one given. */
export async function readAccounts(
  { cluster, names }: RbacDeps,
  { namespace, account }: RbacOptions,
): Promise<readonly string[]> {
  if (account !== undefined) return [account];
  for (const version of [names.ecVersion, names.version]) {
    const resource = { group: names.group, version, ...names.ec };
    const clusters = await cluster.list(resource, { namespace });
    const accounts = (clusters ?? []).map(
      (ec) => text(at(ec, names.ecFields.serviceAccountName)) ?? ec.metadata.name ?? "",
    );
    if (accounts.length > 0) return [...new Set(accounts)].sort();
  }
  throw new BlockedError(exitCodes.blocked, [
    rbacFinding("noCluster", { object: `Namespace/${namespace}` }),
  ]);
}

/** Namespaces by name, undefined where they may not be listed. */
export async function readNamespaces(
  { cluster }: RbacDeps,
  labelSelector: string | undefined,
): Promise<ReadonlyMap<string, KubeObject> | undefined> {
  const { group, plural: resource } = kinds.namespace;
  if (labelSelector === undefined && !(await cluster.can({ verb: "list", group, resource }))) {
    return undefined;
  }
  const options = { whole: true, ...(labelSelector !== undefined && { labelSelector }) };
  const all = (await cluster.list(kinds.namespace, options)) ?? [];
  return new Map(all.map((object) => [object.metadata.name ?? "", lean(object)]));
}

/** What exists, from three lists for the whole cluster; undefined where they are not allowed. */
export interface Inventory {
  readonly roles: readonly KubeObject[];
  /** Bindings and temporary ones. */
  readonly bindings: readonly KubeObject[];
  at(namespace: string): Found;
}

/** Lists by name in all namespaces at once. */
export async function readInventory(
  deps: RbacDeps,
  temporaryName: string,
): Promise<Inventory | undefined> {
  const { cluster, names } = deps;
  if ((await missingPermissions(cluster, listPermissions())).length > 0) return undefined;
  const share = sharing();
  const named = async (resource: Resource, name: string): Promise<readonly KubeObject[]> => {
    const fieldSelector = `metadata.name=${name}`;
    const found = (await cluster.list(resource, { fieldSelector, whole: true })) ?? [];
    return found.map((object) => share(lean(object)));
  };
  // one after the other: an answer about thousands of namespaces is large until it is read
  const roles = await named(rbacKinds.role, names.rbac.consumerRole);
  const bindings = await named(rbacKinds.roleBinding, names.rbac.consumerBinding);
  const temporaries = await named(rbacKinds.roleBinding, temporaryName);
  const [byRole, byBinding, byTemporary] = [roles, bindings, temporaries].map(byNamespace);
  return {
    roles,
    bindings: [...bindings, ...temporaries],
    at: (namespace) =>
      foundOf({
        role: byRole?.get(namespace),
        binding: byBinding?.get(namespace),
        temporary: byTemporary?.get(namespace),
      }),
  };
}

/** The object without the fields of its managers, which are most of it; their names stay. */
function lean(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (managedFields === undefined) return object;
  const managers = managedFields.map(({ manager }) => (manager === undefined ? {} : { manager }));
  return { ...object, metadata: { ...object.metadata, managedFields: managers } };
}

/** Most roles and bindings hold what those of other namespaces hold: it is kept once. */
function sharing(): (object: KubeObject) => KubeObject {
  const known = new Map<string, unknown>();
  const one = (value: unknown): unknown => {
    const key = JSON.stringify(value);
    if (!known.has(key)) known.set(key, value);
    return known.get(key);
  };
  return (object) => {
    const parts = ["rules", "subjects", "roleRef"].filter((part) => object[part] !== undefined);
    return { ...object, ...Object.fromEntries(parts.map((part) => [part, one(object[part])])) };
  };
}

function byNamespace(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [object.metadata.namespace ?? "", object]));
}

function foundOf({ role, binding, temporary }: Readonly<Record<string, KubeObject | undefined>>) {
  return {
    ...(role !== undefined && { role }),
    ...(binding !== undefined && { binding }),
    ...(temporary !== undefined && { temporary }),
  };
}

/** Where one pair is looked for, object by object. */
export interface Place {
  readonly namespace?: string;
  readonly wanted: Pair<KubeObject>;
  readonly temporaryName: string;
}

/** Reads one place, object by object. */
export async function readPlace(
  { cluster }: RbacDeps,
  { namespace, wanted, temporaryName }: Place,
): Promise<Found> {
  const within = namespace === undefined ? {} : { namespace };
  const { binding } = kindsIn(namespace);
  const { role } = kindsIn(wanted.role.metadata.namespace);
  const [first, second, third] = await Promise.all([
    cluster.get(refTo(role, wanted.role)),
    cluster.get({ resource: binding, name: wanted.binding.metadata.name ?? "", ...within }),
    cluster.get({ resource: binding, name: temporaryName, ...within }),
  ]);
  return foundOf({ role: first, binding: second, temporary: third });
}

/** The rules of the roles that bindings are for, each cluster-wide one read once. */
export class BoundRules {
  readonly #clusterRoles = new Map<string, Promise<KubeObject | undefined>>();

  constructor(private readonly deps: RbacDeps) {}

  /** Adds the rules that the binding found gives, where it is for another role than wanted. */
  async addTo(found: Found, wanted: KubeObject): Promise<Found> {
    const reference = roleRefOf(found.binding);
    if (found.binding === undefined || reference === roleRefOf(wanted)) return found;
    const [kind, name = ""] = reference.split("/");
    const { namespace } = found.binding.metadata;
    if (kind === "Role" && namespace !== undefined) {
      return { ...found, bound: await this.#read({ resource: rbacKinds.role, name, namespace }) };
    }
    return { ...found, bound: rulesOf(await this.clusterRole(name)) };
  }

  /** Each is read once. */
  clusterRole(name: string): Promise<KubeObject | undefined> {
    const known = this.#clusterRoles.get(name);
    const read = known ?? this.deps.cluster.get({ resource: rbacKinds.clusterRole, name });
    this.#clusterRoles.set(name, read);
    return read;
  }

  async #read(ref: Parameters<RbacDeps["cluster"]["get"]>[0]): Promise<readonly Json[]> {
    return rulesOf(await this.deps.cluster.get(ref));
  }
}
