/** The failures that a rehearsal puts in: what each does to a request, and which it can meet. */
import { ApiError, UnavailableError } from "../domain/errors";
import { inTurn } from "./in-turn";
import type { Call, Gate } from "./observed-cluster";

/** One sort of failure. */
export interface Fault {
  readonly id: string;
  /** For the report: "refused before it was sent". */
  readonly says: string;
  readonly meets: (call: Call) => boolean;
  /** Whether the request has its effect all the same. */
  readonly applied: boolean;
  /** The process is gone: no later request of this run is sent. */
  readonly kills: boolean;
  readonly error: (call: Call, server: string) => Error;
}

/** The run is over for a process that was killed: no command can catch what does not happen. */
export class KilledError extends Error {
  override readonly name = "KilledError";
}

const always = (): boolean => true;
const writes = (call: Call): boolean => call.writes;
const changes = (call: Call): boolean => ["apply", "update", "patch", "delete"].includes(call.verb);

/** Every sort, in the order of the report. */
export const faults: readonly Fault[] = [
  {
    id: "refused",
    says: "refused before it was sent",
    meets: always,
    applied: false,
    kills: false,
    error: (_call, server) =>
      new UnavailableError(`cannot reach the API server ${server}: connection refused`, {
        hint: "check the network and the address",
      }),
  },
  {
    id: "cut",
    says: "sent, the connection cut before it was carried out",
    meets: always,
    applied: false,
    kills: false,
    error: (call, server) => unanswered(call, server, "the connection was reset"),
  },
  {
    id: "lost",
    says: "carried out, its answer lost",
    meets: writes,
    applied: true,
    kills: false,
    error: (call, server) => unanswered(call, server, "no answer within the request timeout"),
  },
  {
    id: "conflict",
    says: "answered with a conflict (409)",
    meets: changes,
    applied: false,
    kills: false,
    error: ({ subject }) =>
      new ApiError(
        `Operation cannot be fulfilled on ${subject}: the object has been modified; please apply your changes to the latest version and try again`,
        { status: 409, reason: "Conflict" },
      ),
  },
  {
    id: "throttled",
    says: "turned away for too many requests (429)",
    meets: always,
    applied: false,
    kills: false,
    error: () =>
      new ApiError("too many requests, please try again later", {
        status: 429,
        reason: "TooManyRequests",
        retryAfter: 1,
      }),
  },
  {
    id: "killed-before",
    says: "the process killed before it was sent",
    meets: always,
    applied: false,
    kills: true,
    error: () => new KilledError("killed"),
  },
  {
    id: "killed-after",
    says: "the process killed after it was carried out",
    meets: writes,
    applied: true,
    kills: true,
    error: () => new KilledError("killed"),
  },
];

/** In the words of the adapter: a write without an answer leaves its outcome open. */
function unanswered(call: Call, server: string, why: string): UnavailableError {
  const what = `${call.verb} ${call.subject}`;
  if (!call.writes && !call.dryRun) {
    return new UnavailableError(`no answer to ${what} from the API server ${server}: ${why}`);
  }
  return new UnavailableError(
    `cannot tell whether the request to ${what} was carried out: it was sent to ${server}, then ${why}`,
    { hint: "look at the object before repeating the command" },
  );
}

/** A failure at the n-th request; requests are counted from 1, through all runs of the command. */
export interface Injection {
  readonly call: number;
  readonly fault: Fault;
}

/** A gate that fails as planned, and writes down what passed. */
export interface FaultyGate {
  readonly gate: Gate;
  readonly calls: readonly Call[];
  readonly met: readonly Met[];
  readonly killed: () => boolean;
}

/** A failure that a request has met. */
export interface Met extends Injection {
  readonly request: Call;
}

/** Makes the gate of one run; `before` is the number of requests of earlier ones. */
export function faultyGate(
  injections: readonly Injection[],
  server: string,
  before = 0,
): FaultyGate {
  const calls: Call[] = [];
  const met: Met[] = [];
  let killed = false;
  const pass = async <T>(call: Call, send: () => Promise<T>): Promise<T> => {
    if (killed) throw new KilledError("killed");
    calls.push(call);
    const planned = injections.find((one) => one.call === before + calls.length);
    if (planned?.fault.meets(call) !== true) return await send();
    const { fault } = planned;
    met.push({ ...planned, request: call });
    killed = fault.kills;
    if (fault.applied) await send();
    throw fault.error(call, server);
  };
  const turn = inTurn();
  return {
    gate: (call, send) => turn(() => pass(call, send)),
    calls,
    met,
    killed: () => killed,
  };
}
