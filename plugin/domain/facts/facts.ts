/** What a run has read of a cluster, as one value: checks, steps and the status judge nothing else. */
import type { LeftMarks } from "../kube/owners";
import { ownerResources } from "../kube/owner-seek";
import type { CertificateFacts } from "../certificate/certificate";
import { kinds, olmKinds, rbacKinds, constraintResource, type Stored } from "../kube/kinds";
import type { Names } from "../names/names";
import type { Deployment } from "../kube/models";
import type { KubeObject, Resource } from "../kube/objects";
import { getOwn, getPath, groupBy, oncePer, pick } from "../base/values";

/** Where a list is read: in the operator's namespace, everywhere, or by one name alone. */
export interface FactSource {
  readonly resource: Resource;
  /** In the operator's namespace alone. */
  readonly own?: true;
  /** The one object that matters: the others are not read, they may hold secrets. */
  readonly only?: string;
  /** Those with these labels, as a label selector. */
  readonly labels?: string;
  /** Tried when the version is not served. */
  readonly olderVersion?: string;
  /** Those alone that other objects name; of Secrets no value is kept. */
  readonly named?: true;
  /** Where it may not be read everywhere, those of the operator's namespace are. */
  readonly orOwn?: true;
  /** There may be very many, and no check asks which fields a manager holds. */
  readonly lean?: true;
}

/** Every list that facts are made of, each read by one LIST. */
export const factKeys = [
  "namespaces",
  "nodes",
  "clusterVersions",
  "definitions",
  "deployments",
  "replicaSets",
  "statefulSets",
  "claims",
  "volumeAttachments",
  "disruptionBudgets",
  "leases",
  "pods",
  "services",
  "endpointSlices",
  "networkPolicies",
  "configMaps",
  "webhookSecrets",
  "namedSecrets",
  "referredSecrets",
  "serviceAccounts",
  "resourceQuotas",
  "events",
  "ecs",
  "edbs",
  "eaadbs",
  "ercs",
  "webhookConfigurations",
  "mutatingConfigurations",
  "roles",
  "roleBindings",
  "clusterRoles",
  "clusterRoleBindings",
  "constraints",
  "subscriptions",
  "installPlans",
  "clusterServiceVersions",
  "operatorGroups",
] as const;

/** What tells why nothing moves; a user may be kept from any of it, and is judged without then. */
export const closeLook = [
  ...(["events", "nodes", "volumeAttachments", "disruptionBudgets", "leases"] as const),
] as const satisfies readonly FactKey[];

/** The name of a list of facts. */
export type FactKey = (typeof factKeys)[number];

/** The type of a list's objects. Kinds that Kubernetes does not have itself have no model. */
export type FactObject<Key extends FactKey> = Stored<
  ReturnType<typeof describeSources>[Key]["resource"]
>;

/** The objects of each list. */
export type FactObjects = { readonly [Key in FactKey]: readonly FactObject<Key>[] };

/** The lists that a reader reads; `unserved` and `unread` are empty in `objects`. */
export interface Facts {
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The operator's. */
  readonly namespace: string;
  /** Release of the API server, "v1.34.1"; undefined when it did not tell. */
  readonly apiServer: string | undefined;
  readonly objects: FactObjects;
  /** Kinds that the API server does not know. */
  readonly unserved: ReadonlySet<FactKey>;
  /** Lists that could not be read, each with the reason: nothing may be claimed about them. */
  readonly unread: ReadonlyMap<FactKey, string>;
  /** Those of them of which the objects of the operator's namespace were read. */
  readonly partly?: ReadonlySet<FactKey>;
  /** Those of them that no permission helps with: a dump holds them otherwise than an API server. */
  readonly misfits?: ReadonlySet<FactKey>;
  /** The objects whose owner is gone; absent: every mark counts. */
  readonly left?: LeftMarks | undefined;
  /** Services that webhooks of others call and that do not exist, as `namespace/name`. */
  readonly goneServices?: ReadonlySet<string>;
  /** The operators' Deployments of other namespaces; absent: they were not looked for. */
  readonly operators?: readonly Deployment[];
  /** Of the webhook's Secret, where a reader of certificates was given and the Secret exists. */
  readonly certificate?: CertificateFacts;
}

/** Where each list is read. */
export const factSources: (names: Names) => Readonly<Record<FactKey, FactSource>> =
  oncePer(describeSources);

/** With the kinds as types, which say what a list holds. */
function describeSources(names: Names) {
  const product = ({ kind, plural }: Names["ec"]): FactSource => ({
    resource: { group: names.group, version: names.version, kind, plural },
    orOwn: true,
  });
  return {
    namespaces: { resource: kinds.namespace, lean: true },
    nodes: { resource: kinds.node },
    clusterVersions: { resource: kinds.clusterVersion },
    definitions: { resource: kinds.definition },
    deployments: { resource: kinds.deployment, own: true },
    replicaSets: { resource: kinds.replicaSet, own: true },
    statefulSets: { resource: kinds.statefulSet, own: true },
    claims: { resource: kinds.claim, own: true },
    volumeAttachments: { resource: kinds.volumeAttachment, lean: true },
    disruptionBudgets: { resource: kinds.disruptionBudget, own: true },
    leases: { resource: kinds.lease, own: true, lean: true },
    pods: { resource: kinds.pod, own: true },
    services: { resource: kinds.service, own: true },
    endpointSlices: { resource: kinds.endpointSlice, own: true },
    networkPolicies: { resource: kinds.networkPolicy, own: true },
    configMaps: { resource: kinds.configMap, own: true, only: names.configMap.name },
    webhookSecrets: { resource: kinds.secret, own: true, only: names.webhook.secret },
    namedSecrets: { resource: kinds.secret, own: true, named: true },
    // of databases in their own namespaces, too
    referredSecrets: { resource: kinds.secret, named: true },
    serviceAccounts: { resource: kinds.serviceAccount, own: true },
    resourceQuotas: { resource: kinds.resourceQuota, own: true },
    events: { resource: kinds.event, own: true },
    ecs: { ...product(names.ec), olderVersion: names.ecVersion },
    edbs: { ...product(names.edb), lean: true },
    eaadbs: { ...product(names.eaadb), lean: true },
    ercs: product(names.erc),
    webhookConfigurations: { resource: kinds.webhookConfiguration },
    mutatingConfigurations: { resource: kinds.mutatingConfiguration },
    roles: { resource: rbacKinds.role },
    roleBindings: { resource: rbacKinds.roleBinding, lean: true },
    clusterRoles: { resource: rbacKinds.clusterRole },
    clusterRoleBindings: { resource: rbacKinds.clusterRoleBinding },
    constraints: { resource: constraintResource },
    subscriptions: { resource: olmKinds.subscription, own: true },
    installPlans: { resource: olmKinds.installPlan, own: true, lean: true },
    clusterServiceVersions: {
      ...{ resource: olmKinds.clusterServiceVersion, own: true, lean: true },
      // of operators of all namespaces OLM keeps a copy in each
      labels: "!olm.copiedFrom",
    },
    operatorGroups: { resource: olmKinds.operatorGroup, own: true },
  } as const satisfies Readonly<Record<FactKey, FactSource>>;
}

/** Kinds that only some clusters have: OpenShift's, and those of other owners. */
export const platformKinds: readonly Resource[] = [
  ...[kinds.clusterVersion, constraintResource],
  ...[olmKinds.subscription, olmKinds.installPlan],
  ...[olmKinds.clusterServiceVersion, olmKinds.operatorGroup],
  ...[ownerResources.policies, ownerResources.generatingPolicies, ownerResources.extensions],
];

/** The object of a list by name, and by namespace where one is given. */
export function factNamed<Key extends FactKey>(
  facts: Facts,
  key: Key,
  { name, namespace }: { readonly name: string; readonly namespace?: string },
): FactObject<Key> | undefined {
  const objects: readonly FactObject<Key>[] = facts.objects[key];
  return byName(objects)
    .get(name)
    ?.find(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
}

const groupByName = oncePer((objects: readonly KubeObject[]) =>
  groupBy(objects, ({ metadata }) => metadata.name),
);

/** The objects of a list by their names, of whatever namespace. */
export function byName<T extends KubeObject>(
  objects: readonly T[],
): ReadonlyMap<string | undefined, readonly T[]> {
  return groupByName(objects) as ReadonlyMap<string | undefined, readonly T[]>;
}

/** Why a list is unread that nothing refused. */
export const notAsked = "it was not asked for";

/** True when the list was read whole, so that "there is none" may be said. */
export function isKnown({ unread }: Facts, key: FactKey): boolean {
  return !unread.has(key);
}

/** True where only the objects of the operator's namespace were read. */
export function isPartlyRead({ partly, unread }: Facts, key: FactKey): boolean {
  return unread.has(key) && partly?.has(key) === true;
}

/** The facts for whoever looks at objects of the operator's namespace alone: lists that were read there count as read. */
export function knownHere(facts: Facts): Facts {
  const { partly, unread } = facts;
  if (partly === undefined) return facts;
  return { ...facts, unread: new Map([...unread].filter(([key]) => !partly.has(key))) };
}

/** Facts of a cluster that was not asked for anything. */
export function unreadFacts(names: Names, namespace: string): Facts {
  const each = <T>(value: T) => factKeys.map((key) => [key, value] as const);
  return {
    ...{ names, namespace, now: 0, apiServer: undefined, unserved: new Set<FactKey>() },
    objects: Object.fromEntries(each([])) as unknown as Facts["objects"],
    unread: new Map(each("it was not asked for")),
  };
}

/** The facts with these lists as `other` has them: objects, and whether they were read. */
export function withRead(facts: Facts, other: Facts, keys: readonly FactKey[]): Facts {
  const read = withObjects(facts, pick(other.objects, ...keys));
  const unread = [...other.unread].filter(([key]) => keys.includes(key));
  return { ...read, unread: new Map([...read.unread, ...unread]) };
}

/** The facts with lists that were read whole. */
export function withObjects(facts: Facts, read: Partial<FactObjects>): Facts {
  const unread = [...facts.unread].filter(([key]) => !Object.hasOwn(read, key));
  return { ...facts, objects: { ...facts.objects, ...read }, unread: new Map(unread) };
}

/** Facts of a cluster that was asked for these lists alone, which hold these objects. */
export function factsOf(
  { names, namespace, now }: Pick<Facts, "names" | "namespace" | "now">,
  read: Partial<FactObjects>,
): Facts {
  return { ...withObjects(unreadFacts(names, namespace), read), now };
}

/** True on OpenShift: the API server knows its constraints or its own version, or a node is of it. */
export function isOpenShift({ unserved, objects }: Facts): boolean {
  return (
    !unserved.has("constraints") ||
    !unserved.has("clusterVersions") ||
    objects.nodes.some(({ metadata }) => getOwn(metadata.labels, openShiftNode) !== undefined)
  );
}

/** What OpenShift tells of its own version, of whatever type; undefined where it tells none. */
export function readOpenShiftVersion({ objects }: Pick<Facts, "objects">): unknown {
  return getPath(objects.clusterVersions[0], ["status", "desired", "version"]);
}

/** Label that OpenShift gives to every node. */
const openShiftNode = "node.openshift.io/os_id";
