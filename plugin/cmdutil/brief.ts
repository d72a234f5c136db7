/** Progress of commands whose result shows the same in full. */
import type { Event } from "../kernel/report";
import { isTerminal } from "../output/escape";
import type { CommandContext } from "./context";

/** Steps, probes and findings are no news before the text that shows them; where nobody waits at a terminal, waiting is none either. */
export function tellBriefly(
  { options: { output, verbosity }, streams }: Pick<CommandContext, "options" | "streams">,
  tell: (event: Event) => void,
): (event: Event) => void {
  if (output !== "text" || verbosity > 0) return tell;
  const isNews = ({ type }: Event): boolean =>
    type === "warning" || type === "note" || (type === "waiting" && isTerminal(streams.err));
  return (event) => {
    if (isNews(event)) tell(event);
  };
}
