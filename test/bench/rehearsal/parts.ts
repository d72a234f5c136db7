/** A control plane without access control and webhooks, for measuring the rest. */
import type { ControlPlaneParts } from "../../../plugin/simulator/model";
import { createRegistry } from "../../../plugin/simulator/kinds/registry";

/** Parts that allow everything. */
export function openParts(): ControlPlaneParts {
  return {
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    registry: createRegistry(),
    access: { allows: () => true, refuseEscalation: () => undefined },
    admission: { admit: () => Promise.resolve([]) },
  };
}
