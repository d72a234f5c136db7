/** The managed namespaces with what is in them and what the release wants there (S34; domain facts 6). */
import { factNamed, type FactKey } from "../facts";
import type { KubeObject } from "../objects";
import { pairIn, type RbacTemplates, renderRbac } from "../rbac/templates";
import type { Pair } from "../rbac/kinds";
import { accountOf } from "../scc/account";
import { at } from "../values";
import type { Situation } from "./situation";
import { namespaceOf } from "./named";

/** A managed namespace that exists and is not on its way out. */
export interface ManagedSite {
  readonly namespace: string;
  readonly role: KubeObject | undefined;
  readonly binding: KubeObject | undefined;
  /** Undefined where there is no template, or an unfit one. */
  readonly wanted: Pair<KubeObject> | undefined;
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

/** The release's documents with this operator's names in them; undefined without any. */
export function templatesOf(situation: Situation): RbacTemplates | undefined {
  const { configured, facts, names, target } = situation;
  if (target.rbac === undefined) return undefined;
  return renderRbac(target.rbac, {
    namespace: facts.namespace,
    accounts: accountsOf(situation),
    label: configured.is === "label",
    names,
  });
}

/** The namespaces one by one. */
export function sitesOf(situation: Situation): readonly ManagedSite[] {
  const { facts, managed, names } = situation;
  const templates = templatesOf(situation);
  const consumer = templates?.is === "rendered" ? templates.consumer : undefined;
  const roles = byNamespace(facts.objects.roles, names.rbac.consumerRole);
  const bindings = byNamespace(facts.objects.roleBindings, names.rbac.consumerBinding);
  return managed
    .filter((name) => isLiving(factNamed(facts, "namespaces", { name })))
    .map((namespace) => ({
      namespace,
      role: roles.get(namespace),
      binding: bindings.get(namespace),
      wanted: consumer && pairIn(consumer, namespace),
    }));
}

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
