/** What is left to do of the old constraint, and where a whole upgrade leaves it bound (S31-S33). */
import type { CheckContext } from "../../domain/checks/context";
import { isOpenShift } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import type { NextStep } from "../../domain/rollout/next-step";
import { sccFindings } from "../../domain/scc/findings";
import { isPrivileged, listReleases, wantsAdjustment } from "../../domain/scc/refusals";
import { evaluateUnbinding } from "./checks";
import { listFindings } from "./lists";

/** The old constraint is left, and nothing needs it any more. */
export function constraintStep({
  situation,
}: {
  readonly situation: CheckContext;
}): NextStep | undefined {
  const { facts, names, clusters, deployment } = situation;
  const { current } = names.scc;
  const left = facts.objects.constraints.some(({ metadata }) => metadata.name === current);
  const needed = clusters.some(
    (cluster) =>
      wantsAdjustment(cluster, names) ||
      listReleases({ deployment, cluster, pods: [] }, names).some(isPrivileged),
  );
  if (!isOpenShift(facts) || !left || needed || clusters.length === 0) return undefined;
  const { accounts, whole } = evaluateUnbinding(situation);
  if (whole.changes.length > 0 || whole.remove !== undefined) {
    return { says: `remove the old constraint ${current}`, words: ["unbind-scc"] };
  }
  // unbind-scc has done its part, and would say the same again
  const told = [...accounts.flatMap(({ findings }) => findings), ...listFindings(whole, current)];
  const [first] = told.filter(isOwn);
  if (first === undefined) return undefined;
  return { says: `unbind the old constraint ${current} by hand: ${first.fix}` };
}

/** What others still use is theirs to unbind. */
const isOwn = ({ code }: Finding): boolean =>
  [sccFindings.podLeft, sccFindings.wayGroup, sccFindings.wayRole].some((one) => one.code === code);
