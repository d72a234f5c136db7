/** The program: a command line in, an exit code out. Help needs nothing that is loaded later. */
import type { GlobalOptions } from "./commands/context";
import type { ExitCode } from "./domain/errors";
import type { World } from "./program/context";
import type { ReadNames } from "./program/names";
import { prefixOf, toGlobalOptions } from "./program/options";
import { parse } from "./program/tree";

/** Runs one command line to its end; never throws. */
export async function runProgram(world: World): Promise<ExitCode> {
  const { argv, env, streams } = world;
  if (argv[0] === "__complete") return complete(argv.slice(1), world);
  const parsed = parse(argv, prefixOf(env));
  if (parsed.help !== undefined) {
    streams.out.write(parsed.help);
    return 0;
  }
  const global = toGlobalOptions(parsed.raw, env);
  const prepared = parsed.chosen?.entry.prepare(parsed.chosen.raw, parsed.chosen.inner);
  const named = await namesOf(global.options);
  const problems = [
    ...parsed.problems,
    ...global.problems,
    ...named.problems,
    ...(prepared?.problems ?? []),
  ];
  const { run } = await import("./program/run.ts");
  return run(
    {
      options: { ...global.options, ...(named.names && { names: named.names }) },
      problems: [...new Set(problems)],
      ...(parsed.chosen && { entry: parsed.chosen.entry }),
      ...(prepared && { prepared }),
      args: parsed.chosen?.args ?? [],
    },
    world,
  );
}

/** What --names leads to; nothing is loaded without it. */
async function namesOf({ namesFile }: GlobalOptions): Promise<ReadNames> {
  if (namesFile === undefined) return { problems: [] };
  const { readNames } = await import("./program/names.ts");
  return readNames(namesFile);
}

/** Shell completion: words alone, no cluster, and never an error in the middle of a prompt. */
async function complete(words: readonly string[], { streams }: World): Promise<ExitCode> {
  const { complete: answer } = await import("./program/complete.ts");
  const codes = async (): Promise<readonly (readonly [string, string])[]> => {
    const { catalogue } = await import("./domain/catalogue.ts");
    return catalogue.map(({ code, cause }) => [code, cause]);
  };
  streams.out.write(await answer(words, codes));
  return 0;
}
