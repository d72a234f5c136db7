/** `diff`, as data: what another command would change. */
import { rehearsedByDefault } from "../commands/standard-flags";
import type { Chosen, CommandEntry, LoadedCommand, Prepared } from "./entry";
import { groups, mainJob } from "./entry";
import type { RawFlags } from "./values";

/** The entry, made for the commands that write. */
export function diffCommand(commands: readonly CommandEntry[]): CommandEntry {
  const known = commands.map(({ path }) => path);
  return {
    path: "diff",
    kind: "Diff",
    group: groups.look,
    summary: "Show what a command would change, without changing it",
    description: `Show what a command would change, without changing it: ends with 1 when there is something, with 0
when all is as wanted.

The command only reads and plans; --dry-run=server also lets the API server judge each write. Without a
command, ${rehearsedByDefault} is meant.`,
    examples: [
      { does: "What would the swap of the webhook write", line: "diff upgrade-webhook -n engine" },
      { does: "Rules gained and lost in each namespace", line: "diff reapply-rbac -n engine" },
    ],
    argument: {
      name: "COMMAND",
      help: "Command to look at, followed by its flags",
      choices: known,
      optional: true,
    },
    flags: [],
    cluster: true,
    place: "given",
    prepare: (_raw: RawFlags, inner = mainJob(commands)) => prepareDiff(inner, commands),
  };
}

function prepareDiff(
  { entry, args, raw, words }: Chosen,
  commands: readonly CommandEntry[],
): Prepared {
  const known = commands.map(({ path }) => path).join(", ");
  const unfit = commands.includes(entry)
    ? []
    : [`${entry.path} changes nothing; what does: ${known}`];
  const prepared = entry.prepare(raw);
  return {
    ...prepared,
    problems: [...unfit, ...prepared.problems],
    load: async () => await loadDiff(await prepared.load(), args, words),
  };
}

async function loadDiff(
  command: LoadedCommand,
  args: readonly string[],
  words: readonly string[],
): Promise<LoadedCommand> {
  const { runDiff } = await import("../commands/diff.ts");
  return {
    run: (context) => runDiff(context, (planning) => command.run(planning, args), words),
    ...(command.text && { text: command.text }),
  };
}
