/** Debian packages of the linux executables, made by nfpm. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import { version } from "../../package.json";
import { findProgram } from "../../test/control-plane/binaries";
import { run } from "../../test/control-plane/run";
import type { Entry } from "./archives";
import type { Executable } from "./executables";

/** What the node within asks the system for; the versions are those of its oldest symbols. */
const depends = ["libatomic1", "libc6 (>= 2.28)", "libgcc-s1", "libstdc++6 (>= 7)"];

const folders: readonly (readonly [RegExp, (name: string, program: string) => string])[] = [
  [/\.bash$/, (_, program) => `/usr/share/bash-completion/completions/${program}`],
  [/\.zsh$/, (_, program) => `/usr/share/zsh/vendor-completions/_${program}`],
  [/\.fish$/, (name) => `/usr/share/fish/vendor_completions.d/${name}`],
  [/\.ps1$/, () => ""],
  [/^LICENSE$/, (_, program) => `/usr/share/doc/${program}/copyright`],
  [/\.txt$/, (name, program) => `/usr/share/doc/${program}/${name}`],
  [/./, (name) => `/usr/bin/${name}`],
];

/** Writes the package of an archive's files. */
export async function makeDeb(
  { program, platform }: Executable,
  entries: readonly Entry[],
  { work, into }: { readonly work: string; readonly into: string },
): Promise<void> {
  const mtime = new Date(0).toISOString();
  const contents = entries.flatMap((entry) => {
    const name = entry.name.replace(/^.*\//, "");
    const dst = folders.find(([pattern]) => pattern.test(name))?.[1](name, program) ?? "";
    if (dst === "") return [];
    const src = join(work, name);
    writeFileSync(src, entry.bytes);
    return [{ src, dst, file_info: { mode: entry.executable ? 0o755 : 0o644, mtime } }];
  });
  const config = join(work, "nfpm.yaml");
  writeFileSync(
    config,
    dump({
      ...{ name: program, arch: platform.arch, platform: "linux", version, mtime, depends },
      maintainer: "The kubectl-engine authors <maintainers@engine.example>",
      description: "Upgrades Engine Enterprise on Kubernetes and OpenShift",
      ...{ license: "Apache-2.0", section: "admin", contents },
    }),
  );
  mkdirSync(into, { recursive: true });
  const args = ["package", "--config", config, "--packager", "deb", "--target", into];
  const { code, stdout, stderr } = await run(await findProgram("nfpm"), args, { cwd: work });
  if (code !== 0) throw new Error(`nfpm could not pack ${program}:\n${stdout}${stderr}`);
}
