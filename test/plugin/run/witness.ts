/** What a run in memory sends, keeps and notes, and how others come in between. */
import { ObservedCluster } from "../../../plugin/rehearsal/observed-cluster";
import type { Cluster, KubeObject } from "../../../plugin/run/ports";
import type { Journal } from "../../../plugin/run/engine/journal";
import type { Event, Report } from "../../../plugin/run/report";

/** What is seen of a run. */
export interface Witness {
  /** The writes that the runs sent, dry runs too. */
  readonly sent: string[];
  readonly events: Event[];
  readonly saved: KubeObject[];
  readonly journal: string[];
  /** Before each request of a run: the place for somebody else to act, or to throw. */
  before: (line: string) => Promise<void>;
  /** After each: the place to lose an answer. */
  after: (line: string) => Promise<void>;
}

/** The connection, with every request told to the witness. */
export function watched(connection: Cluster, witness: Witness): ObservedCluster {
  return new ObservedCluster(connection, async (call, send) => {
    const line = `${call.verb} ${call.subject}`;
    await witness.before(line);
    if (call.writes || call.dryRun) witness.sent.push(`${line}${call.dryRun ? " (dry run)" : ""}`);
    const answer = await send();
    await witness.after(line);
    return answer;
  });
}

/** A journal that the witness reads; what is saved is told to lie in `file`. */
export function journalOf(witness: Witness, file: string): Journal {
  const keep = (what: string) => (line: object) => {
    witness.journal.push(`${what} ${JSON.stringify(line)}`);
    return Promise.resolve();
  };
  return {
    problem: () => Promise.resolve(undefined),
    intent: keep("intent"),
    outcome: keep("outcome"),
    save: (object) => {
      witness.saved.push(object);
      return Promise.resolve(file);
    },
  };
}

/** The codes of all findings, in order. */
export const codesOf = ({ findings = [] }: Report): readonly string[] =>
  findings.map(({ code }) => code);

/** What became of each step. */
export const stepsOf = ({ steps = [] }: Report): readonly string[] =>
  steps.map(({ id, result }) => `${id} ${result}`);

/** Every live line that was shown. */
export function waits({ events }: Witness): readonly string[] {
  const all = events.flatMap((event) => (event.type === "waiting" ? [event.on] : []));
  return all.filter((on, index) => on !== all[index - 1]);
}
