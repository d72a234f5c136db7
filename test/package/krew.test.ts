/** The plugin by krew's way: into an empty home, from the index folder and the archives of the release. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { installByKrew, type Manifest, problemsOf } from "./krew-rules";
import { archHere, rehearsedWith, released, releaseDir } from "./released";

const file = released("krew-index/plugins/engine.yaml");
const read = (): Manifest => load(readFileSync(file, "utf8")) as Manifest;

const dir = mkdtempSync(join(tmpdir(), "krew-"));
afterAll(() => {
  rmSync(dir, { recursive: true });
});

type Platform = Manifest["spec"]["platforms"][number];

/** The manifest with other values, and with some of its platforms changed. */
function changed(
  spec: Partial<Manifest["spec"]>,
  platform: (one: Platform) => Platform = (one) => one,
): Manifest {
  const manifest = read();
  const platforms = manifest.spec.platforms.map(platform);
  return { ...manifest, spec: { ...manifest.spec, platforms, ...spec } };
}

test("the manifest keeps every rule, for five platforms", () => {
  expect(problemsOf(read(), file)).toEqual([]);
  const selected = read().spec.platforms.map(({ selector: { matchLabels } }) => matchLabels);
  expect(selected).toEqual([
    { os: "linux", arch: "amd64" },
    { os: "linux", arch: "arm64" },
    { os: "darwin", arch: "amd64" },
    { os: "darwin", arch: "arm64" },
    { os: "windows", arch: "amd64" },
  ]);
});

const allAs = (platform: Partial<Platform>): Manifest =>
  changed({}, (one) => ({ ...one, ...platform }));

test.each<[string, () => Manifest, string]>([
  ["another kind", () => ({ ...read(), kind: "Index" }), "kind"],
  ["another API", () => ({ ...read(), apiVersion: "v1" }), "apiVersion"],
  ["a name with a dot", () => ({ ...read(), metadata: { name: "engine.x" } }), "name"],
  ["the name of another file", () => ({ ...read(), metadata: { name: "other" } }), "file name"],
  ["a version without v", () => changed({ version: "0.1.0" }), "version"],
  ["a version of two numbers", () => changed({ version: "v0.1" }), "version"],
  ["a long short description", () => changed({ shortDescription: "A".repeat(51) }), "shortDesc"],
  ["no short description", () => changed({ shortDescription: "" }), "shortDescription"],
  ["no platform", () => changed({ platforms: [] }), "platforms"],
  [
    "platforms that overlap",
    () => allAs({ selector: { matchLabels: { os: "linux" } } }),
    "overlap",
  ],
  ["an unknown system", () => allAs({ selector: { matchLabels: { os: "plan9" } } }), "os"],
  ["a plain http address", () => allAs({ uri: "http://engine.example/a.tar.gz" }), "uri"],
  ["a short checksum", () => allAs({ sha256: "12" }), "sha256"],
  ["a program outside", () => allAs({ bin: "../kubectl-engine" }), "bin"],
  ["no license", () => allAs({ files: [{ from: "*", to: "." }] }), "license"],
])("a manifest with %s breaks a rule", (_name, manifest, problem) => {
  expect(problemsOf(manifest(), file).join()).toContain(problem);
});

test("kubectl rehearses with nothing but itself and krew's folder on the PATH", async () => {
  const home = join(dir, "home");
  const links = await installByKrew(read(), { archives: releaseDir, home, arch: archHere });
  const ran = await rehearsedWith(links, home);
  expect(ran.stderr).not.toContain("error:");
  expect(ran.stdout).toContain("Done: the rehearsal ended as expected, nothing real was touched");
  expect(ran.code).toBe(0);
});

test.each<[string, () => Manifest, string]>([
  ["the checksum of another archive", () => allAs({ sha256: "0".repeat(64) }), "checksum"],
  ["a program that the archive lacks", () => allAs({ bin: "engine" }), "was not installed"],
  [
    "a program that is not among the files",
    () => allAs({ files: [{ from: "LICENSE", to: "." }] }),
    "was not installed",
  ],
  [
    "a file that the archive lacks",
    () => allAs({ files: [{ from: "none", to: "." }] }),
    "no file for none",
  ],
  ["no platform", () => changed({ platforms: [] }), "does not offer this platform"],
])("a manifest with %s is not installed", async (name, manifest, why) => {
  const place = { archives: releaseDir, home: join(dir, name), arch: archHere };
  await expect(installByKrew(manifest(), place)).rejects.toThrow(why);
});
