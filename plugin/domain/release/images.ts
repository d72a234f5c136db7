/** The images that a bundle names: the operator's, in both containers, and the cluster's (S17). */
import { type Image, isImage, parseImage, publicImages } from "../image";
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { at, list, own, text } from "../values";

/** The images of the operator's containers, of every Deployment of that name. */
export function operatorImages(bundle: readonly KubeObject[], names: Names): readonly Image[] {
  return deployments(bundle, names)
    .flatMap((deployment) => list(at(deployment, [...podSpec, "containers"])))
    .filter((container) => containerNames(names).includes(String(own(container, "name"))))
    .flatMap((container) => parseImage(own(container, "image")) ?? []);
}

/** What is wrong with the Deployment: one, with both containers, and the same image in both (S17). */
export function judgeImages(bundle: readonly KubeObject[], names: Names): readonly string[] {
  const found = deployments(bundle, names);
  const [deployment] = found;
  if (deployment === undefined) return [`it holds no Deployment/${names.operator.deployment}`];
  const label = objectLabel(deployment);
  const containers = list(at(deployment, [...podSpec, "containers"]));
  const images = containerNames(names).map((name) => {
    const container = containers.find((each) => own(each, "name") === name);
    return { name, image: text(own(container, "image")) };
  });
  const missing = images.filter(({ image }) => parseImage(image) === undefined);
  if (missing.length > 0) {
    return missing.map(({ name }) => `${label} has no container ${name} with an image`);
  }
  if (new Set(images.map(({ image }) => image)).size === 1) return [];
  const each = images.map(({ name, image }) => `${name} ${String(image)}`).join(", ");
  return [`${label} has different images in its containers: ${each}`];
}

/** The tag of the cluster image that the operator's environment names, where it names one. */
export function relatedClusterTag(bundle: readonly KubeObject[], names: Names): string | undefined {
  const clusters = publicImages("cluster", names);
  return deployments(bundle, names)
    .flatMap((deployment) => list(at(deployment, [...podSpec, "containers"])))
    .flatMap((container) => list(own(container, "env")))
    .flatMap((variable) => parseImage(own(variable, "value")) ?? [])
    .find(({ repository }) => clusters.some((name) => isImage(repository, name)))?.tag;
}

const podSpec = ["spec", "template", "spec"];

function containerNames({ operator }: Names): readonly string[] {
  return [operator.container, operator.admissionContainer];
}

function deployments(bundle: readonly KubeObject[], names: Names): readonly KubeObject[] {
  return bundle.filter(
    ({ kind, metadata }) => kind === "Deployment" && metadata.name === names.operator.deployment,
  );
}
