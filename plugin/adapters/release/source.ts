/** What a release was given as: a path, or an https URL. */
import { UsageError } from "../../domain/errors";
import { publicValue } from "../../domain/public-words";
import { parseReleaseTag } from "../../domain/versions";

/** A place to read a release from; `shown` is it for people, without credentials. */
export type Source =
  | { readonly is: "path"; readonly path: string; readonly shown: string }
  | { readonly is: "url"; readonly url: URL; readonly shown: string };

/** What may be said beside the place. */
export interface Wanted {
  /** The release that is asked for: fills `{tag}`. */
  readonly target?: string | undefined;
  /** SHA-256 in hex that the release has to have. */
  readonly sha256?: string | undefined;
}

const tagHole = "{tag}";

/** The source, `{tag}` filled in; UsageError with every problem of what was given. */
export function parseSource(given: string, { target, sha256 }: Wanted): Source {
  const problems = [...tagProblems(given, target), ...digestProblems(sha256)];
  const filled = given.replaceAll(tagHole, target ?? tagHole);
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(filled)) {
    if (problems.length > 0) throw new UsageError(problems);
    return { is: "path", path: filled, shown: filled };
  }
  const url = URL.canParse(filled) ? new URL(filled) : undefined;
  if (url === undefined) problems.push("the URL of the release cannot be read");
  else problems.push(...urlProblems(url));
  if (url === undefined || problems.length > 0) throw new UsageError(problems);
  return { is: "url", url, shown: renderUrl(url) };
}

function urlProblems(url: URL): readonly string[] {
  const { protocol, username, password } = url;
  const shown = `release ${renderUrl(url)}`;
  return [
    ...(protocol === "https:"
      ? []
      : [`${shown} is not on https: nothing would prove where it is from`]),
    ...(username + password === ""
      ? []
      : [`${shown} has a login in its address, where others can read it`]),
  ];
}

/** A URL without what may be secret: the login, the query, the fragment. */
export function renderUrl(url: URL): string {
  return publicValue(url.href);
}

function tagProblems(given: string, target: string | undefined): string[] {
  const needed = given.includes(tagHole) && target === undefined;
  return [
    ...(needed ? ["the release's address has a {tag}: --target has to say which"] : []),
    ...(target !== undefined && parseReleaseTag(target) === undefined
      ? [`${JSON.stringify(target)} is not the tag of a release, as 7.22.0-7 is`]
      : []),
  ];
}

function digestProblems(sha256: string | undefined): readonly string[] {
  if (sha256 === undefined || digestOf(sha256) !== undefined) return [];
  return ["the SHA-256 of the release is not 64 hexadecimal digits"];
}

/** The digits of a digest in lower case, with or without `sha256:` before them. */
export function digestOf(sha256: string): string | undefined {
  return /^(?:sha256:)?([0-9a-f]{64})$/.exec(sha256.toLowerCase())?.[1];
}
