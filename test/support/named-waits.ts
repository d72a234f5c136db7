/** The law of waits: whose condition is waited for, and which, stands in every line. */

/** An object, a group of them, or what is no object: a server, an upload, an action of a REST API. */
const whose =
  /^(?:[A-Z]\w+\/\S+|namespaces|databases|the (?:API server|REST API)|https?:\/\/\S+|access to \S+|module .+|the (?:upload|installation|upgrade) of .+?)$/;

/** True where what is waited for says whose condition it is, and which. */
export function isNamed(on: string): boolean {
  const [owner = "", condition = ""] = on.split(/: (.+)/s);
  return whose.test(owner) && /\w/.test(condition) && !/undefined|null|\[object/.test(on);
}

/** What the lines on stderr wait for. */
export function listWaits(err: string): readonly string[] {
  return err
    .split(/\r?\n|\r/)
    .flatMap((line) => /(?:^|: )waiting for(?: |$)(.*)$/.exec(line)?.[1] ?? []);
}

/** Those of them that break the law. */
export function listUnnamedWaits(err: string): readonly string[] {
  return listWaits(err).filter((on) => !isNamed(on));
}
