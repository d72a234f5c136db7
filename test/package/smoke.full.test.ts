/** The executables for arm64 on another machine, by qemu and with the libraries of their image. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Layout } from "./layout";
import { released, sha256, unpackInto } from "./released";
import { smoke } from "./smoke";

const qemu = "/usr/bin/qemu-aarch64-static";

const lacking = [qemu, "/usr/bin/dpkg-deb"].filter((file) => !existsSync(file));
if (lacking.length > 0) {
  process.stderr.write(`arm64 is not run: ${lacking.join(", ")} missing (qemu-user-static)\n`);
}

const dir = mkdtempSync(join(tmpdir(), "arm64-"));
const sysroot = join(dir, "root");

beforeAll(async () => {
  if (lacking.length > 0) return;
  new Layout(released("images/kubectl-engine")).unpack("arm64", sysroot);
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

(lacking.length > 0 ? test.skip : test)("the image holds what the archive does", () => {
  const [image = "", archive] = [join(sysroot, "usr/bin"), join(dir, "kubectl-engine")].map(
    (folder) => sha256(readFileSync(join(folder, "kubectl-engine"))),
  );
  expect(image).toBe(archive);
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
