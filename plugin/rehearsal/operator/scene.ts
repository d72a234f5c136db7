/** What is read before each act: everything that the play decides on, and nothing that it remembers. */
import { factSources } from "../../domain/facts";
import { kinds } from "../../domain/kinds";
import type { Names } from "../../domain/names";
import { rbacKinds } from "../../domain/rbac/kinds";
import { at, own, text } from "../../domain/values";
import type { Cluster, KubeObject, Resource } from "../../run/ports";
import type { Misbehaviour } from "./misbehaviour";
import type { ReleaseTable } from "./releases";
import type { RestService } from "./rest-service";
import type { Times } from "./times";

const apps = (plural: string, kind: string): Resource => ({
  group: "apps",
  version: "v1",
  plural,
  kind,
});

/** Kinds that the play reads and writes beside those of the commands. */
export const played = {
  pod: { group: "", version: "v1", plural: "pods", kind: "Pod" },
  event: { group: "", version: "v1", plural: "events", kind: "Event" },
  replicaSet: apps("replicasets", "ReplicaSet"),
  statefulSet: apps("statefulsets", "StatefulSet"),
  job: { group: "batch", version: "v1", plural: "jobs", kind: "Job" },
} as const satisfies Record<string, Resource>;

/** What stays the same for the whole play. */
export interface Stage {
  readonly names: Names;
  readonly namespace: string;
  readonly releases: ReleaseTable;
  readonly times: Times;
  readonly misbehave: Misbehaviour;
  /** Addresses of the webhook's endpoints; undefined: those of the pods, false: left alone. */
  readonly endpoints: readonly string[] | undefined | false;
  /** What a hook Job does, beside applying the definitions in the ConfigMaps that it mounts. */
  readonly hookWork: ((job: KubeObject) => Promise<void>) | undefined;
  /** The REST service of a cluster, where one plays along. */
  readonly rest: RestService | undefined;
  /** Modules of each EC when it was first seen, where no StatefulSet tells what it runs with. */
  readonly seen: Map<string, string>;
}

/** The cluster as it was read, with the stage that it is judged on. */
export interface Scene extends Stage {
  readonly now: number;
  readonly deployment: KubeObject | undefined;
  readonly service: KubeObject | undefined;
  readonly settings: KubeObject | undefined;
  readonly replicaSets: readonly KubeObject[];
  readonly statefulSets: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  readonly slices: readonly KubeObject[];
  readonly jobs: readonly KubeObject[];
  readonly ecs: readonly KubeObject[];
  readonly edbs: readonly KubeObject[];
  readonly eaadbs: readonly KubeObject[];
  readonly namespaces: readonly KubeObject[];
  readonly roles: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
  /** The definition of the EC. */
  readonly definition: KubeObject | undefined;
}

/** The product's kinds as they are addressed. */
export function productKinds({ group, version, ec, edb, eaadb }: Names) {
  const kindOf = ({ kind, plural }: Names["ec"]): Resource => ({ group, version, plural, kind });
  return { ec: kindOf(ec), edb: kindOf(edb), eaadb: kindOf(eaadb) };
}

/** Reads the scene; a kind that is not served has no objects. */
export async function readScene(cluster: Cluster, stage: Stage, now: number): Promise<Scene> {
  const { names, namespace } = stage;
  const own = productKinds(names);
  const { webhook, rbac, operator, configMap } = names;
  const list = async (resource: Resource, options = {}): Promise<readonly KubeObject[]> =>
    (await cluster.list(resource, options)) ?? [];
  const get = (resource: Resource, name: string) => cluster.get({ resource, name, namespace });
  const here = { namespace };
  const served = { namespace, labelSelector: `kubernetes.io/service-name=${webhook.service}` };
  const named = (name: string): object => ({ fieldSelector: `metadata.name=${name}` });
  const read = {
    deployment: get(kinds.deployment, operator.deployment),
    settings: get(kinds.configMap, configMap.name),
    service: get(kinds.service, webhook.service),
    replicaSets: list(played.replicaSet, here),
    statefulSets: list(played.statefulSet, here),
    pods: list(played.pod, here),
    slices: list(kinds.endpointSlice, served),
    jobs: list(played.job, here),
    ecs: list(own.ec, here),
    edbs: list(own.edb),
    eaadbs: list(own.eaadb),
    namespaces: list(kinds.namespace),
    roles: list(rbacKinds.role, named(rbac.consumerRole)),
    bindings: list(rbacKinds.roleBinding, named(rbac.consumerBinding)),
    definition: cluster.get({
      resource: factSources(names).definitions.resource,
      name: `${names.ec.plural}.${names.group}`,
    }),
  };
  return { ...stage, now, ...(await settled(read)) };
}

type Settled<T> = { readonly [K in keyof T]: Awaited<T[K]> };

/** All that were begun together, by their names. */
async function settled<T extends object>(begun: T): Promise<Settled<T>> {
  const entries = Object.entries(begun).map(async ([key, value]) => [key, await value] as const);
  return Object.fromEntries(await Promise.all(entries)) as Settled<T>;
}

/** The objects that an object owns, by its uid. */
export function ownedBy(
  owner: KubeObject | undefined,
  objects: readonly KubeObject[],
): readonly KubeObject[] {
  const uid = owner?.metadata.uid;
  if (uid === undefined) return [];
  return objects.filter(({ metadata }) =>
    (metadata.ownerReferences ?? []).some((reference) => own(reference, "uid") === uid),
  );
}

/** The reference that makes an object owned. */
export function ownerOf({ apiVersion, kind, metadata }: KubeObject): object {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** A number in an object, or what it counts as when absent. */
export function numberAt(object: unknown, path: readonly string[], absent: number): number {
  const value = at(object, path);
  return typeof value === "number" ? value : absent;
}

/** The words of an object's identity, for keys of acts. */
export function identity({ kind, metadata }: KubeObject): string {
  return [kind, metadata.name, metadata.uid].map((word) => text(word) ?? "").join("/");
}
