/** Reads an OCI layout as a container runtime does: nothing is used that its hash does not name. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Index {
  readonly manifests: readonly Descriptor[];
}

export interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** What an image says of how it is run. */
export interface ImageConfig {
  readonly architecture: string;
  readonly config: {
    readonly User?: string;
    readonly Entrypoint?: readonly string[];
    readonly Cmd?: readonly string[];
    readonly Env?: readonly string[];
    readonly WorkingDir?: string;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

const sha256 = (bytes: Buffer): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export class Layout {
  constructor(private readonly folder: string) {}

  /** What the layout holds: one image, under the name of its version. */
  named(): Descriptor {
    const top = readFileSync(join(this.folder, "index.json"), "utf8");
    const [image, ...more] = (JSON.parse(top) as Index).manifests;
    if (image === undefined || more.length > 0) throw new Error(`${this.folder}: not one image`);
    return image;
  }

  index(): Index {
    return this.json(this.named()) as Index;
  }

  manifest(architecture: string): Manifest {
    const found = this.index().manifests.find(
      ({ platform }) => platform?.architecture === architecture && platform.os === "linux",
    );
    if (found === undefined) throw new Error(`${this.folder}: no image for ${architecture}`);
    return this.json(found) as Manifest;
  }

  config(architecture: string): ImageConfig {
    return this.json(this.manifest(architecture).config) as ImageConfig;
  }

  /** Refuses a reference of a pod to another image than this one, as its registry would. */
  expectNamed(reference: string): void {
    const { digest, annotations = {} } = this.named();
    const [, wanted] = /@(.*)$/.exec(reference) ?? [];
    const [, tag] = /:([^:/@]+)(@|$)/.exec(reference.replace(/@.*$/, "")) ?? [];
    const version = annotations["org.opencontainers.image.ref.name"];
    if (wanted === undefined ? tag === version : wanted === digest) return;
    throw new Error(`${reference}: not found; there is ${version ?? "no version"}, ${digest}`);
  }

  /** Lays all layers into the folder, one over the other. */
  unpack(architecture: string, into: string): void {
    const { diff_ids: ids } = this.config(architecture).rootfs;
    mkdirSync(into, { recursive: true });
    this.manifest(architecture).layers.forEach((layer, n) => {
      const tar = gunzipSync(this.blob(layer));
      expectHash(`layer ${String(n)} of ${this.folder}`, tar, ids[n]);
      const words = ["-x", "--same-owner", "-p", "-C", into];
      execFileSync("tar", words, { input: tar, stdio: ["pipe", "ignore", "inherit"] });
    });
  }

  /** Paths of the files, folders and links of all layers, in their order. */
  paths(architecture: string): readonly string[] {
    return this.manifest(architecture).layers.flatMap((layer) => {
      const listed = execFileSync("tar", ["-tz"], { input: this.blob(layer), encoding: "utf8" });
      return listed.trim().split("\n");
    });
  }

  private json(descriptor: Descriptor): unknown {
    return JSON.parse(this.blob(descriptor).toString("utf8"));
  }

  private blob({ digest }: Descriptor): Buffer {
    const file = join(this.folder, "blobs", digest.replace(":", "/"));
    const bytes = readFileSync(file);
    expectHash(file, bytes, digest);
    return bytes;
  }
}

function expectHash(what: string, bytes: Buffer, wanted: string | undefined): void {
  const found = sha256(bytes);
  if (found !== wanted) throw new Error(`${what}: has ${found}, not ${wanted ?? "any"}`);
}
