/** A release that the advisories do not know yet is said to be one. */
import { tellBeyond } from "../domain/advisories/age";
import { shippedUpTo } from "../domain/advisories/shipped";
import type { CommandContext } from "./context";

/** Says in a note where notes of a release that is asked for were not read; called once in a run. */
export function noteBeyond(
  { event, upTo = shippedUpTo }: Pick<CommandContext, "event" | "upTo">,
  asked: Parameters<typeof tellBeyond>[0],
): void {
  const text = tellBeyond(asked, upTo);
  if (text !== undefined) event({ type: "note", text });
}
