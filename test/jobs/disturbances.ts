/**
 * What can meet any job, as one table: each row makes its cases from the requests that the job was
 * seen to send when nothing met it, so that it holds for a job that nobody has thought of yet.
 */
import { exitCodes } from "../../plugin/domain/base/errors";
import { type Case, casesAt, type Undisturbed } from "./judge";
import * as people from "./people";
import {
  atCalls,
  atPosts,
  away,
  killed,
  met,
  momentsOf,
  reads,
  silent,
  silentFrom,
} from "./servers";
import type { Written } from "./trial";

/** One row: a law, and the cases in which it has to hold; the first one stands for all in `npm test`. */
export interface Disturbance {
  readonly law: string;
  /** Only in `npm run test:deep`. */
  readonly isThorough?: true;
  readonly cases: (known: Undisturbed) => readonly Case[];
}

const { ok, conflict, unavailable, timeout, partial } = exitCodes;

const notCreated = ({ call }: Written): boolean => call.verb !== "create";

export const disturbances: readonly Disturbance[] = [
  {
    law: "a write whose answer is lost is looked up, and not sent again",
    cases: (known) => [
      ...casesAt(known.ran.written, met(known, "lost", [ok])),
      ...casesAt(known.ran.written, met(known, "hang-after", [ok])),
      ...atPosts(known, "after"),
    ],
  },
  {
    law: "a write that was cut off is sent again by this run or by the next one",
    cases: (known) => [
      ...casesAt(known.ran.written, met(known, "cut", [ok, unavailable, partial])),
      ...casesAt(known.ran.written, met(known, "hang", [ok, unavailable, partial])),
      ...atPosts(known, "before"),
    ],
  },
  {
    law: "a server that goes away ends the run in time, is named, and nothing is written after it",
    cases: (known) => momentsOf(known).map((from) => away(known, from)),
  },
  {
    law: "a server that falls silent at a write leaves its outcome open, and says so",
    cases: (known) => casesAt(known.ran.written, silent(known)),
  },
  {
    law: "a read that fails once is made again, or ends the run in time",
    isThorough: true,
    cases: (known) => [
      ...["refused", "hang"].flatMap((id) =>
        casesAt(reads(known), met(known, id, [ok, unavailable, timeout, partial])),
      ),
      ...casesAt(reads(known), silentFrom(known)),
    ],
  },
  {
    law: "a call of the REST API that fails once is looked up, made again, or ends the run",
    isThorough: true,
    cases: (known) => atCalls(known),
  },
  {
    law: "after a run that was killed the next one ends the same, and repeats nothing",
    isThorough: true,
    cases: (known) => [
      ...casesAt(known.ran.written, killed(known, "before")),
      ...casesAt(known.ran.written, killed(known, "after")),
    ],
  },
  {
    law: "an interrupt at any request leaves what the next run continues from",
    isThorough: true,
    cases: (known) => casesAt(reads(known), people.interruptedAt(known, "during")),
  },
  {
    law: "a conflict that is over on the next look stops nobody",
    cases: (known) =>
      casesAt(
        known.ran.written.filter(notCreated),
        met(known, "conflict", [ok, conflict, partial]),
      ),
  },
  {
    law: "what someone changes between the read and the write stays",
    cases: (known) => casesAt(known.ran.written, people.changedMeanwhile(known)),
  },
  {
    law: "a field of another manager is not written: the run and its dry run name both",
    cases: (known) => people.foreign(known.ran.written),
  },
  {
    law: "an interrupt ends with 130, says what is written, and the next run ends the same",
    cases: (known) =>
      (["before", "during"] as const)
        .map((when) => ({ when, play: people.interruptedAt(known, when) }))
        .flatMap(({ when, play }) =>
          casesAt(known.ran.written, play).map((one) => ({
            ...one,
            at: `${when} ${one.at}`,
          })),
        ),
  },
  {
    law: "a wait for what never comes ends at its deadline",
    cases: (known) => [{ at: "nobody plays", play: people.deadline(known) }],
  },
  {
    law: "without a yes nothing is written",
    cases: (known) => [{ at: "no terminal", play: people.unconfirmed(known) }],
  },
  {
    law: "a dry run writes nothing",
    cases: () => ["client", "server"].map((at) => ({ at, play: people.dryRun(at) })),
  },
  {
    law: "a second run has nothing left to write",
    cases: (known) => [{ at: "again", play: () => Promise.resolve(people.settled(known)) }],
  },
  {
    law: "without permissions nothing is written, and the Role to ask for is printed",
    cases: () => [{ at: "nobody", play: people.forbidden }],
  },
  {
    law: "who may do all but one write is refused before the first one, and gets the Role to ask for",
    // the last one first: it is furthest from the first write
    cases: (known) => casesAt([...known.ran.written].reverse(), people.mayAllBut),
  },
];
