/** Image references as manifests write them (S17). */
import type { Names } from "../names/names";
import { getPath, asArray, getOwn, asString } from "../base/values";
import { type KubeObject, objectLabel } from "../kube/objects";

/** The images of the operator's containers, of every Deployment of that name. */
export function operatorImages(bundle: readonly KubeObject[], names: Names): readonly Image[] {
  return deployments(bundle, names)
    .flatMap((deployment) => asArray(getPath(deployment, [...podSpec, "containers"])))
    .filter((container) => containerNames(names).includes(String(getOwn(container, "name"))))
    .flatMap((container) => parseImage(getOwn(container, "image")) ?? []);
}

/** What is wrong with the Deployment: one, with both containers, and the same image in both (S17). */
export function judgeImages(bundle: readonly KubeObject[], names: Names): readonly string[] {
  const found = deployments(bundle, names);
  const [deployment] = found;
  if (deployment === undefined) return [`it holds no Deployment/${names.operator.deployment}`];
  const label = objectLabel(deployment);
  const containers = asArray(getPath(deployment, [...podSpec, "containers"]));
  const images = containerNames(names).map((name) => {
    const container = containers.find((each) => getOwn(each, "name") === name);
    return { name, image: asString(getOwn(container, "image")) };
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
export function findRelatedClusterTag(
  bundle: readonly KubeObject[],
  names: Names,
): string | undefined {
  const clusters = publicImages("cluster", names);
  return deployments(bundle, names)
    .flatMap((deployment) => asArray(getPath(deployment, [...podSpec, "containers"])))
    .flatMap((container) => asArray(getOwn(container, "env")))
    .flatMap((variable) => parseImage(getOwn(variable, "value")) ?? [])
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

/** An image as it is written, taken apart. */
export interface Image {
  /** Registry and path, without tag and digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Takes a reference apart, a registry's port set apart from a tag; undefined for what is none. */
export function parseImage(written: unknown): Image | undefined {
  const match = /^([^@\s]+?)(?::([^:/@\s]+))?(?:@([^@\s]+))?$/.exec(asString(written) ?? "");
  const [, repository, tag, digest] = match ?? [];
  return repository === undefined ? undefined : { repository, tag, digest };
}

/** The parts of the product that have an image of their own. */
export type ImagePart = keyof Names["images"];

/** The public images of a part on a platform, the one to write first; OpenShift may have its own. */
export function imagesOn(
  platform: "kubernetes" | "openshift",
  part: ImagePart,
  { images, openshiftImages }: Names,
): readonly [first: string, ...others: string[]] {
  const [first, ...others] = platform === "openshift" ? openshiftImages[part] : [];
  return first === undefined ? [images[part]] : [first, ...others];
}

/** The public images of a part on every platform. */
export function publicImages(part: ImagePart, names: Names): readonly string[] {
  return [...imagesOn("kubernetes", part, names), ...imagesOn("openshift", part, names)];
}

/** The same image in another registry: its path stays, the host that it had goes. */
export function inRegistry(reference: string, registry: string): string {
  return `${registry.replace(/\/+$/, "")}/${dropHost(reference)}`;
}

/** True for a repository that is in this registry, whatever its path there. */
export function isIn(repository: string | undefined, registry: string): boolean {
  return repository?.startsWith(`${registry.replace(/\/+$/, "")}/`) === true;
}

/** The reference's tag and digest in another repository. */
export function withRepository(reference: string, repository: string): string {
  const own = parseImage(reference)?.repository ?? reference;
  return `${repository}${reference.slice(own.length)}`;
}

/** What stands before the image's own path in a repository; undefined where that is not its path. */
export function findRegistry(repository: string, image: string): string | undefined {
  const end = `/${dropHost(image)}`;
  return repository.endsWith(end) ? repository.slice(0, -end.length) : undefined;
}

/** True for the image itself, in whichever registry. */
function isImage(repository: string, image: string): boolean {
  return repository === image || findRegistry(repository, image) !== undefined;
}

function dropHost(reference: string): string {
  const slash = reference.indexOf("/");
  const isHost = slash > 0 && /[.:]|^localhost$/.test(reference.slice(0, slash));
  return isHost ? reference.slice(slash + 1) : reference;
}

/** True for HOST[:PORT][/PATH] as an image can begin with. */
export function isRegistry(text: string): boolean {
  return /^[a-zA-Z0-9]([-.a-zA-Z0-9]*[a-zA-Z0-9])?(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*\/?$/.test(
    text,
  );
}
