/** What the play is made of: acts that follow from what is stored, each due a while after its cause. */
import type { Clock, Cluster } from "../../run/ports";

/** What an act is done with. */
export interface Hands {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Writes a line of the operator's log. */
  readonly log: (line: LogLine) => void;
}

/** One thing to do: it is wanted as long as what is stored asks for it. */
export interface Act {
  /** The same for the same cause: the time since it was first wanted is counted by it. */
  readonly key: string;
  readonly afterMs: number;
  readonly run: (hands: Hands) => Promise<unknown>;
}

/** A line of the operator's log as far as the play says it (domain facts 10). */
export interface LogLine {
  readonly level: "info" | "error";
  readonly logger: string;
  readonly msg: string;
  readonly error?: string;
  readonly Namespace?: string;
  readonly Name?: string;
}
