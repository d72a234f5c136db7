/** The Debian packages, installed by dpkg into a folder that knows what this machine has. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { version } from "../../package.json";
import { run } from "../control-plane/run";
import { archHere, rehearsedWith, released } from "./released";

const status = "/var/lib/dpkg/status";
const architectures = "/var/lib/dpkg/arch";
const fits = existsSync(status) && process.getuid?.() === 0;
if (!fits) process.stderr.write("the Debian packages are not installed: needs root and dpkg\n");
const onDebian = fits ? test : test.skip;

const dir = mkdtempSync(join(tmpdir(), "deb-"));
afterAll(() => {
  rmSync(dir, { recursive: true });
});

const packageOf = (program: string, arch = archHere): string =>
  released(`${program}_${version}_${arch}.deb`);

/** Installs into a folder of its own; the system there lacks the packages that are named. */
function install(name: string, files: readonly string[], lacks: readonly string[] = []) {
  const root = join(dir, name);
  for (const folder of ["info", "updates", "triggers"]) {
    mkdirSync(join(root, "var/lib/dpkg", folder), { recursive: true });
  }
  const known = readFileSync(status, "utf8").split("\n\n");
  const kept = known.filter((text) => !lacks.some((one) => text.startsWith(`Package: ${one}\n`)));
  writeFileSync(join(root, "var/lib/dpkg/status"), kept.join("\n\n"));
  // only a machine that was given a second architecture has this file
  if (existsSync(architectures)) cpSync(architectures, join(root, architectures));
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
  return { root, ended: run("dpkg", [`--root=${root}`, "--install", ...files], { env }) };
}

onDebian(
  "kubectl rehearses with nothing but itself and what dpkg installed on the PATH",
  async () => {
    const { root, ended } = install("plain", [
      packageOf("kubectl-engine"),
      packageOf("engine-webhook"),
    ]);
    expect(await ended).toMatchObject({ code: 0 });
    const ran = await rehearsedWith(join(root, "usr/bin"), dir);
    expect(ran.stdout).toContain("Done: the rehearsal ended as expected, nothing real was touched");
    expect(ran.code).toBe(0);
    const { code, stdout } = await run(join(root, "usr/bin/kubectl_complete-engine"), ["up"], {
      env: { PATH: [join(root, "usr/bin"), "/bin"].join(delimiter) },
    });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("upgrade-webhook\t") as string,
    });
  },
);

onDebian.each(["libatomic1", "libc6", "libstdc++6"])(
  "a system without %s does not get the plugin configured",
  async (library) => {
    const { ended } = install(`without-${library}`, [packageOf("kubectl-engine")], [library]);
    const { code, stderr } = await ended;
    expect(stderr).toContain(`kubectl-engine depends on ${library}`);
    expect(code).toBe(1);
  },
);

const shared = (program: string) =>
  ["/usr/bin", "/usr/share/doc"].map((folder) => `${folder}/${program}`);

onDebian.each(
  ["amd64", "arm64"].flatMap((arch) => [
    [
      "kubectl-engine",
      arch,
      [
        ...shared("kubectl-engine"),
        "/usr/bin/kubectl_complete-engine",
        "/usr/share/bash-completion/completions/kubectl-engine",
        "/usr/share/zsh/vendor-completions/_kubectl-engine",
        "/usr/share/fish/vendor_completions.d/kubectl-engine.fish",
        "/usr/share/doc/kubectl-engine/copyright",
        "/usr/share/kubectl-engine/documents.schema.json",
        `/usr/share/kubectl-engine/engine-webhook-${version}.tgz`,
      ],
    ] as const,
    ["engine-webhook", arch, shared("engine-webhook")] as const,
  ]),
)("the package of %s for %s has its files", async (program, arch, files) => {
  const file = packageOf(program, arch);
  const listed = await run("dpkg-deb", ["--contents", file], { env: process.env });
  const owners = listed.stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/)[1]);
  expect(new Set(owners)).toEqual(new Set(["root/root"]));
  const names = listed.stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s\.(?=\/)/)[1]?.replace(/\/$/, ""));
  expect(names).toEqual(expect.arrayContaining([...files]));
  const told = await run("dpkg-deb", ["--field", file, "Architecture", "Version"], {
    env: process.env,
  });
  expect(told.stdout).toBe(`Architecture: ${arch}\nVersion: ${version}\n`);
});
