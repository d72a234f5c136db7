/** Images moved to another registry (S17). */

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
