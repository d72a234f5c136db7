/** A dry run of the swap: the writes are planned, or sent with dryRun=All; nothing comes into force. */
import { type KubeObject, preconditionsOf } from "../../domain/objects";
import type { Plan } from "../../domain/webhook/plan";
import type { SwapDeps, SwapOptions } from "./deps";
import { applyInfo, deleteInfo } from "./steps";
import { applyWrite, deleteWrite } from "./planned-writes";
import type { Witness } from "./witness";
import { configurationRef, rehearseApply } from "./writes";

/** Reports the planned writes and probes the state found; the sentence it ends with. */
export async function rehearseSwap(
  deps: SwapDeps,
  options: SwapOptions,
  { plan, witness }: { readonly plan: Plan; readonly witness: Witness },
): Promise<string> {
  const server = options.dryRun === "server";
  if (plan.apply !== undefined) {
    if (server) await rehearseApply(deps, options, plan);
    deps.recorder.done({ ...applyInfo(plan), write: applyWrite(deps, plan) }, "planned");
  }
  if (plan.remove !== undefined) {
    if (server) await rehearseDelete(deps, plan.remove.object);
    const write = deleteWrite(deps, plan.remove.object);
    deps.recorder.done({ ...deleteInfo(plan.remove), write }, "planned");
  }
  await witness.before("found", plan.old);
  const writes = Number(plan.apply !== undefined) + Number(plan.remove !== undefined);
  return writes === 0
    ? "dry run: everything is as wanted, nothing would be written"
    : `dry run: ${writes} ${writes === 1 ? "write" : "writes"} planned, nothing was changed`;
}

async function rehearseDelete(deps: SwapDeps, object: KubeObject): Promise<void> {
  const { name = "" } = object.metadata;
  await deps.cluster.delete(configurationRef(name), preconditionsOf(object), { dryRun: true });
}
