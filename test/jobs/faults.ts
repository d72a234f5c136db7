/** The failures that a run meets: what each does to a request, and which it can meet. */
import { ApiError, UnavailableError } from "../../plugin/domain/base/errors";
import { type Clock, requestDeadlineMs } from "../../plugin/ports/kubernetes";
import { inTurn } from "../../plugin/simulator/virtual-clock";
import type { ObservedCall, Gate } from "../../plugin/simulator/observed-cluster";

/** One sort of failure. */
export interface Fault {
  readonly id: string;
  /** For the report: "refused before it was sent". */
  readonly says: string;
  readonly meets: (call: ObservedCall) => boolean;
  /** Whether the request has its effect all the same. */
  readonly applied: boolean;
  /** The process is gone: no later request of this run is sent. */
  readonly kills: boolean;
  /** Nobody answers: the request ends at its deadline; `all`: so do all later ones of this run. */
  readonly hangs?: "this" | "all";
  readonly error: (call: ObservedCall, server: string) => Error;
}

/** The run is over for a process that was killed: no command can catch what does not happen. */
export class KilledError extends Error {
  override readonly name = "KilledError";
}

const always = (): boolean => true;
const writes = (call: ObservedCall): boolean => call.writes;
const changes = (call: ObservedCall): boolean =>
  ["apply", "update", "patch", "delete"].includes(call.verb);

/** A failure that any request can meet, and that keeps it from its effect, where nothing else is said. */
const usual = { meets: always, applied: false, kills: false };

const killed = (): Error => new KilledError("killed");
const carriedOut = { meets: writes, applied: true, kills: false };

/** Every sort, in the order of the report. */
export const faults: readonly Fault[] = [
  {
    ...usual,
    id: "refused",
    says: "refused before it was sent",
    error: (_call, server) =>
      new UnavailableError(`cannot reach the API server ${server}: connection refused`, {
        hint: "check the network and the address",
      }),
  },
  {
    ...usual,
    id: "cut",
    says: "sent, the connection cut before it was carried out",
    error: (call, server) => unanswered(call, server, "the connection was reset"),
  },
  { ...carriedOut, id: "lost", says: "carried out, its answer lost", error: late },
  {
    ...{ ...usual, hangs: "this", error: late },
    ...{ id: "hang", says: "sent, never answered and not carried out" },
  },
  {
    ...{ ...carriedOut, hangs: "this", error: late },
    ...{ id: "hang-after", says: "carried out, never answered" },
  },
  {
    ...{ ...usual, hangs: "all", error: late },
    ...{ id: "silence", says: "never answered, and no later request either" },
  },
  {
    ...usual,
    id: "conflict",
    says: "answered with a conflict (409)",
    meets: changes,
    error: ({ subject }) =>
      new ApiError(
        `Operation cannot be fulfilled on ${subject}: the object has been modified; please apply your changes to the latest version and try again`,
        { status: 409, reason: "Conflict" },
      ),
  },
  {
    ...usual,
    id: "throttled",
    says: "turned away for too many requests (429)",
    error: () =>
      new ApiError("too many requests, please try again later", {
        status: 429,
        reason: "TooManyRequests",
      }),
  },
  {
    ...{ ...usual, kills: true, error: killed },
    ...{ id: "killed-before", says: "the process killed before it was sent" },
  },
  {
    ...{ ...carriedOut, kills: true, error: killed },
    ...{ id: "killed-after", says: "the process killed after it was carried out" },
  },
];

/** In the words of the adapter: a write without an answer leaves its outcome open. */
function unanswered(call: ObservedCall, server: string, why: string): UnavailableError {
  const what = `${call.verb} ${call.subject}`;
  if (!call.writes && !call.dryRun) {
    return new UnavailableError(`no answer to ${what} from the API server ${server}: ${why}`);
  }
  return new UnavailableError(
    `cannot tell whether the request to ${what} was carried out: it was sent to ${server}, then ${why}`,
    { hint: "look at the object before repeating the command" },
  );
}

function late(call: ObservedCall, server: string): UnavailableError {
  return unanswered(call, server, "no answer within the request timeout");
}

/** A failure at the n-th request; requests are counted from 1, through all runs of the command. */
export interface Injection {
  readonly call: number;
  readonly fault: Fault;
}

/** A gate that fails as planned, and writes down what passed. */
interface FaultyGate {
  readonly gate: Gate;
  readonly calls: readonly ObservedCall[];
  readonly met: readonly Met[];
  readonly killed: () => boolean;
}

/** A failure that a request has met. */
export interface Met extends Injection {
  readonly request: ObservedCall;
}

type Passed<T> = { readonly answer: T } | { readonly fault: Fault };

/** Where a gate stands; `before` is the number of requests of earlier runs. */
interface GatePlace {
  readonly server: string;
  readonly clock: Clock;
  readonly before?: number;
}

/** Makes the gate of one run. */
export function faultyGate(
  injections: readonly Injection[],
  { server, clock, before = 0 }: GatePlace,
): FaultyGate {
  const calls: ObservedCall[] = [];
  const met: Met[] = [];
  let killed = false;
  let silent: Fault | undefined;
  const planned = (call: ObservedCall): Fault | undefined => {
    const found = injections.find((one) => one.call === before + calls.length);
    if (found?.fault.meets(call) !== true) return silent;
    met.push({ ...found, request: call });
    killed = found.fault.kills;
    if (found.fault.hangs === "all") silent = found.fault;
    return found.fault;
  };
  /** What came of it: an answer, or the fault that stands in its place. */
  const pass = async <T>(call: ObservedCall, send: () => Promise<T>): Promise<Passed<T>> => {
    if (killed) throw new KilledError("killed");
    calls.push(call);
    const fault = planned(call);
    if (fault === undefined) return { answer: await send() };
    if (fault.applied) await send();
    return { fault };
  };
  const turn = inTurn();
  return {
    gate: async (call, send) => {
      const until = clock.now() + requestDeadlineMs;
      const passed = await turn(() => pass(call, send));
      if ("answer" in passed) return passed.answer;
      // others continue meanwhile
      if (passed.fault.hangs !== undefined) await clock.sleep(Math.max(0, until - clock.now()));
      throw passed.fault.error(call, server);
    },
    calls,
    met,
    killed: () => killed,
  };
}

/** One run with its failures. */
export type Scenario = readonly Injection[];

/** Every fault at every request that it can meet, a scenario each; `calls` are those of the run without failures. */
export function everyFault(calls: readonly ObservedCall[]): readonly Scenario[] {
  return calls.flatMap((call, index) =>
    faults.filter((fault) => fault.meets(call)).map((fault) => [{ call: index + 1, fault }]),
  );
}
