/** Objects without some of their fields. */

/** A copy without these fields, each of which the type lets be absent. */
export function omit<T extends object>(value: T, ...names: readonly (string & keyof T)[]): T {
  const gone: readonly string[] = names;
  const kept = Object.entries(value).filter(([name]) => !gone.includes(name));
  return Object.fromEntries(kept) as T;
}
