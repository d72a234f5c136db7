/** Equality of JSON values, whatever the order of keys. */

/** True when two JSON values are the same; an absent key is not a null. */
export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false;
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const left = Object.keys(one);
  if (left.length !== Object.keys(other).length) return false;
  return left.every(
    (key) =>
      Object.hasOwn(other, key) &&
      same((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}
