/** Executables that need no node: one for each program and platform, each with a node of its own. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { singleMain } from "../assemble";
import type { bundle, ProgramName } from "../bundle";
import { fetchNode, nodeHere, nodeVersion, type Platform } from "./nodes";

export type Bundles = Readonly<Record<ProgramName, Awaited<ReturnType<typeof bundle>>>>;

/** An executable for a platform, and the name that it has there. */
export interface Executable {
  readonly program: ProgramName;
  readonly platform: Platform;
  readonly name: string;
  readonly file: string;
}

/** The plugin holds the webhook as well: a rehearsal runs the real one, wherever the plugin came from. */
const other = { "kubectl-engine": "engine-webhook", "engine-webhook": undefined } as const;

/** The programs in an executable, its own first. */
export function programsIn(program: ProgramName): readonly ProgramName[] {
  const second = other[program];
  return second === undefined ? [program] : [program, second];
}

/** Writes what an executable carries into the folder: its main script, and its assets, which are named. */
function writeParts(program: ProgramName, bundles: Bundles, folder: string): readonly string[] {
  const second = other[program];
  const assets = programsIn(program).flatMap((each) =>
    [...bundles[each].parts].map(([name, bytes]) => [`${each}/${name}`, bytes] as const),
  );
  const start = second === undefined ? [] : [[`${second}/start`, bundles[second].start] as const];
  const main = ["main.js", singleMain(program, bundles[program].start, second)] as const;
  for (const [name, content] of [main, ...start, ...assets]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return [...start, ...assets].map(([name]) => name).sort();
}

/**
 * Makes the executables of a program for the platforms. Only one whose node runs here can carry what
 * was compiled of its start; V8 gives the same bytes each time when it uses no threads.
 */
export async function makeExecutables(
  program: ProgramName,
  bundles: Bundles,
  { platforms, into }: { readonly platforms: readonly Platform[]; readonly into: string },
): Promise<readonly Executable[]> {
  const maker = nodeHere(nodeVersion);
  const makerFile = join(await fetchNode(maker), "node");
  const work = join(into, "parts", program);
  const names = writeParts(program, bundles, work);
  const made: Executable[] = [];
  for (const platform of platforms) {
    const ending = platform.os === "windows" ? ".exe" : "";
    const file = join(into, `${platform.os}_${platform.arch}`, `${program}${ending}`);
    mkdirSync(dirname(file), { recursive: true });
    const config = {
      // a path that is the same everywhere, since it becomes part of the executable
      main: "main.js",
      executable: join(await fetchNode(platform.node), `node${ending}`),
      output: file,
      disableExperimentalSEAWarning: true,
      useCodeCache: platform.node === maker,
      assets: Object.fromEntries(names.map((name) => [name, name])),
    };
    writeFileSync(join(work, "config.json"), JSON.stringify(config));
    const args = ["--predictable", "--build-sea", "config.json"];
    execFileSync(makerFile, args, { cwd: work, env: {} });
    made.push({ program, platform, name: `${program}${ending}`, file });
  }
  return made;
}
