/** What may be sent again: reads after a reset, and whatever the server turned away unread. */
import { type Answer, NoAnswer, retryAfterOf } from "./answer";

const attempts = 5;
const longestPauseMs = 30_000;
const resets = ["ECONNRESET", "EPIPE"];

/**
 * Milliseconds to wait before sending again, undefined to go with what there is. A write is
 * repeated only after a 429 with Retry-After, which says that it was not looked at; never after a
 * reset or a timeout, which leave open whether it happened.
 */
export function pauseBefore(
  answer: Answer | NoAnswer,
  attempt: number,
  writes: boolean,
): number | undefined {
  if (attempt >= attempts || !repeatable(answer, writes)) return undefined;
  const asked = answer instanceof NoAnswer ? undefined : retryAfterOf(answer);
  const pause = asked === undefined ? 100 * 2 ** (attempt - 1) : asked * 1000;
  return pause > longestPauseMs ? undefined : pause;
}

function repeatable(answer: Answer | NoAnswer, writes: boolean): boolean {
  if (answer instanceof NoAnswer) return !writes && resets.includes(answer.code);
  if (writes) return answer.status === 429 && retryAfterOf(answer) !== undefined;
  return answer.status === 429 || answer.status === 503;
}
