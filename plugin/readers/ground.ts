/** What an act stands on, looked at before anything is planned: none of it may be being deleted. */
import { namespaceMissing } from "../domain/admission/findings";
import { ApiError, exitCodes, BlockedError } from "../domain/base/errors";
import { gate } from "../domain/diagnosis/diagnose";
import type { Act, Symptom } from "../domain/diagnosis/symptom";
import { clusterSymptoms, type ClusterScene, groundList } from "../domain/engine-cluster/symptoms";
import { definitionNames } from "../domain/facts/deletion";
import { type Facts, factSources } from "../domain/facts/facts";
import { isDeleting } from "../domain/kube/deletion";
import { kinds } from "../domain/kube/kinds";
import { type KubeObject, readName, readNamespace } from "../domain/kube/objects";
import { ofKind } from "../domain/kube/typed";
import { groundSymptoms } from "../domain/operator/ground";
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

/** The namespace, which has to be there; throws 3 where it is not, or where anything the act stands on goes. */
export async function readStandingNamespace(
  deps: SnapshotDeps,
  act: Act,
  name: string,
): Promise<KubeObject> {
  const found = await deps.cluster.get({ resource: kinds.namespace, name });
  if (found === undefined) throw new BlockedError(exitCodes.blocked, [namespaceMissing(name)]);
  await requireGround(deps, act, { namespace: name });
  return found;
}

/**
 * Throws 3 where what the act stands on is being deleted; only that is read. What may not be read, or cannot be, is
 * not judged: who writes one database needs no rights on definitions.
 */
export async function requireGround(deps: SnapshotDeps, act: Act, place: Place): Promise<void> {
  const { cluster, names, signal } = deps;
  const { namespace, clusters } = place;
  const standsOn = ({ forbids = [] }: Pick<Symptom, "forbids">): boolean => forbids.includes(act);
  const defined = standsOn(groundSymptoms.definition) ? definitionNames(names) : [];
  const [namespaces, ecs, ...definitions] = await Promise.all([
    some(deps, cluster.get({ resource: kinds.namespace, name: namespace }, { signal })),
    standsOn(clusterSymptoms.deleting) ? readClusters(deps, namespace) : [],
    ...defined.map((name) =>
      some(deps, cluster.get({ resource: kinds.definition, name }, { signal })),
    ),
  ]);
  const found = {
    namespaces: ofKind(namespaces, "Namespace"),
    ecs,
    definitions: ofKind(definitions.flat(), "CustomResourceDefinition"),
  };
  if (!Object.values(found).flat().some(isDeleting)) return;
  // what goes along is read only now
  const read = await readSnapshot(deps, namespace, counted);
  const known = read.unread.has("ecs") ? ecs : read.objects.ecs;
  const facts: Facts = { ...read, objects: { ...read.objects, ...found, ecs: known } };
  const scene: ClusterScene = {
    facts,
    clusters: known.filter(
      (one) => readNamespace(one) === namespace && (clusters?.includes(readName(one)) ?? true),
    ),
  };
  const findings = gate(groundList, act, scene).filter(({ blind }) => blind !== true);
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
