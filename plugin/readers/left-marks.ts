/** Looks for the owners that objects are marked with: a mark outlives what made it (domain facts 4.4). */
import { ApiError } from "../domain/base/errors";
import { asString, getPath } from "../domain/base/values";
import { kinds } from "../domain/kube/kinds";
import { type KubeObject, objectLabel, type Ref } from "../domain/kube/objects";
import { type LeftMarks, ownerResources, seekOwner, type Sought } from "../domain/kube/owners";
import type { KubeClient } from "../ports/kubernetes";

const { versions, subscriptions, policies } = ownerResources;

/** Where the API server is asked. */
interface Looking {
  readonly cluster: Pick<KubeClient, "get" | "list">;
  readonly signal?: AbortSignal;
}

/** The objects whose owner was looked for and is gone. What may not be read counts as there. */
export async function readLeftMarks(
  looking: Looking,
  objects: readonly KubeObject[],
): Promise<LeftMarks> {
  const asked = new Map<string, Promise<string | undefined>>();
  const told = objects.map(async (object): Promise<readonly (readonly [string, string])[]> => {
    const sought = seekOwner(object);
    if (sought === undefined) return [];
    const key = JSON.stringify(sought);
    const answer = asked.get(key) ?? unlessRefused(() => whyGone(looking, sought));
    asked.set(key, answer);
    const why = await answer;
    return why === undefined ? [] : [[objectLabel(object), why]];
  });
  return new Map((await Promise.all(told)).flat());
}

async function unlessRefused(look: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

async function whyGone(looking: Looking, sought: Sought): Promise<string | undefined> {
  if (sought.is === "versions") return await whyReleased(looking, sought.versions);
  const { name } = sought;
  const resource = sought.is === "namespace" ? kinds.namespace : policies;
  const found = await isThere(looking, { resource, name });
  return found ? undefined : `${resource.kind}/${name} does not exist`;
}

/** OLM is gone from an object where neither a release of it nor a Subscription for it is there. */
async function whyReleased(
  looking: Looking,
  named: Extract<Sought, { is: "versions" }>["versions"],
): Promise<string | undefined> {
  for (const { namespace, name } of named) {
    if (await isThere(looking, { resource: versions, namespace, name })) return undefined;
  }
  const places = [...new Set(named.map(({ namespace }) => namespace))];
  for (const namespace of places) {
    const found =
      (await looking.cluster.list(subscriptions, {
        namespace,
        ...(looking.signal && { signal: looking.signal }),
      })) ?? [];
    if (found.some((one) => named.some(({ name }) => mayBring(one, name)))) return undefined;
  }
  const [first] = named.map(({ namespace, name }) => `${versions.kind}/${namespace}/${name}`);
  return `${String(first)} does not exist, and no Subscription would bring it`;
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
  return brought.length === 0 || brought.some((one) => packageOf(one) === packageOf(csv));
}

/** `name.v1.2.3` is a release of `name`. */
function packageOf(csv: string): string {
  return csv.replace(/\.v?\d.*$/, "");
}
