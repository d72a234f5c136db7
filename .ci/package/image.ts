/**
 * Images as OCI layouts, made of bytes alone: no daemon, no registry, and the same bytes each time.
 * An image holds its program, the libraries that it is linked to, and no shell.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { pack } from "tar-stream";
import { type Entry as Packed, sha256 } from "./archives";
import { type Architecture, debianEntries, type Entry } from "./debian";

export interface Image {
  /** Of the program too, which is the entry point. */
  readonly name: string;
  readonly version: string;
  /** The program and its licenses, each with its path on a Debian system. */
  readonly files: (architecture: Architecture) => readonly Packed[];
}

/** A blob as others refer to it. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export const architectures: readonly Architecture[] = ["amd64", "arm64"];

/** Not root, and a number, which `runAsNonRoot` can check. */
const user = "65532:65532";
const created = "1970-01-01T00:00:00Z";

/** What every image holds. */
async function baseLayer(architecture: Architecture): Promise<readonly Entry[]> {
  const text = (path: string, content: string): Entry => ({ path, content: Buffer.from(content) });
  return [
    ...(await debianEntries(architecture)),
    { path: "tmp", mode: 0o1777 },
    { path: "lib", link: "usr/lib" },
    { path: "lib64", link: "usr/lib64" },
    { path: "etc/os-release", link: "../usr/lib/os-release" },
    text(
      "etc/passwd",
      "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n",
    ),
    text("etc/group", "root:x:0:\nnonroot:x:65532:\n"),
    text("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
  ];
}

/** Writes the layout, both architectures in it, and returns the digest by which it is pulled. */
export async function writeImage(image: Image, into: string): Promise<string> {
  rmSync(into, { recursive: true, force: true });
  const blobs = join(into, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const put: Put = (mediaType, content) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const hex = sha256(bytes);
    writeFileSync(join(blobs, hex), bytes);
    return {
      mediaType: `application/vnd.oci.image.${mediaType}`,
      digest: hash(hex),
      size: bytes.length,
    };
  };
  const manifests: object[] = [];
  for (const architecture of architectures) {
    const manifest = await putManifest(image, architecture, put);
    manifests.push({ ...manifest, platform: { architecture, os: "linux" } });
  }
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const annotations = annotationsOf(image);
  const index = put("index.v1+json", { schemaVersion: 2, mediaType, manifests, annotations });
  const named = { ...index, annotations: { "org.opencontainers.image.ref.name": image.version } };
  const top = { schemaVersion: 2, mediaType, manifests: [named] };
  writeFileSync(join(into, "index.json"), JSON.stringify(top));
  writeFileSync(join(into, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  return index.digest;
}

type Put = (mediaType: string, content: Buffer | object) => Descriptor;

async function putManifest(
  image: Image,
  architecture: Architecture,
  put: Put,
): Promise<Descriptor> {
  const layers: Descriptor[] = [];
  const diffIds: string[] = [];
  for (const entries of [await baseLayer(architecture), image.files(architecture).map(placed)]) {
    const tar = await tarOf(entries);
    diffIds.push(hash(sha256(tar)));
    layers.push(put("layer.v1.tar+gzip", await promisify(gzip)(tar)));
  }
  const config = put("config.v1+json", {
    created,
    architecture,
    os: "linux",
    config: {
      User: user,
      Entrypoint: [`/usr/bin/${image.name}`],
      Env: ["PATH=/usr/bin"],
      WorkingDir: "/",
      Labels: annotationsOf(image),
    },
    rootfs: { type: "layers", diff_ids: diffIds },
    history: diffIds.map(() => ({ created, created_by: "npm run package" })),
  });
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const annotations = annotationsOf(image);
  return put("manifest.v1+json", { schemaVersion: 2, mediaType, config, layers, annotations });
}

function annotationsOf({ name, version }: Image): Readonly<Record<string, string>> {
  const named = { created, licenses: "Apache-2.0", title: name, version };
  return Object.fromEntries(
    Object.entries(named).map(([key, value]) => [`org.opencontainers.image.${key}`, value]),
  );
}

function placed({ name, installed = `/${name}`, executable, bytes }: Packed): Entry {
  return { path: installed.slice(1), mode: executable === true ? 0o755 : 0o644, content: bytes };
}

/** Owner, time and order are the same for every build; folders come before what they hold. */
function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  const folders = entries.flatMap(({ path }) => parentsOf(path)).map((path): Entry => ({ path }));
  const all = new Map([...folders, ...entries].map((entry) => [entry.path, entry]));
  for (const [name, { content, link, mode }] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const common = { name, mtime: new Date(0), uid: 0, gid: 0 };
    if (content !== undefined) tar.entry({ ...common, mode: mode ?? 0o644 }, content);
    else if (link === undefined) {
      tar.entry({ ...common, type: "directory", mode: mode ?? 0o755 });
    } else tar.entry({ ...common, type: "symlink", linkname: link, mode: 0o777 });
  }
  tar.finalize();
  return buffer(tar);
}

function parentsOf(path: string): readonly string[] {
  const parent = posix.dirname(path);
  return parent === "." ? [] : [...parentsOf(parent), parent];
}

const hash = (hex: string): string => `sha256:${hex}`;
