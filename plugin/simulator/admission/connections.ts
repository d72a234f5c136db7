/** HTTPS to a webhook: connections that are verified before anything is sent, and kept as Go keeps them. */
import { createHash } from "node:crypto";
import { createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { Agents } from "../../adapters/http/agents";
import { readArriving, NoAnswer } from "../../adapters/http/answer";
import { exchange } from "../../adapters/http/exchange";
import { type Broken, wordsFor } from "./go-words";
import { CallFailure, judgePeer, notAnswered, readRoots } from "./trust";
import type { WebhookTarget } from "./entries";
import type { Reply } from "./response";
import { setTimeout as pause } from "node:timers/promises";

/** One attempt: what is sent, and until when. */
interface WebhookRequest {
  readonly target: WebhookTarget;
  readonly body: string;
  /** Ends the attempt; the reason is of no interest. */
  readonly signal: AbortSignal;
}

/** How connections are made. */
export interface ConnectionOptions {
  readonly keepAlive: boolean;
  /** Milliseconds since 1970, by which certificates are judged. */
  readonly now: () => number;
}

/** The peer's certificate is not accepted; the message says why. */
class UntrustedError extends Error {}

/** One server as one webhook entry trusts it. */
interface Callee {
  readonly agents: Agents;
  readonly judge: (socket: TLSSocket) => UntrustedError | undefined;
}

/** The connections of one embedded cluster. */
export class Connections {
  private static context: SecureContext | undefined;
  private readonly callees = new Map<string, Callee>();

  constructor(private readonly options: ConnectionOptions) {}

  /** Sends and waits for the whole answer; throws CallFailure. */
  async post(sending: WebhookRequest): Promise<Reply> {
    const { target, body, signal } = sending;
    const { agents, judge } = this.findCallee(target);
    const begun = await exchange({
      base: buildBase(target),
      method: "POST",
      path: target.path,
      headers: buildHeaders(target),
      body,
      lease: agents.of(undefined, !this.options.keepAlive),
      signal,
      clock: {},
      limits: { dialMs: Infinity, answerMs: Infinity }, // the signal is the limit of all of it
      streams: () => true,
      judge,
    }).catch((error: unknown) => new NoAnswer("ABORTED", { sent: true, cause: error }));
    if (begun instanceof NoAnswer) {
      // a kept connection that the other side had already closed: the request never arrived
      if (begun.reused && !signal.aborted) return this.post(sending);
      throw explainFailure({ error: begun.cause, answered: false, signal }, target);
    }
    const { status, headers } = begun;
    const chunks: Buffer[] = [];
    try {
      const listening = { clock: {}, silentMs: Infinity, signal };
      for await (const chunk of readArriving(begun, listening)) chunks.push(chunk);
    } catch (error) {
      throw explainFailure({ error, answered: true, signal }, target);
    }
    const retryAfter = headers["retry-after"];
    return {
      status,
      contentType: headers["content-type"],
      retryAfter: /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined,
      body: Buffer.concat(chunks).toString("utf8"),
    };
  }

  /** Drops every kept connection. */
  close(): void {
    this.callees.forEach(({ agents }) => {
      agents.close();
    });
    this.callees.clear();
  }

  private findCallee({ host, port, name, caBundle }: WebhookTarget): Callee {
    const bundle = createHash("sha256").update(caBundle).digest("hex");
    const key = JSON.stringify([host, port, name, bundle]);
    const known = this.callees.get(key);
    if (known !== undefined) return known;
    const roots = readRoots(caBundle);
    // without authorities of its own, which nobody asks and which take long to load
    Connections.context ??= createSecureContext({ ca: [] });
    const tls = { secureContext: Connections.context, rejectUnauthorized: false };
    const callee: Callee = {
      agents: new Agents({
        tls: () => tls,
        // Go's limits; and a resumed session would show no certificate to judge
        options: { maxFreeSockets: 25, timeout: 90_000, maxCachedSessions: 0 },
      }),
      judge: (socket) => {
        const peer = socket.getPeerX509Certificate();
        const expected = { name, roots, now: this.options.now() };
        const problem =
          peer === undefined
            ? "tls: received empty certificates message"
            : judgePeer(peer, expected);
        return problem === undefined ? undefined : new UntrustedError(problem);
      },
    };
    this.callees.set(key, callee);
    return callee;
  }
}

function buildBase({ host, port }: WebhookTarget): URL {
  return new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
}

function buildHeaders({ authority }: WebhookTarget): Readonly<Record<string, string>> {
  return {
    Host: authority,
    "User-Agent": "kube-apiserver-admission",
    Accept: "application/json, */*",
    "Content-Type": "application/json",
  };
}

function explainFailure(broken: Broken, { url, shown }: WebhookTarget): CallFailure {
  const { error, answered, signal } = broken;
  const words =
    error instanceof UntrustedError && !signal.aborted ? error.message : wordsFor(broken, shown);
  if (!answered) return notAnswered(url, words);
  const reading = "unexpected error when reading response body. Please retry. Original error:";
  return new CallFailure(`failed to call webhook: ${reading} ${words}`);
}

/** How long a call may take. */
interface WebhookCall {
  readonly target: WebhookTarget;
  readonly body: string;
  readonly timeoutSeconds: number;
  /** That of the write; its end throws its reason. */
  readonly signal: AbortSignal | undefined;
}

/** So often a webhook is asked again when it answers with Retry-After. */
const repetitions = 10;

/** The last answer; throws CallFailure, also when the time is over. */
export async function callWebhook(call: WebhookCall, connections: Connections): Promise<Reply> {
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
