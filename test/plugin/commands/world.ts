/** What a run in memory is given, what it sends, keeps, notes and asks, and how others come in between. */
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { observe } from "../../../plugin/simulator/observed-cluster";
import type { AskingPorts } from "../../../plugin/kernel/world";
import type { Journal } from "../../../plugin/kernel/journal";
import { Recorder } from "../../../plugin/kernel/recorder";
import type { Clock, KubeClient, KubeObject } from "../../../plugin/ports/kubernetes";
import type { Event, Report } from "../../../plugin/kernel/report";

/** What is seen of a run. */
export interface Witness {
  /** The writes that the runs sent, dry runs too. */
  readonly sent: string[];
  readonly events: Event[];
  readonly saved: KubeObject[];
  readonly journal: string[];
  readonly questions: string[];
  /** Before each request of a run: the place for someone else to act, or to throw. */
  before: (line: string) => Promise<void>;
  /** After each: the place to lose an answer. */
  after: (line: string) => Promise<void>;
}

/** The connection, with every request told to the witness. */
export function watched(connection: KubeClient, witness: Witness): KubeClient {
  return observe(connection, async (call, send) => {
    const line = `${call.verb} ${call.subject}`;
    await witness.before(line);
    if (call.writes || call.dryRun) witness.sent.push(`${line}${call.dryRun ? " (dry run)" : ""}`);
    const answer = await send();
    await witness.after(line);
    return answer;
  });
}

/** Nothing is seen yet, and nobody comes in between. */
export function aWitness(): Witness {
  return {
    ...{ sent: [], events: [], saved: [], journal: [], questions: [] },
    before: () => Promise.resolve(),
    after: () => Promise.resolve(),
  };
}

/** What is seen beside the requests. */
type Seen = Pick<Witness, "events" | "saved" | "journal" | "questions">;

interface Given {
  readonly kind: string;
  readonly cluster: KubeClient;
  readonly clock: Clock;
  /** Where a kept object is told to lie. */
  readonly file?: (object: KubeObject) => string;
}

/** What every run is given; each question is answered with yes. */
export function portsOf(
  seen: Seen,
  { kind, cluster, clock, file = () => "kept.json" }: Given,
): AskingPorts {
  const { server, namespace } = cluster;
  const keep = (what: string) => (line: object) => {
    seen.journal.push(`${what} ${JSON.stringify(line)}`);
    return Promise.resolve();
  };
  const journal: Journal = {
    problem: () => Promise.resolve(undefined),
    intent: keep("intent"),
    outcome: keep("outcome"),
    save: (object) => {
      seen.saved.push(object);
      return Promise.resolve(file(object));
    },
  };
  return {
    ...{ cluster, clock, names, journal },
    signal: new AbortController().signal,
    recorder: new Recorder(
      { kind, target: { server, namespace } },
      { clock, event: (event) => seen.events.push(event) },
    ),
    ask: (question) => {
      seen.questions.push(question);
      return Promise.resolve(true);
    },
    yaml: (documents) => JSON.stringify(documents),
    command: (words) => words.join(" "),
  };
}

/** Of a home in which nothing can be kept. */
export function unwritable(problem = "the folder cannot be written"): Journal {
  const fail = () => Promise.reject(new Error("nothing is kept here"));
  return { problem: () => Promise.resolve(problem), intent: fail, outcome: fail, save: fail };
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

/** How a REST API is reached of which nothing is known. */
export const anyWish = { secret: undefined, forwards: false, of: "the EC" };
