/** `modules install FILE`: the archive is read, then the REST API is asked to install it (S95, S99). */
import { journalOf } from "../run/engine/journal";
import { installModule } from "../run/modules/install";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { kubectlCommand } from "./kubectl-command";
import { inModulesSession, type ModulesFlags } from "./modules-session";

/** Installs the module of an archive; what is there already is left as it is. */
export async function runModulesInstall(
  context: CommandContext,
  args: readonly string[],
  flags: ModulesFlags,
): Promise<Report> {
  const [path = ""] = args;
  const { names, clock, signal, options, streams } = context;
  const { readModuleFile } = await import("../adapters/cluster-api/module-file.ts");
  const { name, bytes, module } = await readModuleFile(path, names);
  return inModulesSession(context, { kind: "ModulesInstall", flags }, async (session) => {
    const journal = journalOf(await context.home(), context.run.id);
    return await installModule(
      { ...session, clock, names, journal, signal, command: kubectlCommand(options) },
      {
        ec: session.ec,
        file: { name, bytes },
        module,
        dryRun: options.dryRun,
        timeoutMs: options.timeoutMs,
        // on a terminal the line is written over
        tellEvery: "isTTY" in streams.err && streams.err.isTTY === true ? 1 : 25,
      },
    );
  });
}
