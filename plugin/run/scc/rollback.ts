/** Puts back what an unbinding took away, when the API server goes on allowing it (exit 7, 8). */
import { objectLabel } from "../../domain/objects";
import { EngineError, exitCodes } from "../../domain/errors";
import { refOf } from "../../domain/scc/constraint";
import { own, sameJson } from "../../domain/values";
import type { Report } from "../report";
import type { UnbindDeps, UnbindOptions } from "./deps";
import { putBack, type Written } from "./writes";

/** Undoes the writes, the last one first; the report of that end. */
export async function rollBack(
  deps: UnbindDeps,
  options: UnbindOptions,
  { written, because }: { readonly written: readonly Written[]; readonly because: EngineError },
): Promise<Report> {
  try {
    for (const write of [...written].reverse()) await restore(deps, options, write);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return deps.recorder.report({
      code: exitCodes.rollbackIncomplete,
      reason: `${because.message}; putting back what was taken away failed: ${error.message}`,
      next: "run the printed commands that put the objects back",
    });
  }
  return deps.recorder.report({
    code: exitCodes.rolledBack,
    reason: `${because.message}; what was taken away was put back`,
    next: because.hint ?? "",
  });
}

async function restore(deps: UnbindDeps, options: UnbindOptions, written: Written): Promise<void> {
  const { before, field } = written;
  const object = objectLabel(before);
  const why = "to put back what was there";
  await deps.recorder.step({ id: "rollback.restore", action: "apply", object, why }, async () => {
    await putBack(deps, options, written);
    const read = await deps.cluster.get(refOf(before));
    if (!sameJson(own(read, field), own(before, field))) {
      throw new NotAsBeforeError(`${object} reads back otherwise than it was`);
    }
    return { result: written.after === undefined ? "created" : "changed", value: undefined };
  });
}

class NotAsBeforeError extends EngineError {
  readonly code = "ROLLBACK-INCOMPLETE";
  readonly exitCode = exitCodes.rollbackIncomplete;
}
