/** Steps of a roll that is stuck which are proven safe: nothing that serves is taken away (S72; domain facts 11). */
import type { Finding } from "../base/findings";
import { factNamed, type Facts } from "../facts/facts";
import type { Pod, StatefulSet } from "../kube/models";
import { isDeleting } from "../kube/deletion";
import { readName, objectLabel } from "../kube/objects";
import { rollFindings } from "../rollout/findings";
import { keptNames, type Roll, readRoll } from "../rollout/stateful-set";

/** What takes a cause away, and the object that it is done to. */
export type RollStep =
  /** The pod is deleted, and created again as its StatefulSet asks for it now. */
  | { readonly is: "outdated"; readonly pod: Pod }
  /** The update strategy lets the old pods be renewed. */
  | { readonly is: "held"; readonly set: StatefulSet };

/** The step against a cause of the StatefulSet of this name; undefined where it is not proven safe. */
export function provenStep(
  facts: Facts,
  name: string,
  { code, object }: Pick<Finding, "code" | "object">,
): RollStep | undefined {
  const set = factNamed(facts, "statefulSets", { name, namespace: facts.namespace });
  if (set === undefined) return undefined;
  const roll = readRoll(facts, set);
  if (!roll.observed || roll.pods.length !== roll.wanted) return undefined;
  if (code === rollFindings.outdated.code) {
    const pod = replaceable(roll);
    return pod !== undefined && objectLabel(pod) === object ? { is: "outdated", pod } : undefined;
  }
  return code === rollFindings.held.code && mayGoOn(set, roll) ? { is: "held", set } : undefined;
}

/** Every pod is ready, or the one that is not is deleted first, and ready again before the others are let go. */
function mayGoOn(set: StatefulSet, roll: Roll): boolean {
  const broken = replaceable(roll);
  const isDeleted = broken !== undefined && !keptNames(set, roll).includes(readName(broken));
  return isDeleted || roll.pods.every(({ ready }) => ready);
}

/** The only pod that is not ready, where it is one of an earlier revision: it serves nothing. */
function replaceable({ pods }: Roll): Pod | undefined {
  const [one, ...others] = pods.filter(({ ready }) => !ready);
  if (one === undefined || others.length > 0 || one.updated) return undefined;
  return isDeleting(one.pod) ? undefined : one.pod;
}
