/** What krew asks of a manifest, and what it does with one: by its published rules, without krew. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256, unpackInto } from "./released";

interface KrewPlatform {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly uri: string;
  readonly sha256: string;
  readonly bin: string;
  readonly files: readonly { readonly from: string; readonly to: string }[];
}

/** A manifest as krew reads it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly description: string;
    readonly platforms: readonly KrewPlatform[];
  };
}

/** What is wrong with a manifest that lies in this file of an index. */
export function problemsOf({ apiVersion, kind, metadata, spec }: Manifest, file: string): string[] {
  const { platforms } = spec;
  const selected = platforms.map(({ selector }) => JSON.stringify(selector.matchLabels));
  const rules: readonly (readonly [fits: boolean, problem: string])[] = [
    [apiVersion === "krew.googlecontainertools.github.com/v1alpha2", "apiVersion"],
    [kind === "Plugin", "kind"],
    [/^[\w-]+$/.test(metadata.name), "name"],
    [basename(file) === `${metadata.name}.yaml`, "file name"],
    [/^v\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/.test(spec.version), "version"],
    [/^[A-Z].{0,49}$/.test(spec.shortDescription), "shortDescription"],
    [spec.description !== "", "description"],
    [platforms.length > 0, "platforms"],
    [new Set(selected).size === selected.length, "selectors overlap"],
  ];
  const own = rules.flatMap(([fits, problem]) => (fits ? [] : [problem]));
  return [...own, ...platforms.flatMap(problemsOfPlatform)];
}

function problemsOfPlatform({ selector, uri, bin, files, ...platform }: KrewPlatform): string[] {
  const labels = selector.matchLabels;
  const rules: readonly (readonly [fits: boolean, problem: string])[] = [
    [Object.keys(labels).every((key) => key === "os" || key === "arch"), "selector"],
    [/^(linux|darwin|windows)$/.test(labels["os"] ?? ""), "os"],
    [/^https:\/\/\S+\.(tar\.gz|zip)$/.test(uri), "uri"],
    [/^[0-9a-f]{64}$/.test(platform.sha256), "sha256"],
    [bin !== "" && !bin.split("/").includes(".."), "bin"],
    [bin.endsWith(".exe") === (labels["os"] === "windows"), "bin's ending"],
    [files.length > 0, "files"],
    [files.some(({ from }) => from === "LICENSE"), "license"],
  ];
  return rules.flatMap(([fits, problem]) => (fits ? [] : [problem]));
}

/** Installs into the home what the manifest has for this machine, as krew does; the folder of links. */
export async function installByKrew(
  { metadata: { name }, spec }: Manifest,
  {
    archives,
    home,
    arch,
  }: { readonly archives: string; readonly home: string; readonly arch: string },
): Promise<string> {
  const platform = spec.platforms.find(
    ({ selector: { matchLabels } }) =>
      matchLabels["os"] === "linux" && matchLabels["arch"] === arch,
  );
  if (platform === undefined) throw new Error(`plugin ${name} does not offer this platform`);
  const archive = join(archives, basename(platform.uri));
  if (sha256(readFileSync(archive)) !== platform.sha256) throw new Error("checksum does not match");
  const unpacked = join(home, "unpacked");
  await unpackInto(archive, unpacked);
  const store = join(home, ".krew/store", name, spec.version);
  mkdirSync(store, { recursive: true });
  for (const { from, to } of platform.files) {
    const source = join(unpacked, from);
    if (!existsSync(source)) throw new Error(`no file for ${from} in the archive`);
    const target = join(store, to, basename(from));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(source, target);
    chmodSync(target, statSync(source).mode);
  }
  const bin = join(store, platform.bin);
  if (!existsSync(bin)) throw new Error(`the plugin's ${platform.bin} was not installed`);
  const links = join(home, ".krew/bin");
  mkdirSync(links, { recursive: true });
  symlinkSync(bin, join(links, `kubectl-${name.replaceAll("-", "_")}`));
  return links;
}
