/** What is left to do of the operator (S9, S15), and what OLM says of one that it keeps (domain facts 8). */
import { findOwner } from "../../domain/kube/owners";
import { isOlder } from "../../domain/base/versions";
import { factNamed, type Facts } from "../../domain/facts/facts";
import { type Olm, readOlm } from "../../domain/operator/olm";
import { olmWay } from "../../domain/operator/olm-way";
import { type NextRelease, type NextStep, releaseWords } from "../../domain/rollout/next-step";

/** What the step is chosen from. */
interface OperatorNext {
  readonly operator: { readonly version?: string };
  readonly situation: { readonly facts: Facts };
  readonly release?: NextRelease;
}

/** The operator is older than the release that was given; one of OLM's is for OLM to upgrade. */
export function operatorStep({ operator, release, situation }: OperatorNext): NextStep | undefined {
  const newer = release?.contents.operatorVersion;
  if (!isOlder(operator.version, newer)) return undefined;
  const step = `upgrade the operator from ${String(operator.version)} to ${String(newer)}`;
  const olm = readOlm(situation.facts);
  if (olm !== undefined) {
    return { says: `${step}: ${describeOlmWay(olm, situation.facts, newer)}`, upgrades: true };
  }
  const way = describeOwnersWay(situation.facts);
  if (way !== undefined) return { says: `${step}: ${way}`, upgrades: true };
  return { says: step, words: ["upgrade-operator", ...releaseWords(release)], upgrades: true };
}

/** How an owner that is there brings a release: no bundle is applied over it. */
function describeOwnersWay(facts: Facts): string | undefined {
  const place = { name: facts.names.operator.deployment, namespace: facts.namespace };
  const deployment = factNamed(facts, "deployments", place);
  const owner = deployment && findOwner(deployment, facts.left);
  if (owner === undefined || owner.left !== undefined) return undefined;
  return operatorWays[owner.name] ?? owner.way;
}

/** Of the operator itself; every other owner's way holds for all objects. */
export const operatorWays: Readonly<Record<string, string>> = {
  Helm: "upgrade it with its chart: upgrade-operator --chart",
  OLM: "approve the InstallPlan of its Subscription",
};

/** What to do for OLM to bring the release. */
export function describeOlmWay(olm: Olm, { namespace }: Facts, target: string | undefined): string {
  const command = (words: readonly string[]): string =>
    words.map((word) => (word.startsWith("{") ? `'${word}'` : word)).join(" ");
  return olmWay(olm, { namespace, target, command });
}
