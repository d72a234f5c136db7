/** HTTPS to a webhook: connections that are verified before anything is sent, and kept as Go keeps them. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Agent, request, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect, createSecureContext, type SecureContext, type TLSSocket } from "node:tls";
import { CallFailure, notAnswered } from "./failure";
import type { Reply } from "./response";
import { judgePeer, rootsOf } from "./trust";
import { type Broken, wordsFor } from "./words";

/** Where a call goes. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Host and port as the API server knows them. */
  readonly authority: string;
  readonly path: string;
  /** The whole address, for messages. */
  readonly url: string;
  /** What the certificate must be for. */
  readonly name: string;
  /** The address that messages about the connection show. */
  readonly shown: string;
  readonly caBundle: string;
}

/** One attempt: what is sent, and until when. */
export interface Sending {
  readonly target: Target;
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

/** The connections of one embedded cluster. */
export class Connections {
  private readonly agents = new Map<string, VerifyingAgent>();

  constructor(private readonly options: ConnectionOptions) {}

  /** Sends and waits for the whole answer; throws CallFailure. */
  async post(sending: Sending): Promise<Reply> {
    const { target } = sending;
    const agent = this.agentFor(target);
    try {
      return await replyTo(sending, agent);
    } catch (cause) {
      if (isStale(cause)) return this.post(sending);
      throw failureOf(cause, sending);
    }
  }

  /** Drops every kept connection. */
  close(): void {
    this.agents.forEach((agent) => {
      agent.destroy();
    });
    this.agents.clear();
  }

  private agentFor({ host, port, name, caBundle }: Target): VerifyingAgent {
    const bundle = createHash("sha256").update(caBundle).digest("hex");
    const key = JSON.stringify([host, port, name, bundle]);
    const known = this.agents.get(key);
    if (known !== undefined) return known;
    const roots = rootsOf(caBundle);
    const agent = new VerifyingAgent(this.options.keepAlive, (socket) => {
      const peer = socket.getPeerX509Certificate();
      const expected = { name, roots, now: this.options.now() };
      return peer === undefined ? "no certificate" : judgePeer(peer, expected);
    });
    this.agents.set(key, agent);
    return agent;
  }
}

/** What a request hands to its agent; `until` because Node keeps `signal` for itself. */
interface ConnectOptions extends RequestOptions {
  readonly host: string;
  readonly port: number;
  readonly servername: string;
  readonly until: AbortSignal;
}

/** Nothing but the handshake happens before the verdict; what Node itself thinks does not count. */
class VerifyingAgent extends Agent {
  private static context: SecureContext | undefined;

  constructor(
    keepAlive: boolean,
    private readonly judge: (socket: TLSSocket) => string | undefined,
  ) {
    super({ keepAlive, maxFreeSockets: 25 });
  }

  override createConnection(
    options: ConnectOptions,
    done: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { host, port, servername, until } = options;
    // Without authorities of its own, which nobody asks and which take long to load.
    VerifyingAgent.context ??= createSecureContext({ ca: [] });
    const socket = connect({
      host,
      port,
      ...(isIP(servername) === 0 && { servername }),
      ALPNProtocols: ["http/1.1"],
      secureContext: VerifyingAgent.context,
      rejectUnauthorized: false,
    });
    const stop = (): void => {
      socket.destroy(new Error("given up"));
    };
    const finish = (error: Error | null): void => {
      until.removeEventListener("abort", stop);
      socket.off("error", finish);
      done(error, socket);
    };
    until.addEventListener("abort", stop);
    socket.once("error", finish);
    socket.once("secureConnect", () => {
      const problem = this.judge(socket);
      if (problem !== undefined) socket.destroy(new UntrustedError(problem));
      else finish(null);
    });
  }
}

/** A request that broke, with what is needed to say how. */
class BrokenRequest extends Error {
  constructor(
    override readonly cause: unknown,
    readonly how: Omit<Broken, "error">,
  ) {
    super("the request broke");
  }
}

function replyTo({ target, body, signal }: Sending, agent: VerifyingAgent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options: ConnectOptions = {
      agent,
      host: target.host,
      port: target.port,
      servername: target.name,
      method: "POST",
      path: target.path,
      headers: headersOf(target, body),
      signal,
      until: signal,
    };
    let answered = false;
    const call = request(options, (response) => {
      answered = true;
      readAll(response).then(resolve, broken);
    });
    const broken = (cause: unknown): void => {
      reject(new BrokenRequest(cause, { answered, reused: call.reusedSocket, signal }));
    };
    call.on("error", broken);
    call.end(body);
  });
}

function headersOf({ authority }: Target, body: string): Readonly<Record<string, string | number>> {
  return {
    Host: authority,
    "User-Agent": "kube-apiserver-admission",
    "Content-Length": Buffer.byteLength(body),
    Accept: "application/json, */*",
    "Content-Type": "application/json",
  };
}

async function readAll(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const retryAfter = response.headers["retry-after"];
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"],
    retryAfter: /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}

/** A kept connection that the other side had already closed: the request never arrived. */
function isStale(cause: unknown): boolean {
  if (!(cause instanceof BrokenRequest)) return false;
  const { signal, reused, answered } = cause.how;
  return reused && !answered && !signal.aborted;
}

function failureOf(cause: unknown, { target }: Sending): unknown {
  if (!(cause instanceof BrokenRequest)) return cause;
  const { answered } = cause.how;
  const words =
    cause.cause instanceof UntrustedError && !cause.how.signal.aborted
      ? `tls: failed to verify certificate: ${cause.cause.message}`
      : wordsFor({ error: cause.cause, ...cause.how }, target.shown);
  if (!answered) return notAnswered(target.url, words);
  const reading = "unexpected error when reading response body. Please retry. Original error:";
  return new CallFailure(`failed to call webhook: ${reading} ${words}`);
}
