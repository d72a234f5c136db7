/** Commands that ask no cluster. */
import { completionScript, versionLine } from "../completion";
import { shells } from "../standard-flags";
import { type FlagsOf, groups, spec } from "../spec";

/** Options of `options`. */
export type OptionsFlags = FlagsOf<typeof options>;

/** `explain`. */
export const explain = spec({
  path: "explain",
  kind: "Explanation",
  group: groups.look,
  summary: "Explain a finding code: cause, fix and source",
  description:
    "Explain a finding code: its cause, the fix and where it comes from. Needs no cluster.",
  examples: {
    "Explain a code of a report": "explain SECRET-MISSING",
  },
  argument: { name: "CODE", help: "Code of a finding" },
  flags: {},
  cluster: false,
});

/** `completion`. */
export const completion = spec({
  path: "completion",
  kind: "Completion",
  group: groups.other,
  summary: "Print the shell completion script",
  description: `Print the script that completes commands, flags and codes in a shell. Nothing is asked of a cluster.

The script completes kubectl-engine. For "kubectl engine" put an executable file kubectl_complete-engine on
the PATH that runs: kubectl-engine __complete "$@"`,
  examples: {
    "Complete in this bash": "completion bash > ~/.engine.bash; . ~/.engine.bash",
    "Complete in every fish": "completion fish > ~/.config/fish/completions/kubectl-engine.fish",
  },
  argument: { name: "SHELL", help: "Shell to print for", choices: shells },
  flags: {},
  cluster: false,
  says: completionScript,
});

/** `version`. */
export const version = spec({
  path: "version",
  kind: "Version",
  group: groups.other,
  summary: "Print the version of this tool",
  description: "Print the version of this tool. No cluster is asked.",
  examples: {
    "Print the version": "version",
    "Print it for a script": "version -o json",
  },
  flags: { client: { help: "Only this tool's version, as always; kept for habit's sake" } },
  cluster: false,
  says: versionLine,
});

/** `options`. */
export const options = spec({
  path: "options",
  kind: "Options",
  group: groups.other,
  summary: "Print the flags that every command takes",
  description: `Print the flags that every command takes, and the environment variables that stand in for them.

With --names and no file it prints all names of the product instead: the specification's words, each with a
comment, as a file that --names takes. With --names FILE it prints them as that file makes them.

With --manifests it prints the manifests of the companion webhook instead, under the names that --names FILE
gives, ready for kubectl apply -f -. With names of its own they hold the names for the webhook's pods as well.`,
  examples: {
    "Print the flags": "options",
    "Print the names, to start your own file from": "options --names",
    "Print the names as a file makes them": "options --names acme.yaml",
    "Print the companion webhook's manifests under these names":
      "options --manifests --names acme.yaml",
  },
  flags: {
    manifests: { help: "Print the companion webhook's manifests" },
    "own-cert": { help: "With --manifests: those with a certificate of its own" },
  },
  cluster: false,
  judge: ({ manifests, ownCert }, read) => {
    if (ownCert && !manifests) read.problems.push("--own-cert: goes with --manifests");
    return {
      /** --names was typed, with a file or without. */
      names: read.given("names"),
      manifests: manifests ? { ownCert } : undefined,
    };
  },
});
