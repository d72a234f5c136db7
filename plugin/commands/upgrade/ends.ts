/** The one end of parts that follow one another. */
import { exitCodes } from "../../domain/base/errors";
import { boundList } from "../../domain/base/values";
import type { ExitReport } from "../../kernel/report";

/** True where the parts that follow may begin: at most something was left out by itself. */
export function isGood({ code, leftOut }: ExitReport): boolean {
  return code === exitCodes.ok || leftOut !== undefined;
}

/** The end of two: reasons of both, what either left out, and all else as the later one has it. */
export function joinEnds<E extends ExitReport>(first: E, next: E): E {
  const reason = [first.reason, next.reason].filter((each) => each !== "").join("; ");
  const details = detailsIn(next) ?? detailsIn(first);
  const both = { ...next, reason, ...(details !== undefined && { details }) };
  if (first.leftOut === undefined || !isGood(next)) return both;
  const leftOut = [...new Set([...first.leftOut, ...(next.leftOut ?? [])])];
  return { ...first, ...both, code: exitCodes.partial, leftOut };
}

function detailsIn({ details }: ExitReport & { readonly details?: unknown }): unknown {
  return details;
}

/** The end with the title of its part. */
export function namedEnd<E extends ExitReport>(title: string, end: E): E {
  return { ...end, reason: `${title}: ${end.reason}` };
}

/** The end with what was left out in its words. */
export function withLeftOut<E extends ExitReport>(exit: E): E {
  if (exit.leftOut === undefined) return exit;
  return { ...exit, reason: `${exit.reason}; left out: ${boundList(exit.leftOut, 10)}` };
}

/** Exit 3 promises that nothing was written: what blocks after a write is a failure midway. */
export function midway<E extends ExitReport>(end: E): E {
  return end.code === exitCodes.blocked ? { ...end, code: exitCodes.failed } : end;
}
