/** Where the files of a release are looked for (S15, S26; domain facts 4.1, 6, 8). */
import type { Names } from "../names";

/** Every path at which a file of a release may lie: nothing else of it is read. */
export function releasePaths({ release }: Names): readonly string[] {
  return [...new Set(Object.values(release).flat())].sort();
}
