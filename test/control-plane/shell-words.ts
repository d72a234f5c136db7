/** Quotes words so that a POSIX shell reads exactly them, and leaves harmless ones bare. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
    )
    .join(" ");
}
