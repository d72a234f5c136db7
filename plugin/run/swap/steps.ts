/** How the steps of a swap are named in the report, and what it warns of. */
import type { Finding } from "../../domain/findings";
import { configurationLabel, type Plan } from "../../domain/webhook/plan";
import type { SwapDeps } from "./deps";

/** The one write. */
export function applyInfo(plan: Plan) {
  return {
    id: "webhook.apply",
    action: "apply",
    object: configurationLabel(plan.wanted),
    why: plan.apply?.why ?? "",
  } as const;
}

/** The deletion of the old configuration. */
export function deleteInfo(remove: NonNullable<Plan["remove"]>) {
  return {
    id: "webhook.delete-old",
    action: "delete",
    object: configurationLabel(remove.object),
    why: remove.why,
  } as const;
}

/** Without a probe the end is unproven, and the report says so. */
export function probeSkipped({ names }: SwapDeps): Finding {
  return {
    code: "PROBE-SKIPPED",
    severity: "warning",
    object: `ValidatingWebhookConfiguration/${names.webhook.configuration}`,
    cause:
      "no probe was made: it is unproven that the webhook answers and that it refuses a bad edit",
    fix: "run again without --no-probe, it writes nothing when all is as wanted",
    source: "domain facts 4.3",
  };
}
