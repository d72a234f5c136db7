/** A cluster in memory with an operator at play: its clock is virtual, nothing waits for real. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject, Ref, Resource } from "../../plugin/domain/kube/objects";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import {
  type Simulator,
  PlayedClock,
  playOperator,
  type PlayOptions,
} from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import { admin, exampleOnce, makeWorld } from "./world";
import { testTime } from "./manual-clock";

/** The example's cluster, played on. */
export interface PlayedWorld {
  readonly controlPlane: MemoryControlPlane;
  readonly cluster: KubeClient;
  /** Its sleeps let the operator play. */
  readonly clock: PlayedClock;
  readonly play: Simulator;
  readonly namespace: string;
  /** Lets it play until nothing is left to do. */
  readonly settle: () => Promise<void>;
  /** A play that continues where another one was ended. */
  readonly again: () => Simulator;
}

export async function aPlayedWorld(
  options: Partial<PlayOptions> & {
    readonly objects?: readonly KubeObject[];
    /** For whoever plays in the same time. */
    readonly virtual?: VirtualClock;
  } = {},
): Promise<PlayedWorld> {
  const { objects, virtual, ...wishes } = options;
  const source = await exampleOnce();
  const controlPlane = makeWorld({ objects: objects ?? source.objects }).controlPlane;
  const inner = virtual ?? new VirtualClock(testTime);
  const { namespace = names.operator.namespace } = source;
  const cluster = controlPlane.connect({ user: admin, namespace });
  const again = (): Simulator =>
    playOperator({ cluster, clock: inner, names, namespace, ...wishes });
  const play = again();
  const clock = new PlayedClock(inner, play);
  const settle = (): Promise<void> => clock.settle();
  return { controlPlane, cluster, clock, play, namespace, settle, again };
}

/** Addresses of what tests look at. */
export const product = {
  ec: kindOf(names.ec),
  edb: kindOf(names.edb),
  eaadb: kindOf(names.eaadb),
};

function kindOf({ kind, plural }: { readonly kind: string; readonly plural: string }): Resource {
  return { group: names.group, version: names.version, plural, kind };
}

/** An object of the operator's namespace. */
export function here(resource: Resource, name: string, namespace = "engine"): Ref {
  return { resource, name, namespace };
}
