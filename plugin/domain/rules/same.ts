/** Equality of JSON values of any depth, for ratcheting (C12). */
import { isObject, list, own } from "../values";

type Pair = readonly [unknown, unknown];

/** True when two JSON values are the same; without recursion, so that depth cannot exhaust the stack. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const pairs: Pair[] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (pair[0] === pair[1]) continue;
    const inside = pairsInside(pair);
    if (inside === undefined) return false;
    for (const inner of inside) pairs.push(inner);
  }
  return true;
}

/** The pairs that have to be the same, undefined when the two cannot be. */
function pairsInside([left, right]: Pair): readonly Pair[] | undefined {
  if (Array.isArray(left) && Array.isArray(right)) {
    const others = list(right);
    return left.length === others.length
      ? list(left).map((item, index) => [item, others[index]])
      : undefined;
  }
  if (!isObject(left) || !isObject(right)) return undefined;
  const keys = Object.keys(left);
  const sameKeys =
    keys.length === Object.keys(right).length && keys.every((key) => Object.hasOwn(right, key));
  return sameKeys ? keys.map((key) => [own(left, key), own(right, key)]) : undefined;
}
