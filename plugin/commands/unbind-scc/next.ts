/** What is left to do of the old constraint, and where a whole upgrade leaves it bound (S31-S33). */
import type { Finding } from "../../domain/base/findings";
import type { Facts } from "../../domain/facts/facts";
import { findLivingOwner } from "../../domain/kube/owners";
import type { NextStep } from "../../domain/rollout/next-step";
import { sccFindings } from "../../domain/scc/findings";
import { listFindings } from "../../domain/scc/lists";
import {
  evaluateUnbinding,
  isFree,
  type SccScene,
  type Unbinding,
} from "../../domain/scc/refusals";

/** An EC needs the constraint: then it is no step to take it away. */
const needing: readonly string[] = [sccFindings.adjustment.code, sccFindings.releaseOld.code];

/** What others still use is theirs to unbind. */
const own: readonly string[] = [
  ...[sccFindings.podLeft, sccFindings.wayGroup, sccFindings.wayRole].map(({ code }) => code),
];

const findCode = (findings: readonly Finding[], codes: readonly string[]): Finding | undefined =>
  findings.find(({ code }) => codes.includes(code));

/** The old constraint is left, and nothing needs it any more. */
export function constraintStep({
  situation,
}: {
  readonly situation: SccScene;
}): NextStep | undefined {
  const evaluated = evaluateUnbinding(situation);
  const { accounts, state, whole } = evaluated;
  const findings = accounts.flatMap((account) => account.findings);
  const isNeeded = findCode(findings, needing) !== undefined;
  if (state.constraint === undefined || accounts.length === 0 || isNeeded) return undefined;
  if (whole.changes.length > 0 || whole.remove !== undefined) {
    const step = { says: `remove the old constraint ${state.name}`, words: ["unbind-scc"] };
    return findRefusal(evaluated, situation.facts) ?? step;
  }
  // unbind-scc has done its part, and would say the same again
  const first = findCode([...findings, ...listFindings(whole, state.name)], own);
  if (first === undefined) return undefined;
  return { says: `unbind the old constraint ${state.name} by hand: ${first.fix}` };
}

/** What unbind-scc would refuse: what stands against every account, and what another owner keeps. */
function findRefusal({ accounts, state, whole }: Unbinding, facts: Facts): NextStep | undefined {
  const stands = accounts.some(isFree) ? [] : accounts.flatMap(({ findings }) => findings);
  const refusal = stands.find(({ severity }) => severity === "error");
  if (refusal !== undefined) {
    return { says: `the old constraint ${state.name} has to stay bound for now: ${refusal.fix}` };
  }
  const [owner] = whole.changes.flatMap(({ object }) => findLivingOwner(object, facts.left) ?? []);
  if (owner === undefined) return undefined;
  return { says: `remove the old constraint ${state.name} by way of ${owner.name}: ${owner.way}` };
}
