/**
 * `npm run package`: every form in which the programs can be had, in dist/release. Two runs give the
 * same bytes. ENGINE_RELEASE_URL is where the archives will lie.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { version } from "../../package.json";
import { completionScript } from "../../plugin/commands/completion";
import { shells } from "../../plugin/commands/standard-flags";
import { bundle, type Bundled, licenseComments, type ProgramName } from "../bundle";
import { type Entry, tarGz, zip } from "./archives";
import { makeDeb } from "./deb";
import { type Bundles, type Executable, makeExecutables, programsIn } from "./executables";
import { krewManifest, type PluginArchive } from "./krew";
import { fetchNode, nodeHere, nodeVersion, platforms } from "./nodes";
import { sbomOf } from "./sbom";

const root = join(__dirname, "../..");
const release = join(root, "dist/release");
const work = join(root, ".cache/package");
const url = process.env["ENGINE_RELEASE_URL"] ?? `https://releases.engine.example/v${version}`;

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const put = (name: string, content: Buffer | string): void => {
  const file = join(release, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
};

const text = (name: string, content: string, executable = false): Entry => ({
  ...{ name, executable, bytes: Buffer.from(content) },
});

/** What lies beside the plugin: how to complete it in a shell, and by way of kubectl. */
function completion({ os }: Executable["platform"]): readonly Entry[] {
  const ending = (shell: string): string => (shell === "powershell" ? "ps1" : shell);
  const scripts = shells.map((shell) =>
    text(`completion/kubectl-engine.${ending(shell)}`, completionScript([shell])),
  );
  if (os === "windows") return scripts;
  const forKubectl = '#!/bin/sh\nexec kubectl-engine __complete "$@"\n';
  return [...scripts, text("completion/kubectl_complete-engine", forKubectl, true)];
}

/** The files of an archive and of a Debian package. */
function contents(made: Executable, licenses: string): readonly Entry[] {
  return [
    { name: made.name, bytes: readFileSync(made.file), executable: true },
    { name: "LICENSE", bytes: readFileSync(join(root, "LICENSE")) },
    text("LICENSES.txt", licenses),
    ...(made.program === "kubectl-engine" ? completion(made.platform) : []),
  ];
}

/** Writes the archive, and on linux the Debian package, of an executable. */
async function pack(made: Executable, licenses: string): Promise<PluginArchive> {
  const { program, platform } = made;
  const { os, arch } = platform;
  const entries = contents(made, licenses);
  const isWindows = os === "windows";
  const name = `${program}_${os}_${arch}.${isWindows ? "zip" : "tar.gz"}`;
  const bytes = isWindows ? zip(entries) : await tarGz(entries);
  put(name, bytes);
  if (os === "linux") {
    const folder = join(work, `deb_${program}_${arch}`);
    mkdirSync(folder, { recursive: true });
    await makeDeb(made, entries, { work: folder, into: release });
  }
  console.error(`dist/release/${name}  ${Math.round(bytes.length / 2 ** 20)} MiB`);
  return { platform, name, sha256: sha256(bytes), bin: made.name };
}

/** The licenses of what is in an executable: of its packages and of node. */
async function licensesOf(packages: readonly Bundled[]): Promise<string> {
  const node = readFileSync(join(await fetchNode(nodeHere(nodeVersion)), "LICENSE"), "utf8");
  return `${licenseComments(packages)}\n/*!\nNode.js ${nodeVersion}\n\n${node}*/\n`;
}

/** The packages in an executable, by name; those that its programs share once. */
function packagesIn(program: ProgramName, bundles: Bundles): readonly Bundled[] {
  const all = programsIn(program).flatMap((each) => bundles[each].packages);
  const byName = new Map(all.map((one) => [`${one.name} ${one.version}`, one]));
  return [...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => relative(folder, join(folder, name)))
    .sort();
}

async function main(): Promise<void> {
  rmSync(release, { recursive: true, force: true });
  rmSync(work, { recursive: true, force: true });
  const bundles: Bundles = {
    "kubectl-engine": await bundle("kubectl-engine"),
    "engine-webhook": await bundle("engine-webhook"),
  };
  for (const program of ["kubectl-engine", "engine-webhook"] as const) {
    const made = await makeExecutables(program, bundles, { platforms, into: work });
    const packages = packagesIn(program, bundles);
    const licenses = await licensesOf(packages);
    const archives: PluginArchive[] = [];
    // two at a time: each holds an executable of 150 MB twice
    for (let at = 0; at < made.length; at += 2) {
      const pair = made.slice(at, at + 2).map((each) => pack(each, licenses));
      archives.push(...(await Promise.all(pair)));
    }
    put(`${program}.cdx.json`, sbomOf(program, packages));
    if (program === "kubectl-engine") {
      put("krew-index/plugins/engine.yaml", krewManifest(archives, url));
    }
  }
  const sums = filesIn(release).map(
    (name) => `${sha256(readFileSync(join(release, name)))}  ${name}\n`,
  );
  put("SHA256SUMS", sums.join(""));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
