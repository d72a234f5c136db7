/** Command lines of a user who may do only what is granted, with the operator at work beside them. */
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import { playAlong } from "../../plugin/simulator/operator/controller";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import type { User } from "../../plugin/simulator/model";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import type { Report } from "../../plugin/kernel/report";
import { testTime } from "./manual-clock";
import { type Start, Starts, type Words } from "./starts";
import { admin } from "./world";

export const namespace = names.operator.namespace;
export const jane: User = { name: "jane", groups: ["system:authenticated"] };
export const world = new Starts();

export type Row = Start & { readonly words: Words };

/** Runs a command line as somebody, with the operator at work beside it. */
export async function run(
  plane: MemoryControlPlane,
  clock: VirtualClock,
  { words, user = jane }: { readonly words: Words; readonly user?: User },
): Promise<Report> {
  const played = playAlong({ controlPlane: plane, clock, names, namespace });
  const cluster = plane.connect({ user, namespace });
  const argv = [...words(world.place), "-n", namespace, "--yes", "-o", "json"];
  const { out } = await world.typed(argv, { cluster, clock: played });
  await played.settle();
  return JSON.parse(out) as Report;
}

export const rolesIn = ({ permissions }: Report): readonly KubeObject[] =>
  parseDocuments(permissions?.manifest ?? "", "manifest") as unknown as readonly KubeObject[];

export async function grant(
  plane: MemoryControlPlane,
  roles: readonly KubeObject[],
): Promise<void> {
  const cluster = plane.connect({ user: admin, namespace });
  for (const role of roles) await cluster.apply(role, { fieldManager: "kubectl" });
}

export async function begin(start: Start): Promise<readonly [MemoryControlPlane, VirtualClock]> {
  const clock = new VirtualClock(testTime);
  return [(await world.of(start)).fork(clock), clock];
}
