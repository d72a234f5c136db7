/** Requests to one API server: who asks, over which connection, and what may be repeated. */
import { setMaxListeners } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import type WebSocket from "ws";
import { type EngineError, UnavailableError } from "../../domain/errors";
import { isObject, type Json, parseJson } from "../../domain/values";
import { type Clock, deadline, requestDeadlineMs } from "../../run/ports";
import type { Agents } from "./agents";
import type { Credential, CredentialSource } from "./credential";
import { type Answer, exchange, NoAnswer } from "./exchange";
import { type Place, refusal, unavailable } from "./failures";
import type { RequestSeen } from "./flags";
import { linesOf } from "./lines";
import { pauseBefore } from "./retry";
import { parseWarnings } from "./warnings";

/** One call of the API. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** For messages: `apply secrets/x in namespace y`. */
  readonly subject: string;
  /** False for reads and for reviews, which may be repeated. */
  readonly writes: boolean;
  readonly fresh?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onWarning?: ((text: string) => void) | undefined;
  /** The answer comes line by line and has no end of its own. */
  readonly streams?: boolean;
}

/** What every request of a connection has in common. */
export interface Connection {
  readonly base: URL;
  readonly place: Place;
  readonly agents: Agents;
  readonly credentials: CredentialSource;
  readonly impersonation: OutgoingHttpHeaders;
  readonly compress: boolean;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly dialTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onRequest: ((request: RequestSeen) => void) | undefined;
  /** Throws where a request must not be sent; asked before anything else happens. */
  readonly guard: ((request: RequestSeen) => void) | undefined;
}

/** Sends calls and translates what goes wrong. */
export class Client {
  constructor(private readonly connection: Connection) {}

  /** The object that the server answered with; undefined for a 404 when that is an answer. */
  async object(call: Call): Promise<Json>;
  async object(call: Call, absent: "absent"): Promise<Json | undefined>;
  async object(call: Call, absent?: "absent"): Promise<Json | undefined> {
    const answer = await this.answer(call);
    if (absent !== undefined && isAbsence(answer)) return undefined;
    const { body, headers } = this.success(answer, call);
    parseWarnings(headers.warning).forEach((warning) => call.onWarning?.(warning));
    const object = parseJson(body);
    if (isObject(object)) return object;
    const { place } = this.connection;
    throw new UnavailableError(
      `the answer of ${place.server} to ${call.subject} is not that of an API server`,
      { hint: `check the address in ${place.clusterName}` },
    );
  }

  /** The lines of an answer as they come, until the server ends it, falls silent, or the reader stops. */
  async *lines(call: Call): AsyncGenerator<string> {
    const { stream } = this.success(await this.answer({ ...call, streams: true }), call);
    if (stream === undefined) return;
    const abort = (): void => {
      stream.destroy(call.signal?.reason as Error);
    };
    const silence = new AbortController();
    silence.signal.addEventListener("abort", () => stream.destroy());
    const chunks = this.arriving(stream, silence);
    call.signal?.addEventListener("abort", abort);
    try {
      call.signal?.throwIfAborted();
      yield* linesOf(chunks);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (silence.signal.aborted) return;
      const { code = "UNKNOWN" } = error as NodeJS.ErrnoException;
      throw this.failure(new NoAnswer(true, code, error), call);
    } finally {
      call.signal?.removeEventListener("abort", abort);
      stream.destroy();
    }
  }

  /** What comes, as long as nobody has to wait too long for more of it. */
  private async *arriving(
    stream: AsyncIterable<Buffer>,
    silence: AbortController,
  ): AsyncGenerator<Buffer> {
    const { clock } = this.connection;
    const late = (): void => {
      silence.abort();
    };
    let inTime = deadline(clock, requestDeadlineMs, late);
    try {
      for await (const chunk of stream) {
        inTime();
        yield chunk;
        inTime = deadline(clock, requestDeadlineMs, late);
      }
    } finally {
      inTime();
    }
  }

  /** A WebSocket to the call's path; nothing of what is sent over it is known here. */
  async socket(call: Call, protocol: string): Promise<WebSocket> {
    const { base, agents, credentials, guard, dialTimeoutMs, clock } = this.connection;
    guard?.(seen(call));
    const { openSocket } = await import("./socket.ts");
    for (let renewed = false; ; renewed = true) {
      const credential = await unlessAborted(credentials.get(), call.signal);
      const path = `${base.pathname.replace(/\/+$/, "")}${call.path}${queryOf(call)}`;
      this.connection.onRequest?.(seen(call));
      const outcome = await openSocket({
        url: new URL(path, base),
        protocol,
        headers: this.headers({ ...call, streams: true }, credential),
        lease: agents.of(credential.pair, true),
        clock,
        dialTimeoutMs,
        signal: call.signal,
      });
      if (!(outcome instanceof NoAnswer) && !("status" in outcome)) return outcome;
      if (isStatus(outcome, 401) && !renewed && credentials.refused()) continue;
      throw this.failure(outcome, call);
    }
  }

  /** What an answer that is no success, or none at all, means to the caller. */
  failure(answer: Answer | NoAnswer, call: Call): EngineError {
    const { place } = this.connection;
    const purpose = { subject: call.subject, writes: call.writes && !isDryRun(call) };
    return answer instanceof NoAnswer
      ? unavailable(answer, place, purpose)
      : refusal(answer, place, purpose);
  }

  close(): void {
    this.connection.credentials.close();
    this.connection.agents.close();
  }

  private success(answer: Answer | NoAnswer, call: Call): Answer {
    const failed = answer instanceof NoAnswer || answer.status < 200 || answer.status > 299;
    if (failed) throw this.failure(answer, call);
    return answer;
  }

  private async answer(asked: Call): Promise<Answer | NoAnswer> {
    const { clock, credentials, guard } = this.connection;
    guard?.(seen(asked));
    const call = { ...asked, signal: asked.signal ?? this.signalFor(asked) };
    const pausing = call.signal ?? this.interrupt();
    let renewed = false;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.attempt(call);
      if (isStatus(answer, 401) && !renewed && credentials.refused()) {
        renewed = true;
        continue;
      }
      const pause = pauseBefore(answer, attempt, call.writes);
      if (pause === undefined) return answer;
      await clock.sleep(pause, pausing);
    }
  }

  /** An interrupt ends whatever reads; a write in flight is finished, so that its outcome is known. */
  private signalFor(call: Call): AbortSignal | undefined {
    return call.writes && !isDryRun(call) ? undefined : this.connection.signal;
  }

  /** Ends a pause: nobody has looked at what waits. What begins after it puts something in order. */
  private interrupt(): AbortSignal | undefined {
    const { signal } = this.connection;
    return signal?.aborted === true ? undefined : signal;
  }

  private async attempt(call: Call): Promise<Answer | NoAnswer> {
    const { agents, base, credentials, clock, timeoutMs, dialTimeoutMs } = this.connection;
    call.signal?.throwIfAborted();
    // Every request in flight listens to the same signal; node warns from the eleventh on.
    if (call.signal !== undefined) setMaxListeners(0, call.signal);
    const credential = await unlessAborted(credentials.get(), call.signal);
    const { agent, done } = agents.of(credential.pair, call.fresh === true);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    this.connection.onRequest?.(seen(call));
    try {
      return await exchange({
        base,
        method: call.method,
        path: `${base.pathname.replace(/\/+$/, "")}${call.path}${queryOf(call)}`,
        headers: { ...this.headers(call, credential), ...bodyHeaders(call, body) },
        body,
        agent,
        signal: call.signal,
        clock,
        timeoutMs,
        dialTimeoutMs,
        streams: call.streams,
      });
    } catch (error) {
      if (error instanceof NoAnswer) return error;
      throw error;
    } finally {
      done();
    }
  }

  private headers(call: Call, { authorization }: Credential): OutgoingHttpHeaders {
    const { impersonation, compress } = this.connection;
    return {
      accept: "application/json",
      "user-agent": "kubectl-engine",
      ...(compress && isWholeRead(call) && { "accept-encoding": "gzip" }),
      ...(authorization !== undefined && { authorization }),
      ...impersonation,
    };
  }
}

function bodyHeaders(call: Call, body: string | undefined): OutgoingHttpHeaders {
  if (body === undefined) return {};
  return {
    "content-type": call.contentType ?? "application/json",
    "content-length": Buffer.byteLength(body),
  };
}

function isWholeRead({ method, streams }: Call): boolean {
  return method === "GET" && streams !== true;
}

function seen(call: Call): RequestSeen {
  return { method: call.method, path: call.path, dryRun: isDryRun(call) };
}

function isDryRun({ query }: Call): boolean {
  return query?.["dryRun"] !== undefined;
}

function isStatus(answer: Answer | NoAnswer, status: number): boolean {
  return !(answer instanceof NoAnswer) && answer.status === status;
}

/** A page of markup is no API server's 404: the address is wrong, not the object absent. */
function isAbsence(answer: Answer | NoAnswer): boolean {
  if (answer instanceof NoAnswer || answer.status !== 404) return false;
  return !(answer.headers["content-type"] ?? "").startsWith("text/html");
}

function queryOf({ query = {} }: Call): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) given.append(key, value);
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}

/** The plugin that makes a credential goes on; only the waiting for it ends. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", aborted);
    const rest = (): void => {
      signal.removeEventListener("abort", aborted);
    };
    work.then(resolve, reject).finally(rest);
  });
}
