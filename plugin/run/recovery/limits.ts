/** How long a recovery waits: its whole time, and the time without progress. */
import { type Limit, timeIsUp, type Waiting } from "../engine/wait";
import type { RecoverOptions } from "./deps";

/** Both limits as a wait takes them; `stalled` is the end where nothing moved for too long. */
export function limitsOf(
  { stallAfterMs, limitMs }: Pick<RecoverOptions, "stallAfterMs" | "limitMs">,
  stalled: Limit["end"],
): Pick<Waiting<unknown>, "total" | "idle"> {
  return {
    total: limitMs === undefined ? undefined : { ms: limitMs, end: timeIsUp },
    idle: { ms: stallAfterMs, end: stalled },
  };
}
