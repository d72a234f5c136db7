/** What is typed to say where something is, and which one it has to be. */
import { publicValue } from "../../domain/base/redact";

/** True for an address of whatever scheme; anything else is a path. */
export function isUrl(given: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(given);
}

/** An address, as people may see it, and what stands against it; without `url` it cannot be used. */
export interface JudgedUrl {
  readonly url?: URL;
  readonly shown: string;
  readonly problems: readonly string[];
}

/** The address of such a thing: on https, without a login. */
export function judgeUrl(given: string, what: string): JudgedUrl {
  if (!URL.canParse(given)) {
    return { shown: what, problems: [`the URL of the ${what} cannot be read`] };
  }
  const url = new URL(given);
  const { protocol, username, password } = url;
  const shown = publicValue(url.href);
  const problems = [
    ...(protocol === "https:"
      ? []
      : [`${what} ${shown} is not on https: nothing would prove where it is from`]),
    ...(username + password === ""
      ? []
      : [`${what} ${shown} has a login in its address, where others can read it`]),
  ];
  return { url, shown, problems };
}

/** The digits of a digest in lower case, with or without `sha256:` before them. */
export function parseDigest(sha256: string): string | undefined {
  return /^(?:sha256:)?([0-9a-f]{64})$/.exec(sha256.toLowerCase())?.[1];
}
