/** The commands that put back what was replaced or deleted: one for all where there are many. */
import type { Report } from "../report";

/** What was kept of an object before it was replaced or deleted. */
export interface Saved {
  readonly object: string;
  readonly file: string;
  readonly verb: PutBack;
}

/** How kubectl puts an object back; `replace --force` deletes what stands in its place. */
export type PutBack = "replace" | "create" | "replace --force";

type Backup = NonNullable<Report["backups"]>[number];

/** Up to so many are put back one by one. */
const fewObjects = 5;

/** One entry an object, or one for a folder of them. */
export function backupsOf(
  saved: readonly Saved[],
  command: (words: readonly string[]) => string,
): readonly Backup[] {
  const kinds = (["replace", "create", "replace --force"] as const).map((verb) =>
    saved.filter((one) => one.verb === verb),
  );
  return kinds.flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const folder = first.file.replace(/\/[^/]*$/, "");
    // a folder that holds both sorts cannot be put back by one verb
    if (some.length <= fewObjects || some.length < saved.length || folder === first.file) {
      return some.map(({ object, file, verb }) => ({
        object,
        file,
        command: command(["kubectl", ...verb.split(" "), "-f", file]),
      }));
    }
    const words = ["kubectl", ...first.verb.split(" "), "-f", folder];
    return [{ object: `${some.length} objects`, file: folder, command: command(words) }];
  });
}
