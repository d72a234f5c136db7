/** Image references as manifests write them (S17). */
import type { Names } from "./names";
import { text } from "./values";

/** An image as it is written, taken apart. */
export interface Image {
  /** Registry and path, without tag and digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Takes a reference apart, a registry's port set apart from a tag; undefined for what is none. */
export function parseImage(written: unknown): Image | undefined {
  const match = /^([^@\s]+?)(?::([^:/@\s]+))?(?:@([^@\s]+))?$/.exec(text(written) ?? "");
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
  return `${registry.replace(/\/+$/, "")}/${withoutHost(reference)}`;
}

/** What stands before the image's own path in a repository; undefined where that is not its path. */
export function registryOf(repository: string, image: string): string | undefined {
  const end = `/${withoutHost(image)}`;
  return repository.endsWith(end) ? repository.slice(0, -end.length) : undefined;
}

/** True for the image itself, in whichever registry. */
export function isImage(repository: string, image: string): boolean {
  return repository === image || registryOf(repository, image) !== undefined;
}

function withoutHost(reference: string): string {
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
