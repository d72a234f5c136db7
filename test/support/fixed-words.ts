/**
 * What stays in the words of the specification whatever a names file says, and why. The guide to
 * brand names tells it in short; every entry here is looked for by a test and has to be needed.
 */

/** Places: what stands there is left out before words are looked for. */
export const fixedPlaces: readonly (readonly [place: RegExp, why: string])[] = [
  [/\b(?:kubectl|oc)[ -]engine\b|\bengine-webhook\b/g, "this tool's and the webhook's own names"],
  [/\bcli\.engine\.com\b/g, "the version of the documents"],
  [/\bENGINE_\w+/g, "environment variables"],
  [/(?<=--schema)(?: edb\b|=KIND .*)/g, "kinds as keys of a names file, which --schema takes"],
  [/(?<![\w-])--[a-z][-a-z]*/g, "flags"],
  [/\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g, "finding codes"],
  [/\b(?:cert (?:create|inspect)|cert COMMAND)\b/g, "commands"],
  [/^\s*cert\b|(?<=, )cert\b|^cert\t/gm, "commands, in lists"],
  [/"[A-Za-z][\w-]*"(?=:)/g, "keys of documents"],
  [/"[a-z]+(?:\.[a-z-]+)+"/g, "ids of steps"],
  [/\bcert\.pem\b/g, "a file in an example"],
  [/\{\w+\}/g, "what is filled into a path of the REST API"],
  [/^ *(?:- )?[A-Za-z]\w*(?=:)/gm, "keys of documents and of names files, in YAML and in text"],
  [/\bexample:[\w.-]+/g, "the release that comes with the rehearsal"],
  [/\b(?:domain f|F)acts \d+(?:\.\d+)?/g, "where a rule comes from"],
  [
    /\bv?\d+\.\d+(?:\.\d+)*(?:-\d+(?:\.\d+)*)?\b/g,
    "versions: facts of releases, no brand has others",
  ],
  [/https?:\/\/[^\s"',]+/g, "addresses"],
  [/\bengine versions?\b/g, "the version of a database, in English"],
];

/** Words of Kubernetes itself. */
export const kubernetesWords: readonly string[] = [
  "https",
  "namespace",
  "spec",
  "status",
  "type",
  "uid",
  "v1",
];

/** Plain English, as help and messages use it; a name of the same letters is renamed where it is one. */
export const englishWords: readonly string[] = [
  "actions",
  "active",
  "admission",
  "backup",
  "capabilities",
  "certificates",
  "complete",
  "done",
  "endpoints",
  "engine",
  "error",
  "expired",
  "failed",
  "failure",
  "guid",
  "host",
  "latest",
  "license",
  "local",
  "major",
  "message",
  "module",
  "modules",
  "name",
  "nodes",
  "password",
  "persistence",
  "platforms",
  "port",
  "progress",
  "protocol",
  "replication",
  "repository",
  "running",
  "scheduled",
  "services",
  "source",
  "state",
  "success",
  "version",
  "versions",
];
