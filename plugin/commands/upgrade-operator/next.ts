/** What is left to do of the operator (S9, S15), and what OLM says of one that it keeps (domain facts 8). */
import { renderFix } from "../../domain/base/remedy";
import { isOlder } from "../../domain/base/versions";
import type { Facts } from "../../domain/facts/facts";
import { findLivingOwner } from "../../domain/kube/owners";
import { findInstalled, listWays } from "../../domain/operator/refusals";
import { type NextRelease, type NextStep, releaseWords } from "../../domain/rollout/next-step";

/** What the step is chosen from. */
interface OperatorNext {
  readonly operator: { readonly version?: string };
  readonly situation: { readonly facts: Facts };
  readonly release?: NextRelease;
}

/** The operator is older than the release that was given; one that has an owner is for that to upgrade. */
export function operatorStep({ operator, release, situation }: OperatorNext): NextStep | undefined {
  const target = release?.contents.operatorVersion;
  if (!isOlder(operator.version, target)) return undefined;
  const says = `upgrade the operator from ${String(operator.version)} to ${String(target)}`;
  const installed = findInstalled(situation.facts);
  const { deployment, left } = installed;
  const owner = deployment && findLivingOwner(deployment, left);
  if (deployment === undefined || owner === undefined) {
    return { says, words: ["upgrade-operator", ...releaseWords(release)], upgrades: true };
  }
  const way = renderFix(listWays(owner, deployment, { ...installed, target }));
  return { says: `${says}: ${way}`, upgrades: true };
}
