/** The image specs of cluster resources, which follow the operator's registry (S17). */
import { type FieldEdit, fieldEdits } from "../../domain/kube/edits";
import type { Finding } from "../../domain/base/findings";
import { type ImagePart, imagesOn, inRegistry, isIn } from "../../domain/release/images";
import type { Names } from "../../domain/names/names";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import type { ReleaseContents } from "../../domain/release/contents";
import {
  type FieldPath,
  getPath,
  isObject,
  asArray,
  getOwn,
  sameJson,
  asString,
} from "../../domain/base/values";
import { operatorFinding } from "../../domain/operator/findings";

/** What the person said of the registry, and what the release says of images. */
export interface RegistryWish {
  readonly registry: string | undefined;
  readonly pullSecret: string | undefined;
  readonly contents: Pick<ReleaseContents, "platform" | "definitions">;
}

/** What changes in one cluster resource. */
export interface ClusterPatch {
  readonly object: KubeObject;
  readonly edits: readonly FieldEdit[];
}

/** The patches that are needed; a cluster that is up to date has none. */
export function clusterPatches(
  clusters: readonly KubeObject[],
  wish: RegistryWish,
  names: Names,
): readonly ClusterPatch[] {
  return clusters.flatMap((cluster) => {
    const edits = fieldEdits(cluster, [
      ...repositories(cluster, wish, names),
      ...pullSecrets(cluster, wish, names),
    ]);
    return edits.length === 0 ? [] : [{ object: cluster, edits }];
  });
}

/** True when the later patch writes what was planned; others may have added pull secrets meanwhile. */
export function isSamePatch(
  later: ClusterPatch,
  planned: ClusterPatch,
  { ecFields }: Names,
): boolean {
  return (
    later.object.metadata.uid === planned.object.metadata.uid &&
    later.edits.every(
      ({ path, from }) =>
        sameJson(path, ecFields.pullSecrets) ||
        planned.edits.some((edit) => sameJson(edit.path, path) && sameJson(edit.from, from)),
    )
  );
}

type SetField = readonly [FieldPath, unknown];

/** The image specs of a cluster resource whose image is known, by their paths. */
function knownSpecs({ ecFields }: Names): readonly (readonly [FieldPath, ImagePart])[] {
  return [
    [ecFields.repository.slice(0, -1), "cluster"],
    [ecFields.bootstrapperImage, "operator"],
    [ecFields.riggerImage, "controller"],
    [ecFields.meterImage, "callHome"],
  ];
}

/** The image specs that the release's definition has; without one, those that are known. */
function listSpecs({ contents }: RegistryWish, names: Names): readonly FieldPath[] {
  const { ecFields, ec } = names;
  const keys = [ecFields.repository, ecFields.versionTag].flatMap((path) => path.slice(-1));
  const definition = contents.definitions.find(
    (one) => getPath(one, ["spec", "names", "kind"]) === ec.kind,
  );
  if (definition === undefined) return knownSpecs(names).map(([path]) => path);
  const found = asArray(getPath(definition, ["spec", "versions"])).flatMap((version) =>
    holdersOfAll(keys, getPath(version, ["schema", "openAPIV3Schema"])),
  );
  return [...new Map(found.map((path) => [path.join("."), path])).values()];
}

/** Paths of a schema to what has all these fields. */
function holdersOfAll(keys: readonly string[], schema: unknown): readonly FieldPath[] {
  const properties = getOwn(schema, "properties");
  if (!isObject(properties)) return [];
  if (keys.every((key) => Object.hasOwn(properties, key))) return [[]];
  return Object.entries(properties).flatMap(([key, inner]) =>
    holdersOfAll(keys, inner).map((path) => [key, ...path]),
  );
}

function repositories(cluster: KubeObject, wish: RegistryWish, names: Names): readonly SetField[] {
  const { registry, contents } = wish;
  if (registry === undefined) return [];
  const specs = listSpecs(wish, names).map((path) => path.join("."));
  const last = names.ecFields.repository.slice(-1);
  return knownSpecs(names).flatMap(([path, part]) => {
    // without a repository or a tag the nodes have the operator's own image
    const isNone = part === "cluster" && !namesImage(cluster, names);
    if (isNone || !specs.includes(path.join("."))) return [];
    // a mirror may have its images under other paths
    if (isIn(asString(getPath(cluster, [...path, ...last])), registry)) return [];
    const [image] = imagesOn(contents.platform, part, names);
    return [[[...path, ...last], inRegistry(image, registry)]];
  });
}

function pullSecrets(
  cluster: KubeObject,
  { pullSecret }: RegistryWish,
  { ecFields }: Names,
): readonly SetField[] {
  if (pullSecret === undefined) return [];
  const held = asArray(getPath(cluster, ecFields.pullSecrets));
  const isThere = held.some((secret) => asString(getOwn(secret, "name")) === pullSecret);
  const value = isThere ? held : [...held, { name: pullSecret }];
  return [[ecFields.pullSecrets, value]];
}

function namesImage(cluster: KubeObject, { ecFields }: Names): boolean {
  const { repository, versionTag } = ecFields;
  return [repository, versionTag].some((path) => asString(getPath(cluster, path)) !== undefined);
}

/** Images of clusters that cannot follow the registry, or not yet. */
export function judgeClusterImages(
  clusters: readonly KubeObject[],
  wish: RegistryWish,
  names: Names,
): readonly Finding[] {
  const { registry, contents } = wish;
  if (registry === undefined) return [];
  const repository = inRegistry(imagesOn(contents.platform, "cluster", names)[0], registry);
  const untagged = clusters
    .filter((cluster) => !namesImage(cluster, names))
    .map((cluster) =>
      operatorFinding("clusterImage", {
        object: objectLabel(cluster),
        field: names.ecFields.repository.join("."),
        fix: `give its image with the cluster's own upgrade: upgrade-cluster --image-repository ${repository}`,
      }),
    );
  const known = knownSpecs(names).map(([path]) => path.join("."));
  const unknown = listSpecs(wish, names).filter((path) => !known.includes(path.join(".")));
  const left = clusters.flatMap((cluster) =>
    unknown
      .map((path) => [...path, ...names.ecFields.repository.slice(-1)])
      .filter((path) => !isIn(asString(getPath(cluster, path)), registry))
      .map((path) =>
        operatorFinding("imageLeft", {
          object: objectLabel(cluster),
          field: path.join("."),
          cause: `the release's definition has this image, and no name reports which one it is: it is not pulled from ${registry}`,
        }),
      ),
  );
  return [...untagged, ...left];
}
