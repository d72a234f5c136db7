/** Downloads an archive over https; nothing of an address but host and path is ever shown. */
import type http from "node:http";
import https from "node:https";
import type { ConnectionOptions } from "node:tls";
import {
  EngineError,
  InputError,
  PermissionError,
  UnavailableError,
  UsageError,
} from "../../domain/errors";
import { megabytes } from "../../domain/release/archive";
import { own, text } from "../../domain/values";
import { deadline } from "../../run/ports";
import { Agents } from "../kubernetes/agents";
import { words } from "../kubernetes/failures";
import { environmentProxy } from "../kubernetes/proxy";
import { ProxyError } from "../kubernetes/tunnel";
import { shownUrl } from "./source";

/** What a download needs to know of the world, and how far it may go. */
export interface Download {
  readonly signal: AbortSignal;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env: NodeJS.ProcessEnv;
  /** What is trusted beside what node trusts by itself (NODE_EXTRA_CA_CERTS is among that). */
  readonly trust?: ConnectionOptions | undefined;
  readonly packedBytes: number;
  /** Longest time without a byte. */
  readonly silentMs: number;
}

const mostRedirects = 5;
const redirects = [301, 302, 303, 307, 308];

type Arrived = { readonly bytes: Buffer } | { readonly next: URL };

/** The bytes behind a URL, redirects followed. */
export async function download(given: URL, options: Download): Promise<Buffer> {
  const late = new AbortController();
  const signal = AbortSignal.any([options.signal, late.signal]);
  let inTime = (): void => undefined;
  const heard = (): void => {
    inTime();
    inTime = deadline({}, options.silentMs, () => {
      late.abort();
    });
  };
  let url = given;
  for (let count = 0; count <= mostRedirects; count++) {
    try {
      heard();
      const arrived = await fetchOnce(url, { ...options, signal, heard });
      if ("bytes" in arrived) return arrived.bytes;
      url = arrived.next;
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason as Error;
      throw late.signal.aborted ? silent(url, options.silentMs) : failed(url, error);
    } finally {
      inTime();
    }
  }
  throw new InputError(`${shownUrl(given)} redirects more than ${mostRedirects} times`);
}

interface Fetch extends Download {
  /** Called for everything that comes. */
  readonly heard: () => void;
}

async function fetchOnce(url: URL, options: Fetch): Promise<Arrived> {
  const base = new URL(url.origin);
  const proxy = environmentProxy(base, options.env);
  // said, for else NODE_TLS_REJECT_UNAUTHORIZED decides
  const agents = new Agents({ base, trust: { ...options.trust, rejectUnauthorized: true }, proxy });
  try {
    const response = await answered(url, agents.of(undefined, true).agent, options.signal);
    const { statusCode: status = 0, headers } = response;
    if (redirects.includes(status)) return { next: nextOf(url, headers.location) };
    if (status !== 200) throw refused(url, status);
    return { bytes: await collected(response, url, options) };
  } finally {
    agents.close();
  }
}

function answered(url: URL, agent: http.Agent, signal: AbortSignal): Promise<http.IncomingMessage> {
  const headers = {
    accept: "application/gzip, application/octet-stream, */*",
    "accept-encoding": "identity", // the digest is of the archive's own bytes
    "user-agent": "kubectl-engine",
  };
  return new Promise((resolve, reject) => {
    https.get(url, { agent, headers, signal }, resolve).on("error", reject);
  });
}

/** A login in the new address is not used: nobody gave it for that host. */
function nextOf(url: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, url.href)) {
    throw new InputError(`${shownUrl(url)} redirects without saying where to`);
  }
  const next = new URL(location, url);
  next.username = "";
  next.password = "";
  if (next.protocol === "https:") return next;
  throw new UsageError(`${shownUrl(url)} redirects to ${shownUrl(next)}: only https is followed`, {
    hint: "download the archive yourself, check it, and give the file",
  });
}

async function collected(
  response: http.IncomingMessage,
  url: URL,
  { packedBytes: limit, heard }: Fetch,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    heard();
    size += (chunk as Buffer).length;
    if (size > limit) {
      throw new InputError(`archive ${shownUrl(url)} is larger than ${megabytes(limit)}`);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function refused(url: URL, status: number): Error {
  const message = `${shownUrl(url)} answered ${status}`;
  if (status === 401 || status === 403) {
    return new PermissionError(message, {
      hint: "download the archive with a login yourself, and give the file",
    });
  }
  if (status === 429 || status >= 500) {
    return new UnavailableError(message, { hint: "try again later" });
  }
  return new UsageError(message, { hint: "check the address, and the tag in it" });
}

function silent(url: URL, silentMs: number): UnavailableError {
  return new UnavailableError(
    `${shownUrl(url)} did not arrive whole: nothing came for ${silentMs / 1000} seconds`,
    { hint: "check the network, or download the archive yourself and give the file" },
  );
}

/** An error of Node's own; those that are already ours stay. */
function failed(url: URL, error: unknown): unknown {
  if (error instanceof EngineError) return error;
  if (error instanceof ProxyError) {
    const why = words[error.message] ?? error.message;
    return new UnavailableError(
      `the proxy ${error.proxy.shown} opened no way to ${shownUrl(url)}: ${why}`,
      { cause: error.cause, hint: `check the proxy that ${error.proxy.setting} names` },
    );
  }
  const code = text(own(error, "code")) ?? "it broke off";
  return new UnavailableError(`cannot download ${shownUrl(url)}: ${words[code] ?? code}`, {
    cause: error,
    hint: /CERT|ISSUER|SIGNATURE/.test(code)
      ? "name the CA that signed the server's certificate in NODE_EXTRA_CA_CERTS"
      : "check the network and the address",
  });
}
