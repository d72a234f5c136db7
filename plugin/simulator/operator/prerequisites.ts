/** What keeps an EC upgrade from starting, and what freezes it (S113–S114, S121–S125; domain facts 7, 8, 10, 11). */
import { helperFields } from "../../domain/engine-cluster/helper-images";
import { usualNodes } from "../../domain/engine-cluster/scale";
import { withInstalled } from "../../domain/rest-api/modules";
import { moduleStanding, projectCluster, findServedPaths } from "../../domain/rules/clusters";
import { clusterVersionFor } from "../../domain/release/platforms";
import {
  compareTags,
  isSameRelease,
  parseLeadingEngineVersion,
  parseReleaseTag,
} from "../../domain/base/versions";
import { asArray, asString, getOwn, getPath, numberAt } from "../../domain/base/values";
import type { Container, PodTemplate, StatefulSet } from "../../domain/kube/models";
import type { KubeObject } from "../../ports/kubernetes";
import type { OperatorSnapshot } from "./snapshot";
import type { Names } from "../../domain/names/names";
import { hashValue, makeOwner } from "./acts";
import { readTag } from "./deployment";

/** The prerequisites hold for this operator release and later ones (S121). */
const judgedFrom = "7.8.2-6";

/** What is asked of an EC, and by which operator. */
export interface PrerequisiteContext {
  readonly scene: OperatorSnapshot;
  readonly ec: KubeObject;
  readonly operator: string;
  readonly wanted: string;
}

/** The one cluster release that an operator release manages; undefined where no pair is known. */
export function findRelease({ versions }: OperatorSnapshot, operator: string): string | undefined {
  return versions?.[operator] ?? clusterVersionFor(operator);
}

/** True for a release, and for what is newer; false for what is not a tag. */
export function isAtLeast(tag: string, from: string): boolean {
  return compareTags(tag, from) >= 0;
}

/** True where either spelling of the field is true in the stored object (S13, S51). */
export function isAutomatic(ec: KubeObject, { names }: OperatorSnapshot): boolean {
  const { autoUpgrade, autoUpgradeDirect } = names.ecFields;
  return [autoUpgrade, autoUpgradeDirect].some((path) => getPath(ec, path) === true);
}

/** Pinned images, where the upgrade is automatic: InvalidUpgrade whether or not one is due. */
export function explainPin({ ec, scene }: PrerequisiteContext): string | undefined {
  if (!isAutomatic(ec, scene)) return undefined;
  const { digestHash } = scene.names.ecFields;
  const pinned = [digestHash, ...helperFields(scene.names, digestHash)].filter(
    (path) => asString(getPath(ec, path)) !== undefined,
  );
  if (pinned.length === 0) return undefined;
  const fields = pinned.map((path) => path.join(".")).join(", ");
  return `automatic upgrade is on while images are pinned by digest: ${fields}`;
}

/** Why the upgrade that is asked for cannot be. */
export function impossibleBecause(asked: PrerequisiteContext): string | undefined {
  return explainPin(asked) ?? licenseBecause(asked) ?? tagBecause(asked);
}

function licenseBecause({ ec, scene }: PrerequisiteContext): string | undefined {
  const state = asString(getPath(ec, scene.names.ecFields.licenseState));
  if (state === undefined || state.toLowerCase() === "valid") return undefined;
  return `the license is not valid: its state is ${state}`;
}

/** An operator release manages one cluster release. */
function tagBecause({ scene, operator, wanted }: PrerequisiteContext): string | undefined {
  const release = findRelease(scene, operator);
  if (parseReleaseTag(wanted) === undefined) return `the version tag ${wanted} is none`;
  if (release === undefined || isSameRelease(release, wanted)) return undefined;
  return `this operator manages ${release}, not ${wanted}`;
}

/** Why an upgrade that has begun is stalled: a database that is too old, or its module. */
export function frozenBecause({ scene, ec, operator }: PrerequisiteContext): string | undefined {
  if (!isAtLeast(operator, judgedFrom)) return undefined;
  const edbs = listDatabases(scene, ec);
  const isSupported = listSupported(scene, ec);
  const old = edbs.flatMap((edb) => {
    const { engineVersion } = scene.names.fields;
    const version =
      readRunningVersion(scene, edb) ?? parseLeadingEngineVersion(getPath(edb, engineVersion));
    if (version === undefined) return [];
    const { major, minor } = version;
    if (major > 7 || (major === 7 && minor >= 2)) return [];
    return [`database ${renderName(edb)} runs the incompatible version ${major}.${minor}`];
  });
  const unsupported = edbs.flatMap((edb) => {
    const module = listModules(scene, edb).find((name) => !isSupported(name));
    if (module === undefined) return [];
    return [`database ${renderName(edb)} uses the unsupported module ${module}`];
  });
  return [...old, ...unsupported][0];
}

/** The version that runs decides: a database that was raised over REST is raised. */
export function readRunningVersion({ names, rest }: OperatorSnapshot, edb: KubeObject) {
  return parseLeadingEngineVersion(
    rest?.find(edb)?.version ?? getPath(edb, names.fields.statusVersion),
  );
}

/** Databases of an EC, by their reference; one without a reference belongs to the only EC. */
export function listDatabases(
  { names, ecs, edbs }: Pick<OperatorSnapshot, "names" | "ecs" | "edbs">,
  ec: KubeObject,
): readonly KubeObject[] {
  return edbs.filter((edb) => {
    const named = asString(getPath(edb, names.fields.clusterReference));
    return named === undefined ? ecs.length === 1 : named === ec.metadata.name;
  });
}

/** Names of modules that a database lists, in every spelling of the list. */
export function listModules({ names }: OperatorSnapshot, edb: KubeObject): readonly string[] {
  const entries = names.fields.moduleLists.flatMap((key) => asArray(getPath(edb, ["spec", key])));
  return entries.flatMap((entry) => asString(getOwn(entry, names.entryFields.moduleName)) ?? []);
}

/**
 * Which modules an EC supports: bundled and defined ones; one that is merely installed counts only where the
 * definition has no place to define it, or where nothing is upgraded (S56, S113, S124; C9). What came over REST
 * counts as installed.
 */
export function listSupported(
  { names, rest, definition }: OperatorSnapshot,
  ec: KubeObject,
  upgrades = true,
): (module: string) => boolean {
  const projected = projectCluster(ec, names);
  const cluster = projected && withInstalled(projected, rest?.modules ?? []);
  const places = findServedPaths(definition, names.ecVersion, [names.fields.userDefinedModules]);
  const isLenient = !upgrades || places?.length === 0;
  const enough = ["bundled", "defined", "unpublished", ...(isLenient ? ["installed"] : [])];
  return (name) => enough.includes(moduleStanding(name, cluster, names));
}

function renderName({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

/** What the pods are to run. */
interface DesiredPods {
  readonly names: Names;
  readonly tag: string;
}

/** The tag that the pods of a StatefulSet are made with. */
export function readRunningTag(set: StatefulSet | undefined, names: Names): string | undefined {
  return readTag(set?.spec?.template?.spec, names.pods.container);
}

/** The user-defined modules that an EC lists, as one word. */
export function modulesHash(ec: KubeObject, names: Names): string {
  return hashValue(asArray(getPath(ec, names.fields.userDefinedModules)));
}

/** The same of what the StatefulSet was last made with; undefined where it does not report. */
export function readAppliedModules({ spec }: StatefulSet, names: Names): string | undefined {
  return asString(spec?.template?.metadata?.annotations?.[names.annotations.userModules]);
}

/** A new StatefulSet for an EC, with pods of the given tag. */
export function makeStatefulSet(ec: KubeObject, tag: string, names: Names): StatefulSet {
  const { name = "", namespace = "" } = ec.metadata;
  const labels = { app: names.operator.appLabel, [names.operator.appLabel]: name };
  const container: Container = {
    name: names.pods.container,
    imagePullPolicy: "IfNotPresent",
    ports: [8001, 9443].map((containerPort) => ({ containerPort, protocol: "TCP" })),
  };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace, labels, ownerReferences: [makeOwner(ec)] },
    spec: {
      serviceName: name,
      replicas: numberAt(ec, names.ecFields.nodes, usualNodes),
      selector: { matchLabels: labels },
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate" },
      template: {
        metadata: { labels, annotations: makeAnnotations(ec, names) },
        spec: {
          serviceAccountName: asString(getPath(ec, names.ecFields.serviceAccountName)) ?? name,
          containers: [{ ...container, ...imageFields(container, ec, { names, tag }) }],
        },
      },
    },
  };
}

function makeAnnotations(ec: KubeObject, names: Names): Readonly<Record<string, string>> {
  return { [names.annotations.userModules]: modulesHash(ec, names) };
}

/** What the container of a pod has of the EC's image spec; what that does not say stays. */
function imageFields(
  { imagePullPolicy }: Container,
  ec: KubeObject,
  { names, tag }: DesiredPods,
): Pick<Container, "image" | "imagePullPolicy"> {
  const repository = asString(getPath(ec, names.ecFields.repository)) ?? names.images.cluster;
  const policy = asString(getPath(ec, names.ecFields.imagePullPolicy)) ?? imagePullPolicy;
  return { image: `${repository}:${tag}`, imagePullPolicy: policy };
}

/** The containers of a StatefulSet's pods as an EC wants them, and whether one differs. */
function containersFor({ spec }: StatefulSet, ec: KubeObject, wanted: DesiredPods) {
  let differs = false;
  const made = spec?.template?.spec?.containers?.map((container) => {
    if (container.name !== wanted.names.pods.container) return container;
    const { image, imagePullPolicy } = imageFields(container, ec, wanted);
    differs ||= container.image !== image || container.imagePullPolicy !== imagePullPolicy;
    return { ...container, image, imagePullPolicy };
  });
  return { containers: made, differs };
}

/** Whether the pods are made with another repository or pull policy than the EC says, tag for tag. */
export function hasOtherImage(set: StatefulSet, ec: KubeObject, wanted: DesiredPods): boolean {
  // without a repository the operator's own counts, which is not known of one that is not played
  if (asString(getPath(ec, wanted.names.ecFields.repository)) === undefined) return false;
  return containersFor(set, ec, wanted).differs;
}

/** The template with another image and the EC's present modules: the pods that differ are renewed. */
export function templateFor(set: StatefulSet, ec: KubeObject, wanted: DesiredPods): PodTemplate {
  const { containers } = containersFor(set, ec, wanted);
  return { metadata: { annotations: makeAnnotations(ec, wanted.names) }, spec: { containers } };
}
