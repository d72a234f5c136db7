/** A small cluster in memory whose admission lets everything pass, where none is given. */
import { rbac } from "../../../plugin/simulator/authorization/grants";
import { createRegistry } from "../../../plugin/simulator/kinds/registry";
import { MemoryControlPlane } from "../../../plugin/simulator/api-server/control-plane";
import type { Admission, User } from "../../../plugin/simulator/model";
import { VirtualClock } from "../../../plugin/ports/virtual-clock";
import type { Clock, KubeObject } from "../../../plugin/ports/kubernetes";
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
