/** Image references as manifests write them (S17). */
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
