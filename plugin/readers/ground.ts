/** What an upgrade stands on, looked at before anything is planned: none of it may be being deleted. */
import { ApiError, exitCodes, BlockedError } from "../domain/base/errors";
import { definitionNames } from "../domain/facts/deletion";
import { judgeGround } from "../domain/engine-cluster/deletion";
import { isDeleting } from "../domain/kube/deletion";
import { type Facts, factSources } from "../domain/facts/facts";
import { kinds } from "../domain/kube/kinds";
import type { KubeObject } from "../domain/kube/objects";
import { ofKind } from "../domain/kube/typed";
import { readSnapshot, type SnapshotDeps } from "./snapshot";

/** Whose ground. */
interface Place {
  /** The operator's. */
  readonly namespace: string;
  /** ECs that matter; absent: all of the namespace. */
  readonly clusters?: readonly string[];
}

/** What goes with a definition or a namespace. */
const counted = ["ecs", "edbs", "eaadbs", "ercs"] as const;

/**
 * Throws 3 where a definition of the product, the operator's namespace or an EC is being deleted. What
 * may not be read, or cannot be, is not judged: who writes one database needs no rights on definitions.
 */
export async function requireGround(deps: SnapshotDeps, place: Place): Promise<void> {
  const { cluster, names, signal } = deps;
  const { namespace, clusters } = place;
  const [namespaces, ecs, ...definitions] = await Promise.all([
    some(deps, cluster.get({ resource: kinds.namespace, name: namespace }, { signal })),
    clusters?.length === 0 ? [] : readClusters(deps, namespace),
    ...definitionNames(names).map((name) =>
      some(deps, cluster.get({ resource: kinds.definition, name }, { signal })),
    ),
  ]);
  await requireStanding(deps, place, {
    namespaces: ofKind(namespaces, "Namespace"),
    ecs,
    definitions: ofKind(definitions.flat(), "CustomResourceDefinition"),
  });
}

/**
 * Throws 3 where the namespace that is written into is being deleted. Roles, bindings and Secrets are
 * no objects of a definition: one that goes, or an EC that goes, does not stop their writes, which may
 * be what its finalizer waits for.
 */
export async function requireNamespace(deps: SnapshotDeps, namespace: string): Promise<void> {
  const { cluster, signal } = deps;
  const asked = cluster.get({ resource: kinds.namespace, name: namespace }, { signal });
  const found = {
    namespaces: ofKind(await some(deps, asked), "Namespace"),
    ecs: [],
    definitions: [],
  };
  await requireStanding(deps, { namespace, clusters: [] }, found);
}

/** What was looked at. */
type Ground = Pick<Facts["objects"], "namespaces" | "ecs" | "definitions">;

/** Throws 3 for what goes, with what goes with it, which is read only then. */
async function requireStanding(
  deps: SnapshotDeps,
  { namespace, clusters }: Place,
  found: Ground,
): Promise<void> {
  if (!Object.values(found).flat().some(isDeleting)) return;
  const read = await readSnapshot(deps, namespace, counted);
  const ecs = read.unread.has("ecs") ? found.ecs : read.objects.ecs;
  const facts: Facts = { ...read, objects: { ...read.objects, ...found, ecs } };
  const findings = judgeGround(facts, clusters);
  if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
}

async function readClusters(deps: SnapshotDeps, namespace: string): Promise<readonly KubeObject[]> {
  const { cluster, names, signal } = deps;
  const { resource, olderVersion = resource.version } = factSources(names).ecs;
  const listVersion = (version: string) =>
    some(deps, cluster.list({ ...resource, version }, { namespace, whole: true, signal }));
  const found = await listVersion(resource.version);
  return found.length > 0 || olderVersion === resource.version ? found : listVersion(olderVersion);
}

/** An answer as a list; what the API server refuses or cannot tell is none. */
async function some(
  { signal }: Pick<SnapshotDeps, "signal">,
  asked: Promise<KubeObject | readonly KubeObject[] | undefined>,
): Promise<readonly KubeObject[]> {
  try {
    const found = await asked;
    return found === undefined ? [] : [found].flat();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) return [];
    throw error;
  }
}
