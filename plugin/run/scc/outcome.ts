/** The end of an unbinding in words and as an exit code. */
import { objectLabel } from "../../domain/objects";
import { exitCodes } from "../../domain/errors";
import { userOf } from "../../domain/scc/account";
import type { Json } from "../../domain/values";
import type { ExitReport } from "../report";
import type { Decided } from "./decide";

/** How it ended. */
export interface Outcome extends ExitReport {
  readonly details: Json;
}

/** The end of a run that came to its end; 6 when an EC had to be left out. */
export function outcomeOf(
  { plan, accounts, blocked, exists, deleted }: Decided & { readonly deleted: boolean },
  { constraint, written }: { readonly constraint: string; readonly written: boolean },
): Outcome {
  const held = new Set(plan.ways.map(({ account }) => userOf(account)));
  const users = accounts.map(userOf);
  const free = users.filter((user) => !held.has(user));
  const failed = blocked.filter(({ wanted }) => !wanted);
  const reasons = [
    ...(free.length === 0 ? [] : [`${free.join(", ")} may not use ${constraint}`]),
    ...[...held].map(
      (user) => `${user} may still use it by a way that is not this tool's to close`,
    ),
    ...blocked.map(({ clusters }) => `${clusters.map(objectLabel).join(", ")} was left out`),
    ...(deleted ? ["the constraint is deleted"] : []),
    ...(exists && plan.users.length > 0 ? ["the constraint is kept, it is still used"] : []),
    ...(exists ? [] : ["there is no such constraint"]),
    ...(written ? [] : ["nothing was written"]),
  ];
  const details = {
    constraint,
    accounts: users,
    usedBy: plan.users,
    is: constraintIs({ exists, deleted }),
  };
  return {
    code: failed.length > 0 ? exitCodes.partial : exitCodes.ok,
    reason: reasons.join("; "),
    ...(failed.length > 0 && { next: "clear what the findings name, then run again" }),
    details,
  };
}

function constraintIs({ exists, deleted }: { exists: boolean; deleted: boolean }): string {
  if (!exists) return "absent";
  return deleted ? "deleted" : "present";
}
