/**
 * Makes the two executables of dist/: each one file, run by node alone, from any folder. esbuild
 * splits the program at its dynamic imports: what the entry needs at once is read at start, every
 * other part when an `import()` asks for it.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Metafile, Plugin } from "esbuild";
import { build, transform } from "esbuild";
import * as shipped from "../plugin/adapters/shipped";
import { assemble, type Part } from "./assemble";

const root = join(__dirname, "..");
const dist = join(root, "dist");

/**
 * Of commander the parser alone: help is made from the list of commands, suggestions with what is
 * near, and no command is a program of its own, for which node takes long to load what runs it.
 */
const leanCommander: Plugin = {
  name: "lean-commander",
  setup(bundle) {
    const unused = /^node:(child_process|fs|path)$|\/(help\.js|suggestSimilar)$/;
    bundle.onResolve({ filter: unused }, ({ importer }) =>
      importer.includes("/commander/") ? { path: "none", namespace: "none" } : undefined,
    );
    bundle.onLoad({ filter: /./, namespace: "none" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** A module in whose place other code stands. */
type Replaced = readonly [filter: RegExp, contents: (path: string) => string];

const replaced: readonly Replaced[] = [
  // the texts of the manifests, instead of what reads them
  [/[\\/]adapters[\\/]shipped\.ts$/, shippedTexts],
  [/[\\/]domain[\\/]built\.ts$/, () => `export const built = ${JSON.stringify(commit())};`],
  // what libraries load and the programs never use: they start sooner without, and take less memory;
  // a reader of bodies of whatever encoding, and of queries with brackets: both programs read their own
  [/[\\/](body-parser|qs[\\/]lib)[\\/]index\.js$/, () => "module.exports = {};"],
  // what prom-client would measure by itself, and the threads on which pino could write
  [/[\\/]prom-client[\\/]lib[\\/]defaultMetrics\.js$/, () => "module.exports = {};"],
  [/[\\/]pino[\\/]lib[\\/]transport\.js$/, () => "module.exports = {};"],
  [/[\\/]mime-db[\\/]db\.json$/, sentTypes],
];

const replacing: Plugin = {
  name: "replacing",
  setup(bundle) {
    for (const [filter, contents] of replaced) {
      bundle.onLoad({ filter }, ({ path }) => ({ contents: contents(path), loader: "js" }));
    }
  },
};

function shippedTexts(): string {
  const texts = Object.entries(shipped).map(
    ([name, read]) => `export const ${name} = () => (${JSON.stringify(read())});`,
  );
  return texts.join("\n");
}

/** The commit and its date, which are the same in every build of it; a folder without git has none. */
function commit() {
  const time = "--date=format-local:%Y-%m-%dT%H:%M:%SZ";
  const { stdout, status } = spawnSync(
    "git",
    ["log", "-1", "--abbrev=12", "--format=%h %cd", time],
    {
      cwd: root,
      env: { ...process.env, TZ: "UTC" },
      encoding: "utf8",
    },
  );
  const [commit = "unknown", date = "unknown"] = status === 0 ? stdout.trim().split(" ") : [];
  return { commit, date };
}

/** The types that an answer can have, of two thousand. */
function sentTypes(path: string): string {
  const all = JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>;
  const sent = ["application/json", "text/html", "text/plain"].map((type) => [type, all[type]]);
  return `module.exports = ${JSON.stringify(Object.fromEntries(sent))};`;
}

/** Names stay: longer code costs less than giving what has a short name its own one back. */
const minified = { minifyWhitespace: true, minifySyntax: true } as const;

/** The two programs, and where each begins. */
const programs = { "kubectl-engine": "plugin/main.ts", "engine-webhook": "webhook/main.ts" };
export type ProgramName = keyof typeof programs;

/** A package that left code in a bundle, with the text of its license. */
export type Bundled = Readonly<ReturnType<typeof packageOf>>;

/** Bundles one program. */
export async function bundle(name: ProgramName) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { entry: programs[name] },
    outdir: dist,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    ...minified,
    format: "esm",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    legalComments: "none", // the licenses themselves follow at the end of the file
    logLevel: "warning",
    plugins: [replacing, leanCommander],
  });
  const eager = reachedAtOnce(metafile);
  const parts = await Promise.all(
    outputFiles.map(({ path, text }) => commonJs({ name: basename(path), code: text }, eager)),
  );
  const packages = packagesIn(metafile);
  const assembled = assemble({
    eager: parts.filter((part) => eager.has(part.name)),
    packed: parts.filter((part) => !eager.has(part.name)),
    licenses: licenseComments(packages),
  });
  return { ...assembled, packages, report: report(parts, eager) };
}

/** Writes one program as a file that node runs. */
async function write(name: ProgramName): Promise<void> {
  const { text, report } = await bundle(name);
  mkdirSync(dist, { recursive: true });
  const file = join(dist, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  console.log(`dist/${name}  ${Math.round(text.length / 1024)} KiB, ${report}`);
}

function report(parts: readonly Part[], eager: ReadonlySet<string>): string {
  const size = (some: readonly Part[]): string =>
    `${Math.round(some.reduce((sum, part) => sum + part.code.length, 0) / 1024)} KiB`;
  const packed = parts.filter((part) => !eager.has(part.name));
  return `${size(parts.filter((part) => eager.has(part.name)))} at start, ${packed.length} parts of ${size(packed)} packed`;
}

/** Names of the parts that the entry imports statically, itself included. */
function reachedAtOnce(metafile: Metafile): ReadonlySet<string> {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
  );
  const reached = new Set<string>();
  const visit = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    for (const { kind, path, external } of outputs.get(name)?.imports ?? []) {
      if (kind === "import-statement" && external !== true) visit(basename(path));
    }
  };
  visit("entry.js");
  return reached;
}

/** The part as CommonJS; code at start is written for old nodes too, so that they can say no. */
async function commonJs({ name, code }: Part, eager: ReadonlySet<string>): Promise<Part> {
  const result = await transform(code, {
    format: "cjs",
    platform: "node",
    target: eager.has(name) ? "node14" : "node20",
    supported: { "dynamic-import": false },
    ...minified,
    legalComments: "none",
    logLevel: "error",
  });
  return { name, code: result.code };
}

/** Every package that left code in the bundle. */
function packagesIn(metafile: Metafile): readonly Bundled[] {
  const folders = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort().map((folder) => packageOf(join(root, folder)));
}

/** Their licenses, as comments; equal texts once. */
export function licenseComments(packages: readonly Bundled[]): string {
  const byText = new Map<string, string[]>();
  for (const { name, version, license, text } of packages) {
    const title = `${name} ${version} (${license ?? "see below"})`;
    byText.set(text, [...(byText.get(text) ?? []), title]);
  }
  return [...byText].map(([text, titles]) => comment(`${titles.join("\n")}\n\n${text}`)).join("\n");
}

function packageOf(folder: string) {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as { readonly name: string; readonly version: string; readonly license?: string };
  const file = readdirSync(folder).find((entry) => /^(licen[sc]e|copying)(\.|$)/i.test(entry));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return { name, version, license, text };
}

/** A comment in ASCII, as the whole file is. */
function comment(text: string): string {
  const ascii = text
    .replaceAll("\u00a9", "(c)")
    .normalize("NFD")
    .replaceAll(/[^\n\x20-\x7e]/g, "")
    .replaceAll("*/", "* /");
  return `/*!\n${ascii}\n*/`;
}

async function main(): Promise<void> {
  await write("kubectl-engine");
  await write("engine-webhook");
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
