/** The npm package as README's row makes it: packed in a clean clone, installed, run. */
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const root = resolve(__dirname, "../..");
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), "pack-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The files that the repository keeps, as they are now, and nothing that was built. */
function cleanClone(name: string): string {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  const clone = join(folder, name);
  for (const file of listed.split("\0").filter((each) => each !== "")) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(clone, file));
  }
  return clone;
}

const npm = (cwd: string, ...args: readonly string[]) =>
  run("npm", [...args, "--offline", "--no-audit", "--no-fund"], { cwd });

test("a clean clone is packed with both programs, and what is installed from it runs", async () => {
  const clone = cleanClone("installed");
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  const packed = await npm(clone, "pack", "--silent");
  const file = packed.stdout.trim().split("\n").at(-1) ?? "";
  const prefix = join(folder, "prefix");
  await npm(clone, "install", "--global", "--prefix", prefix, `./${file}`);
  const version = await run(join(prefix, "bin/kubectl-engine"), ["version", "--client"]);
  expect(version.stdout).toContain("Client Version: v0.1.0");
  const help = await run(join(prefix, "bin/engine-webhook"), ["--help"]);
  expect(help.stdout).toContain("ENGINE_WEBHOOK_PORT");
  const status = await run(join(prefix, "bin/kubectl-engine"), ["rehearse", "status"], {
    env: { PATH: process.env["PATH"], ENGINE_HOME: join(folder, "home") },
  });
  expect(status.stdout).toContain("nothing real was touched");
});

test("without the build tools nothing is packed, and the way on is npm ci", async () => {
  const clone = cleanClone("bare");
  await expect(npm(clone, "pack")).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("next: run npm ci, then the same command again") as unknown,
  });
  expect(existsSync(join(clone, "kubectl-engine-0.1.0.tgz"))).toBe(false);
});
