/** What has to be there before the first write: a yes, and a place for the record. */
import { UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import type { RunPorts } from "../run-ports";

/** Asks once; a no ends the run before anything is written. */
export async function requireYes(
  { ask }: { readonly ask: (question: string) => Promise<boolean> },
  question: string,
): Promise<void> {
  if (!(await ask(question))) throw notConfirmed();
}

export function notConfirmed(): UsageError {
  return new UsageError("not confirmed, nothing was written", { hint: "run again and answer yes" });
}

/**
 * A run that writes keeps a record, so its folder has to be writable; for one that has nothing to
 * write the problem is a warning, which is returned.
 */
export async function requireHome(
  { journal }: Pick<RunPorts, "journal">,
  writes: boolean,
): Promise<readonly Finding[]> {
  const problem = await journal.problem();
  if (problem === undefined) return [];
  if (writes) {
    throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that can be written" });
  }
  return [
    {
      code: "HOME-NOT-WRITABLE",
      severity: "warning",
      cause: problem,
      fix: "set ENGINE_HOME to a folder that can be written; a run that writes needs it",
      source: "cli contract, Runs",
    },
  ];
}
