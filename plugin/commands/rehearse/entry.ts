/** `rehearse`, made for the commands that may be rehearsed. */
import type { RehearsedCommand } from "../../cmdutil/context";
import { rehearsedByDefault } from "../../cmdutil/standard-flags";
import { FlagReader, type RawFlags, readOptions } from "../../cmdutil/flags";
import { rehearse, rehearseFlags } from "./flags";
import { UsageError } from "../../domain/base/errors";
import { exampleReleaseName } from "../../simulator/model";
import {
  type LoadedCommand,
  type PreparedCommand,
  type CommandEntry,
  type Chosen,
  makeEntry,
  mainJob,
  listPaths,
} from "../../cmdutil/entry";

/** `rehearse`, made for the commands that may be rehearsed. */
export function rehearseCommand(commands: readonly CommandEntry[]): CommandEntry {
  return makeEntry(rehearse(listPaths(commands)), (raw, inner) =>
    new FlagReader(raw).isGiven("write-example")
      ? prepareExample(raw, inner)
      : prepareRehearsal(raw, inner ?? mainJob(commands), commands),
  );
}

/** No cluster is copied and no command is run. */
function prepareExample(raw: RawFlags, inner: Chosen | undefined): PreparedCommand {
  const read = new FlagReader(raw);
  const { writeExample: folder = "", from, webhook } = readOptions(rehearseFlags, read);
  const others = [
    ...(inner === undefined || inner.entry.path === rehearsedByDefault ? [] : [inner.entry.path]),
    ...Object.entries({ from, webhook }).flatMap(([name, value]) => (value ? [`--${name}`] : [])),
  ];
  return {
    problems: [...read.problems, ...others.map((one) => `--write-example: goes without ${one}`)],
    load: async () => {
      const { exampleText, writeExample } = await import("./write-example.ts");
      return { run: (context) => writeExample(context, folder), text: exampleText };
    },
  };
}

function prepareRehearsal(
  raw: RawFlags,
  inner: Chosen,
  commands: readonly CommandEntry[],
): PreparedCommand {
  const read = new FlagReader(raw);
  const flags = readOptions(rehearseFlags, read);
  if (!commands.includes(inner.entry)) {
    const known = listPaths(commands).join(", ");
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
      const rehearsed = makeRehearsed(chosen, command);
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
  if (entry.needsRelease !== true || read.isGiven("release") || read.isGiven("chart"))
    return chosen;
  const release = exampleReleaseName;
  return { ...chosen, raw: { ...raw, release }, words: [...words, `--release=${release}`] };
}

function makeRehearsed(
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
