/** Plays of servers that fail: answers that do not come, connections that are cut, nobody there. */
import { exitCodes } from "../../plugin/domain/errors";
import { type Fault, faults } from "../../plugin/rehearsal/faults";
import { requestDeadlineMs } from "../../plugin/run/ports";
import {
  type Case,
  ended,
  isDone,
  isSame,
  type Play,
  thenAgain,
  type Undisturbed,
  unless,
} from "./judge";
import type { Disturb, Ran, Request, Trial, Written } from "./trial";

const { ok, unavailable, timeout, partial } = exitCodes;

export function fault(id: string): Fault {
  const found = faults.find((one) => one.id === id);
  if (found === undefined) throw new Error(id);
  return found;
}

/** A failure at one write, then the command again. */
export function met(known: Undisturbed, id: string, codes: readonly number[]) {
  const failure = fault(id);
  return (write: Written): Play =>
    async (trial) => {
      const disturb: Disturb = (request) => (isSame(request, write) ? failure : undefined);
      return [...ended(await trial.run({ disturb }), codes), ...(await thenAgain(known, trial))];
    };
}

/** Calls of the REST API, cut off before or after they are carried out. */
export function atPosts(known: Undisturbed, when: "before" | "after"): readonly Case[] {
  return known.ran.posts.map((post) => {
    const [method = "", path = ""] = post.split(" ");
    const play: Play = async (trial) => {
      trial.opened.api?.faults.add({ fault: { does: "cut", when }, method, path });
      const first = await trial.run();
      return [
        ...ended(first, [ok, unavailable, timeout, partial]),
        ...(await thenAgain(known, trial, when === "before" ? [post] : [])),
      ];
    };
    return { at: post, play };
  });
}

/** Where a server may go away: before anything, at the first write, and after the last one. */
export function momentsOf({ ran: { requests, written } }: Undisturbed): readonly Request[] {
  const last = written.at(-1);
  const after = requests.find(({ index }) => last !== undefined && index > last.index);
  return [requests[0], written[0], after].flatMap((moment) => moment ?? []);
}

/** A wait tolerates a server that is away for a minute. */
export function away(known: Undisturbed, from: Request): Case {
  const play: Play = async (trial) => {
    const { disturb, isMet } = fromOn(from, fault("refused"));
    const first = await trial.run({ disturb });
    const isNamed = `${first.out}${first.err}`.includes(trial.admin.server);
    return [
      ...gone(known, trial, { first, longest: requestDeadlineMs + 60_000 }),
      ...unless(isNamed || !isMet(), "the server is not named"),
      ...(await thenAgain(known, trial)),
    ];
  };
  return { at: `from ${from.key} on`, play };
}

export function silent(known: Undisturbed): (write: Written) => Play {
  return (write) => async (trial) => {
    const first = await trial.run({ disturb: fromOn(write, fault("silence")).disturb });
    const isOpen = /cannot (be seen|tell)/.test(`${first.out}${first.err}`);
    return [
      ...gone(known, trial, { first, longest: 4 * requestDeadlineMs }),
      ...unless(isOpen, "its outcome is not told"),
      ...(await thenAgain(known, trial)),
    ];
  };
}

interface Gone {
  readonly first: Ran;
  readonly longest: number;
}

function gone(known: Undisturbed, trial: Trial, { first, longest }: Gone): readonly string[] {
  const extra = first.ms - known.ran.ms;
  return [
    ...ended(first, [unavailable, timeout, partial, ...(isDone(known, trial) ? [ok] : [])]),
    ...unless(extra <= longest, `took ${String(extra / 1000)} s more`),
  ];
}

/** No request is answered from that one on. */
function fromOn(from: Request, failure: Fault) {
  let isOver = false;
  const disturb: Disturb = (request) => {
    isOver ||= isSame(request, from);
    return isOver ? failure : undefined;
  };
  return { disturb, isMet: () => isOver };
}
