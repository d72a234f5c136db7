/** A small cluster in memory whose admission lets everything pass, where none is given. */
import { rbac } from "../../../plugin/rehearsal/access/grants";
import { createRegistry } from "../../../plugin/rehearsal/kinds/registry";
import { MemoryControlPlane } from "../../../plugin/rehearsal/memory/control-plane";
import type { Admission, User } from "../../../plugin/rehearsal/model";
import { VirtualClock } from "../../../plugin/rehearsal/virtual-clock";
import type { Clock, KubeObject } from "../../../plugin/run/ports";
import { testTime } from "../../support/manual-clock";

export const admin: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };

const lenient: Admission = { admit: () => Promise.resolve([]) };

export function aControlPlane(
  objects: readonly KubeObject[],
  admission: Admission = lenient,
  clock: Clock = new VirtualClock(testTime),
): MemoryControlPlane {
  const controlPlane = new MemoryControlPlane({
    clock,
    registry: createRegistry(),
    access: rbac,
    admission,
  });
  controlPlane.load(objects);
  return controlPlane;
}
