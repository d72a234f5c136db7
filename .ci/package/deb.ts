/** Debian packages of the linux executables, made by nfpm. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dump } from "js-yaml";
import { description, version } from "../../package.json";
import { findProgram } from "../../test/control-plane/binaries";
import { run } from "../../test/control-plane/run";
import type { Entry } from "./archives";
import type { Executable } from "./executables";

/** What the node within asks the system for; the versions are those of its oldest symbols. */
const depends = ["libatomic1", "libc6 (>= 2.28)", "libgcc-s1", "libstdc++6 (>= 7)"];

/** Writes the package of an archive's files into the folder. */
export async function makeDeb(
  { program, platform, file }: Executable,
  entries: readonly Entry[],
  into: string,
): Promise<void> {
  const work = `${file}.deb`;
  mkdirSync(work, { recursive: true });
  const mtime = new Date(0).toISOString();
  const contents = entries.flatMap(({ name, bytes, executable, installed: dst }) => {
    if (dst === undefined) return [];
    const src = join(work, basename(name));
    writeFileSync(src, bytes);
    return [{ src, dst, file_info: { mode: executable ? 0o755 : 0o644, mtime } }];
  });
  const config = join(work, "nfpm.yaml");
  writeFileSync(
    config,
    dump({
      ...{ name: program, arch: platform.arch, platform: "linux", version, mtime, depends },
      maintainer: "The kubectl-engine authors <maintainers@engine.example>",
      description,
      ...{ license: "Apache-2.0", section: "admin", contents },
    }),
  );
  const args = ["package", "--config", config, "--packager", "deb", "--target", into];
  const { code, stdout, stderr } = await run(await findProgram("nfpm"), args, { cwd: work });
  if (code !== 0) throw new Error(`nfpm could not pack ${program}:\n${stdout}${stderr}`);
}
