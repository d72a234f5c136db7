/** What a wait is for, in words: never nothing, and never the condition alone. */
import type { Finding } from "./findings";

/**
 * `EngineEnterpriseCluster/engine/ec: state Running (now Upgrade)`: whose condition it is, then the condition. Lower
 * case, no full stop.
 */
export type Awaited = `${string}: ${string}`;

/** What is waited for, or what keeps it, of this object; a condition that names its object already is kept. */
export function nameAwaited(object: string, condition: string): Awaited {
  const own = `${object}: ` as const;
  return condition.startsWith(own) ? `${own}${condition.slice(own.length)}` : `${own}${condition}`;
}

/** What is waited for, by what stands against it now. */
export function nameFinding({
  object = "the cluster",
  cause,
}: Pick<Finding, "object" | "cause">): Awaited {
  return nameAwaited(object, cause);
}
