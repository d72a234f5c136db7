/** The image specs of cluster resources, which follow the operator's registry (S17). */
import type { FieldEdit } from "../cluster/edits";
import type { Finding } from "../findings";
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { at, list, own, text } from "../values";
import { sameJson } from "../rules/same";
import { operatorFinding } from "./codes";
import { inRegistry } from "./images";

/** What the person said of the registry. */
export interface RegistryWish {
  readonly registry: string | undefined;
  readonly pullSecret: string | undefined;
}

/** What changes in one cluster resource. */
export interface ClusterPatch {
  readonly cluster: KubeObject;
  readonly edits: readonly FieldEdit[];
}

/** The patches that are needed; a cluster that is as wanted has none. */
export function clusterPatches(
  clusters: readonly KubeObject[],
  wish: RegistryWish,
  names: Names,
): readonly ClusterPatch[] {
  return clusters.flatMap((cluster) => {
    const edits = [...repositories(cluster, wish, names), ...pullSecrets(cluster, wish, names)]
      .map(({ path, value }) => ({ path, from: at(cluster, path), to: value }))
      .filter(({ from, to }) => !sameJson(from, to));
    return edits.length === 0 ? [] : [{ cluster, edits }];
  });
}

/** True when the later patch writes what was planned; others may have added pull secrets meanwhile. */
export function isSamePatch(
  later: ClusterPatch,
  planned: ClusterPatch,
  { ecFields }: Names,
): boolean {
  return (
    later.cluster.metadata.uid === planned.cluster.metadata.uid &&
    later.edits.every(
      ({ path, from }) =>
        sameJson(path, ecFields.pullSecrets) ||
        planned.edits.some((edit) => sameJson(edit.path, path) && sameJson(edit.from, from)),
    )
  );
}

interface Field {
  readonly path: readonly string[];
  readonly value: unknown;
}

function repositories(
  cluster: KubeObject,
  { registry }: RegistryWish,
  names: Names,
): readonly Field[] {
  if (registry === undefined) return [];
  const { repository, bootstrapperImage, riggerImage } = names.ecFields;
  const last = repository.slice(-1);
  const value = inRegistry(names.images.cluster, registry);
  return [
    // an image spec without a tag is none
    ...(namesImage(cluster, names) ? [{ path: repository, value }] : []),
    { path: [...bootstrapperImage, ...last], value: inRegistry(names.images.operator, registry) },
    { path: [...riggerImage, ...last], value: inRegistry(names.images.controller, registry) },
  ];
}

function pullSecrets(
  cluster: KubeObject,
  { pullSecret }: RegistryWish,
  { ecFields }: Names,
): readonly Field[] {
  if (pullSecret === undefined) return [];
  const held = list(at(cluster, ecFields.pullSecrets));
  const isThere = held.some((secret) => text(own(secret, "name")) === pullSecret);
  const value = isThere ? held : [...held, { name: pullSecret }];
  return [{ path: ecFields.pullSecrets, value }];
}

function namesImage(cluster: KubeObject, { ecFields }: Names): boolean {
  return text(at(cluster, ecFields.versionTag)) !== undefined;
}

/** Clusters whose image cannot follow the registry yet. */
export function judgeClusterImages(
  clusters: readonly KubeObject[],
  { registry }: RegistryWish,
  names: Names,
): readonly Finding[] {
  if (registry === undefined) return [];
  const repository = inRegistry(names.images.cluster, registry);
  return clusters
    .filter((cluster) => !namesImage(cluster, names))
    .map((cluster) =>
      operatorFinding("clusterImage", {
        object: objectLabel(cluster),
        field: names.ecFields.repository.join("."),
        fix: `give its image with the cluster's own upgrade: upgrade-cluster --image-repository ${repository}`,
      }),
    );
}

/** True where the cluster's upgrade begins by itself once the operator is new (S13). */
export function upgradesItself(cluster: KubeObject, { ecFields }: Names): boolean {
  return [ecFields.autoUpgrade, ecFields.autoUpgradeDirect].some(
    (path) => at(cluster, path) === true,
  );
}
