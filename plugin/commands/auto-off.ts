/** The part of `upgrade` that keeps clusters from following the operator by themselves (S51, S124). */
import { type AutoOffFlags, autoOffJob } from "../run/cluster/auto-off";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { jobRun } from "./job";

/** The run over these clusters, when wanted. */
export function prepareAutoOff(
  flags: AutoOffFlags,
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => jobRun("AutoOff", autoOffJob)(later, [], flags));
}
