/** `diff`, which is given another command. */
import { namespace, text } from "../../domain/names/text";
import { groups, spec } from "../../cmdutil/spec";
import { rehearsedByDefault } from "../../cmdutil/standard-flags";

/** `diff`, of these commands. */
export const diff = (known: readonly string[]) =>
  spec({
    path: "diff",
    kind: "Diff",
    group: groups.look,
    summary: "Show what a command would change, without changing it",
    description: `Show what a command would change, without changing it. Ends with 1 if something would change, else with 0.

Each object is compared with what the API server would store: every write is sent with dryRun=All. With
--dry-run=client nothing is sent, and what the API server would make of a write is not known. Secrets, keys
and certificates appear as fingerprints. KUBECTL_EXTERNAL_DIFF names another program to show the differences,
as for kubectl diff. Without a command, ${rehearsedByDefault} is meant.`,
    examples: {
      "Show what the swap of the webhook would write": text`diff upgrade-webhook -n ${namespace}`,
      "Show the rules gained and lost in each namespace": text`diff reapply-rbac -n ${namespace}`,
      "Compare the objects of a release with those that are there": text`diff upgrade-operator --release ./release -n ${namespace}`,
    },
    argument: {
      name: "COMMAND",
      help: "Command to compare, followed by its flags",
      choices: known,
      optional: true,
    },
    flags: {},
    cluster: true,
    place: "given",
  });
