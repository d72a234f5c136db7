/** Image references taken apart and moved to another registry (S17). */

/** An image as manifests write it: where it is, and which. */
export interface Image {
  /** Registry and path, without tag and digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** True when a digest pins it. */
  readonly pinned: boolean;
}

/** Takes a reference apart; a colon after the last slash begins the tag. */
export function parseImage(reference: string): Image {
  const digest = reference.indexOf("@");
  const named = digest < 0 ? reference : reference.slice(0, digest);
  const colon = named.lastIndexOf(":");
  const tagged = colon > named.lastIndexOf("/");
  return {
    repository: tagged ? named.slice(0, colon) : named,
    tag: tagged ? named.slice(colon + 1) : undefined,
    pinned: digest >= 0,
  };
}

/** The same image in another registry: its path stays, the host that it had goes. */
export function inRegistry(reference: string, registry: string): string {
  const slash = reference.indexOf("/");
  const isHost = slash > 0 && /[.:]|^localhost$/.test(reference.slice(0, slash));
  return `${registry.replace(/\/+$/, "")}/${isHost ? reference.slice(slash + 1) : reference}`;
}

/** True for HOST[:PORT][/PATH] as an image can begin with. */
export function isRegistry(text: string): boolean {
  return /^[a-zA-Z0-9]([-.a-zA-Z0-9]*[a-zA-Z0-9])?(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*\/?$/.test(
    text,
  );
}
