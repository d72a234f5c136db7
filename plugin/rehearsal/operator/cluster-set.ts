/** The StatefulSet that an operator makes of an EC, and what it tells of the EC (S48–S50, S72). */
import { getPath, isObject, type Json, asArray, getOwn, asString } from "../../domain/values";
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../run/ports";
import { hashOf, ownerOf } from "./acts";
import { tagOf } from "./deployment";
import { numberAt } from "./snapshot";

/** What the pods are to run. */
interface Wanted {
  readonly names: Names;
  readonly tag: string;
}

/** The tag that the pods of a StatefulSet are made with. */
export function runningTag(set: KubeObject | undefined, names: Names): string | undefined {
  return tagOf(getPath(set, ["spec", "template", "spec"]), names.pods.container);
}

/** The user-defined modules that an EC lists, as one word. */
export function modulesHash(ec: KubeObject, names: Names): string {
  return hashOf(asArray(getPath(ec, names.fields.userDefinedModules)));
}

/** The same of what the StatefulSet was last made with; undefined where it does not report. */
export function appliedModules(set: KubeObject, names: Names): string | undefined {
  const { userModules } = names.annotations;
  return asString(getPath(set, ["spec", "template", "metadata", "annotations", userModules]));
}

/** A new StatefulSet for an EC, with pods of the given tag. */
export function statefulSetOf(ec: KubeObject, tag: string, names: Names): KubeObject {
  const { name = "", namespace = "" } = ec.metadata;
  const labels = { app: names.operator.appLabel, [names.operator.appLabel]: name };
  const container = {
    name: names.pods.container,
    imagePullPolicy: "IfNotPresent",
    ports: [8001, 9443].map((containerPort) => ({ containerPort, protocol: "TCP" })),
  };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace, labels, ownerReferences: [ownerOf(ec)] },
    spec: {
      serviceName: name,
      replicas: numberAt(ec, names.ecFields.nodes, 3),
      selector: { matchLabels: labels },
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate" },
      template: {
        metadata: { labels, annotations: annotationsOf(ec, names) },
        spec: {
          serviceAccountName: asString(getPath(ec, names.ecFields.serviceAccountName)) ?? name,
          containers: [{ ...container, ...imageFields(container, ec, { names, tag }) }],
        },
      },
    },
  };
}

function annotationsOf(ec: KubeObject, names: Names): Json {
  return { [names.annotations.userModules]: modulesHash(ec, names) };
}

/** What the container of a pod has of the EC's image spec; what that does not say stays. */
function imageFields(container: unknown, ec: KubeObject, { names, tag }: Wanted): Json {
  const repository = asString(getPath(ec, names.ecFields.repository)) ?? names.images.cluster;
  const policy =
    asString(getPath(ec, names.ecFields.imagePullPolicy)) ?? getOwn(container, "imagePullPolicy");
  return { image: `${repository}:${tag}`, imagePullPolicy: policy };
}

/** The containers of a StatefulSet's pods as an EC wants them, and whether one differs. */
function containersFor(set: KubeObject, ec: KubeObject, wanted: Wanted) {
  const containers = asArray(getPath(set, ["spec", "template", "spec", "containers"]));
  let differs = false;
  const made = containers.map((container) => {
    if (!isObject(container) || container["name"] !== wanted.names.pods.container) return container;
    const fields = imageFields(container, ec, wanted);
    differs ||= Object.entries(fields).some(([field, value]) => getOwn(container, field) !== value);
    return { ...container, ...fields };
  });
  return { containers: made, differs };
}

/** Whether the pods are made with another repository or pull policy than the EC says, tag for tag. */
export function hasOtherImage(set: KubeObject, ec: KubeObject, wanted: Wanted): boolean {
  // without a repository the operator's own counts, which is not known of one that is not played
  if (asString(getPath(ec, wanted.names.ecFields.repository)) === undefined) return false;
  return containersFor(set, ec, wanted).differs;
}

/** The template with another image and the EC's present modules: the pods that differ are renewed. */
export function templateFor(set: KubeObject, ec: KubeObject, wanted: Wanted): Json {
  const { containers } = containersFor(set, ec, wanted);
  return { metadata: { annotations: annotationsOf(ec, wanted.names) }, spec: { containers } };
}
