/** Reads what the operator is told, the namespaces, and the roles and bindings that exist. */
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Skip } from "../../domain/base/skip";
import { kinds, kindsIn, rbacKinds } from "../../domain/kube/kinds";
import { getTyped, listTyped } from "../../ports/typed";
import { type Facts, factsOf } from "../../domain/facts/facts";
import {
  type KubeObject,
  readName,
  type Ref,
  refTo,
  type Resource,
} from "../../domain/kube/objects";
import { inventoryNeeds, labelReads } from "./needs";
import { rbacFinding } from "../../domain/rbac/findings";
import { nameAccounts, type RbacScene } from "../../domain/rbac/scene";
import { type RbacScope, type PlaceFound, nameSecond } from "../../domain/rbac/site";
import { readRoleRef } from "../../domain/kube/role-rules";
import { permissionOn } from "../../domain/kube/permissions";
import { findMissingPermissions, requirePermissions } from "../../kernel/permissions";
import type { RunPorts } from "../../kernel/world";
import type { RoleFiles } from "../../domain/rbac/lines";
import type { Mode } from "../../domain/rbac/plan";
import type { Reviews } from "../../readers/reviews";

/** Reads the operator's Deployment and its settings. */
export async function readOperator(
  { clock, cluster, names }: RbacDeps,
  { namespace }: RbacOptions,
): Promise<Facts> {
  const [deployment, configMap] = await Promise.all([
    getTyped(cluster, { resource: kinds.deployment, name: names.operator.deployment, namespace }),
    getTyped(cluster, { resource: kinds.configMap, name: names.configMap.name, namespace }),
  ]);
  const read = {
    deployments: deployment === undefined ? [] : [deployment],
    configMaps: configMap === undefined ? [] : [configMap],
  };
  return factsOf({ names, namespace, now: clock.now() }, read);
}

/** The service accounts of the clusters in the operator's namespace. */
export async function readAccounts(
  { cluster, names }: RbacDeps,
  { namespace }: RbacOptions,
): Promise<readonly string[]> {
  for (const version of [names.ecVersion, names.version]) {
    const resource = { group: names.group, version, ...names.ec };
    const clusters = await cluster.list(resource, { namespace });
    const accounts = nameAccounts(clusters ?? [], names);
    if (accounts.length > 0) return [...accounts].sort();
  }
  throw new BlockedError(exitCodes.blocked, [
    rbacFinding("noCluster", { object: `Namespace/${namespace}` }),
  ]);
}

/** The namespaces that a run may be about; undefined for what is not asked. */
export interface Namespaces {
  /** The facts with all namespaces, where they may be listed. */
  readonly facts: Facts;
  /** Those with the label that the operator is told. */
  readonly labeled: readonly string[] | undefined;
  /** Those that the selector chooses. */
  readonly selected: readonly string[] | undefined;
}

/** Lists them all, and again by each label. */
export async function readNamespaces(
  { cluster }: RbacDeps,
  { selector }: RbacOptions,
  { configured, facts }: RbacScene,
): Promise<Namespaces> {
  const list = async (labelSelector?: string) => {
    const labels = labelSelector === undefined ? {} : { labelSelector };
    return (
      (await listTyped(cluster, kinds.namespace, { whole: true, lean: true, ...labels })) ?? []
    );
  };
  const named = async (labelSelector: string) => (await list(labelSelector)).map(readName);
  const { group, plural: resource } = kinds.namespace;
  const mayList = await cluster.can({ verb: "list", group, resource });
  const { deployments, configMaps } = facts.objects;
  return {
    facts: mayList ? factsOf(facts, { deployments, configMaps, namespaces: await list() }) : facts,
    labeled: configured.is === "label" ? await named(configured.selector) : undefined,
    selected: selector === undefined ? undefined : await named(selector),
  };
}

/** What exists, from three lists for the whole cluster; undefined where they are not allowed. */
export interface Inventory {
  readonly roles: readonly KubeObject[];
  /** Bindings and temporary ones. */
  readonly bindings: readonly KubeObject[];
  at(namespace: string): PlaceFound;
}

/** Lists by name in all namespaces at once. */
export async function readInventory({ cluster, names }: RbacDeps): Promise<Inventory | undefined> {
  const { consumerRole, consumerBinding } = names.rbac;
  if ((await findMissingPermissions(cluster, inventoryNeeds({ names }))).length > 0)
    return undefined;
  const share = sharing();
  const named = async (resource: Resource, name: string): Promise<readonly KubeObject[]> => {
    const fieldSelector = `metadata.name=${name}`;
    const options = { fieldSelector, whole: true, lean: true };
    return ((await cluster.list(resource, options)) ?? []).map(share);
  };
  // one after the other: an answer about thousands of namespaces is large until it is read
  const roles = await named(rbacKinds.role, consumerRole);
  const bindings = await named(rbacKinds.roleBinding, consumerBinding);
  const temporaries = await named(rbacKinds.roleBinding, nameSecond(consumerBinding, names));
  const [byRole, byBinding, byTemporary] = [roles, bindings, temporaries].map(byNamespace);
  return {
    roles,
    bindings: [...bindings, ...temporaries],
    at: (namespace) => ({
      role: byRole?.get(namespace),
      binding: byBinding?.get(namespace),
      temporary: byTemporary?.get(namespace),
    }),
  };
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

/** Reads places one by one, where no inventory has them, and the roles that their bindings are for. */
export class Places {
  /** Each is read once. */
  readonly #clusterRoles = new Map<string, Promise<KubeObject | undefined>>();

  constructor(private readonly deps: RbacDeps) {}

  /** Reads a place, as far as it is not known already. */
  async read(place: RbacScope, known?: PlaceFound): Promise<PlaceFound> {
    const found = known ?? (await this.#pair(place));
    const { binding } = found;
    const reference = readRoleRef(binding);
    if (binding === undefined || reference === readRoleRef(place.wanted.binding)) return found;
    const [kind, name = ""] = reference.split("/");
    const { namespace } = binding.metadata;
    const boundRole =
      kind === "Role" && namespace !== undefined
        ? await this.#role({ resource: rbacKinds.role, name, namespace })
        : await this.#clusterRole(name);
    return { ...found, boundRole };
  }

  async #pair({ namespace, wanted }: RbacScope): Promise<PlaceFound> {
    const { cluster, names } = this.deps;
    const { binding } = kindsIn(namespace);
    const { role } = kindsIn(wanted.role.metadata.namespace);
    const inPlace = refTo(binding, wanted.binding);
    const [first, second, temporary] = await Promise.all([
      cluster.get(refTo(role, wanted.role)),
      cluster.get(inPlace),
      cluster.get({ ...inPlace, name: nameSecond(inPlace.name, names) }),
    ]);
    return { role: first, binding: second, temporary };
  }

  #clusterRole(name: string): Promise<KubeObject | undefined> {
    const known = this.#clusterRoles.get(name);
    const read = known ?? this.#role({ resource: rbacKinds.clusterRole, name });
    this.#clusterRoles.set(name, read);
    return read;
  }

  async #role(ref: Ref): Promise<KubeObject | undefined> {
    const { resource, name, namespace } = ref;
    const why = "to read the role that a binding is for";
    await requirePermissions(this.deps, [permissionOn("get", resource, { why, namespace, name })]);
    return await this.deps.cluster.get(ref);
  }
}

/** The pair of label mode; none where it may not be read. */
export async function readLabelPair({
  cluster,
  names,
}: RbacDeps): Promise<Pick<Inventory, "roles" | "bindings">> {
  const { clusterRole, clusterRoleBinding } = rbacKinds;
  const missing = await findMissingPermissions(cluster, labelReads({ names }));
  if (missing.length > 0) return { roles: [], bindings: [] };
  const [role, binding] = await Promise.all([
    cluster.get({ resource: clusterRole, name: names.rbac.labelRole }),
    cluster.get({ resource: clusterRoleBinding, name: names.rbac.labelBinding }),
  ]);
  return { roles: role ? [role] : [], bindings: binding ? [binding] : [] };
}

/** The flags of the command, judged. */
export interface RbacOptions extends RoleFiles {
  /** The operator's. */
  readonly namespace: string;
  readonly mode: Mode;
  readonly fieldManager: string;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** The exact set, by name; else by label; else what the operator is told. */
  readonly given: readonly string[] | undefined;
  readonly selector: string | undefined;
  /** The cluster's service account, where no cluster resource names it yet. */
  readonly account: string | undefined;
  readonly prune: boolean;
  readonly canary: string | undefined;
  /** Stop after so many failed namespaces; undefined: never. */
  readonly maxFailures: number | undefined;
  readonly takeFields: readonly string[];
  readonly skip: readonly Skip[];
  readonly prove: boolean;
  /** Additions of persons to give up, by their entries; `all` for all of them. */
  readonly dropLocal: readonly string[];
}

/** The world around a plan, or its act. */
export interface RbacDeps extends RunPorts {
  readonly reviews: Reviews;
}
