/** The program: a command line in, an exit code out. Help needs nothing that is loaded later. */
import type { ExitCode } from "./domain/errors";
import type { World } from "./program/context";
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
  const prepared = parsed.chosen?.entry.prepare(parsed.chosen.raw);
  const problems = [...parsed.problems, ...global.problems, ...(prepared?.problems ?? [])];
  const { run } = await import("./program/run.ts");
  return run(
    {
      options: global.options,
      problems: [...new Set(problems)],
      ...(parsed.chosen && { entry: parsed.chosen.entry }),
      ...(prepared && { prepared }),
      args: parsed.chosen?.args ?? [],
    },
    world,
  );
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
