/** Warning events, each written once. */
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { identity, type Scene } from "./scene";
import { hashOf, timeText } from "./writes";

/** What an event says of an object. */
export interface Warning {
  readonly about: KubeObject;
  readonly reason: string;
  readonly message: string;
}

/** Writes the event, unless this play has done so; a second one of the same name is refused. */
export function warningAct(scene: Scene, { about, reason, message }: Warning): Act {
  const { apiVersion, kind, metadata } = about;
  const { name = "", namespace = "", uid } = metadata;
  const id = hashOf([kind, name, reason, message]);
  return {
    key: `${identity(about)} event ${id}`,
    afterMs: 0,
    run: async ({ cluster, clock }) => {
      scene.seen.set(`event ${id}`, "");
      const time = timeText(clock.now());
      await cluster.create({
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.${id}`, namespace },
        type: "Warning",
        reason,
        message,
        involvedObject: { apiVersion, kind, name, namespace, uid },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
        source: { component: "controller" },
      });
    },
  };
}

/** Whether an act has been done by this play already; only events are remembered. */
export function isTold(scene: Scene, act: Act): boolean {
  const id = / event (\w+)$/.exec(act.key)?.[1];
  return id !== undefined && scene.seen.has(`event ${id}`);
}
