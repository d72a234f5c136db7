/** What is left to do of the operator (S9, S15), and what OLM says of one that it keeps (domain facts 8). */
import { findOwner } from "../../domain/kube/owners";
import type { Finding } from "../../domain/base/findings";
import { oncePer } from "../../domain/base/values";
import { isOlder } from "../../domain/base/versions";
import { factNamed, type Facts, isKnown } from "../../domain/facts/facts";
import type { KubeObject } from "../../domain/kube/objects";
import { describeMoving, findOlm, type Olm } from "../../domain/operator/olm";
import { judgeOlm } from "../../domain/operator/olm-obstacles";
import { olmWay } from "../../domain/operator/olm-way";
import type { ComponentHealth } from "../../domain/rollout/health";
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

/** The lists that are read for it. */
export const olmKeys = [
  ...(["subscriptions", "installPlans", "clusterServiceVersions", "operatorGroups"] as const),
];

/** What OLM keeps of the operator; undefined where somebody else keeps it. */
export const readOlm = oncePer((facts: Facts): Olm | undefined => {
  const place = { name: facts.names.operator.deployment, namespace: facts.namespace };
  return findOlmIn(facts, factNamed(facts, "deployments", place));
});

/** What OLM keeps of the operator with this Deployment; of OperatorGroups that are not served nothing is said. */
export function findOlmIn(facts: Facts, deployment: KubeObject | undefined): Olm | undefined {
  const { objects, unserved } = facts;
  const read = (key: (typeof olmKeys)[number]): readonly KubeObject[] | undefined =>
    isKnown(facts, key) && !unserved.has(key) ? objects[key] : undefined;
  const lists = {
    subscriptions: read("subscriptions"),
    installPlans: read("installPlans"),
    operatorGroups: read("operatorGroups"),
  };
  return findOlm(deployment, { ...objects, ...lists, left: facts.left });
}

/** What OLM says stands in its way. */
export function olmFindings(facts: Facts): readonly Finding[] {
  const olm = readOlm(facts);
  return olm === undefined ? [] : judgeOlm(olm, facts.namespace);
}

/** The operator's verdict with what OLM says; what the pods themselves show comes first. */
export function withOlm<T extends { readonly verdict: ComponentHealth }>(
  component: T,
  facts: Facts,
): T {
  const olm = readOlm(facts);
  if (olm === undefined || component.verdict.is === "stalled") return component;
  const found = judgeOlm(olm, facts.namespace).find(({ severity }) => severity === "error");
  if (found !== undefined) {
    const { object, cause: because, fix, code } = found;
    const verdict = { is: "stalled", because, fix, code, ...(object && { object }) } as const;
    return { ...component, verdict };
  }
  const moving = describeMoving(olm);
  return moving === undefined ? component : { ...component, verdict: { is: "moving", on: moving } };
}

/** What to do for OLM to bring the release. */
export function describeOlmWay(olm: Olm, { namespace }: Facts, target: string | undefined): string {
  const command = (words: readonly string[]): string =>
    words.map((word) => (word.startsWith("{") ? `'${word}'` : word)).join(" ");
  return olmWay(olm, { namespace, target, command });
}
