/** Reads the objects that a saved plan is bound to, to see what of it is done and what has moved. */
import type { RunPorts } from "../../kernel/world";
import { isRequest, judgeProgress, objectKey, type Progress, refOf } from "./done-steps";
import type { PlannedStep, UpgradePlan } from "./plan-document";

/** How far the plan is done, of the objects of some of its writes; each is read with its managers. */
export async function readProgress(
  { cluster, signal, names }: Pick<RunPorts, "cluster" | "signal" | "names">,
  { steps }: Pick<UpgradePlan, "steps">,
  suspects: readonly PlannedStep[],
): Promise<Progress> {
  const asked = new Map(
    suspects.filter((step) => !isRequest(step)).map((step) => [objectKey(step), refOf(step)]),
  );
  const lives = await Promise.all(
    [...asked].map(async ([key, ref]) => [key, await cluster.get(ref, { signal })] as const),
  );
  return judgeProgress(steps, new Map(lives), [names.fieldManager]);
}
