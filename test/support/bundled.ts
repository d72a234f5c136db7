/**
 * Programs that tests start, each bundled from its sources into one file: node loads that in a quarter of
 * the time that it takes to load module by module. The file lies in the run's temporary folder, is made
 * by whoever asks first, and is shared by all workers.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";

const root = join(__dirname, "../..");

/** The file to start with node; `entry` is a path from the root of the repository. */
export function bundled(entry: string): string {
  const folder = join(tmpdir(), "programs");
  const file = join(folder, `${entry.replaceAll("/", "-")}.js`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${process.pid}-${basename(file)}`);
  buildSync({
    entryPoints: [join(root, entry)],
    outfile: draft,
    bundle: true,
    platform: "node",
    target: "node20",
    logLevel: "error",
    // what a program ships is found from where it stands in the sources
    define: { __dirname: JSON.stringify(join(root, "plugin/adapters")) },
  });
  renameSync(draft, file);
  return file;
}
