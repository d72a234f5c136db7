/** `recover`: flags to options, then a look at a frozen upgrade, or its recovery (S97-S103, S113). */
import { renderText, type TextStyle } from "../output/text";
import type { RecoveryDetails } from "./recover-details";
import type { RecoverDeps, RecoverOptions } from "../run/recovery/deps";
import { recover } from "../run/recovery/recover";
import type { Report } from "../run/report";
import { type ApiFlags, apiPermissions, connectApi, readEc } from "./api-options";
import type { CommandContext } from "./context";
import { kubectlCommand } from "./kubectl-command";
import { recoveryDetails } from "./recover-details";
import type { RecoverFlags } from "./recover-flags";
import { recoveryLines } from "./recover-text";
import { limitOf, runPorts } from "./run-ports";

/** Looks or recovers; every expected end comes back as a report. */
export async function runRecover(
  context: CommandContext,
  _args: readonly string[],
  flags: RecoverFlags,
): Promise<Report> {
  const { options, names } = context;
  const modules = await filesOf(context, flags);
  const ports = await runPorts(context, "Recover");
  const { cluster, recorder } = ports;
  const { namespace } = cluster;
  try {
    const ec = await readEc(cluster, flags.ec, context);
    const subject = { cluster, ec, flags: flags.api };
    const deps: RecoverDeps = {
      ...ports,
      command: kubectlCommand(options),
      api: isReachable(flags.api)
        ? {
            permissions: apiPermissions(subject, names),
            connect: () => connectApi(context, subject),
          }
        : undefined,
    };
    const { report, look, evidence } = await recover(deps, {
      ...{ namespace, modules },
      name: ec.metadata.name ?? "",
      apply: flags.apply,
      dropDigests: flags.dropDigests,
      stallAfterMs: flags.stallAfterMs,
      ...(flags.engineVersion !== undefined && { engineVersion: flags.engineVersion }),
      ...limitOf(options, flags.limited),
      wait: options.wait,
      dryRun: options.dryRun,
      fieldManager: options.fieldManager ?? names.fieldManager,
    });
    if (look === undefined) return report;
    const seen = { look, evidence, flags, modules: modules.map(({ module }) => module) };
    return { ...report, details: recoveryDetails(context, seen) };
  } catch (error) {
    return recorder.failure(error);
  }
}

/** Its certificate is never accepted unseen: without a word about it the REST API is not asked. */
function isReachable({ url, ca, insecure }: ApiFlags): boolean {
  return url !== undefined || ca !== undefined || insecure;
}

async function filesOf(
  { names }: CommandContext,
  { modules }: RecoverFlags,
): Promise<RecoverOptions["modules"]> {
  if (modules.length === 0) return [];
  const { readModuleFile } = await import("../adapters/cluster-api/module-file.ts");
  return await Promise.all(modules.map((path) => readModuleFile(path, names)));
}

/** What was found and what to do, then the rest of the report. */
export function recoverText(report: Report, style: TextStyle): string {
  const { details, ...rest } = report;
  if (details === undefined) return renderText(report, style);
  const lines = recoveryLines(details as RecoveryDetails, style.palette);
  return `${lines.join("\n")}\n\n${renderText(rest, style)}`;
}
