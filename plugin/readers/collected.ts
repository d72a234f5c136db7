/** Looks for what the garbage collector of Kubernetes is about to delete (domain facts 4.4). */
import { unlessForbidden } from "../ports/forbidden";
import { getOwn, type Json } from "../domain/base/values";
import { type KubeObject, objectLabel, type Ref, splitApiVersion } from "../domain/kube/objects";
import { isPartOfOwner } from "../domain/kube/owner-marks";
import type { KubeClient } from "../ports/kubernetes";

interface Looking {
  readonly cluster: Pick<KubeClient, "get" | "serves" | "lacks">;
  readonly signal?: AbortSignal;
}

/**
 * By object label, the owners that do not exist, of the objects of which each owner reference names such a one. A kind
 * that is not served, or one of namespaces for an object of the cluster, keeps the collector from deleting.
 */
export async function listCollected(
  looking: Looking,
  objects: readonly KubeObject[],
): Promise<ReadonlyMap<string, string>> {
  const asked = new Map<string, Promise<string | undefined>>();
  const told = objects
    .filter((one) => !isPartOfOwner(one))
    .map(async (object): Promise<readonly (readonly [string, string])[]> => {
      const { ownerReferences = [], namespace } = object.metadata;
      const found = await Promise.all(
        ownerReferences.map((reference) => {
          const key = JSON.stringify([reference, namespace]);
          const answer =
            asked.get(key) ?? unlessForbidden(findAbsent(looking, reference, namespace), undefined);
          asked.set(key, answer);
          return answer;
        }),
      );
      const absent = found.filter((one) => one !== undefined);
      const isCollected = absent.length > 0 && absent.length === ownerReferences.length;
      return isCollected ? [[objectLabel(object), absent.join(", ")]] : [];
    });
  return new Map((await Promise.all(told)).flat());
}

/** The owner that a reference names, where it does not exist. */
async function findAbsent(
  { cluster, signal }: Looking,
  reference: Json,
  namespace: string | undefined,
): Promise<string | undefined> {
  const ref = await findPlace(cluster, reference, namespace);
  if (ref === undefined) return undefined;
  const owner = await cluster.get(ref, signal && { signal });
  const isThere =
    owner === undefined
      ? cluster.lacks?.(ref.resource, ref.namespace) === true
      : isSame(owner, reference);
  return isThere ? undefined : `${ref.resource.kind}/${ref.name}`;
}

/** Undefined where nobody can tell where the owner would be. */
async function findPlace(
  cluster: Looking["cluster"],
  reference: Json,
  namespace: string | undefined,
): Promise<Ref | undefined> {
  const [apiVersion, kind, name] = ["apiVersion", "kind", "name"].map((key) =>
    String(getOwn(reference, key)),
  ) as [string, string, string];
  const { group, version } = splitApiVersion(apiVersion);
  const served = await cluster.serves(group, version);
  const resource = served?.find((one) => one.kind === kind);
  if (resource?.namespaced === false) return { resource, name };
  if (resource?.namespaced !== true || namespace === undefined) return undefined;
  return { resource, name, namespace };
}

/** An owner of another uid is another object. */
function isSame({ metadata }: KubeObject, reference: Json): boolean {
  const uid = getOwn(reference, "uid");
  return [uid, metadata.uid].includes(undefined) || uid === metadata.uid;
}
