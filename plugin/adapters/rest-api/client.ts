/** Requests to a cluster's REST API: headers, login, what may be repeated, where a redirect may lead. */
import { setMaxListeners } from "node:events";
import type { ConnectionOptions } from "node:tls";
import { ClusterApiError } from "../../domain/rest-api/errors";
import { EngineError, exitCodes, UnavailableError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import { asString, getOwn, parseJson } from "../../domain/base/values";
import type { UploadProgress } from "../../ports/rest-api";
import type { Clock } from "../../ports/kubernetes";
import { Agents } from "../http/agents";
import { type HttpAnswer, NoAnswer, Repeats } from "../http/answer";
import { exchange, type Limits } from "../http/exchange";
import { type OnSlow, SlowAnswers } from "../http/slow";
import type { Login } from "./login";
import type { Route } from "./route";
import { type Server, explainSilence } from "../http/failures";
import { readHost, readPort } from "../http/tunnel";
import { type ApiPurpose, explainRefusal } from "./refusals";
import { ForwardError } from "../kubernetes/port-forward";

/** One call. */
export interface ApiCall {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: { readonly bytes: Uint8Array; readonly type: string };
  /** For messages: `upgrade database 1`. */
  readonly subject: string;
  /** Published meanings of status codes, for answers without a body. */
  readonly meanings?: ApiPurpose["meanings"];
  readonly signal: AbortSignal;
  /** Another host than the route's first. */
  readonly host?: string;
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** What every request has in common. */
export interface ApiConnection {
  readonly route: Route;
  /** What a server's certificate has to fit, which is for one of the names. */
  readonly trust: (names: readonly string[]) => () => ConnectionOptions;
  readonly login: Login;
  readonly names: Names;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly onSlow?: OnSlow | undefined;
  /** Told once for what an answer has beside the records that can be read. */
  readonly warn?: ((text: string) => void) | undefined;
}

const mostRedirects = 3;
const connectionsAtOnce = 16;
/** Seconds that a token is good for, where the server takes no password (domain facts 9). */
const tokenSeconds = 300;

/** Sends calls and translates what goes wrong. */
export class ApiClient {
  /** Where requests go: the first host that has answered. */
  private host: string;
  /** The request that shows whether the credentials are accepted. */
  private opening: Promise<unknown> | undefined;
  private readonly agents = new Map<string, Agents>();
  private readonly slow: SlowAnswers;

  constructor(private readonly connection: ApiConnection) {
    this.host = connection.route.host;
    this.slow = new SlowAnswers(connection.clock, connection.route.address, connection.onSlow);
  }

  /** The JSON of a success; undefined for a 404 when that is an answer. */
  async json(call: ApiCall): Promise<unknown>;
  async json(call: ApiCall, absent: "absent"): Promise<{ readonly found: unknown } | undefined>;
  async json(call: ApiCall, absent?: "absent"): Promise<unknown> {
    const answer = await this.answer(call);
    if (absent !== undefined && answer.status === 404) return undefined;
    this.requireSuccess(answer, call);
    const parsed = answer.body.trim() === "" ? null : parseJson(answer.body);
    if (parsed === undefined) throw this.nonsense(call);
    return absent === undefined ? parsed : { found: parsed };
  }

  /** The answer whatever its status; UnavailableError when there was none. */
  async answer(call: ApiCall): Promise<HttpAnswer> {
    const { clock, limits } = this.connection;
    const writes = call.method !== "GET";
    const repeats = new Repeats({ writes, clock, limitMs: limits.answerMs });
    for (;;) {
      const answer = await this.slow.during(this.callLoggedIn(call));
      const pause = repeats.pauseAfter(answer);
      if (pause !== undefined) await clock.sleep(pause, call.signal);
      else if (answer instanceof NoAnswer) throw noAnswer(answer, this.purpose(call));
      else return answer;
    }
  }

  requireSuccess(answer: HttpAnswer, call: ApiCall): void {
    if (answer.status >= 200 && answer.status < 300) return;
    const { names, login } = this.connection;
    throw explainRefusal(answer, this.purpose(call), { names, login });
  }

  /** A success whose body is not what the API sends. */
  nonsense(call: ApiCall): EngineError {
    const { address } = this.connection.route;
    return new UnavailableError(
      `the answer of ${address} to the request to ${call.subject} is not that of a cluster's REST API`,
      { hint: "check the address, and what stands in front of the cluster" },
    );
  }

  close(): void {
    for (const agents of this.agents.values()) agents.close();
  }

  private purpose({ subject, method, meanings }: ApiCall): ApiPurpose {
    const { address } = this.connection.route;
    return { address, subject, writes: method !== "GET", meanings };
  }

  /**
   * Each failed login counts towards the lock of an account that the operator uses too. So the first
   * request goes by itself, all others wait for its outcome, and after a refusal nothing is sent.
   */
  private async callLoggedIn(call: ApiCall): Promise<HttpAnswer | NoAnswer> {
    const { login } = this.connection;
    while (!login.isAccepted && login.refusal === undefined && this.opening !== undefined) {
      await this.opening.catch(() => undefined);
    }
    if (login.refusal !== undefined) return login.refusal;
    if (login.isAccepted) return this.attempt(call);
    const opening = this.attempt(call).finally(() => (this.opening = undefined));
    this.opening = opening;
    return opening;
  }

  /** A 401 was carried out by nobody: a token whose time is over is renewed, once. */
  private async attempt(call: ApiCall): Promise<HttpAnswer | NoAnswer> {
    const { login } = this.connection;
    if (login.asksForToken) {
      const refusal = await this.renew(call.signal);
      if (refusal !== undefined) return login.refused(refusal);
    }
    const answer = await this.followRedirects(call);
    if (answer instanceof NoAnswer) return answer;
    if (answer.status !== 401) {
      login.isAccepted = true;
      return answer;
    }
    if (!login.hasToken) return login.refused(answer);
    const refusal = (await this.renew(call.signal)) ?? (await this.followRedirects(call));
    if (refusal instanceof NoAnswer || refusal.status !== 401) return refusal;
    return login.refused(refusal);
  }

  /** Asks for a token; the answer where the password is refused, undefined where there is a way on. */
  private async renew(signal: AbortSignal): Promise<HttpAnswer | undefined> {
    const { names, login } = this.connection;
    const { authorizeFields: fields } = names;
    const { username, password } = login.credentials;
    const asked = {
      [fields.username]: username,
      [fields.password]: password,
      [fields.ttl]: tokenSeconds,
    };
    const answer = await this.followRedirects({
      method: "POST",
      path: names.restPaths.authorize,
      body: jsonBody(asked),
      subject: "log in",
      signal,
    });
    if (!(answer instanceof NoAnswer) && answer.status === 401) return answer;
    const body = answer instanceof NoAnswer ? undefined : parseJson(answer.body);
    const token = asString(getOwn(body, fields.accessToken));
    login.use(token !== undefined && /^[\x21-\x7e]+$/.test(token) ? token : undefined);
    return undefined;
  }

  /** A redirect was not carried out either: the same request, to a host of the same cluster alone. */
  private async followRedirects(call: ApiCall): Promise<HttpAnswer | NoAnswer> {
    let to = { host: call.host, path: call.path };
    for (let hop = 0; ; hop += 1) {
      const answer = await this.callHost(call, to);
      const location = findLocation(answer, call);
      if (location === undefined) return answer;
      const here = this.connection.route;
      const base = `https://${to.host ?? here.host}${here.port === 443 ? "" : `:${here.port}`}`;
      const url = await this.readTarget(location, { base, signal: call.signal });
      if (url?.protocol !== "https:" || !here.leadsTo(url) || hop === mostRedirects) {
        throw this.elsewhere(call, answer as HttpAnswer, url);
      }
      to = { host: here.hostFor(url), path: `${url.pathname}${url.search}` };
    }
  }

  /** Where it leads; a pod of the cluster that is named by its address, by its name. */
  private async readTarget(
    location: string,
    { base, signal }: { readonly base: string; readonly signal: AbortSignal },
  ): Promise<URL | undefined> {
    if (!URL.canParse(location, base)) return undefined;
    const url = new URL(location, base);
    const { leadsTo, nodeAt } = this.connection.route;
    const host = leadsTo(url) ? undefined : await nodeAt?.(url, signal);
    if (host === undefined) return url;
    return new URL(`${url.protocol}//${host}:${readPort(url)}${url.pathname}${url.search}`);
  }

  private elsewhere(
    { subject }: ApiCall,
    { status }: HttpAnswer,
    url: URL | undefined,
  ): EngineError {
    const { route } = this.connection;
    const where = url === undefined ? "no address" : url.origin;
    const isNode = url !== undefined && route.isNode(url);
    return new ClusterApiError(
      `the cluster's REST API ${route.address} redirects the request to ${subject} to ${where}, where it is not sent${isNode ? ": that is another node of the cluster, which leads it" : ""}`,
      { status, code: undefined, message: undefined },
      {
        hint: isNode
          ? leadingNode(url)
          : "check the address; credentials go only to hosts of the cluster",
      },
    );
  }

  /** The next node while nobody was reached: nothing can have been carried out. */
  private async callHost(
    call: ApiCall,
    to: { readonly host: string | undefined; readonly path: string },
  ): Promise<HttpAnswer | NoAnswer> {
    const { route } = this.connection;
    if (to.host !== undefined) return this.once(call, { host: to.host, path: to.path });
    const others = [route.host, ...route.alternatives].filter((host) => host !== this.host);
    let first: NoAnswer | undefined;
    for (const host of [this.host, ...others]) {
      const answer = await this.once(call, { host, path: to.path });
      if (!(answer instanceof NoAnswer) || answer.sent || isFinal(answer.cause)) {
        this.host = host;
        return answer;
      }
      first ??= answer;
    }
    return first ?? new NoAnswer("UNKNOWN", { sent: false });
  }

  private async once(
    call: ApiCall,
    { host, path }: { readonly host: string; readonly path: string },
  ): Promise<HttpAnswer | NoAnswer> {
    const { route, login, limits, clock } = this.connection;
    const { method, body, signal, onProgress } = call;
    const writes = method !== "GET";
    signal.throwIfAborted();
    setMaxListeners(0, signal);
    return exchange({
      base: route.dialed(host),
      method,
      path,
      headers: {
        host, // as the cluster calls itself (S76), whatever the port
        accept: "application/json",
        authorization: login.header,
        "user-agent": "kubectl-engine",
        ...(body && { "content-type": body.type }),
      },
      body: body?.bytes,
      // a write that dies on a kept connection has an unknown outcome
      lease: this.findAgents(host).of(undefined, writes),
      signal,
      limits,
      clock,
      onPart: (sent) => onProgress?.({ sent, of: body?.bytes.byteLength ?? 0 }),
      finishes: writes,
    });
  }

  private findAgents(host: string): Agents {
    const { route, trust } = this.connection;
    const { open } = route;
    const known = this.agents.get(host);
    if (known !== undefined) return known;
    const made = new Agents({
      tls: trust([host.replace(/:\d+$/, ""), ...route.names]),
      open: open && ((signal) => open(host, signal)),
      options: { maxSockets: connectionsAtOnce },
    });
    this.agents.set(host, made);
    return made;
  }
}

/** A JSON body with the header that it needs (S78). */
export function jsonBody(value: unknown): NonNullable<ApiCall["body"]> {
  return { bytes: Buffer.from(JSON.stringify(value)), type: "application/json" };
}

/** Pods may not be reached at all, or the API server is away: another pod is no way out. */
function isFinal(cause: unknown): boolean {
  if (cause instanceof UnavailableError) return true;
  return cause instanceof EngineError && cause.exitCode === 4;
}

/** A write that is answered with 303 was carried out, and is not sent again. */
function findLocation(
  answer: HttpAnswer | NoAnswer,
  { method }: Pick<ApiCall, "method">,
): string | undefined {
  if (answer instanceof NoAnswer) return undefined;
  const statuses = [301, 302, 307, 308, ...(method === "GET" ? [303] : [])];
  return statuses.includes(answer.status) ? answer.headers.location : undefined;
}

/** The address is right, and reaches one node alone: credentials are not sent past its certificate. */
function leadingNode(url: URL): string {
  const pod = readHost(url).split(".")[0] ?? "";
  const forwarded = /^[\d.:]+$/.test(readHost(url))
    ? ""
    : `, or forward a port of that pod (kubectl port-forward pod/${pod}) and give it with --api-url`;
  return `run again without --api-url: each node is then reached through the API server${forwarded}; behind a load balancer, have the cluster handle redirects by itself`;
}

const otherWay = "check that the cluster's pods are ready, or give another way with --api-url";
const renewal =
  "renew the cluster's certificate for its domain name, and check this machine's clock";

const restApi: Omit<Server, "address"> = {
  title: "the cluster's REST API",
  strangeIssuer: "another CA signed it",
  hints: {
    network: otherWay,
    proxy: ", or name the host in NO_PROXY",
    issuer: "give the CA that signed it with --api-ca",
    otherName: renewal,
    certificate: renewal,
    outcome: "look at the actions and the database before repeating the command",
  },
};

/** No answer: what stood in the way, and for a write whether it may have happened. */
function noAnswer(failure: NoAnswer, purpose: ApiPurpose): EngineError {
  const { cause } = failure;
  const { address } = purpose;
  if (cause instanceof EngineError) return onTheWay(cause, address);
  // the words of the far end say more than that the connection broke
  if (cause instanceof ForwardError) failure.message = cause.message;
  return explainSilence(failure, { ...restApi, address }, purpose);
}

/** The API server's own word, on the way to a pod. */
function onTheWay(cause: EngineError, address: string): EngineError {
  const { exitCode, message, hint } = cause;
  if (exitCode === exitCodes.permission || cause instanceof UnavailableError) return cause;
  return new UnavailableError(`cannot reach the cluster's REST API ${address}: ${message}`, {
    cause,
    hint: hint ?? otherWay,
  });
}
