/** What is left to do of the old constraint, and where a whole upgrade leaves it bound (S31-S33). */
import type { CheckContext } from "../../domain/checks/context";
import { findLivingOwner, type Owner } from "../../domain/kube/owners";
import { isOpenShift } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import type { NextStep } from "../../domain/rollout/next-step";
import { sccFindings } from "../../domain/scc/findings";
import { isFree, isPrivileged, listReleases, wantsAdjustment } from "../../domain/scc/refusals";
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
    const step = { says: `remove the old constraint ${current}`, words: ["unbind-scc"] };
    return findRefusal(situation) ?? step;
  }
  // unbind-scc has done its part, and would say the same again
  const told = [...accounts.flatMap(({ findings }) => findings), ...listFindings(whole, current)];
  const [first] = told.filter(isOwn);
  if (first === undefined) return undefined;
  return { says: `unbind the old constraint ${current} by hand: ${first.fix}` };
}

/** What unbind-scc would refuse: what stands against every account, and what another owner keeps. */
function findRefusal(situation: CheckContext): NextStep | undefined {
  const { facts, names } = situation;
  const { current } = names.scc;
  const { accounts, whole } = evaluateUnbinding(situation);
  const stands = accounts.some(isFree) ? [] : accounts.flatMap(({ findings }) => findings);
  const refusal = stands.find(({ severity }) => severity === "error");
  if (refusal !== undefined) {
    return { says: `the old constraint ${current} has to stay bound for now: ${refusal.fix}` };
  }
  const owner = whole.changes
    .map(({ object }) => findLivingOwner(object, facts.left))
    .find(isOwner);
  if (owner === undefined) return undefined;
  return { says: `remove the old constraint ${current} by way of ${owner.name}: ${owner.way}` };
}

const isOwner = (owner: Owner | undefined): owner is Owner => owner !== undefined;

/** What others still use is theirs to unbind. */
const isOwn = ({ code }: Finding): boolean =>
  [sccFindings.podLeft, sccFindings.wayGroup, sccFindings.wayRole].some((one) => one.code === code);
