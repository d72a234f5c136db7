/** Foreign failures into the errors of the contract: by status and code, never by message text. */
import {
  ApiError,
  type EngineError,
  PermissionError,
  type StatusCause,
  UnavailableError,
} from "../../domain/errors";
import { isObject, type Json, list, own, parseJson, text } from "../../domain/values";
import type { Answer, NoAnswer } from "./exchange";
import { noUser } from "./target";
import { ProxyError } from "./tunnel";

/** Where a request went, for messages. */
export interface Place {
  readonly server: string;
  readonly clusterName: string;
  readonly userName: string;
}

/** What a request was for: `apply secrets/x in namespace y`. */
export interface Purpose {
  readonly subject: string;
  /** True when the server may have changed something. */
  readonly writes: boolean;
}

/** Codes of Node's network errors in words. */
export const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name lookup failed",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  ETIMEDOUT: "the connection timed out",
  DIAL_TIMEOUT: "the connection timed out",
  REQUEST_TIMEOUT: "no answer within the request timeout",
  BODY_TOO_LONG: "the answer is too long",
  BODY_UNREADABLE: "the answer cannot be read",
};

/** What is wrong with a certificate, by code. */
export const certificateWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  CERT_REVOKED: "it was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another name",
  HOSTNAME_MISMATCH: "it is for another name",
};

/** Codes of a certificate that nobody trusted has signed. */
export const unknownIssuer = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_CHAIN_TOO_LONG",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
];

/** No answer: what stood in the way, and for a write whether it may have happened. */
export function unavailable(failure: NoAnswer, place: Place, purpose: Purpose): UnavailableError {
  const { cause } = failure;
  if (cause instanceof ProxyError) return proxyFailure(cause, place);
  const certificate = certificateFailure(failure, place);
  if (certificate !== undefined) return certificate;
  const why = words[failure.code] ?? failure.code;
  if (purpose.writes && failure.sent) {
    return new UnavailableError(
      `cannot tell whether the request to ${purpose.subject} was carried out: ` +
        `it was sent to ${place.server}, then ${why}`,
      { cause, hint: "look at the object before repeating the command" },
    );
  }
  const goal = failure.sent ? `no answer to ${purpose.subject} from` : "cannot reach";
  return new UnavailableError(`${goal} the API server ${place.server}: ${why}`, {
    cause,
    hint:
      failure.code === "REQUEST_TIMEOUT"
        ? "give more time with --request-timeout"
        : `check the network and the address in ${place.clusterName}`,
  });
}

function proxyFailure(failure: ProxyError, place: Place): UnavailableError {
  const { proxy, message } = failure;
  const why = words[message] ?? message;
  return new UnavailableError(
    `the proxy ${proxy.shown} opened no way to the API server ${place.server}: ${why}`,
    { cause: failure.cause, hint: `check the proxy that ${proxy.setting} names` },
  );
}

function certificateFailure(failure: NoAnswer, place: Place): UnavailableError | undefined {
  const { code, cause } = failure;
  const known = certificateWords[code];
  if (known === undefined && !unknownIssuer.includes(code)) return undefined;
  const why = known ?? "it does not fit the certificate authority";
  return new UnavailableError(
    `the certificate of the API server ${place.server} is not accepted: ${why} (${code})`,
    { cause, hint: certificateHint(code) },
  );
}

function certificateHint(code: string): string {
  if (unknownIssuer.includes(code)) {
    return "give the CA that signed it with --certificate-authority or in the kubeconfig";
  }
  if (certificateWords[code] === "it is for another name") {
    return "name what the certificate is for with --tls-server-name, or correct --server";
  }
  return "have the server's certificate renewed, and check this machine's clock";
}

/** An answer that is no success. The server's own words are the message, unchanged. */
export function refusal(answer: Answer, place: Place, purpose: Purpose): EngineError {
  if (answer.status === 401) return unauthenticated(place);
  const status = statusOf(answer);
  const fallback = `the API server ${place.server} answered ${answer.status} to ${purpose.subject}`;
  const body = excerpt(answer.body);
  const details = own(status, "details");
  const retryAfter = retryAfterOf(answer) ?? secondsOf(own(details, "retryAfterSeconds"));
  const reason = text(own(status, "reason"));
  return new ApiError(
    text(own(status, "message")) ?? (body === "" ? fallback : `${fallback}: ${body}`),
    {
      status: answer.status,
      causes: list(own(details, "causes")).filter(isObject).map(causeOf),
      ...(reason !== undefined && { reason }),
      ...(retryAfter !== undefined && { retryAfter }),
    },
    status === undefined ? { hint: `check that ${place.server} is a Kubernetes API server` } : {},
  );
}

function unauthenticated({ server, userName }: Place): PermissionError {
  const who = userName === noUser ? "a request without" : "the";
  const whose = userName === noUser ? "" : ` of ${userName}`;
  return new PermissionError(
    `the API server ${server} does not accept ${who} credentials${whose} (401)`,
    {
      hint: "log in again, or choose another login with --context, --user or --token",
    },
  );
}

/** The Status object of an answer, undefined when it holds something else. */
export function statusOf({ body }: Answer): Json | undefined {
  const parsed = parseJson(body);
  return own(parsed, "kind") === "Status" && isObject(parsed) ? parsed : undefined;
}

function causeOf(cause: Json): StatusCause {
  const reason = text(own(cause, "reason"));
  const field = text(own(cause, "field"));
  const message = text(own(cause, "message"));
  return {
    ...(reason !== undefined && { reason }),
    ...(field !== undefined && { field }),
    ...(message !== undefined && { message }),
  };
}

/** One line, no markup, and no more than fits on a screen line or two. */
function excerpt(body: string): string {
  const line = body
    .slice(0, 4096)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Seconds of the Retry-After header; its date form is not used by API servers. */
export function retryAfterOf({ headers }: Answer): number | undefined {
  const value = headers["retry-after"];
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}

function secondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
