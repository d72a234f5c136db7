/** Refusals and silence of an API server as errors of the contract: by status and code, never by message text. */
import { ApiError, type EngineError, PermissionError, type StatusCause } from "../../domain/errors";
import { isObject, type Json, asArray, getOwn, asString, parseJson } from "../../domain/values";
import { type Answer, oneLine, retryAfterOf } from "../http/answer";
import type { Purpose, Server } from "../http/failures";
import { noUser } from "./target";

/** Where a request went, for messages. */
export interface Place {
  readonly server: string;
  readonly clusterName: string;
  readonly userName: string;
}

/** The API server in messages about no answer at all. */
export function apiServer({ server, clusterName }: Place): Server {
  return {
    title: "the API server",
    address: server,
    strangeIssuer: "it does not fit the certificate authority",
    hints: {
      network: `check the network and the address in ${clusterName}`,
      issuer: "give the CA that signed it with --certificate-authority or in the kubeconfig",
      otherName: "name what the certificate is for with --tls-server-name, or correct --server",
      certificate: "renew the server's certificate, and check this machine's clock",
      outcome: "look at the object before repeating the command",
    },
  };
}

/** An answer that is no success. The server's own words are the message, unchanged. */
export function refusal(answer: Answer, place: Place, purpose: Purpose): EngineError {
  if (answer.status === 401) return unauthenticated(place);
  const status = statusOf(answer);
  const fallback = `the API server ${place.server} answered ${answer.status} to ${purpose.subject}`;
  const body = excerpt(answer.body);
  const details = getOwn(status, "details");
  const retryAfter = retryAfterOf(answer) ?? secondsOf(getOwn(details, "retryAfterSeconds"));
  const reason = asString(getOwn(status, "reason"));
  return new ApiError(
    asString(getOwn(status, "message")) ?? (body === "" ? fallback : `${fallback}: ${body}`),
    {
      status: answer.status,
      causes: asArray(getOwn(details, "causes")).filter(isObject).map(causeOf),
      reason,
      retryAfter,
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
function statusOf({ body }: Answer): Json | undefined {
  const parsed = parseJson(body);
  return getOwn(parsed, "kind") === "Status" && isObject(parsed) ? parsed : undefined;
}

function causeOf(cause: Json): StatusCause {
  const [reason, field, message] = ["reason", "field", "message"].map((key) =>
    asString(getOwn(cause, key)),
  );
  return { reason, field, message };
}

/** One line, no markup, and no more than fits on a screen line or two. */
function excerpt(body: string): string {
  return oneLine(body.slice(0, 4096).replaceAll(/<[^>]*>/g, " "), 200);
}

function secondsOf(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}
