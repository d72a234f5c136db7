/** The program: a command line in, an exit code out. Help needs nothing that is loaded later. */
import type { GlobalOptions } from "./commands/context";
import type { ExitCode } from "./domain/errors";
import type { World } from "./program/context";
import type { ReadNames } from "./program/names";
import { prefixOf, toGlobalOptions } from "./program/options";
import { parse, type Parsed } from "./program/tree";

/** Runs one command line to its end; never throws. */
export async function runProgram(world: World): Promise<ExitCode> {
  const { argv, env, streams } = world;
  if (argv[0] === "__complete") return complete(argv.slice(1), world);
  const parsed = parse(argv, prefixOf(env));
  if (parsed.help !== undefined) {
    streams.out.write(parsed.help);
    return 0;
  }
  return runParsed(parsed, { ...world, argv: parsed.words });
}

async function runParsed({ raw, chosen, problems }: Parsed, world: World): Promise<ExitCode> {
  const global = toGlobalOptions(raw, world.env);
  const prepared = chosen?.entry.prepare(chosen.raw, chosen.inner);
  const named = await namesOf(global.options);
  const missing = problems.length > 0 ? [] : (prepared?.missing ?? []); // it may be what was mistyped
  const all = [problems, global.problems, prepared?.problems ?? [], missing].flat();
  const { run } = await import("./program/run.ts");
  return run(
    {
      options: { ...global.options, ...(named.names && { names: named.names }) },
      problems: [...new Set(all)],
      fileProblems: named.problems,
      warnings: prepared?.warnings ?? [],
      ...(chosen && { entry: chosen.entry }),
      ...(prepared && { prepared }),
      args: chosen?.args ?? [],
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
