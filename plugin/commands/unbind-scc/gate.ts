/** Whether an upgrade has a constraint to unbind (S31, S32). */
import { ownClusters } from "../../domain/engine-cluster/operator";
import { type Facts, isKnown, isOpenShift } from "../../domain/facts/facts";
import { unprivilegedFrom } from "../../domain/release/unprivileged";
import { wantsAdjustment } from "../../domain/scc/refusals";
import { isPrivileged } from "../../domain/scc/releases";

/** Why the constraint stays bound, or why there is none; undefined where it is unbound. */
export function skipScc({
  facts,
  operatorVersion,
}: {
  readonly facts: Facts;
  readonly operatorVersion: string | undefined;
}): string | undefined {
  if (!isKnown(facts, "constraints")) return undefined;
  if (!isOpenShift(facts)) return "the cluster is not OpenShift, it has no constraints";
  if (isPrivileged({ tag: operatorVersion }))
    return `pods of releases before ${unprivilegedFrom} need it`;
  const own = ownClusters(facts);
  const adjusting = own.length > 0 && own.every((ec) => wantsAdjustment(ec, facts.names));
  return adjusting ? "automatic resource adjustment is asked for, which needs it" : undefined;
}
