/**
 * Everything that a newcomer types: each console block of README, the page on installation and the
 * tutorials, in their order, in a clone in an empty folder.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { findBinaries, findProgram } from "../control-plane/binaries";
import { aFolder } from "../support/a-folder";
import { fits, shownIn } from "../support/console-page";
import { consoleBlocks, readPage, root } from "../support/pages";
import { canOpen, Shell } from "./shell";

const pages = [
  "README.md",
  "docs/install.md",
  "docs/tutorials/first-rehearsal.md",
  "docs/tutorials/swap.md",
  "docs/tutorials/upgrade.md",
];

/** Lines that are typed elsewhere, each with the reason. */
const typedElsewhere: Readonly<Record<string, string>> = {
  "npm ci && npm test": ".ci/run runs the tests once",
};

const clone = aFolder("typed");
const isAllowed = canOpen();
let shell: Shell | undefined;
if (!isAllowed) {
  console.warn(
    "nothing is typed: this machine allows no /usr of its own (unshare, mount), run it as root",
  );
}

beforeAll(async () => {
  if (!isAllowed) return;
  execFileSync("git", ["clone", "--quiet", root, join(clone, "engine")]);
  const programs = await collectPrograms();
  const path = [process.env["PATH"], programs].join(delimiter);
  shell = new Shell(clone, { KUBEBUILDER_ASSETS: programs, PATH: path });
  await shell.open();
});
afterAll(() => shell?.close());

/** The control plane's programs, whose build has tests of its own, and kubectl, which a newcomer has. */
async function collectPrograms(): Promise<string> {
  const { dir } = await findBinaries();
  const folder = join(clone, "programs");
  mkdirSync(folder);
  for (const name of readdirSync(dir)) symlinkSync(join(dir, name), join(folder, name));
  for (const name of ["kube-controller-manager", "kube-scheduler", "kwok", "nfpm"] as const) {
    symlinkSync(await findProgram(name), join(folder, name));
  }
  return folder;
}

(isAllowed ? describe : describe.skip).each(pages)("%s", (path) => {
  beforeAll(() => shell?.demand("cd ~/../engine"));
  afterAll(() => shell?.endSandbox());

  test.each(consoleBlocks(path, readPage(path)))(
    "line $from: $lines.0",
    async ({ mark, lines }) => {
      const shown = shownIn(lines);
      for (const [index, { line, output }] of shown.entries()) {
        if (typedElsewhere[line.replace(/ +#.*/, "")] !== undefined) continue;
        if (shell === undefined) throw new Error("no terminal is open");
        const { code, out, err } = await shell.type(line);
        const wanted = index === shown.length - 1 ? readEnd(mark) : 0;
        expect({ line, code, output: code === wanted ? "" : out + err }).toEqual({
          ...{ line, code: wanted, output: "" },
        });
        // a page leaves out what is only told while a command runs
        const isShown = output.length === 0 || fits(out, output) || fits(out + err, output);
        if (!isShown) expect(out + err).toBe(output.join("\n"));
      }
    },
  );
});

/** The exit code that a mark names for the last command of its block. */
function readEnd(mark: readonly string[]): number {
  const at = mark.indexOf("exits");
  return at < 0 ? 0 : Number(mark[at + 1]);
}
