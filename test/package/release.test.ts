/** What lies in dist/release fits together; what cannot run here is judged by its structure. */
import { manual } from "../../.ci/docs/manual";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { type Entry, tarGz, zip } from "../../.ci/package/archives";
import { krewManifest } from "../../.ci/package/krew";
import { endingLines } from "../../.ci/package/lines";
import { platforms } from "../../.ci/package/nodes";
import { sbomOf } from "../../.ci/package/sbom";
import { filesOf, released, releaseDir, sha256 } from "./released";

/** The first bytes of a program, and where it tells its machine. */
const formats = {
  linux_amd64: { magic: "7f454c46", at: 18, machine: "3e00" },
  linux_arm64: { magic: "7f454c46", at: 18, machine: "b700" },
  darwin_amd64: { magic: "cffaedfe", at: 4, machine: "07000001" },
  darwin_arm64: { magic: "cffaedfe", at: 4, machine: "0c000001" },
  windows_amd64: { magic: "4d5a", at: "PE", machine: "6486" },
} as const;

/** Node looks for this; it ends with 1 where a program was put in. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1";
const section = { linux: "NODE_SEA_BLOB", darwin: "__NODE_SEA_BLOB", windows: "NODE_SEA_BLOB" };

function describeProgram(
  bytes: Buffer,
  { magic, at, machine }: (typeof formats)["linux_amd64" | "windows_amd64"],
) {
  // a Windows program tells at 60 where its own header begins
  const from = at === "PE" ? bytes.readUInt32LE(60) + 4 : at;
  return {
    magic: bytes.toString("hex", 0, magic.length / 2),
    machine: bytes.toString("hex", from, from + machine.length / 2),
  };
}

const completions = [
  "completion/kubectl-engine.bash",
  "completion/kubectl-engine.zsh",
  "completion/kubectl-engine.fish",
  "completion/kubectl-engine.ps1",
];

describe.each(["kubectl-engine", "engine-webhook"] as const)("%s", (program) => {
  test.each(platforms)(
    "for $os/$arch: the archive is whole, and its program is of that machine",
    async ({ os, arch }) => {
      const ending = os === "windows" ? "zip" : "tar.gz";
      const files = await filesOf(released(`${program}_${os}_${arch}.${ending}`));
      const name = os === "windows" ? `${program}.exe` : program;
      const more =
        os === "windows"
          ? [...completions, "completion/kubectl_complete-engine.cmd"]
          : [...completions, "completion/kubectl_complete-engine"];
      const expected = [
        name,
        "LICENSE",
        "LICENSES.txt",
        ...(program === "kubectl-engine" ? ["documents.schema.json"] : []),
        ...(program === "kubectl-engine" ? [`engine-webhook-${version}.tgz`, ...more] : []),
        ...(os === "windows" ? [] : manual(program).map(({ name }) => name)),
      ];
      expect(files.map((file) => file.name)).toEqual(expected);
      const odd = files.filter(({ seconds = 0, owner = 0 }) => seconds !== 0 || owner !== 0);
      expect(odd).toEqual([]);
      const bytes = files[0]?.bytes ?? Buffer.alloc(0);
      const format = formats[`${os}_${arch}` as keyof typeof formats];
      expect(describeProgram(bytes, format as never)).toEqual({
        magic: format.magic,
        machine: format.machine,
      });
      expect(bytes.includes(fuse)).toBe(true);
      expect(bytes.includes(section[os])).toBe(true);
    },
  );

  test("its list of parts names every package once, with a license", () => {
    const { components, dependencies, ...about } = JSON.parse(
      readFileSync(released(`${program}.cdx.json`), "utf8"),
    ) as Sbom;
    expect(about).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    const refs = components.map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(dependencies).toEqual([{ ref: program, dependsOn: refs }]);
    expect(components.filter(({ licenses }) => licenses.length !== 1)).toEqual([]);
    const nodes = components.filter(({ type }) => type === "platform");
    expect(nodes.map(({ hashes }) => hashes?.[0]?.content.length)).toEqual([
      128, 128, 128, 128, 128,
    ]);
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["js-yaml", "openid-client"]),
    );
  });
});

interface Sbom {
  readonly components: readonly {
    readonly "bom-ref": string;
    readonly name: string;
    readonly type: string;
    readonly licenses: readonly unknown[];
    readonly hashes?: readonly { readonly content: string }[];
  }[];
  readonly dependencies: unknown;
}

test("SHA256SUMS has the sum of every file", () => {
  const files = readdirSync(releaseDir, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "SHA256SUMS" && statSync(join(releaseDir, name)).isFile())
    .sort();
  const sums = files.map((name) => `${sha256(readFileSync(join(releaseDir, name)))}  ${name}\n`);
  expect(readFileSync(released("SHA256SUMS"), "utf8")).toBe(sums.join(""));
});

const entries: readonly Entry[] = [
  { name: "program", bytes: Buffer.from("one"), executable: true },
  { name: "docs/text", bytes: Buffer.from("two") },
];
const [platform] = platforms;
const archive = { platform, name: "a.tar.gz", sha256: "0".repeat(64), bin: "a" };
const packages = [{ name: "@a/b", version: "1.0.0", license: "MIT", text: "" }];

test.each<[string, () => Promise<Buffer | string> | Buffer | string]>([
  ["a .tar.gz", () => tarGz(entries)],
  ["a .zip", () => zip(entries)],
  ["a list of parts", () => sbomOf("kubectl-engine", packages)],
  ["a manifest for krew", () => krewManifest([archive], "https://releases.engine.example")],
])("%s has the same bytes later and in another time zone", async (_name, make) => {
  const zone = process.env["TZ"];
  jest.useFakeTimers({
    now: Date.UTC(2026, 0, 1),
    doNotFake: ["nextTick", "setImmediate", "queueMicrotask"],
  });
  process.env["TZ"] = "Pacific/Apia";
  const first = await make();
  jest.setSystemTime(Date.UTC(2031, 6, 7));
  process.env["TZ"] = "America/Bogota";
  const second = await make();
  jest.useRealTimers();
  process.env["TZ"] = zone ?? "";
  expect(sha256(second)).toBe(sha256(first));
});

test("a package's reference spells its scope as package references do", () => {
  expect(sbomOf("kubectl-engine", packages)).toContain('"purl": "pkg:npm/%40a/b@1.0.0"');
});

test.each<[string, string, readonly string[]]>([
  ["while all are young", "2025-01-01", []],
  ["half a year before one ends", "2025-11-15", ["20.19.6: its line ends on 2026-04-30"]],
  [
    "when one has ended",
    "2026-11-23",
    ["20.19.6: its line ended on 2026-04-30", "22.23.3: its line ends on 2027-04-30"],
  ],
])("%s, the lines that end are warned of", (_name, day, warnings) => {
  expect(endingLines(new Date(day))).toEqual(warnings.map((warning) => `warning: Node ${warning}`));
});
