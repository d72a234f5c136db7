import type { ServerResponse } from "node:http";
import { plain } from "../../plugin/domain/rules/wording";
import { errorText, type Log } from "../log";
import type { Metrics } from "../metrics";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Reasons of Kubernetes for the true HTTP errors: calling errors, upon which failurePolicy decides (C13). */
const reasons = {
  400: "BadRequest",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
} as const;

type FaultCode = keyof typeof reasons;

/** A call that gets no verdict, and why. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  /** Once it is known. */
  readonly uid?: string | undefined;
}

/** The API server calls again after that, on another connection and so perhaps another replica. */
const again = { "retry-after": "1", connection: "close" };

const headersOf: Partial<Record<FaultCode, Readonly<Record<string, string>>>> = {
  // a caller with a certificate by now can show it on a new connection alone
  403: { connection: "close" },
  405: { allow: "POST" },
  413: { connection: "close" },
  429: again,
  503: again,
};

const noHeaders = {};

export function textReply(body: string): Reply {
  return { status: 200, headers: noHeaders, body };
}

/** An HTTP error whose body is a Status, so that the API server can show its message. */
export function faultReply({ code, message, uid }: Fault): Reply {
  return {
    status: code,
    headers: headersOf[code] ?? noHeaders,
    body: JSON.stringify({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason: reasons[code],
      code,
      uid,
    }),
  };
}

/** Counts and logs what a call has thrown. */
export type CrashTeller = (error: unknown) => void;

export function crashTeller(log: Log, metrics: Metrics): CrashTeller {
  return (error) => {
    metrics.panic();
    log.error(crashFields(error), "a call failed");
  };
}

/** Past Express, whose own `send` takes 8 % more of a review of 5 KB. */
export function sendReply(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** A 500, so that failurePolicy decides. */
export function answerCrash(response: ServerResponse): void {
  // its body may still be on the way, so that no other call can follow on this connection
  const headers = { connection: "close" };
  sendReply(response, { ...faultReply({ code: 500, message: "the call failed" }), headers });
}

/** A message may quote what it stumbled over: escaped and cut, and the frames without it. */
export function crashFields(crash: unknown): object {
  const frames = (crash instanceof Error ? (crash.stack ?? "") : "").match(/^ +at .*$/gm) ?? [];
  return { because: plain(errorText(crash)), frames: frames.map((frame) => frame.trim()) };
}
