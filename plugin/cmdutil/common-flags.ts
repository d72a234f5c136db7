/** Flags that several commands have. */
import { ec, text } from "../domain/names/text";
import type { ApiFlags } from "../adapters/rest-api/connect";
import { parseSkip, findUnnamed } from "../domain/checks/selection";
import { duration, type FlagReader, flagTable, list, type OptionsOf, tag } from "./flags";

/** A release; what stands beside it means nothing without it. */
export const releaseFlags = flagTable({
  release: {
    value: "SOURCE",
    file: true,
    help: "Release: a folder, a .tar.gz, or an https URL, which may hold {tag}",
  },
  sha256: {
    value: "HEX",
    goesWith: "release",
    help: "SHA-256 that the release must have; reports show it",
  },
  target: {
    ...tag("7.22.0-7"),
    offers: "release",
    goesWith: "release",
    help: "Release asked for, for example 7.22.0-7; it fills {tag}, and is checked",
  },
});

/** Which release is meant. */
export type ReleaseFlags = OptionsOf<typeof releaseFlags>;

/** Files of advisories beside the rows that the tool ships; ENGINE_ADVISORIES is read for them too. */
export const advisoriesFlags = flagTable({
  advisories: {
    value: "SOURCE",
    file: true,
    repeat: true,
    help: "Advisories of your own: a file, a folder, or an https URL; may be repeated",
  },
  "advisories-sha256": {
    value: "HEX",
    repeat: true,
    help: "SHA-256 that one of them must have; a URL needs one; may be repeated",
  },
});

/** Which files of advisories are meant. */
export type AdvisoriesFlags = OptionsOf<typeof advisoriesFlags>;

/** `--skip`, for every command that judges before it writes (cli contract, Output). */
export const skipFlag = flagTable({
  skip: {
    value: "CODE[=OBJECT]",
    offers: "code",
    repeat: true,
    read: (read, name) => read.list(name).map(parseSkip),
    help: "Finding to accept, the object as a report prints it; may be repeated; one without a match is an error",
  },
});

/** The same for a command that refuses these alone, each on an object that has to be named. */
export function makeNamedSkipFlag(codes: readonly string[]) {
  return {
    skip: {
      value: "CODE=OBJECT",
      offers: "code",
      repeat: true,
      read: (read: FlagReader, name: string) => {
        const skip = read.list(name).map(parseSkip);
        read.problems.push(...findUnnamed(skip, codes));
        return skip;
      },
      help: `Refusal to accept, with the object as it is printed: ${codes.join(", ")}; may be repeated`,
    },
  } as const;
}

/** How the webhook is probed by a command that only looks; `alone`: that command. */
export function probeFlags<const T extends string>(alone: T) {
  return {
    probe: {
      value: "HOW",
      choices: ["usual", "all"],
      alone,
      key: "probeAll",
      read: (read: FlagReader, name: string) => read.choice(name, ["usual", "all"]) === "all",
      help: "all: probe the webhook in every kind, version and namespace that differ; usual: in the first twelve",
    },
    "no-probe": {
      help: "Send no dry runs: then it is not known whether the webhook works",
    },
  } as const;
}

/** `--may-discard-data`: what the REST API takes as a field (S83), accepted for every way. */
export const mayDiscardFlag = flagTable({
  "may-discard-data": {
    help: "Accept that databases lose their data which are neither replicated nor persistent",
  },
});

/** `--participant`. */
export const participantFlag = flagTable({
  participant: {
    value: "CONTEXT[/NAMESPACE]",
    offers: "context",
    repeat: true,
    key: "participants",
    help: "Other participating cluster of active-active databases; it is only read",
  },
});

/** `--stall-after`, with what happens then. */
export function stallFlag(help: string) {
  return { "stall-after": { ...duration("10m"), key: "stallAfterMs", help } } as const;
}

/** `--take-fields`, with whose fields these are. */
export function takeFlag(help: string) {
  return { "take-fields": { value: "FIELDS", ...list, help } } as const;
}

/** Whether a limit for the whole wait was typed. */
export function withLimit<O extends object>(options: O, read: FlagReader) {
  return { ...options, limited: read.isGiven("timeout") };
}

/** The cluster's REST API. */
export const apiFlags = flagTable({
  "api-url": {
    value: "URL",
    key: "url",
    read: readAddress,
    help: "Address of the cluster's REST API; else its Service in a pod, or a port of its pods",
  },
  "api-ca": {
    value: "FILE",
    file: true,
    key: "ca",
    help: "CA certificate that the REST API's must fit",
  },
  "api-credentials-secret": {
    value: "NAME",
    key: "credentialsSecret",
    help: text`Secret with user name and password; else the one that the ${ec} names`,
  },
  "api-insecure": {
    key: "insecure",
    help: "Accept any certificate of the REST API; others can then read the credentials",
  },
});

/** The flags of the REST API as one option of the command. */
export function withApi<O extends OptionsOf<typeof apiFlags>>(options: O, read: FlagReader) {
  const { url, ca, credentialsSecret, insecure, ...own } = options;
  if (insecure && ca !== undefined) {
    read.problems.push("--api-ca and --api-insecure contradict each other: give one of the two");
  }
  const api: ApiFlags = { url, ca, credentialsSecret, insecure };
  return { ...own, api };
}

/** The address is not repeated in the problem: a password may stand in it. */
function readAddress(read: FlagReader, name: string): string | undefined {
  const url = read.text(name);
  if (url !== undefined && !isAddress(url)) {
    read.problems.push(
      "--api-url: give an address of the form https://host:port, without path or login",
    );
  }
  return url;
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, username, password, search, hash } = new URL(text);
  const more = [username, password, search, hash].join("");
  return protocol === "https:" && hostname !== "" && pathname === "/" && more === "";
}
