/** The finding codes of a plan that no longer fits the cluster, each with its cause and its way out. */
import type { Explained } from "../explained";

const source = "cli contract, exit code 5";

/** The codes by what they are about. */
export const planFindings = {
  changed: {
    code: "PLAN-CHANGED",
    severity: "error",
    cause:
      "somebody changed the cluster after the writes were confirmed, so that others would be needed",
    fix: "look at who changed it (kubectl get --show-managed-fields -o yaml), then run again to see a new plan",
    source,
  },
  stale: {
    code: "PLAN-STALE",
    severity: "error",
    cause: "the cluster, an object or the release is not what the saved plan was made for",
    fix: "look at what has changed, then make a new plan with --plan-out",
    source,
  },
  exceeded: {
    code: "PLAN-EXCEEDED",
    severity: "error",
    cause:
      "somebody changed an object since the plan was shown, so that more would have to be written",
    fix: "look at who changed it (kubectl get --show-managed-fields -o yaml), then run again to see a new plan",
    source,
  },
} as const satisfies Readonly<Record<string, Explained>>;

/** What can go wrong with a plan, for `explain`. */
export const planCodes: readonly Explained[] = Object.values(planFindings);
