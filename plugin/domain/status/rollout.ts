/** How far the pods of an EC have come, and the pod in the way (S72; domain facts 11). */
import { factNamed, isKnown, type Facts } from "../facts";
import type { KubeObject } from "../objects";
import { podTrouble } from "../rollout/pods";
import { rollOf } from "../rollout/stateful-set";

/** A rolling upgrade in numbers. */
export interface RolloutStatus {
  /** Pods that are on the new revision and ready. */
  readonly done: number;
  readonly of: number;
  /** The first pod that is not, in the order in which they roll. */
  readonly pod?: string;
  /** Why it is not, as the pod says it. */
  readonly reason?: string;
}

/** The roll of the StatefulSet named as the EC; undefined where it cannot be told. */
export function rolloutOf(facts: Facts, ec: KubeObject): RolloutStatus | undefined {
  const set = setOf(facts, ec);
  if (set === undefined || !isKnown(facts, "pods")) return undefined;
  const { done, wanted, pods } = rollOf(facts, set);
  const first = pods.find(({ updated, ready }) => !updated || !ready);
  const trouble = first && podTrouble(first.pod);
  return {
    done,
    of: wanted,
    ...(first !== undefined && { pod: first.name }),
    ...(trouble !== undefined && { reason: trouble.because }),
  };
}

function setOf(facts: Facts, { metadata }: KubeObject): KubeObject | undefined {
  return factNamed(facts, "statefulSets", { name: String(metadata.name) });
}
