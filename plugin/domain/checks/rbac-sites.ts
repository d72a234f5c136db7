/** The managed namespaces with what is in them and what the release wants there (S34; domain facts 6). */
import { factNamed, type FactKey, type Facts } from "../facts";
import type { KubeObject } from "../objects";
import { type ReleaseRoles, rolesFor } from "../rbac/lines";
import { type Additions, additionsTo, termsFor } from "../rbac/plan";
import { clusterRoleOf, isShared, sharedPair } from "../rbac/site";
import { pairIn, type RbacTemplates, renderRbac } from "../rbac/templates";
import type { Pair } from "../kinds";
import { accountOf } from "../scc/grants";
import { at } from "../values";
import { namespaceOf, type Situation } from "./situation";

/** What is in a managed namespace. */
export interface HeldSite {
  readonly namespace: string;
  readonly role: KubeObject | undefined;
  readonly binding: KubeObject | undefined;
  /** The role, where it is a ClusterRole that gives the access in the place of a Role. */
  readonly shared: KubeObject | undefined;
}

/** A managed namespace that exists and is not on its way out. */
export interface ManagedSite extends HeldSite {
  /** Undefined where there is no template, or an unfit one. */
  readonly wanted: Pair<KubeObject> | undefined;
  /** What a person added to what is wanted. */
  readonly local: Additions;
}

/** What has to have been read for the managed namespaces to be known. */
export const settingNeeds = [
  "deployments",
  "configMaps",
  "namespaces",
] as const satisfies readonly FactKey[];

/** Names of the service accounts of the ECs. */
export function accountsOf({ clusters, names }: Situation): readonly string[] {
  return [...new Set(clusters.map((cluster) => accountOf(cluster, names).name))];
}

/** The release's documents, or those of the release that runs. */
export function rolesOf({ installed, names, target }: Situation): ReleaseRoles {
  if (target.rbac === undefined) return { is: "unknown", because: "there is no template" };
  return rolesFor(target.rbac, installed?.tag, names);
}

/** The release's documents with this operator's names in them; undefined without any. */
export function templatesOf(situation: Situation): RbacTemplates | undefined {
  const roles = rolesOf(situation);
  return roles.is === "unknown" ? undefined : templatesIn(situation, roles);
}

/** These documents with this operator's names in them. */
export function templatesIn(
  situation: Situation,
  { documents }: { readonly documents: readonly unknown[] },
): RbacTemplates {
  const { configured, facts, names } = situation;
  return renderRbac(documents, {
    namespace: facts.namespace,
    accounts: accountsOf(situation),
    label: configured.is === "label",
    names,
  });
}

/** The managed namespaces with what is in them. */
export function heldSites({ facts, managed, names }: Situation): readonly HeldSite[] {
  const roles = byNamespace(facts.objects.roles, names.rbac.consumerRole);
  const bindings = byNamespace(facts.objects.roleBindings, names.rbac.consumerBinding);
  return managed.map((namespace) => {
    const binding = bindings.get(namespace);
    const shared = sharedRoleIn(facts, binding);
    return { namespace, role: shared ?? roles.get(namespace), binding, shared };
  });
}

/** What the release wants there. */
export function wantedAt(
  consumer: Pair<KubeObject>,
  { namespace, shared }: HeldSite,
): Pair<KubeObject> {
  const pair = pairIn(consumer, namespace);
  return shared === undefined ? pair : sharedPair(pair, shared);
}

/** Those that exist and are not on their way out, with what the release wants there. */
export function sitesOf(situation: Situation): readonly ManagedSite[] {
  const { facts } = situation;
  const templates = templatesOf(situation);
  const consumer = templates?.is === "rendered" ? templates.consumer : undefined;
  const known = termsFor({ ...facts, files: {}, mode: "contract" });
  return heldSites(situation)
    .filter(({ namespace }) => isLiving(factNamed(facts, "namespaces", { name: namespace })))
    .map((site) => {
      const { role, binding } = site;
      const wanted = consumer && wantedAt(consumer, site);
      const local = wanted === undefined ? none : additionsTo({ role, binding }, wanted, known);
      // without an EC nobody knows whose accounts the release means
      const subjects = accountsOf(situation).length === 0 ? [] : local.subjects;
      return { ...site, wanted, local: { ...local, subjects } };
    });
}

/** The ClusterRole that gives the access in the place of a Role, where one does. */
function sharedRoleIn(facts: Facts, binding: KubeObject | undefined): KubeObject | undefined {
  const name = clusterRoleOf(binding);
  const role = name === undefined ? undefined : factNamed(facts, "clusterRoles", { name });
  return isShared(role, facts.names) ? role : undefined;
}

const none: Additions = { grants: [], subjects: [] };

/** True for a namespace in which something can be created. */
export function isLiving(namespace: KubeObject | undefined): boolean {
  return namespace !== undefined && !isTerminating(namespace);
}

/** True for a namespace that is being deleted. */
export function isTerminating(namespace: KubeObject): boolean {
  return (
    namespace.metadata.deletionTimestamp !== undefined ||
    at(namespace, ["status", "phase"]) === "Terminating"
  );
}

function byNamespace(
  objects: readonly KubeObject[],
  name: string,
): ReadonlyMap<string, KubeObject> {
  return new Map(
    objects
      .filter(({ metadata }) => metadata.name === name)
      .map((object) => [namespaceOf(object), object]),
  );
}
