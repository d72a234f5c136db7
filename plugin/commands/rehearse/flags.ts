/** `rehearse`, which is given another command. */
import { namespace, text } from "../../domain/names/text";
import type { RehearsedCommand } from "../../cmdutil/context";
import { flagTable, type OptionsOf } from "../../cmdutil/flags";
import { groups, spec } from "../../cmdutil/spec";
import { rehearsedByDefault } from "../../cmdutil/standard-flags";

/** The flags of `rehearse` itself. */
export const rehearseFlags = flagTable({
  from: {
    value: "PLACE",
    file: true,
    offers: "context",
    help: "Context of the kubeconfig, or a file or folder of objects, - for stdin; else an example",
  },
  "write-example": {
    value: "DIR",
    file: true,
    help: "Write the example's release to a folder, for --release of any command, and do nothing else",
  },
  limits: { help: "List everything that a rehearsal cannot know" },
  webhook: {
    value: "FILE",
    file: true,
    help: "engine-webhook to call, instead of the one beside this program or on the PATH",
  },
});

/** Options of `rehearse`, and the command that it is given. */
export interface RehearseFlags extends Pick<OptionsOf<typeof rehearseFlags>, "from" | "webhook"> {
  readonly command: RehearsedCommand;
}

/** `rehearse`, of these commands. */
export const rehearse = (known: readonly string[]) =>
  spec({
    path: "rehearse",
    kind: "Rehearsal",
    group: groups.upgrade,
    summary: "Run a command against a copy of a cluster in memory, nothing real touched",
    description: `Run a command against a copy of a cluster in memory: its plan, the run itself, and the run again.

The copy is made of a live cluster that is only read, of a dump as "kubectl get -o yaml" writes it, or of a
built-in example. Admission calls go to the webhook program that is really running on this machine. Flags of
the command are given as without rehearse; without a command, ${rehearsedByDefault} is rehearsed.`,
    examples: {
      "See the swap of the webhook on the built-in example": "rehearse",
      "See the whole upgrade on it, to a release that comes along": "rehearse upgrade",
      "Rehearse it on a copy of a live cluster": text`rehearse --from prod -n ${namespace}`,
      "Write that release to a folder": "rehearse --write-example release",
      "Rehearse a command on a dump": "rehearse upgrade-webhook --from dump.yaml",
    },
    argument: {
      name: "COMMAND",
      help: "Command to rehearse, followed by its flags",
      choices: known,
      optional: true,
    },
    flags: rehearseFlags,
    cluster: true,
  });
