/** `--skip`, for every command that judges before it writes (cli contract, Output). */
import type { FlagSpec } from "../commands/standard-flags";
import { parseSkip, type Skip } from "../domain/checks/selection";
import type { FlagReader } from "./values";

/** The flag. */
export const skipFlag: FlagSpec = {
  name: "skip",
  value: "CODE[=OBJECT]",
  repeat: true,
  help: "Finding to accept, the object as a report prints it; may be repeated; one without a match is an error",
};

/** What was given with it, in any of its forms. */
export function readSkips(read: FlagReader): readonly Skip[] {
  return read.list("skip").map(parseSkip);
}
