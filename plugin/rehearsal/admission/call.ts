/** One call of a webhook: until its deadline, again where the webhook asks for it. */
import { setTimeout as pause } from "node:timers/promises";
import type { Connections, Target } from "./connections";
import { notAnswered } from "./failure";
import type { Reply } from "./response";

/** How long a call may take. */
export interface Call {
  readonly target: Target;
  readonly body: string;
  readonly timeoutSeconds: number;
  /** That of the write; its end throws its reason. */
  readonly signal: AbortSignal | undefined;
}

/** So often a webhook is asked again when it answers with Retry-After. */
const repetitions = 10;

/** The last answer; throws CallFailure, also when the time is over. */
export async function callWebhook(call: Call, connections: Connections): Promise<Reply> {
  const { target, body, signal: outer } = call;
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort();
  }, call.timeoutSeconds * 1000);
  const signal = outer === undefined ? deadline.signal : AbortSignal.any([outer, deadline.signal]);
  try {
    for (let repeated = 0; ; repeated++) {
      const reply = await connections.post({ target, body, signal });
      const wait = waitAfter(reply);
      if (wait === undefined || repeated === repetitions) return reply;
      await pauseUntil(wait, signal, target.url);
    }
  } finally {
    clearTimeout(timer);
    outer?.throwIfAborted();
  }
}

function waitAfter({ status, retryAfter }: Reply): number | undefined {
  return status === 429 || status >= 500 ? retryAfter : undefined;
}

async function pauseUntil(seconds: number, signal: AbortSignal, url: string): Promise<void> {
  try {
    await pause(seconds * 1000, undefined, { signal });
  } catch {
    throw notAnswered(url, "context deadline exceeded");
  }
}
