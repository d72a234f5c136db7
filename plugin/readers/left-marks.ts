/** Looks for the owners that objects are marked with: a mark outlives what made it (domain facts 4.4). */
import { unlessForbidden } from "../ports/forbidden";
import { asString, getPath } from "../domain/base/values";
import { kinds } from "../domain/kube/kinds";
import {
  type KubeObject,
  objectLabel,
  type Ref,
  type Resource,
  splitApiVersion,
} from "../domain/kube/objects";
import type { LeftMarks } from "../domain/kube/owners";
import { ownerResources, seekOwner, type Sought } from "../domain/kube/owner-seek";
import { listCollected } from "./collected";
import type { KubeClient } from "../ports/kubernetes";

const { versions, subscriptions, extensions, helmReleases } = ownerResources;
/** Every kind of policy that generates objects, in each version that Kyverno has served. */
const policies = [
  ownerResources.policies,
  ...["v1", "v1beta1", "v1alpha1"].map((version) => ({
    ...ownerResources.generatingPolicies,
    version,
  })),
];

/** HelmRelease in each version that Flux has served. */
const releases = ["v2", "v2beta2", "v2beta1"].map((version) => ({ ...helmReleases, version }));

/** Where the API server is asked. */
interface Looking {
  readonly cluster: Pick<KubeClient, "get" | "list" | "serves" | "lacks">;
  readonly signal?: AbortSignal;
}

/** The objects whose owner was looked for: why it is gone, or undefined where it may not be looked for. */
export async function readLeftMarks(
  looking: Looking,
  objects: readonly KubeObject[],
): Promise<LeftMarks> {
  const asked = new Map<string, Promise<Answer>>();
  const told = objects.map(async (object): Promise<readonly (readonly [string, Unknown])[]> => {
    const sought = seekOwner(object);
    if (sought === undefined) return [];
    const key = JSON.stringify(sought);
    const answer = asked.get(key) ?? unlessForbidden(whyGone(looking, sought), unseen);
    asked.set(key, answer);
    const found = await answer;
    return found === "there" ? [] : [[objectLabel(object), found.why]];
  });
  const left = new Map((await Promise.all(told)).flat());
  const collected = await listCollected(looking, objects);
  return collected.size === 0 ? left : Object.assign(left, { collected });
}

/** What was found of two sets of objects. */
export function mergeLeft(...all: readonly (LeftMarks | undefined)[]): LeftMarks {
  const left = new Map(all.flatMap((one) => [...(one ?? [])]));
  const collected = new Map(all.flatMap((one) => [...(one?.collected ?? [])]));
  return collected.size === 0 ? left : Object.assign(left, { collected });
}

type Unknown = string | undefined;
/** Why it is gone, undefined where that cannot be seen. */
type Answer = "there" | { readonly why: Unknown };

const unseen: Answer = { why: undefined };

async function whyGone(looking: Looking, sought: Sought): Promise<Answer> {
  if (sought.is === "versions") return await whyReleased(looking, sought.versions);
  if (sought.is === "helmRelease") return await whySuspended(looking, sought);
  if (sought.is === "object") return await whyNotThere(looking, sought);
  return await unlessThere(looking, looked[sought.is], { name: sought.name });
}

/** A HelmRelease that is suspended is not carried out. */
async function whySuspended(
  { cluster, signal }: Looking,
  { namespace, name }: Extract<Sought, { is: "helmRelease" }>,
): Promise<Answer> {
  for (const resource of releases) {
    const found = await cluster.get({ resource, namespace, name }, signal && { signal });
    if (found === undefined) continue;
    if (getPath(found, ["spec", "suspend"]) !== true) return "there";
    return {
      why: `HelmRelease/${namespace}/${name} is suspended; bring the same change into it before it is resumed, since Flux takes it back then`,
    };
  }
  return unseen;
}

const looked = { policy: policies, extension: [extensions], namespace: [kinds.namespace] };

/** Gone where none of the kinds has an object of that name. */
async function unlessThere(
  looking: Looking,
  resources: readonly Resource[],
  place: Omit<Ref, "resource">,
): Promise<Answer> {
  for (const resource of resources) {
    if (await isThere(looking, { resource, ...place })) return "there";
  }
  const { cluster } = looking;
  if (resources.every((resource) => cluster.lacks?.(resource, place.namespace))) return unseen;
  const [first] = resources;
  return { why: `${String(first?.kind)}/${place.name} does not exist` };
}

/** A kind that is not served in the version that was written down may be served in another. */
async function whyNotThere(
  looking: Looking,
  { apiVersion, kind, name, namespace }: Extract<Sought, { is: "object" }>,
): Promise<Answer> {
  const { group, version } = splitApiVersion(apiVersion);
  const served = await looking.cluster.serves(group, version);
  const resource = served?.find((one) => one.kind === kind);
  if (resource === undefined) return unseen;
  const isWide = namespace === undefined || resource.namespaced === false;
  return await unlessThere(looking, [resource], isWide ? { name } : { name, namespace });
}

/** OLM is gone from an object where neither a release of it nor a Subscription for it is there. */
async function whyReleased(
  looking: Looking,
  named: Extract<Sought, { is: "versions" }>["versions"],
): Promise<Answer> {
  for (const { namespace, name } of named) {
    if (await isThere(looking, { resource: versions, namespace, name })) return "there";
  }
  const places = [...new Set(named.map(({ namespace }) => namespace))];
  for (const namespace of places) {
    const found =
      (await looking.cluster.list(subscriptions, {
        namespace,
        ...(looking.signal && { signal: looking.signal }),
      })) ?? [];
    if (found.some((one) => named.some(({ name }) => mayBring(one, name)))) return "there";
  }
  const isUnread = (place: string): boolean =>
    [versions, subscriptions].some((resource) => looking.cluster.lacks?.(resource, place));
  if (places.some(isUnread)) return unseen;
  const [first] = named.map(({ namespace, name }) => `${versions.kind}/${namespace}/${name}`);
  return { why: `${String(first)} does not exist, and no Subscription would bring it` };
}

async function isThere({ cluster, signal }: Looking, ref: Ref): Promise<boolean> {
  return (await cluster.get(ref, signal && { signal })) !== undefined;
}

/** A Subscription that does not say what it brings may bring anything. */
function mayBring(subscription: KubeObject, csv: string): boolean {
  const paths = [
    ["status", "installedCSV"],
    ["status", "currentCSV"],
    ["spec", "startingCSV"],
  ];
  const brought = paths.flatMap((path) => asString(getPath(subscription, path)) ?? []);
  return brought.length === 0 || brought.some((one) => readPackage(one) === readPackage(csv));
}

/** `name.v1.2.3` is a release of `name`. */
function readPackage(csv: string): string {
  return csv.replace(/\.v?\d.*$/, "");
}
