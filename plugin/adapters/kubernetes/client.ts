/** Requests to one API server: who asks, over which connection, and what may be repeated. */
import { setMaxListeners } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import type WebSocket from "ws";
import { type EngineError, UnavailableError } from "../../domain/base/errors";
import { isObject, type Json, parseJson } from "../../domain/base/values";
import { type Clock, requestDeadlineMs } from "../../ports/kubernetes";
import { unlessAborted } from "../abort";
import type { Agents } from "../http/agents";
import { type HttpAnswer, readArriving, splitLines, NoAnswer, Repeats } from "../http/answer";
import { exchange, type Limits } from "../http/exchange";
import { type OnSlow, SlowAnswers } from "../http/slow";
import { explainSilence } from "../http/failures";
import type { Credential, CredentialSource } from "./credentials";
import { apiServer, excerpt, hintOfPage, isPage, refusal, type RequestContext } from "./refusals";
import type { RequestSeen } from "./target";

/** One call of the API. */
export interface KubeCall {
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
  readonly place: RequestContext;
  readonly agents: Agents;
  readonly credentials: CredentialSource;
  readonly impersonation: OutgoingHttpHeaders;
  readonly compress: boolean;
  /** As whom the program is known in the server's logs. */
  readonly userAgent: string;
  readonly clock: Clock;
  /** A GET that finds a kept connection silent for `chooseKeptMs` is sent again over a new one. */
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
  readonly onRequest: ((request: RequestSeen) => void) | undefined;
  readonly onSlow?: OnSlow | undefined;
  /** Throws where a request must not be sent; asked before anything else happens. */
  readonly guard: ((request: RequestSeen) => void) | undefined;
}

/** Sends calls and translates what goes wrong. */
export class Client {
  private readonly slow: SlowAnswers;

  constructor(private readonly connection: Connection) {
    this.slow = new SlowAnswers(connection.clock, connection.place.server, connection.onSlow);
  }

  /** The object that the server answered with; undefined for a 404 when that is an answer. */
  async object(call: KubeCall): Promise<Json>;
  async object(call: KubeCall, absent: "absent"): Promise<Json | undefined>;
  async object(call: KubeCall, absent?: "absent"): Promise<Json | undefined> {
    const answer = await this.answer(call);
    if (absent !== undefined && isAbsence(answer)) return undefined;
    const { body, headers } = this.success(answer, call);
    parseWarnings(headers.warning).forEach((warning) => call.onWarning?.(warning));
    const object = parseJson(body);
    if (isObject(object)) return object;
    throw this.strange(call);
  }

  /** A success that no API server would give. */
  private strange({ subject }: KubeCall, page?: HttpAnswer): UnavailableError {
    const { place } = this.connection;
    const what = `the answer of ${place.server} to ${subject} is not that of an API server`;
    return page === undefined
      ? new UnavailableError(what, { hint: `check the address in ${place.clusterName}` })
      : new UnavailableError(`${what} but a web page: ${excerpt(page.body)}`, {
          hint: hintOfPage(place),
        });
  }

  /** The lines of an answer as they come, until the server ends it, falls silent, or the reader stops. */
  async *lines(call: KubeCall): AsyncGenerator<string> {
    const begun = this.success(await this.answer({ ...call, streams: true }), call);
    const { clock } = this.connection;
    const { signal } = call;
    try {
      yield* splitLines(readArriving(begun, { clock, signal, silentMs: requestDeadlineMs }));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (error.code !== "SILENT") throw this.failure(error, call);
    }
  }

  /** A WebSocket to the call's path; nothing of what is sent over it is known here. */
  async socket(call: KubeCall, protocol: string): Promise<WebSocket> {
    const { base, agents, credentials, guard, limits, clock } = this.connection;
    guard?.(requestSeen(call));
    const { openSocket } = await import("./port-forward.ts");
    for (let renewed = false; ; renewed = true) {
      const credential = await this.credential(call);
      this.connection.onRequest?.(requestSeen(call));
      const outcome = await openSocket({
        url: new URL(this.path(call), base),
        protocol,
        headers: this.headers({ ...call, streams: true }, credential),
        lease: agents.of(credential.pair, true),
        clock,
        dialTimeoutMs: limits.dialMs,
        signal: call.signal,
      });
      if (!(outcome instanceof NoAnswer) && !("status" in outcome)) return outcome;
      if (isStatus(outcome, 401) && credentials.refused(credential) && !renewed) continue;
      throw this.failure(outcome, call);
    }
  }

  /** What an answer that is no success, or none at all, means to the caller. */
  failure(answer: HttpAnswer | NoAnswer, call: KubeCall): EngineError {
    const { place } = this.connection;
    const purpose = { subject: call.subject, writes: call.writes && !isDryRun(call) };
    return answer instanceof NoAnswer
      ? explainSilence(answer, apiServer(place), purpose)
      : refusal(answer, place, purpose);
  }

  close(): void {
    this.connection.credentials.close();
    this.connection.agents.close();
  }

  private success(answer: HttpAnswer | NoAnswer, call: KubeCall): HttpAnswer {
    if (!isSuccess(answer)) throw this.failure(answer, call);
    if (isPage(answer)) throw this.strange(call, answer);
    return answer;
  }

  private answer(asked: KubeCall): Promise<HttpAnswer | NoAnswer> {
    return this.slow.during(this.request(asked));
  }

  private async request(asked: KubeCall): Promise<HttpAnswer | NoAnswer> {
    const { clock, credentials, guard, limits } = this.connection;
    guard?.(requestSeen(asked));
    const call = { ...asked, signal: asked.signal ?? this.signalFor(asked) };
    const pausing = call.signal ?? this.interrupt();
    const repeats = new Repeats({ writes: call.writes, clock, limitMs: limits.answerMs });
    let renewed = false;
    for (;;) {
      const credential = await this.credential(call);
      const answer = await this.send(call, credential);
      if (isSuccess(answer)) credentials.accepted?.(credential);
      if (isStatus(answer, 401) && credentials.refused(credential) && !renewed) {
        renewed = true;
        continue;
      }
      const pause = repeats.pauseAfter(answer);
      if (pause === undefined) return answer;
      await clock.sleep(pause, pausing);
    }
  }

  /** An interrupt ends whatever reads; a write in flight is finished, so that its outcome is known. */
  private signalFor(call: KubeCall): AbortSignal | undefined {
    return call.writes && !isDryRun(call) ? undefined : this.connection.signal;
  }

  /** Ends a pause: nobody has looked at what waits. What begins after it puts something in order. */
  private interrupt(): AbortSignal | undefined {
    const { signal } = this.connection;
    return signal?.aborted === true ? undefined : signal;
  }

  /** The answer to one request, whatever its status; rejects with the signal's reason. */
  async once(call: KubeCall): Promise<HttpAnswer | NoAnswer> {
    return this.send(call, await this.credential(call));
  }

  private async credential({ signal }: KubeCall): Promise<Credential> {
    signal?.throwIfAborted();
    // Every request in flight listens to the same signal; node warns from the eleventh on.
    if (signal !== undefined) setMaxListeners(0, signal);
    // the plugin that makes a credential continues
    return unlessAborted(this.connection.credentials.get(), signal);
  }

  private async send(call: KubeCall, credential: Credential): Promise<HttpAnswer | NoAnswer> {
    const answer = await this.attempt(call, credential);
    const isStale =
      answer instanceof NoAnswer && answer.reused && this.chooseKeptMs(call) !== undefined;
    return isStale ? this.attempt({ ...call, fresh: true }, credential) : answer;
  }

  private attempt(call: KubeCall, credential: Credential): Promise<HttpAnswer | NoAnswer> {
    const { agents, base, clock, limits } = this.connection;
    const { method, body, signal } = call;
    this.connection.onRequest?.(requestSeen(call));
    return exchange({
      base,
      method,
      path: this.path(call),
      headers: this.headers(call, credential),
      body: body === undefined ? undefined : JSON.stringify(body),
      lease: agents.of(credential.pair, call.fresh === true),
      signal,
      clock,
      limits: { ...limits, keptMs: this.chooseKeptMs(call) },
      streams: call.streams === true ? (status) => status < 300 : undefined,
    });
  }

  private chooseKeptMs({ method }: KubeCall): number | undefined {
    return method === "GET" ? this.connection.limits.keptMs : undefined;
  }

  private path(call: KubeCall): string {
    return `${this.connection.base.pathname.replace(/\/+$/, "")}${call.path}${renderQuery(call)}`;
  }

  private headers(call: KubeCall, { authorization }: Credential): OutgoingHttpHeaders {
    const { impersonation, compress, userAgent } = this.connection;
    return {
      accept: "application/json",
      "user-agent": userAgent,
      ...(call.body !== undefined && { "content-type": call.contentType ?? "application/json" }),
      ...(compress && isWholeRead(call) && { "accept-encoding": "gzip" }),
      ...(authorization !== undefined && { authorization }),
      ...impersonation,
    };
  }
}

function isWholeRead({ method, streams }: KubeCall): boolean {
  return method === "GET" && streams !== true;
}

function requestSeen(call: KubeCall): RequestSeen {
  return { method: call.method, path: call.path, dryRun: isDryRun(call) };
}

function isDryRun({ query }: KubeCall): boolean {
  return query?.["dryRun"] !== undefined;
}

function isStatus(answer: HttpAnswer | NoAnswer, status: number): boolean {
  return !(answer instanceof NoAnswer) && answer.status === status;
}

function isSuccess(answer: HttpAnswer | NoAnswer): answer is HttpAnswer {
  return !(answer instanceof NoAnswer) && answer.status >= 200 && answer.status <= 299;
}

/** A page of markup is no API server's 404: the address is wrong, not the object absent. */
function isAbsence(answer: HttpAnswer | NoAnswer): boolean {
  if (answer instanceof NoAnswer || answer.status !== 404) return false;
  return !isPage(answer);
}

function renderQuery({ query = {} }: KubeCall): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) given.append(key, value);
  }
  return given.size === 0 ? "" : `?${given.toString()}`;
}

const warning = /\s*(\d{3})\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/gy;

/** The texts of all 299 warnings of a Warning header (RFC 7234, section 5.5); what is malformed ends the reading. */
export function parseWarnings(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  // Node reads header bytes as latin1; the API server writes UTF-8.
  const value = Buffer.from(header, "latin1").toString("utf8");
  const found = [...value.matchAll(warning)];
  return found.flatMap(([, code, quoted = ""]) =>
    code === "299" ? [quoted.replaceAll(/\\(.)/g, "$1")] : [],
  );
}
