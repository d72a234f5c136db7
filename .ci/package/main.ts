/**
 * `npm run package`: every form in which the programs can be had, in dist/release. Two runs give the
 * same bytes. ENGINE_RELEASE_URL is where the archives will lie.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../package.json";
import { completionScript, kubectlCompletion } from "../../plugin/cli/completion-scripts";
import { manual } from "../docs/manual";
import { bundle, type Bundled, licenseComments, type ProgramName } from "../bundle";
import { type Entry, sha256, tarGz, zip } from "./archives";
import { hasDebianTools } from "./debian";
import { makeDeb } from "./deb";
import { type Bundles, type Executable, makeExecutables, programsIn } from "./executables";
import { writeImage } from "./image";
import { krewManifest, type PluginArchive } from "./krew";
import { fetchNode, nodeHere, nodeVersion, platforms } from "./nodes";
import { sbomOf } from "./sbom";

const root = join(__dirname, "../..");
const release = join(root, "dist/release");
const work = join(root, ".cache/package");
const url = process.env["ENGINE_RELEASE_URL"] ?? `https://releases.engine.example/v${version}`;

const put = (name: string, content: Buffer | string): void => {
  mkdirSync(dirname(join(release, name)), { recursive: true });
  writeFileSync(join(release, name), content);
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

/** Where a shell finds the plugin's completion on a Debian system; PowerShell has no such place. */
const completions = {
  bash: "bash-completion/completions/kubectl-engine",
  zsh: "zsh/vendor-completions/_kubectl-engine",
  fish: "fish/vendor_completions.d/kubectl-engine.fish",
  ps1: undefined,
} as const;

/** What lies beside the plugin: how to complete it in a shell, and by way of kubectl. */
function completion({ os }: Executable["platform"]): readonly Entry[] {
  const scripts = Object.entries(completions).map(([ending, place]): Entry => {
    const bytes = Buffer.from(completionScript([ending === "ps1" ? "powershell" : ending]));
    const installed = place === undefined ? undefined : `/usr/share/${place}`;
    return { name: `completion/kubectl-engine.${ending}`, bytes, installed };
  });
  const { name, text } = kubectlCompletion(os === "windows" ? "win32" : os);
  const bytes = Buffer.from(text);
  const installed = `/usr/bin/${name}`;
  return [...scripts, { name: `completion/${name}`, bytes, installed, executable: true }];
}

/** What a reader of -o json validates with. */
const schema: Entry = {
  name: "documents.schema.json",
  bytes: readFileSync(join(root, "docs/reference/documents.schema.json")),
  installed: "/usr/share/kubectl-engine/documents.schema.json",
};

const chartName = `engine-webhook-${version}.tgz`;

/** The webhook's chart, which installs it under a brand's names too; made before the archives. */
function chart(): Entry {
  const bytes = readFileSync(join(release, chartName));
  return { name: chartName, bytes, installed: `/usr/share/kubectl-engine/${chartName}` };
}

/** The program, the licenses of what is in it, and the schema of what it prints. */
function contents({ program, name, file }: Executable, licenses: Buffer): readonly Entry[] {
  const docs = `/usr/share/doc/${program}`;
  return [
    { name, bytes: readFileSync(file), executable: true, installed: `/usr/bin/${program}` },
    { name: "LICENSE", bytes: readFileSync(join(root, "LICENSE")), installed: `${docs}/copyright` },
    { name: "LICENSES.txt", bytes: licenses, installed: `${docs}/LICENSES.txt` },
    ...(program === "kubectl-engine" ? [schema] : []),
  ];
}

/** Writes the archive, and on linux the Debian package, of an executable. */
async function pack(made: Executable, licenses: Buffer): Promise<PluginArchive> {
  const { program, platform, name } = made;
  const { os, arch } = platform;
  const more = program === "kubectl-engine" ? [chart(), ...completion(platform)] : [];
  const isWindows = os === "windows";
  const entries = [...contents(made, licenses), ...more, ...(isWindows ? [] : manual(program))];
  const archive = `${program}_${os}_${arch}.${isWindows ? "zip" : "tar.gz"}`;
  const bytes = isWindows ? zip(entries) : await tarGz(entries);
  put(archive, bytes);
  if (os === "linux") await makeDeb(made, entries, release);
  console.error(`dist/release/${archive}  ${Math.round(bytes.length / 2 ** 20)} MiB`);
  return { platform, name: archive, sha256: sha256(bytes), bin: name };
}

/** Writes the image of a program, of its executables for linux. */
async function packImage(
  program: ProgramName,
  made: readonly Executable[],
  licenses: Buffer,
): Promise<void> {
  const isFor = (arch: string) => (each: Executable) =>
    each.platform.os === "linux" && each.platform.arch === arch;
  const files = (arch: string): readonly Entry[] =>
    made.filter(isFor(arch)).flatMap((each) => contents(each, licenses));
  const name = `images/${program}`;
  const told = hasDebianTools()
    ? await writeImage({ name: program, version, files }, join(release, name))
    : "skipped: an image takes apt and dpkg of a Debian system";
  console.error(`dist/release/${name}  ${told}`);
}

/** The packages in an executable, by name; those that its programs share once. */
function packagesIn(program: ProgramName, bundles: Bundles): readonly Bundled[] {
  const all = programsIn(program).flatMap((each) => bundles[each].packages);
  const byName = new Map(all.map((one) => [`${one.name} ${one.version}`, one]));
  return [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => found);
}

async function main(): Promise<void> {
  for (const folder of [release, work]) rmSync(folder, { recursive: true, force: true });
  // as `helm package` lays it out: the folder of the chart's name
  const charts = join(root, "manifests/chart");
  const parts = filesIn(charts).map((name) => ({ name, bytes: readFileSync(join(charts, name)) }));
  put(chartName, await tarGz(parts));
  const bundles: Bundles = {
    "kubectl-engine": await bundle("kubectl-engine"),
    "engine-webhook": await bundle("engine-webhook"),
  };
  const nodeFolder = await fetchNode(nodeHere(nodeVersion));
  const node = `Node.js ${nodeVersion}\n\n${readFileSync(join(nodeFolder, "LICENSE"), "utf8")}`;
  for (const program of ["kubectl-engine", "engine-webhook"] as const) {
    const made = await makeExecutables(program, bundles, { platforms, into: work });
    const packages = packagesIn(program, bundles);
    const licenses = Buffer.from(`${licenseComments(packages)}\n\n${node}`);
    const archives = await Promise.all(made.map((each) => pack(each, licenses)));
    await packImage(program, made, licenses);
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
