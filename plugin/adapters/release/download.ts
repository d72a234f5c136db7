/** Downloads a file over https; nothing of an address but host and path is ever shown. */
import { publicValue } from "../../domain/base/redact";
import type { ConnectionOptions } from "node:tls";
import {
  InputError,
  PermissionError,
  UnavailableError,
  UsageError,
} from "../../domain/base/errors";
import { megabytes } from "../../domain/release/archive";
import { Agents } from "../http/agents";
import { type HttpAnswer, readArriving, NoAnswer } from "../http/answer";
import { exchange } from "../http/exchange";
import { isCertificateFailure, proxyFailure } from "../http/failures";
import { systemRoots } from "../http/trust";
import { ProxyError, proxyFor, tunnelTo, verifyPeer } from "../http/tunnel";

/** What a download needs to know of the world, and how far it may go. */
interface Download {
  /** What is downloaded, in a word. */
  readonly what: string;
  readonly signal: AbortSignal;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env: NodeJS.ProcessEnv;
  /** What is trusted in the place of the roots of this machine. */
  readonly trust?: ConnectionOptions | undefined;
  readonly packedBytes: number;
  /** Longest time without a byte. */
  readonly silentMs: number;
}

const mostRedirects = 5;
const redirects = [301, 302, 303, 307, 308];

/** The bytes behind a URL, redirects followed. */
export async function download(given: URL, options: Download): Promise<Buffer> {
  let url = given;
  for (let count = 0; count <= mostRedirects; count++) {
    const arrived = await fetchOnce(url, options);
    if (Buffer.isBuffer(arrived)) return arrived;
    url = arrived;
  }
  throw new InputError(`${publicValue(given.href)} redirects more than ${mostRedirects} times`);
}

/** The bytes, or the address that they are said to be at. */
async function fetchOnce(url: URL, options: Download): Promise<Buffer | URL> {
  const roots = systemRoots(options.env);
  const tls = { ...verifyPeer(roots), ...options.trust };
  const open = tunnelTo(url, proxyFor(url, options.env), () => roots);
  const agents = new Agents({ tls: () => tls, open });
  try {
    const answer = await requestOnce(url, agents, options);
    if (answer instanceof NoAnswer) throw answer;
    const { status, headers } = answer;
    if (redirects.includes(status)) return followTo(url, headers.location, options);
    if (status !== 200) throw explainRefusal(url, status, options);
    return await collectBody(answer, url, options);
  } catch (error) {
    throw error instanceof NoAnswer ? explainFailure(url, error, options) : error;
  } finally {
    agents.close();
  }
}

function requestOnce(url: URL, agents: Agents, options: Download): Promise<HttpAnswer | NoAnswer> {
  const { signal, silentMs } = options;
  return exchange({
    base: url,
    method: "GET",
    path: `${url.pathname}${url.search}`,
    headers: {
      accept: "application/gzip, application/octet-stream, */*",
      "accept-encoding": "identity", // the digest is of the archive's own bytes
      "user-agent": "kubectl-engine",
    },
    lease: agents.of(undefined, true),
    signal,
    clock: {},
    limits: { dialMs: silentMs, answerMs: silentMs },
    streams: () => true,
  });
}

/** A login in the new address is not used: nobody gave it for that host. */
function followTo(url: URL, location: string | undefined, { what }: Download): URL {
  if (location === undefined || !URL.canParse(location, url.href)) {
    throw new InputError(`${publicValue(url.href)} redirects without saying where to`);
  }
  const next = new URL(location, url);
  next.username = "";
  next.password = "";
  if (next.protocol === "https:") return next;
  throw new UsageError(
    `${publicValue(url.href)} redirects to ${publicValue(next.href)}: only https is followed`,
    {
      hint: `download the ${what} yourself, check it, and give the file`,
    },
  );
}

async function collectBody(
  answer: HttpAnswer,
  url: URL,
  { what, packedBytes: limit, silentMs, signal }: Download,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readArriving(answer, { clock: {}, silentMs, signal })) {
    size += chunk.length;
    if (size > limit) {
      throw new InputError(`${what} ${publicValue(url.href)} is larger than ${megabytes(limit)}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function explainRefusal(url: URL, status: number, { what }: Download): Error {
  const message = `${publicValue(url.href)} answered ${status}`;
  if (status === 401 || status === 403) {
    return new PermissionError(message, {
      hint: `download the ${what} with a login yourself, and give the file`,
    });
  }
  if (status === 429 || status >= 500) {
    return new UnavailableError(message, { hint: "try again later" });
  }
  return new UsageError(message, {
    hint: what === "archive" ? "check the address, and the tag in it" : "check the address",
  });
}

function explainFailure(
  url: URL,
  failure: NoAnswer,
  { what, silentMs }: Download,
): UnavailableError {
  const { cause, code, message } = failure;
  if (cause instanceof ProxyError) return proxyFailure(cause, publicValue(url.href));
  if (["DIAL_TIMEOUT", "REQUEST_TIMEOUT", "SILENT"].includes(code)) {
    return new UnavailableError(
      `${publicValue(url.href)} did not arrive whole: nothing came for ${silentMs / 1000} seconds`,
      { hint: `check the network, or download the ${what} yourself and give the file` },
    );
  }
  return new UnavailableError(`cannot download ${publicValue(url.href)}: ${message}`, {
    cause,
    hint: isCertificateFailure(failure)
      ? "name the CA that signed the server's certificate in SSL_CERT_FILE"
      : "check the network and the address",
  });
}
