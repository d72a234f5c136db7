/** Whether a saved plan still holds: reads the objects that it is bound to, to see what is done and what has moved. */
import { exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import type { ExitReport } from "../../kernel/report";
import type { AskingPorts, RunPorts } from "../../kernel/world";
import { listBlockedReasons, type FoundNow, listSuspects, listStaleReasons } from "./compare-plans";
import { isRequest, judgeProgress, objectKey, type PlanProgress, buildRef } from "./done-steps";
import type { PlanBinding, PlannedStep, UpgradePlan } from "./plan-document";
import type { UpgradeOptions } from "./deps";

/** What a saved plan was made from and is not so any more; of a server that is away nothing is known. */
export async function findStale(
  ports: AskingPorts,
  { plan, findings }: Pick<FoundNow, "plan" | "findings">,
  how: Pick<UpgradeOptions, "saved" | "dryRun"> & { readonly stopped: ExitReport | undefined },
): Promise<readonly string[]> {
  const { saved, dryRun, stopped } = how;
  if (saved === undefined || stopped?.code === exitCodes.unavailable) return [];
  const suspects = saved.cluster === plan.cluster ? listSuspects(saved.steps, plan.steps) : [];
  const progress = await readProgress(ports, saved, suspects);
  return listStaleReasons(saved, { plan, findings, progress, tried: dryRun !== "client" });
}

/** The same where the checks stop the upgrade before a part is planned. */
export async function findStaleByChecks(
  ports: RunPorts,
  errors: readonly Finding[],
  { saved, binding }: { readonly saved: UpgradePlan; readonly binding: PlanBinding },
): Promise<readonly string[]> {
  const writes = saved.cluster === binding.cluster ? saved.steps : [];
  const progress = await readProgress(ports, saved, writes);
  return listBlockedReasons(saved, binding, { errors, progress });
}

/** How far the plan is done, of the objects of some of its writes; each is read with its managers. */
async function readProgress(
  { cluster, signal, names }: Pick<RunPorts, "cluster" | "signal" | "names">,
  { steps }: Pick<UpgradePlan, "steps">,
  suspects: readonly PlannedStep[],
): Promise<PlanProgress> {
  const asked = new Map(
    suspects.filter((step) => !isRequest(step)).map((step) => [objectKey(step), buildRef(step)]),
  );
  const lives = await Promise.all(
    [...asked].map(async ([key, ref]) => [key, await cluster.get(ref, { signal })] as const),
  );
  return judgeProgress(steps, new Map(lives), [names.fieldManager]);
}
