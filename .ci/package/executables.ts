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

/** Writes what an executable of the program carries into the folder: its main script and its assets. */
function writeParts(program: ProgramName, bundles: Bundles, folder: string): readonly string[] {
  const names: string[] = [];
  const write = (name: string, bytes: Buffer | string): void => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    names.push(name);
  };
  const second = other[program];
  for (const each of programsIn(program)) {
    for (const [name, bytes] of bundles[each].parts) write(`${each}/${name}`, bytes);
  }
  if (second !== undefined) write(`${second}/start`, bundles[second].start);
  writeFileSync(join(folder, "main.js"), singleMain(program, bundles[program].start, second));
  return names.sort();
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
    execFileSync(makerFile, ["--predictable", "--build-sea", "config.json"], {
      cwd: work,
      stdio: ["ignore", "ignore", "inherit"],
      env: {},
    });
    made.push({ program, platform, name: `${program}${ending}`, file });
  }
  return made;
}
