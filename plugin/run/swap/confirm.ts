/** Asks once before the first write of a run that deletes or takes over (cli contract, Output). */
import type { Act } from "../../domain/confirmed";
import { configurationLabel, type Plan } from "../../domain/webhook/plan";
import { requireYes } from "../engine/session";
import type { SwapDeps } from "./deps";

/** What the plan does, for comparison with one that is made again. */
export function actsOf({ apply, remove, live, wanted, differences }: Plan): readonly Act[] {
  const object = configurationLabel(wanted);
  const changes = live === undefined ? ["create it"] : differences.map((path) => `change ${path}`);
  return [
    ...(apply === undefined ? [] : changes.map((does) => ({ object, does }))),
    ...(remove === undefined
      ? []
      : [{ object: configurationLabel(remove.object), does: "delete it" }]),
  ];
}

/** Throws UsageError when the answer is no, or when nobody can be asked. */
export async function confirm(deps: SwapDeps, plan: Plan): Promise<void> {
  const takesOver = plan.findings.some(({ code }) => code === "WEBHOOK-OTHER-NAMESPACE");
  if (plan.remove === undefined && !takesOver) return;
  const acts = [
    ...(plan.apply === undefined ? [] : [`apply ${configurationLabel(plan.wanted)}`]),
    ...(plan.remove === undefined ? [] : [`delete ${configurationLabel(plan.remove.object)}`]),
  ];
  await requireYes(deps, `On ${deps.cluster.server}: ${acts.join(", then ")}?`);
}
