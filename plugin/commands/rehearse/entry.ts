/** `rehearse`, made for the commands that may be rehearsed. */
import type { RehearsedCommand } from "../../cmdutil/context";
import { FlagReader, type RawFlags, readOptions } from "../../cmdutil/flags";
import { rehearse, rehearseFlags } from "./flags";
import { UsageError } from "../../domain/base/errors";
import { exampleReleaseName } from "../../simulator/model";
import {
  type LoadedCommand,
  type PreparedCommand,
  type CommandEntry,
  type Chosen,
  entryOf,
  mainJob,
  pathsOf,
} from "../../cmdutil/entry";

/** `rehearse`, made for the commands that may be rehearsed. */
export function rehearseCommand(commands: readonly CommandEntry[]): CommandEntry {
  return entryOf(rehearse(pathsOf(commands)), (raw, inner) =>
    prepareRehearsal(raw, inner ?? mainJob(commands), commands),
  );
}

function prepareRehearsal(
  raw: RawFlags,
  inner: Chosen,
  commands: readonly CommandEntry[],
): PreparedCommand {
  const read = new FlagReader(raw);
  const flags = readOptions(rehearseFlags, read);
  if (!commands.includes(inner.entry)) {
    const known = pathsOf(commands).join(", ");
    read.problems.push(
      `${inner.entry.path} cannot be rehearsed, it works on no cluster; what can: ${known}`,
    );
    const { problems } = read;
    return { problems, load: () => Promise.reject(new UsageError(problems)) };
  }
  const chosen = flags.from === undefined ? withRelease(inner) : inner;
  const prepared = chosen.entry.prepare(chosen.raw);
  return {
    ...prepared,
    problems: [...read.problems, ...prepared.problems],
    missing: [...read.missing, ...(prepared.missing ?? [])],
    load: async () => {
      const command = await prepared.load();
      const { runRehearse } = await import("./command.ts");
      const { rehearsalText } = await import("./text.ts");
      const rehearsed = rehearsedOf(chosen, command);
      return {
        run: (context) => runRehearse(context, [], { ...flags, command: rehearsed }),
        text: (report, style) =>
          rehearsalText(report, style, { command: command.text, limits: flags.limits }),
      };
    },
  };
}

/** On the built-in example no file is needed: the release to upgrade it to comes with it. */
function withRelease(chosen: Chosen): Chosen {
  const { entry, raw, words } = chosen;
  const read = new FlagReader(raw);
  if (entry.needsRelease !== true || read.given("release") || read.given("chart")) return chosen;
  const release = exampleReleaseName;
  return { ...chosen, raw: { ...raw, release }, words: [...words, `--release=${release}`] };
}

function rehearsedOf(
  { entry, args, words, raw }: Chosen,
  command: LoadedCommand,
): RehearsedCommand {
  const { settles = false, repeatsWith, reads } = entry;
  const read = new FlagReader(raw);
  const repeats = repeatsWith !== undefined && read.on(repeatsWith);
  return {
    line: words,
    path: entry.path,
    settles: settles && !repeats,
    reads: reads?.(read) === true,
    run: (context) => command.run(context, args),
  };
}
