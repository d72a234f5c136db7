/** The StatefulSet that an operator makes of an EC, and what it tells of the EC (S72). */
import { at, isObject, type Json, list, own, text } from "../../domain/values";
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../run/ports";
import { tagOf } from "./operator-pod";
import { numberAt, ownerOf, type Scene } from "./scene";
import { hashOf } from "./writes";

/** The StatefulSet of an EC has its name. */
export function setOfCluster(scene: Scene, ec: KubeObject): KubeObject | undefined {
  return scene.statefulSets.find(({ metadata }) => metadata.name === ec.metadata.name);
}

/** The tag that the pods of a StatefulSet are made with. */
export function runningTag(set: KubeObject | undefined, names: Names): string | undefined {
  return tagOf(at(set, ["spec", "template", "spec"]), names.pods.container);
}

/** The modules of one's own that an EC lists, as one word. */
export function modulesHash(ec: KubeObject, names: Names): string {
  return hashOf(list(at(ec, names.fields.userDefinedModules)));
}

/** The same of what the StatefulSet was last made with; undefined where it does not tell. */
export function appliedModules(set: KubeObject, names: Names): string | undefined {
  const { userModules } = names.annotations;
  return text(at(set, ["spec", "template", "metadata", "annotations", userModules]));
}

/** A new StatefulSet for an EC, with pods of the given tag. */
export function statefulSetOf(ec: KubeObject, tag: string, names: Names): KubeObject {
  const { name = "", namespace } = ec.metadata;
  const labels = { app: names.operator.appLabel, [names.operator.appLabel]: name };
  const container = {
    name: names.pods.container,
    image: imageOf(ec, tag, names),
    imagePullPolicy: text(at(ec, names.ecFields.imagePullPolicy)) ?? "IfNotPresent",
    ports: [
      { containerPort: 8001, protocol: "TCP" },
      { containerPort: 9443, protocol: "TCP" },
    ],
  };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels,
      ownerReferences: [ownerOf(ec) as Json],
    },
    spec: {
      serviceName: name,
      replicas: numberAt(ec, names.ecFields.nodes, 3),
      selector: { matchLabels: labels },
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate" },
      template: {
        metadata: {
          labels,
          annotations: { [names.annotations.userModules]: modulesHash(ec, names) },
        },
        spec: {
          serviceAccountName: text(at(ec, names.ecFields.serviceAccountName)) ?? name,
          containers: [container],
        },
      },
    },
  };
}

/** What the container of a pod has of the EC's image spec; what that does not say stays (S48–S50). */
function imageFields(container: Json, ec: KubeObject, { names, tag }: Wish): Json {
  const policy = text(at(ec, names.ecFields.imagePullPolicy)) ?? own(container, "imagePullPolicy");
  return { image: imageOf(ec, tag, names), imagePullPolicy: policy };
}

/** Whether the pods are made with another repository or pull policy than the EC says, tag for tag. */
export function hasOtherImage(set: KubeObject, ec: KubeObject, wish: Wish): boolean {
  // without a repository the operator's own counts, which is not known of one that is not played
  if (text(at(ec, wish.names.ecFields.repository)) === undefined) return false;
  return list(at(set, ["spec", "template", "spec", "containers"])).some(
    (container) =>
      isObject(container) &&
      own(container, "name") === wish.names.pods.container &&
      Object.entries(imageFields(container, ec, wish)).some(
        ([field, wanted]) => own(container, field) !== wanted,
      ),
  );
}

/** The template with another image and the EC's present modules: the pods that differ are renewed. */
export function templateFor(set: KubeObject, ec: KubeObject, wish: Wish): Json {
  const { names } = wish;
  const template = at(set, ["spec", "template"]) as Json;
  const spec = template["spec"] as Json;
  const containers = list(spec["containers"]).map((container) =>
    isObject(container) && own(container, "name") === names.pods.container
      ? { ...container, ...imageFields(container, ec, wish) }
      : container,
  );
  const metadata = {
    annotations: { [names.annotations.userModules]: modulesHash(ec, names) },
  };
  return { metadata, spec: { containers } };
}

/** What the pods are to run. */
interface Wish {
  readonly names: Names;
  readonly tag: string;
}

function imageOf(ec: KubeObject, tag: string, names: Names): string {
  const repository = text(at(ec, names.ecFields.repository)) ?? names.images.cluster;
  return `${repository}:${tag}`;
}
