/** A `fetch` over the one exchange, for libraries that bring a protocol of their own. */
import type { OutgoingHttpHeaders } from "node:http";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../ports/kubernetes";
import { Agents } from "./agents";
import { type HttpAnswer, NoAnswer, Repeats } from "./answer";
import { exchange, type Limits } from "./exchange";
import { proxyFor, tunnelTo } from "./tunnel";

/** What all requests have in common. */
interface Fetching {
  readonly tls: ConnectionOptions;
  /** What an https proxy's certificate has to fit. */
  readonly proxyRoots: string | undefined;
  /** For the proxy. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** A request as such libraries describe it. */
interface Fetched {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A form is the only one that is sent. */
  readonly body?: unknown;
}

/** Each request over a connection of its own; redirects are answers; rejects with a NoAnswer. */
export function fetchOver(options: Fetching): (url: string, wanted: Fetched) => Promise<Response> {
  return async (url, wanted) => {
    const { clock, limits } = options;
    const writes = wanted.method !== "GET";
    const repeats = new Repeats({ writes, clock, limitMs: limits.answerMs });
    for (;;) {
      const answer = await once(new URL(url), wanted, options);
      const pause = repeats.pauseAfter(answer);
      if (pause !== undefined) await clock.sleep(pause, options.signal);
      else if (answer instanceof NoAnswer) throw answer;
      else return toResponse(answer);
    }
  };
}

async function once(
  url: URL,
  { method, headers, body }: Fetched,
  { tls, proxyRoots, env, clock, limits, signal }: Fetching,
): Promise<HttpAnswer | NoAnswer> {
  const secure = url.protocol === "https:";
  const open = tunnelTo(url, proxyFor(url, env), () => proxyRoots);
  const agents = new Agents({ tls: secure ? () => tls : undefined, open });
  const sent: OutgoingHttpHeaders = { ...headers, "user-agent": "kubectl-engine" };
  try {
    return await exchange({
      base: url,
      method,
      path: `${url.pathname}${url.search}`,
      headers: sent,
      body: body instanceof URLSearchParams ? body.toString() : undefined,
      lease: agents.of(undefined, true),
      signal,
      clock,
      limits,
    });
  } finally {
    agents.close();
  }
}

/** Statuses whose answers have no body by definition. */
const bodiless = [204, 205, 304];

function toResponse({ status, headers, body }: HttpAnswer): Response {
  const type = headers["content-type"];
  return new Response(bodiless.includes(status) ? null : body, {
    status,
    headers: type === undefined ? {} : { "content-type": type },
  });
}
