/** The executables for arm64 on another machine, by qemu and with Debian's libraries for arm64. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../control-plane/pins";
import { run } from "../control-plane/run";
import { released, sha256, unpackInto } from "./released";
import { smoke } from "./smoke";

const qemu = "/usr/bin/qemu-aarch64-static";

/** What the executables ask the system for; gone from the mirrors, a version is pinned again. */
const libraries = {
  "libatomic1=12.2.0-14+deb12u1":
    "1693aa13ce2b30d061a519fc28b77b9bab8c8e45804ced5969d99821e1bc2159",
  "libc6=2.36-9+deb12u14": "01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4",
  "libgcc-s1=12.2.0-14+deb12u1": "576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3",
  "libstdc++6=12.2.0-14+deb12u1":
    "26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2",
};

const lacking = [qemu, "/usr/bin/apt-get", "/usr/bin/dpkg-deb"].filter((file) => !existsSync(file));
if (lacking.length > 0) {
  process.stderr.write(`arm64 is not run: ${lacking.join(", ")} missing (qemu-user-static)\n`);
}

const dir = mkdtempSync(join(tmpdir(), "arm64-"));
const sysroot = join(repositoryRoot, ".cache/arm64", sha256(JSON.stringify(libraries)).slice(0, 8));

async function must(file: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await run(file, args, { cwd, env: process.env });
  if (code !== 0) throw new Error(`${file} ${args.join(" ")}:\n${stderr}`);
}

/** Unpacks the pinned libraries once; apt's own lists of this machine stay as they are. */
async function makeSysroot(): Promise<void> {
  if (existsSync(sysroot)) return;
  const work = `${sysroot}.new`;
  rmSync(work, { recursive: true, force: true });
  for (const folder of ["lists/partial", "cache/archives/partial", "root"]) {
    mkdirSync(join(work, folder), { recursive: true });
  }
  const places = [`Dir::State::lists=${work}/lists`, `Dir::Cache=${work}/cache`];
  const settings = [...places, "APT::Architectures::=arm64", "APT::Sandbox::User=root"];
  const options = settings.flatMap((setting) => ["-o", setting]);
  await must("apt-get", [...options, "-qq", "update"], work);
  for (const [library, pin] of Object.entries(libraries)) {
    const [name = "", version = ""] = library.split("=");
    await must("apt-get", [...options, "-qq", "download", `${name}:arm64=${version}`], work);
    const file = join(work, `${name}_${version}_arm64.deb`);
    expect(`${library} ${sha256(readFileSync(file))}`).toBe(`${library} ${pin}`);
    await must("dpkg-deb", ["-x", file, join(work, "root")], work);
  }
  renameSync(join(work, "root"), sysroot);
  rmSync(work, { recursive: true });
}

beforeAll(async () => {
  if (lacking.length > 0) return;
  await makeSysroot();
  for (const program of ["kubectl-engine", "engine-webhook"]) {
    await unpackInto(released(`${program}_linux_arm64.tar.gz`), join(dir, program));
  }
  const webhook = join(dir, "engine-webhook/engine-webhook");
  const script = `#!/bin/sh\nexec ${qemu} -L ${sysroot} ${webhook}\n`;
  writeFileSync(join(dir, "webhook"), script, { mode: 0o755 });
}, 300_000);
afterAll(() => {
  rmSync(dir, { recursive: true });
});

(lacking.length > 0 ? describe.skip : describe)(
  "kubectl-engine_linux_arm64 by qemu answers",
  () => {
    smoke(() => ({
      file: qemu,
      before: ["-L", sysroot, join(dir, "kubectl-engine/kubectl-engine")],
      // nothing tells this machine's kernel to start qemu for what the plugin starts
      rehearsal: ["--webhook", join(dir, "webhook")],
      home: join(dir, "home"),
    }));
  },
);
