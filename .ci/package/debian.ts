/**
 * What an image holds beside its program: glibc 2.41 and the libraries that Node is linked to, from
 * packages of Debian 13 that are pinned by version and by hash. apt fetches them from the mirror that
 * the machine has, or from the one that ENGINE_DEBIAN_MIRROR names: a mirror keeps only the newest
 * version of a package, an archive of snapshots keeps all of them.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import { sha256 as sumOf } from "./archives";

export type Architecture = "amd64" | "arm64";

/** A file with its content, or a link, or a folder where there is neither. */
export interface Entry {
  readonly path: string;
  readonly mode?: number;
  readonly content?: Buffer;
  readonly link?: string;
}

export interface DebianPackage {
  /** Below `pool/main` of a mirror, without architecture and ending. */
  readonly path: string;
  readonly sha256: Readonly<Record<Architecture, string>>;
}

export const debianPackages: readonly DebianPackage[] = [
  {
    path: "b/base-files/base-files_13.8+deb13u8",
    sha256: {
      amd64: "f5a0546098f38bad5843380521781fe7214e5a283d3bed63f79c505545f262af",
      arm64: "893616b7ce203a05a0528652f7d754cc5e3de7e8eff3b396f95383a5b8b1c668",
    },
  },
  {
    path: "g/glibc/libc6_2.41-12+deb13u5",
    sha256: {
      amd64: "b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf",
      arm64: "0966fc3da1a26cc57647c68b5736f791b6e7eb498173a7993f63b6c89b4ed4f5",
    },
  },
  {
    path: "g/gcc-14/gcc-14-base_14.2.0-19",
    sha256: {
      amd64: "5b6825de4263824b78c4c51f6476414f3b4e89c2ab63e81dc8b9b5501e867cf6",
      arm64: "34ee90679b018c0e64234747a4c4c0ae6b7f63541115037465a8627c2dfbc594",
    },
  },
  {
    path: "g/gcc-14/libgcc-s1_14.2.0-19",
    sha256: {
      amd64: "3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150",
      arm64: "1108bc87879833d6d9a145f22a4a15cddb34e065b4b5f4b97bee586adbac2851",
    },
  },
  {
    path: "g/gcc-14/libstdc++6_14.2.0-19",
    sha256: {
      amd64: "ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0",
      arm64: "6669b0c52a2e7c6af9adfdabce3ff6e286065cdfbc7b85280862b5f799daebee",
    },
  },
  {
    path: "g/gcc-14/libatomic1_14.2.0-19",
    sha256: {
      amd64: "212b399aae2f7299203d261a57e49372e09565a9a5ea971905f94a3960366c05",
      arm64: "7ccff90234484bf21ae5ecb79d25b6a84b2f4038f65dd139085b2e3a937cd8dc",
    },
  },
];

const cache = join(__dirname, "../../.cache/debian");

/** Of a package: shared libraries, what release it is of, and its license with what that refers to. */
const kept =
  /^usr\/(lib(64)?\/([^/]+-linux-gnu\/)?[^/]+\.so[^/]*|lib\/os-release|share\/doc\/[^/]+(\/copyright)?|share\/common-licenses\/L?GPL-[\d.]+)$/;

const aptHelper = "/usr/lib/apt/apt-helper";

/** Whether packages can be fetched and read here. */
export const hasDebianTools = (): boolean => existsSync(aptHelper);

/** The files of all packages, and for each its control fields where scanners of images look for them. */
export async function debianEntries(
  architecture: Architecture,
  packages = debianPackages,
): Promise<readonly Entry[]> {
  const all = packages.map(async (each) => {
    const file = fetched(`pool/main/${each.path}_${architecture}.deb`, each.sha256[architecture]);
    const [name = ""] = basename(each.path).split("_");
    const fields = execFileSync("dpkg-deb", ["--field", file]);
    const status: Entry = { path: `var/lib/dpkg/status.d/${name}`, content: fields };
    return [...(await unpacked(file)), status];
  });
  return (await Promise.all(all)).flat();
}

/** The package in the cache; whatever lies there is compared with the hash before it is used. */
export function fetched(path: string, sha256: string): string {
  const file = join(cache, basename(path));
  if (!existsSync(file)) fetch(path, file);
  const found = sumOf(readFileSync(file));
  if (found === sha256) return file;
  throw new Error(
    `${file} has the SHA-256 ${found}, and ${sha256} is recorded: it is not used; remove it and run again`,
  );
}

function fetch(path: string, file: string): void {
  mkdirSync(cache, { recursive: true });
  const part = `${file}.${process.pid}`;
  const said: string[] = [];
  for (const mirror of mirrors()) {
    const words = ["download-file", `${mirror}/${path}`, part];
    const { status, stderr } = spawnSync(aptHelper, words, { encoding: "utf8" });
    if (status === 0) {
      renameSync(part, file);
      return;
    }
    said.push(stderr.trim());
  }
  rmSync(part, { force: true });
  throw new Error(
    `${path} could not be fetched: name a mirror of Debian that has it in ENGINE_DEBIAN_MIRROR\n${said.join("\n")}`,
  );
}

function mirrors(): readonly string[] {
  const given = process.env["ENGINE_DEBIAN_MIRROR"] ?? "";
  if (given !== "") return [given.replace(/\/$/, "")];
  const words = ["indextargets", "--format", "$(SITE)", "Created-By: Packages"];
  const sites = execFileSync("apt-get", words, { encoding: "utf8" }).trim().split("\n");
  return [...new Set(sites)];
}

async function unpacked(file: string): Promise<readonly Entry[]> {
  const tar = execFileSync("dpkg-deb", ["--fsys-tarfile", file], { maxBuffer: 1 << 28 });
  const entries: Entry[] = [];
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const { name, type, linkname, mode } = entry.header;
    const content = await buffer(entry);
    const path = name.replace(/^\.\//, "");
    if (!kept.test(path)) continue;
    if (type === "file") entries.push({ path, mode, content });
    if (type === "symlink") entries.push({ path, link: linkname });
  }
  return entries;
}
