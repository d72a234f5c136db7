/** `upgrade-cluster NAME`: the upgrade of one EC (S10-S14, S48-S60). */
import { type ClusterFlags, clusterJob } from "../run/cluster/upgrade";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { jobRun } from "./job";

/** Upgrades the EC; every expected end comes back as a report. */
export const runUpgradeCluster = jobRun("UpgradeCluster", clusterJob);

/** Takes the flags as they are judged; the run itself follows when wanted. */
export function prepareUpgradeCluster(
  _context: CommandContext,
  { name, ...flags }: ClusterFlags & { readonly name: string },
  ahead: Pick<ClusterFlags, "assumeOperator" | "skipMayMiss"> = {},
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => runUpgradeCluster(later, [name], { ...flags, ...ahead }));
}
