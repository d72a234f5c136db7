/** What the images hold, and that they are the same each time they are built. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianEntries, debianPackages, hasDebianTools } from "../../.ci/package/debian";
import { architectures, type Image, writeImage } from "../../.ci/package/image";
import { isAvailable, isInstalled } from "./debian-system";
import { Layout } from "./layout";

const folder = mkdtempSync(join(tmpdir(), "image-"));
const image: Image = {
  name: "small",
  version: "1.2.3",
  files: (architecture) => [
    {
      ...{ name: "small", installed: "/usr/bin/small", executable: true },
      bytes: Buffer.from(`for ${architecture}`),
    },
    { name: "LICENSE", installed: "/usr/share/doc/small/copyright", bytes: Buffer.from("license") },
  ],
};

const hasApt = hasDebianTools();
if (!hasApt)
  process.stderr.write("images are not built: that takes apt and dpkg of a Debian system\n");
const canCopy =
  hasApt && isAvailable("no other tool copies an image", ["skopeo"], () => isInstalled("skopeo"));

/** Every file below the folder, with the hash of its bytes. */
function contentOf(path: string): ReadonlyMap<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true });
  return new Map(
    files
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .map((file) => [
        file.slice(path.length),
        createHash("sha256").update(readFileSync(file)).digest("hex"),
      ]),
  );
}

(hasApt ? describe : describe.skip)("an image", () => {
  const path = join(folder, "first");
  const layout = new Layout(path);
  let digest = "";
  beforeAll(async () => {
    digest = await writeImage(image, path);
  });

  test("is the same when it is built again", async () => {
    const again = join(folder, "again");
    expect(await writeImage(image, again)).toBe(digest);
    expect(contentOf(again)).toEqual(contentOf(path));
  });

  test("is a layout of one name, whose digest is the one that was told", () => {
    expect(JSON.parse(readFileSync(join(path, "oci-layout"), "utf8"))).toEqual({
      imageLayoutVersion: "1.0.0",
    });
    expect(layout.named()).toMatchObject({
      digest,
      annotations: { "org.opencontainers.image.ref.name": "1.2.3" },
    });
    expect(layout.index().manifests.map(({ platform }) => platform)).toEqual(
      architectures.map((architecture) => ({ architecture, os: "linux" })),
    );
  });

  test.each(architectures)(
    "%s: runs its program as a user that is a number and not root",
    (architecture) => {
      expect(layout.config(architecture)).toMatchObject({
        architecture,
        created: "1970-01-01T00:00:00Z",
        config: {
          User: "65532:65532",
          Entrypoint: ["/usr/bin/small"],
        },
      });
    },
  );

  test.each(architectures)(
    "%s: has its libraries and licenses, and no other program",
    (architecture) => {
      const into = join(folder, `root-${architecture}`);
      layout.unpack(architecture, into);
      const linker = { amd64: "lib64/ld-linux-x86-64.so.2", arm64: "lib/ld-linux-aarch64.so.1" };
      const triplet = { amd64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" }[architecture];
      const libraries = [
        "libc.so.6",
        "libm.so.6",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libatomic.so.1",
      ];
      const packages = debianPackages.map(({ path: each }) => each.replace(/.*\/|_.*/g, ""));
      const present = [
        linker[architecture],
        "usr/share/doc/small/copyright",
        ...libraries.map((name) => `usr/lib/${triplet}/${name}`),
        ...packages.map((name) => `usr/share/doc/${name}/copyright`),
        ...packages.map((name) => `var/lib/dpkg/status.d/${name}`),
      ];
      expect(present.filter((file) => !existsSync(join(into, file)))).toEqual([]);
      expect(readdirSync(join(into, "usr/bin"))).toEqual(["small"]);
      expect(readdirSync(into)).toEqual(["etc", "lib", "lib64", "tmp", "usr", "var"]);
      expect(readFileSync(join(into, "var/lib/dpkg/status.d/libc6"), "utf8")).toContain(
        "Version: 2.41",
      );
    },
  );

  test("whose layer was changed is refused by what reads it", () => {
    const changed = join(folder, "changed");
    cpSync(path, changed, { recursive: true });
    const copy = new Layout(changed);
    const [, layer] = copy.manifest("amd64").layers;
    writeFileSync(join(changed, "blobs", String(layer?.digest.replace(":", "/"))), "other bytes");
    expect(() => {
      copy.unpack("amd64", join(folder, "refused"));
    }).toThrow(/has sha256:\w{64}, not sha256:\w{64}/);
  });

  test.each([
    ["its tag", "registry.example:5000/small:1.2.3", true],
    ["another tag", "registry.example:5000/small:1.2.4", false],
    ["no tag", "registry.example:5000/small", false],
    ["another digest", `registry.example/small:1.2.3@sha256:${"0".repeat(64)}`, false],
  ])("is found under %s: %s, %s", (_title, reference, found) => {
    const look = (): void => {
      layout.expectNamed(reference);
    };
    if (found) expect(look).not.toThrow();
    else expect(look).toThrow(/: not found; there is 1\.2\.3, sha256:/);
  });

  (canCopy ? test : test.skip)("is copied by a tool of others, under the same digest", () => {
    const copy = join(folder, "copy");
    const words = ["copy", "--insecure-policy", "--all", `oci:${path}:1.2.3`, `oci:${copy}:1.2.3`];
    expect(String(spawnSync("skopeo", words).stderr)).toBe("");
    expect(new Layout(copy).named().digest).toBe(digest);
    expect(contentOf(join(copy, "blobs"))).toEqual(contentOf(join(path, "blobs")));
  });
});

(hasApt ? test : test.skip)("a package that is not the recorded one stops the build", async () => {
  const [first] = debianPackages;
  if (first === undefined) throw new Error("no package");
  const sha256 = { ...first.sha256, amd64: "0".repeat(64) };
  await expect(debianEntries("amd64", [{ ...first, sha256 }])).rejects.toThrow(
    /base-files_.*_amd64\.deb has the SHA-256 \w{64}, and 0{64} is recorded: it is not used/,
  );
});
