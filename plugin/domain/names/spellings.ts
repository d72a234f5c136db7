/** Which spelling stands for which, where a name has several. */
export type Spellings = readonly (readonly [from: string, to: string])[];

/** Each spelling by the one at its position, else by the first. */
export function spellings(from: readonly string[], to: readonly string[]): Spellings {
  return from.flatMap((word, index) =>
    [...to.slice(index), ...to].slice(0, 1).map((given) => [word, given] as const),
  );
}
