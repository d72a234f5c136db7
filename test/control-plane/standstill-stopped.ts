/** What stands still because nobody looks after StatefulSets: the controllers are ended first. */
import { kinds } from "../../plugin/domain/kube/kinds";
import type { SceneRow } from "./standstill-scenes";
import type { StandstillWorld } from "./standstill-world";

export interface StoppedRow extends SceneRow {
  /** What is done once the controllers are gone. */
  readonly after: (world: StandstillWorld) => Promise<void>;
}

export const stopped: readonly StoppedRow[] = [
  {
    name: "unobserved",
    arrange: (world) => world.untilReady(3),
    after: (world) => world.roll(),
    first: { code: "ROLLOUT-UNOBSERVED", cause: /generation/, step: /controller/ },
  },
  {
    name: "absent",
    arrange: (world) => world.untilReady(3),
    after: async (world) => {
      await world.ecStatus("Upgrade");
      const { cluster, namespace } = world;
      await cluster.delete({ resource: kinds.pod, name: "ec-2", namespace }, {});
      await world.untilGone(2);
    },
    first: { code: "POD-ABSENT", cause: /ec-2/, step: /kubectl (get events|describe statefulset)/ },
  },
];
