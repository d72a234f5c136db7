/**
 * What each command may need, whatever it finds: the `needs.ts` of its room, or of a folder of domain. The same data is
 * asked for before a run reads and is printed, complete, where something is missing (exit 4).
 */
import { definitionNames } from "./deletion";
import { type FactKey, factSources } from "./facts";
import { kinds } from "../kube/kinds";
import { ownerResources } from "../kube/owner-seek";
import type { Names } from "../names/names";
import { type Permission, permissionOn } from "../kube/permissions";

/** Where a command works. */
export interface NeedsPlace {
  readonly names: Names;
  /** The operator's; undefined: every namespace. */
  readonly namespace: string | undefined;
}

/** Where a command works that needs the operator. */
export interface OperatorPlace extends NeedsPlace {
  readonly namespace: string;
}

/** What a run takes. */
export interface Needs {
  /** Without these it ends before it reads anything. */
  readonly reads: readonly Permission[];
  /** What else it may come to need; it goes on without those that turn out not to be needed. */
  readonly may: readonly Permission[];
  /** What it does without, and then judges or tells less: in the Role, and never told as missing. */
  readonly beside: readonly Permission[];
}

/** What several runs take together. */
export function together(all: readonly Needs[]): Needs {
  return {
    reads: all.flatMap(({ reads }) => reads),
    may: all.flatMap(({ may }) => may),
    beside: all.flatMap(({ beside }) => beside),
  };
}

/** The permission for one of the lists that facts are made of. */
export function needList(key: FactKey, { names, namespace }: NeedsPlace, why: string): Permission {
  const { resource, own, only } = factSources(names)[key];
  return permissionOn("list", resource, {
    why,
    ...(own === true && namespace !== undefined && { namespace }),
    ...(only !== undefined && { name: only }),
  });
}

/** The lists by which the operator's namespace is recognized, and what must not be being deleted. */
export function groundNeeds(place: NeedsPlace): readonly Permission[] {
  const { names, namespace } = place;
  const here = "to see whether the operator is in this namespace";
  const going = "to see whether it is being deleted";
  const deployment = { why: here, namespace, name: names.operator.deployment };
  return [
    permissionOn("list", kinds.deployment, deployment),
    permissionOn("list", kinds.service, { why: here, namespace, name: names.webhook.service }),
    permissionOn("list", factSources(names).ecs.resource, { why: here, namespace }),
    permissionOn("get", kinds.namespace, { why: going, name: namespace }),
    ...definitionNames(names).map((name) =>
      permissionOn("get", kinds.definition, { why: going, name }),
    ),
  ];
}

/** To look for the owner that an object is marked with; where it is refused, that owner counts as there. */
export function leftMarkNeeds(): readonly Permission[] {
  const why = "to see whether the owner that an object is marked with is still there";
  const { versions, subscriptions, policies, generatingPolicies, extensions, helmReleases } =
    ownerResources;
  return [
    permissionOn("get", versions, { why }),
    permissionOn("list", subscriptions, { why }),
    ...[policies, generatingPolicies, extensions, helmReleases].map((one) =>
      permissionOn("get", one, { why }),
    ),
    permissionOn("get", kinds.namespace, { why }),
  ];
}

/** To look for operators that share the definitions; where it is refused, that is told. */
export function otherOperatorNeeds({ names }: Pick<NeedsPlace, "names">): readonly Permission[] {
  const why = "to see whether operators of other namespaces share the definitions";
  return [permissionOn("list", kinds.deployment, { why, name: names.operator.deployment })];
}

/** To look for what webhooks of others call; where it is refused, it counts as there. */
export function calledServiceNeeds(): readonly Permission[] {
  return [permissionOn("get", kinds.service, { why: "to see whether other webhooks are gone" })];
}

/** How the REST API of a cluster is reached. */
export interface ApiWish {
  /** The Secret with the credentials; undefined while it is not known. */
  readonly secret: string | undefined;
  /** Through a pod, where no address was given. */
  readonly forwards: boolean;
  /** The cluster, for people. */
  readonly of: string;
}

/** What Kubernetes has to allow before the REST API can be asked. */
export function apiNeeds(
  { namespace }: Pick<NeedsPlace, "namespace">,
  { secret, forwards, of }: ApiWish,
): readonly Permission[] {
  const credentials = { why: `read the REST credentials of ${of}`, namespace, name: secret };
  // a WebSocket is opened with a GET: older API servers ask for get, newer ones for create too
  const verbs = forwards ? ["create", "get"] : [];
  return [
    permissionOn("get", kinds.secret, credentials),
    ...verbs.map((verb) =>
      permissionOn(
        verb,
        { ...kinds.pod, plural: `${kinds.pod.plural}/portforward` },
        { why: `reach the REST API of ${of}`, namespace },
      ),
    ),
  ];
}
