/** The operator in a rehearsal: it sleeps until an upgrade gives it something to do. */
import type { Names } from "../../domain/names";
import type { Clock, KubeObject } from "../../run/ports";
import type { MemoryControlPlane } from "../memory/control-plane";
import type { VirtualClock } from "../virtual-clock";
import { playOperator } from "./play";
import { PlayedClock } from "./played-clock";
import type { RestService } from "./rest-service";

/** Where it plays. */
export interface AlongWish {
  readonly controlPlane: MemoryControlPlane;
  readonly clock: VirtualClock;
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  /** The REST service of a cluster, once one is asked. */
  readonly apis?: { readonly service: RestService | undefined };
}

/** A clock whose sleeps let the operator play. */
export interface PlayAlong extends Clock {
  /** Lets it play until nothing is left to do. */
  settle(): Promise<void>;
}

/**
 * What was loaded is taken as it is, ready or not: the operator reacts to what is changed. Commands
 * that change nothing of its are rehearsed as if it were not there.
 */
export function playAlong({ controlPlane, clock, names, namespace, apis }: AlongWish): PlayAlong {
  const user = { name: "system:kube-controller-manager", groups: ["system:masters"] };
  const cluster = controlPlane.connect({ user, namespace });
  const play = playOperator({
    ...{ cluster, clock, names, namespace },
    get rest() {
      return apis?.service;
    },
  });
  let awake = false;
  controlPlane.onChange(({ object, before }) => {
    awake ||= isItsOwn(object, names) && isOtherThan(object, before);
  });
  return new PlayedClock(clock, play, () => {
    // work that was begun over REST is for the operator to tell of
    awake ||= apis?.service?.dueAt !== undefined;
    return awake;
  });
}

/** What the operator and its controllers react to. */
function isItsOwn({ apiVersion, kind, metadata }: KubeObject, names: Names): boolean {
  if (apiVersion.startsWith(`${names.group}/`)) return true;
  if (kind === "Job") return true;
  return kind === "Deployment" && metadata.name === names.operator.deployment;
}

function isOtherThan({ metadata }: KubeObject, before: KubeObject | undefined): boolean {
  return before === undefined || metadata.generation !== before.metadata.generation;
}
