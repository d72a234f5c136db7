/** Plays of servers that fail: answers that do not come, connections that are cut, nobody there. */
import { exitCodes } from "../../plugin/domain/base/errors";
import type { ApiFault } from "../../plugin/simulator/rest-api/faults";
import { type Fault, faults } from "./faults";
import { requestDeadlineMs } from "../../plugin/ports/kubernetes";
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

/** A failure at one request, then the command again. */
export function met(known: Undisturbed, id: string, codes: readonly number[]) {
  const failure = fault(id);
  return (met: Request): Play =>
    async (trial) => {
      const disturb: Disturb = (request) => (isSame(request, met) ? failure : undefined);
      const first = await trial.run({ disturb });
      const isOpen = ["cut", "hang"].includes(id) && met.call.writes && first.code !== ok;
      const isSaid = `${first.out}${first.err}`.includes("did not take effect");
      return [
        ...ended(first, codes),
        ...unless(isSaid || !isOpen, "its outcome is not told"),
        ...inTime(known, first, longest.one),
        ...(await thenAgain(known, trial)),
      ];
    };
}

/** Requests that write nothing: the first two of each key; of a job of many parts the first of each verb and kind. */
export function reads({ job, ran: { requests } }: Undisturbed): readonly Request[] {
  const all = requests.filter(({ call }) => !call.writes);
  if (job.isWhole !== true) return all.filter(({ nth }) => nth < 2);
  const kinds = all.map(({ call }) => `${call.verb} ${call.target?.kind ?? ""}`);
  return all.filter((_, index) => kinds.indexOf(kinds[index] ?? "") === index);
}

/** The process is gone, before or after the write takes effect. */
export function killed(known: Undisturbed, when: "before" | "after") {
  return (write: Written): Play =>
    async (trial) => {
      const { disturb } = fromOn(write, fault("killed-before"));
      await trial.run({
        disturb: (request) =>
          when === "after" && isSame(request, write) ? onceAfter() : disturb(request),
      });
      return thenAgain(known, trial);

      function onceAfter(): Fault {
        void disturb(write);
        return fault("killed-after");
      }
    };
}

/** Calls of the REST API, cut off before or after they are carried out. */
export function atPosts(known: Undisturbed, when: "before" | "after"): readonly Case[] {
  return known.ran.posts.map((post) => ({
    at: post,
    play: atCall(known, post, { does: "cut", when }),
  }));
}

/** Calls of the REST API, each of them once without the answer that was asked for. */
export function atCalls(known: Undisturbed): readonly Case[] {
  return [...new Set(known.ran.calls)].flatMap((call) =>
    (["before", ...(known.ran.posts.includes(call) ? (["after"] as const) : [])] as const).flatMap(
      (when) =>
        [{ does: "answer", status: 500, when } as const, { does: "cut", when } as const].map(
          (failure) => ({
            at: `${failure.does} ${when} ${call}`,
            play: atCall(known, call, failure),
          }),
        ),
    ),
  );
}

/** A call that is cut off comes in as often as the client sends it. */
function atCall(
  known: Undisturbed,
  call: string,
  failure: ApiFault & { readonly when?: "before" | "after" },
): Play {
  const [method = "", path = ""] = call.split(" ");
  const isLost = known.ran.posts.includes(call) && failure.when === "before";
  return async (trial) => {
    trial.opened.api?.faults.add({ fault: failure, method, path });
    const first = await trial.run();
    return [
      ...ended(first, [ok, unavailable, timeout, partial]),
      ...(await thenAgain(known, trial, isLost ? [call] : [])),
    ];
  };
}

/** Where a server may go away: before anything, at the first write, and after the last one. */
export function momentsOf({ ran: { requests, written } }: Undisturbed): readonly Request[] {
  const last = written.at(-1);
  const after = requests.find(({ index }) => last !== undefined && index > last.index);
  return [requests[0], written[0], after].flatMap((moment) => moment ?? []);
}

export function away(known: Undisturbed, from: Request): Case {
  const play: Play = async (trial) => {
    const { disturb, isMet } = fromOn(from, fault("refused"));
    const first = await trial.run({ disturb });
    const isNamed = `${first.out}${first.err}`.includes(trial.admin.server);
    return [
      ...gone(known, trial, first),
      ...inTime(known, first, longest.one),
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
      ...gone(known, trial, first),
      ...inTime(known, first, longest.all),
      ...unless(isOpen, "its outcome is not told"),
      ...(await thenAgain(known, trial)),
    ];
  };
}

/** No request is answered from a read on. */
export function silentFrom(known: Undisturbed): (read: Request) => Play {
  return (read) => async (trial) => {
    const first = await trial.run({ disturb: fromOn(read, fault("silence")).disturb });
    return [
      ...gone(known, trial, first),
      ...inTime(known, first, longest.all),
      ...(await thenAgain(known, trial)),
    ];
  };
}

/**
 * A wait tolerates a server that is away for a minute. Virtual time passes while a record is synced
 * to the disk in real time, so the two requests of each of five databases may wait one after another.
 */
const longest = { one: requestDeadlineMs + 60_000, all: 12 * requestDeadlineMs };

function inTime({ ran }: Undisturbed, first: Ran, longest: number): readonly string[] {
  const extra = first.ms - ran.ms;
  return unless(extra <= longest, `took ${String(extra / 1000)} s more`);
}

function gone(known: Undisturbed, trial: Trial, first: Ran): readonly string[] {
  return ended(first, [unavailable, timeout, partial, ...(isDone(known, trial) ? [ok] : [])]);
}

/** No request is answered from that one on. */
function fromOn(from: Request, failure: Fault) {
  let isOver = false;
  const disturb = (request: Request): Fault | undefined => {
    isOver ||= isSame(request, from);
    return isOver ? failure : undefined;
  };
  return { disturb, isMet: () => isOver };
}
