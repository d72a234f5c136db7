/** Commands that ask no cluster. */
import { completionText } from "./completion-scripts";
import { advisoriesFlags } from "../cmdutil/common-flags";
import { shells } from "../cmdutil/standard-flags";
import { type FlagsOf, groups, spec } from "../cmdutil/spec";

/** Options of `options`. */
export type OptionsFlags = FlagsOf<typeof options>;

/** `explain`. */
export const explain = spec({
  path: "explain",
  kind: "Explanation",
  group: groups.look,
  summary: "Explain a finding code: cause, fix and source",
  description: `Explain a finding code: its cause, the fix and where it comes from. A number of the specification, an exit
code or a guide that a report names with -v is explained by its text. Needs no cluster.

A code of advisories is explained by its rows: those that the tool ships, and those of --advisories. Without a CODE
--advisories lists all of them, and marks those that apply to the cluster, where one can be reached.`,
  examples: {
    "Explain a code of a report": "explain SECRET-MISSING",
    "Explain where a step comes from": "explain S27,S28",
    "Explain a fact of the field": "explain Facts-7",
    "Explain an exit code": "explain exit-5",
    "Read what to do when edits cannot wait": "explain guides/bypass",
    "List what is known to go wrong in which upgrade": "explain --advisories",
  },
  argument: {
    name: "CODE",
    optional: true,
    offers: "code",
    help: "Code of a finding, or what stands behind it: S27, Facts-7, exit-5, guides/bypass",
  },
  flags: {
    ...advisoriesFlags,
    advisories: { ...advisoriesFlags.advisories, alone: "explain" },
  },
  cluster: false,
  ends: [3, 69],
  judge: (options, read) => ({ ...options, lists: read.isGiven("advisories") }),
});

/** Options of `explain`. */
export type ExplainFlags = FlagsOf<typeof explain>;

/** `completion`. */
export const completion = spec({
  path: "completion",
  kind: "Completion",
  group: groups.other,
  summary: "Print the shell completion script",
  description: `Print the script that completes commands, flags, codes and names in a shell. Names of clusters, databases and
namespaces are asked of the cluster while you type: what does not answer at once is left out.

The Debian packages install the script; the archives have it in completion/. For every new shell it goes to:

- bash: ~/.local/share/bash-completion/completions/kubectl-engine
- zsh: a file _kubectl-engine in a folder of $fpath, named before compinit
- fish: ~/.config/fish/completions/kubectl-engine.fish
- powershell: any file that $PROFILE loads, for example: . ~/kubectl-engine.ps1

To complete "kubectl engine", kubectl runs kubectl_complete-engine from the PATH, which the archives have too: an
executable shell script with the line: exec kubectl-engine __complete "$@"`,
  examples: {
    "Load completion in this bash": "completion bash > ~/.engine.bash; . ~/.engine.bash",
    "Print the script for fish": "completion fish",
  },
  argument: { name: "SHELL", help: "Shell to print for", choices: [...shells] },
  flags: {},
  cluster: false,
  says: completionText,
});

/** Options of `version`. */
export type VersionFlags = FlagsOf<typeof version>;

/** `version`. */
export const version = spec({
  path: "version",
  kind: "Version",
  group: groups.other,
  summary: "Print the versions of this tool, the server, the operator and the webhook",
  description: `Print the versions of this tool, and those of the API server, the operator and the companion webhook that are
found in the cluster. A cluster that does not answer is no failure. A webhook of another release is a warning.`,
  examples: {
    "Print the versions": "version",
    "Print that of this tool, without a cluster": "version --client",
    "Print it for a script": "version -o json",
  },
  flags: { client: { help: "Print only this tool's version; no cluster is asked" } },
  cluster: false,
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

With --schema it prints the JSON schema (draft 7) of every document that -o json prints, or of one kind.`,
  examples: {
    "Print the flags": "options",
    "Print the names, to start your own file from": "options --names",
    "Print the names as a file makes them": "options --names acme.yaml",
    "Print the JSON schema of a status": "options --schema Status",
  },
  flags: {
    schema: {
      value: "KIND",
      alone: "options",
      offers: "kind",
      help: "Print the JSON schema of the documents that -o json prints, or of one kind of them",
    },
  },
  cluster: false,
  judge: ({ schema }, read) => ({
    /** --names was typed, with a file or without. */
    names: read.isGiven("names"),
    schema: read.isGiven("schema") ? { kind: schema } : undefined,
  }),
});
