/** Jest's asymmetric matchers as unknown: their own type is any, which spreads. */

export function containing(text: string): unknown {
  return expect.stringContaining(text);
}

export function matching(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

export function including(...items: readonly unknown[]): unknown {
  return expect.arrayContaining([...items]);
}
