/** `upgrade-cluster NAME`: flags to options, then the upgrade of one EC (S10-S14, S48-S60). */
import { readName } from "../domain/typed-name";
import type { UpgradeClusterOptions } from "../run/cluster/deps";
import { upgradeCluster } from "../run/cluster/upgrade";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { limitOf, runPorts } from "./run-ports";

/** Flags of `upgrade-cluster`, judged, with its argument. */
export interface UpgradeClusterFlags extends Pick<
  UpgradeClusterOptions,
  "target" | "auto" | "imagePullPolicy" | "imageRepository" | "takeFields" | "skip" | "stallAfterMs"
> {
  /** --timeout was typed: it then limits the whole wait. */
  readonly limited: boolean;
}

/** Upgrades the EC; every expected end comes back as a report. */
export async function runUpgradeCluster(
  context: CommandContext,
  args: readonly string[],
  flags: UpgradeClusterFlags,
): Promise<Report> {
  const [typed = ""] = args;
  const { name } = readName(typed, context.names);
  const go = await prepareUpgradeCluster(context, { ...flags, name });
  return await go(context);
}

/** What a command that includes this one knows of the time when it will run. */
export type ClusterPreparation = Pick<UpgradeClusterOptions, "assumeOperator" | "skipMayMiss">;

/** Takes the flags as they are judged; the run itself follows when wanted. */
export function prepareUpgradeCluster(
  _context: CommandContext,
  flags: UpgradeClusterFlags & { readonly name: string },
  ahead: ClusterPreparation = {},
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => run(later, { ...flags, ...ahead }));
}

async function run(
  context: CommandContext,
  { limited, ...flags }: UpgradeClusterFlags & ClusterPreparation & { readonly name: string },
): Promise<Report> {
  const { options, names } = context;
  const ports = await runPorts(context, "UpgradeCluster");
  const { namespace } = ports.cluster;
  return await upgradeCluster(ports, {
    ...flags,
    namespace,
    ...limitOf(options, limited),
    wait: options.wait,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager ?? names.fieldManager,
  });
}
