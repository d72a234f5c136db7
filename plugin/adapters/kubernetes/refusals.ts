/** Answers of an API server that are no success, or not its own: what each says, and the way out that follows from it. */
import {
  ApiError,
  type EngineError,
  PermissionError,
  type StatusCause,
} from "../../domain/base/errors";
import { publicValue } from "../../domain/base/redact";
import {
  asArray,
  asString,
  getOwn,
  isObject,
  type Json,
  parseJson,
} from "../../domain/base/values";
import { describeRetryAfter, type HttpAnswer, oneLine } from "../http/answer";
import type { Purpose, Server } from "../http/failures";
import { noUser } from "./target";

/** Where a request went, for messages. */
export interface RequestContext {
  readonly server: string;
  readonly clusterName: string;
  readonly userName: string;
}

/** The API server in messages about no answer at all. */
export function apiServer({ server, clusterName }: RequestContext): Server {
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
export function refusal(answer: HttpAnswer, place: RequestContext, purpose: Purpose): EngineError {
  if (answer.status === 401) return refuseLogin(place);
  const redirected = explainRedirect(answer, place, purpose);
  if (redirected !== undefined) return redirected;
  const status = parseStatus(answer);
  if (answer.status === 429) return explainBusy(answer, place, { ...purpose, status });
  const fallback = `the API server ${place.server} answered ${answer.status} to ${purpose.subject}`;
  const body = excerpt(answer.body);
  const details = getOwn(status, "details");
  const reason = asString(getOwn(status, "reason"));
  return new ApiError(
    asString(getOwn(status, "message")) ?? (body === "" ? fallback : `${fallback}: ${body}`),
    {
      status: answer.status,
      causes: asArray(getOwn(details, "causes")).filter(isObject).map(readCause),
      reason,
    },
    chooseHint(answer, place, status),
  );
}

function chooseHint(
  answer: HttpAnswer,
  place: RequestContext,
  status: Json | undefined,
): { readonly hint?: string } {
  if (status === undefined) return { hint: hintOfStranger(answer, place) };
  // The address is right where the API server itself answers.
  return answer.status < 500
    ? {}
    : {
        hint: "run the same command again; kubectl get --raw '/readyz?verbose' shows what the API server lacks",
      };
}

function hintOfStranger(answer: HttpAnswer, place: RequestContext): string {
  // 511 is what a network answers that wants a login of its own
  // A page with 404 comes from a server that has other paths: the address is wrong, and no login helps.
  const asksForLogin = answer.status === 511 || (isPage(answer) && answer.status !== 404);
  if (asksForLogin) return hintOfPage(place);
  return `check that ${place.server} is a Kubernetes API server`;
}

/** An API server redirects nobody: a proxy wants a login. Credentials are not sent to where it points. */
function explainRedirect(
  { status, headers: { location } }: HttpAnswer,
  { server, clusterName }: RequestContext,
  { subject }: Purpose,
): ApiError | undefined {
  if (status < 300 || status > 399) return undefined;
  const url =
    location !== undefined && URL.canParse(location, server)
      ? new URL(location, server)
      : undefined;
  const where = url === undefined ? "without saying where to" : `to ${publicValue(url.href)}`;
  return new ApiError(
    `the API server ${server} redirects the request to ${subject} ${where} (${status}), and it is not sent there`,
    { status },
    {
      hint:
        url === undefined
          ? `check the address in ${clusterName}`
          : `log in at ${url.host} first, then run the same command again; else check the address in ${clusterName}`,
    },
  );
}

function explainBusy(
  answer: HttpAnswer,
  { server }: RequestContext,
  { subject, status }: Purpose & { readonly status: Json | undefined },
): ApiError {
  const said = asString(getOwn(status, "message")) ?? excerpt(answer.body);
  const when = describeRetryAfter(answer);
  const asks = when === undefined ? "" : `; it asks to come back ${when}`;
  return new ApiError(
    `the API server ${server} is busy (429 Too Many Requests to ${subject})${said === "" ? "" : `: ${said}`}${asks}`,
    { status: answer.status, reason: asString(getOwn(status, "reason")) },
    { hint: `run the same command again${when === undefined ? "" : ` ${when}`}` },
  );
}

function refuseLogin({ server, userName }: RequestContext): PermissionError {
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
function parseStatus({ body }: HttpAnswer): Json | undefined {
  const parsed = parseJson(body);
  return getOwn(parsed, "kind") === "Status" && isObject(parsed) ? parsed : undefined;
}

function readCause(cause: Json): StatusCause {
  const [reason, field, message] = ["reason", "field", "message"].map((key) =>
    asString(getOwn(cause, key)),
  );
  return { reason, field, message };
}

/** One line, no markup, and no more than fits on a screen line or two. */
export function excerpt(body: string): string {
  return oneLine(body.slice(0, 4096).replaceAll(/<[^>]*>/g, " "), 200);
}

/** A page of markup: no API server gave that answer. */
export function isPage({ headers }: HttpAnswer): boolean {
  return (headers["content-type"] ?? "").startsWith("text/html");
}

/** A proxy or a portal has answered in the API server's place. */
export function hintOfPage({ clusterName }: RequestContext): string {
  return `log in at the proxy or portal in front of the API server, then run the same command again; else check the address in ${clusterName}`;
}
