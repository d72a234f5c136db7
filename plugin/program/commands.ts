/** The commands as data: the tree, the help and the shell completion are made from this list. */
import type { OptionsFlags } from "../commands/options";
import { shells } from "../commands/standard-flags";
import { certCreate, certInspect } from "./cert-commands";
import { check } from "./check-command";
import { upgradeCluster } from "./cluster-command";
import { upgradeDatabase } from "./database-command";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { reapplyRbac } from "./rbac-command";
import { diffCommand } from "./diff-command";
import { modulesInstall, modulesInUse, modulesList } from "./modules-commands";
import { upgradeOperator } from "./operator-command";
import { recover } from "./recover-command";
import { rehearseCommand } from "./rehearse-command";
import { unbindScc } from "./scc-command";
import { status } from "./status-command";
import { upgrade } from "./upgrade-command";
import { upgradeWebhook } from "./upgrade-commands";

/** Words that only lead to other commands. */
export const parents: Readonly<Record<string, string>> = {
  cert: "Make or judge the certificate of the admission webhook",
  modules: "Look at the modules of a cluster (EC), and install one",
};

const noFlags = (): object => ({});

const explain: CommandEntry = {
  path: "explain",
  kind: "Explanation",
  group: groups.look,
  summary: "Explain a finding code: cause, fix and source",
  description:
    "Explain a finding code: its cause, the way out and where it comes from. Needs no cluster.",
  examples: [{ does: "Explain a code of a report", line: "explain SECRET-MISSING" }],
  argument: { name: "CODE", help: "Code of a finding" },
  flags: [],
  cluster: false,
  prepare: prepare(noFlags, async () => {
    const { runExplain, explanationText } = await import("../commands/explain.ts");
    return { run: runExplain, text: explanationText };
  }),
};

const completion: CommandEntry = {
  path: "completion",
  kind: "Completion",
  group: groups.other,
  summary: "Print the shell completion script",
  description: `Print the script that completes commands, flags and codes in a shell. Nothing is asked of a cluster.

The script completes kubectl-engine. For "kubectl engine" put an executable file kubectl_complete-engine on
the PATH that runs: kubectl-engine __complete "$@"`,
  examples: [
    { does: "Complete in this bash", line: "completion bash > ~/.engine.bash; . ~/.engine.bash" },
    {
      does: "Complete in every fish",
      line: "completion fish > ~/.config/fish/completions/kubectl-engine.fish",
    },
  ],
  argument: { name: "SHELL", help: "Shell to print for", choices: shells },
  flags: [],
  cluster: false,
  prepare: prepare(noFlags, async () => {
    const { runCompletion, completionText } = await import("../commands/completion.ts");
    return { run: runCompletion, text: completionText };
  }),
};

const version: CommandEntry = {
  path: "version",
  kind: "Version",
  group: groups.other,
  summary: "Print the version of this tool",
  description: "Print the version of this tool. No cluster is asked.",
  examples: [
    { does: "Print the version", line: "version" },
    { does: "Print it for a script", line: "version -o json" },
  ],
  flags: [{ name: "client", help: "Only this tool's version, as always; kept for habit's sake" }],
  cluster: false,
  prepare: prepare(
    (read) => ({ client: read.on("client") }),
    async () => {
      const { runVersion, versionText } = await import("../commands/version.ts");
      return { run: runVersion, text: versionText };
    },
  ),
};

const options: CommandEntry = {
  path: "options",
  kind: "Options",
  group: groups.other,
  summary: "Print the flags that every command takes",
  description: `Print the flags that every command takes, and the environment variables that stand in for them.

With --names and no file it prints all names of the product instead: the specification's words, each with a
comment, as a file that --names takes. With --names FILE it prints them as that file makes them.

With --manifests it prints the manifests of the companion webhook instead, under the names that --names FILE
gives, ready for kubectl apply -f -. With names of its own they hold the names for the webhook's pods as well.`,
  examples: [
    { does: "Print the flags", line: "options" },
    { does: "Print the names, to start a file of one's own from", line: "options --names" },
    { does: "Print the names as a file makes them", line: "options --names acme.yaml" },
    {
      does: "Print the companion webhook's manifests under these names",
      line: "options --manifests --names acme.yaml",
    },
  ],
  flags: [
    { name: "manifests", help: "Print the companion webhook's manifests" },
    { name: "own-cert", help: "With --manifests: those with a certificate of its own" },
  ],
  cluster: false,
  prepare: prepare<OptionsFlags>(
    (read) => {
      const [manifests, ownCert] = [read.on("manifests"), read.on("own-cert")];
      if (ownCert && !manifests) read.problems.push("--own-cert: goes with --manifests");
      return { names: read.given("names"), ...(manifests && { manifests: { ownCert } }) };
    },
    async () => {
      const { runOptions, optionsText } = await import("../commands/options.ts");
      return { run: runOptions, text: optionsText };
    },
  ),
};

/** Commands that write objects, and whose plan tells every write: the order of the help. */
export const jobs: readonly CommandEntry[] = [
  upgrade,
  upgradeWebhook,
  reapplyRbac,
  upgradeOperator,
  upgradeCluster,
  upgradeDatabase,
  unbindScc,
  certCreate,
];

const others = [certInspect, status, check, modulesList, modulesInUse, modulesInstall, recover];

/** `rehearse`, which is given any other command. */
export const rehearse = rehearseCommand([...jobs, ...others]);

/** `diff`, which is given any that writes. */
export const diff = diffCommand(jobs);

/** The commands that are given another one. */
export const outers: readonly CommandEntry[] = [rehearse, diff];

/** Every command, in the order of the help. */
export const entries: readonly CommandEntry[] = [
  check,
  ...jobs,
  rehearse,
  diff,
  modulesInstall,
  status,
  recover,
  modulesList,
  modulesInUse,
  certInspect,
  explain,
  completion,
  version,
  options,
];
