/** Follows an action of the REST API to its end (S92; domain facts 9, reading actions). */
import { EngineError, exitCodes, TimeoutError, UnavailableError } from "../domain/errors";
import { restApi, waitFor } from "./engine/wait";
import type { ApiAction, ClusterApi } from "./cluster-api";
import type { Clock } from "./ports";
import type { Recorder } from "./recorder";

/** What following needs. */
export interface FollowPorts {
  readonly api: Pick<ClusterApi, "action" | "address">;
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, "waiting">;
  readonly signal: AbortSignal;
}

/** Which action, and for how long. */
export interface Followed {
  readonly uid: string;
  /** For people: `the installation of rg 1.2.5`. */
  readonly subject: string;
  readonly timeoutMs: number;
}

/** The server says that the action failed. */
export class ActionFailedError extends EngineError {
  readonly code = "ACTION-FAILED";
  readonly exitCode = exitCodes.failed;

  constructor(
    readonly action: ApiAction,
    subject: string,
  ) {
    const { uid, status = "failed", error } = action;
    super(
      `${subject} ended as ${status}${error === undefined ? "" : `: ${error}`} (action ${uid})`,
      { hint: "correct what the action names, then run the same command again" },
    );
  }
}

/** A server may show an action a moment after it has named it. */
const unseenPolls = 3;

/**
 * Ends with the completed action, or undefined when the server has forgotten it: what it worked on
 * has to be looked at. A server that does not answer for a time is asked again, a refusal is not.
 */
export async function followAction(
  ports: FollowPorts,
  { uid, subject, timeoutMs }: Followed,
): Promise<ApiAction | undefined> {
  const { api, signal } = ports;
  let seen = false;
  let poll = 0;
  return await waitFor<ApiAction | undefined>(ports, {
    server: restApi,
    look: async () => {
      poll += 1;
      const look = await lookAt(() => api.action(uid, signal));
      const { action } = look;
      if (action?.is === "failed") throw new ActionFailedError(action, subject);
      if (action?.is === "completed" || isForgotten(look, seen, poll)) {
        return { is: "done", value: action };
      }
      seen ||= look.is === "seen";
      return { is: "moving", on: waitingWords(look, { subject, address: api.address }) };
    },
    total: { ms: timeoutMs, end: () => stillUnderWay({ uid, subject, timeoutMs }) },
  });
}

function isForgotten({ is }: Look, seen: boolean, poll: number): boolean {
  return is === "unknown" && (seen || poll > unseenPolls);
}

function stillUnderWay({ uid, subject, timeoutMs }: Followed): TimeoutError {
  const seconds = Math.round(timeoutMs / 1000);
  return new TimeoutError(`${subject} is still under way after ${seconds}s (action ${uid})`, {
    hint: "run the same command again later, or with a longer --timeout",
  });
}

interface Look {
  readonly is: "seen" | "unknown" | "silent";
  readonly action?: ApiAction;
}

async function lookAt(ask: () => Promise<ApiAction | undefined>): Promise<Look> {
  try {
    const action = await ask();
    return action === undefined ? { is: "unknown" } : { is: "seen", action };
  } catch (error) {
    if (error instanceof UnavailableError) return { is: "silent" };
    throw error;
  }
}

function waitingWords(
  { is, action }: Look,
  { subject, address }: { readonly subject: string; readonly address: string },
): string {
  if (is === "silent") return `${subject}, and for an answer of ${address}`;
  const { progress, status = "not begun" } = action ?? {};
  return `${subject}: ${progress === undefined ? status : `${Math.floor(progress)} %`}`;
}
