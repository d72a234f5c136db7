/** What may not be read of a cluster whose upgrade may be frozen. */
import type { Finding } from "../base/findings";
import { closeLook, type FactKey, type Facts, factSources, notAsked } from "../facts/facts";
import { recoveryFinding } from "./findings";

/** The lists that were refused, each of which hides causes. */
export function notSeen({ unread, names }: Facts): readonly Finding[] {
  const refused = [...unread].filter(([key, why]) => looked.includes(key) && why !== notAsked);
  if (refused.length === 0) return [];
  const lists = refused.map(([key]) => factSources(names)[key].resource.plural).join(", ");
  return [recoveryFinding("notSeen", { cause: `could not be read: ${lists}` })];
}

const looked: readonly FactKey[] = [
  ...(["ecs", "statefulSets", "pods", "claims", "deployments", "edbs", "eaadbs"] as const),
  ...closeLook,
];
