/** Follows an action of the REST API to its end (S92; domain facts 9, reading actions). */
import { EngineError, exitCodes, TimeoutError } from "../domain/errors";
import { type Limit, type Look, waitFor } from "./engine/wait";
import type { ApiAction, ClusterApi } from "./cluster-api";
import type { Clock } from "./ports";
import type { Recorder } from "./engine/recorder";

/** What following needs. */
export interface FollowPorts {
  readonly api: Pick<ClusterApi, "action" | "address">;
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, "waiting">;
  readonly signal: AbortSignal;
}

/** Which action, and for how long. */
export interface Followed {
  /** Undefined where the server has named none: then nothing is followed. */
  readonly uid: string | undefined;
  /** For people: `the installation of rg 1.2.5`. */
  readonly subject: string;
  /** Of the whole wait; absent: as long as something moves. */
  readonly timeoutMs?: number | undefined;
  readonly idle?: Limit | undefined;
  /** What a failure of the action is. */
  readonly failed?: (action: ApiAction) => Error;
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
  followed: Followed,
): Promise<ApiAction | undefined> {
  const { api, signal } = ports;
  const { uid, subject, timeoutMs, idle, failed } = followed;
  if (uid === undefined) return undefined;
  let isSeen = false;
  let polls = 0;
  return await waitFor(ports, {
    server: `${subject}, and for an answer of ${api.address}`,
    look: async (): Promise<Look<ApiAction | undefined>> => {
      polls += 1;
      const action = await api.action(uid, signal);
      if (action === undefined) {
        const isForgotten = isSeen || polls > unseenPolls;
        return isForgotten
          ? { is: "done", value: undefined }
          : { is: "moving", on: `${subject}: not begun` };
      }
      isSeen = true;
      if (action.is === "completed") return { is: "done", value: action };
      if (action.is === "running") return { is: "moving", on: `${subject}: ${farOf(action)}` };
      throw failed?.(action) ?? new ActionFailedError(action, subject);
    },
    total: timeoutMs === undefined ? undefined : { ms: timeoutMs, end: stillUnderWay(followed) },
    idle,
  });
}

function farOf({ progress, status = "not begun" }: ApiAction): string {
  return progress === undefined ? status : `${Math.floor(progress)} %`;
}

const stillUnderWay =
  ({ uid, subject }: Followed): Limit["end"] =>
  (_on, ms) => {
    const seconds = Math.round(ms / 1000);
    return new TimeoutError(
      `${subject} is still under way after ${seconds}s (action ${String(uid)})`,
      {
        hint: "run the same command again later, or with a longer --timeout",
      },
    );
  };
