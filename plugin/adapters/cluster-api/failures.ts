/** What goes wrong with a request, as errors of the contract: by status and code, never by text. */
import { ClusterApiError, ClusterApiPermissionError, parseFailure } from "../../domain/api/failure";
import { EngineError, exitCodes, UnavailableError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import type { Answer, NoAnswer } from "../kubernetes/exchange";
import { certificateWords, unknownIssuer, words } from "../kubernetes/failures";
import { ForwardError } from "../kubernetes/port-forward";
import { ProxyError } from "../kubernetes/tunnel";
import { parseJson } from "../../domain/values";

/** What a request was for: `upgrade database 1`. */
export interface ApiPurpose {
  /** The address, for people. */
  readonly address: string;
  readonly subject: string;
  readonly writes: boolean;
  /** Published meanings of status codes, for answers without a body. */
  readonly meanings?: Readonly<Record<number, string>> | undefined;
}

/** No answer: what stood in the way, and for a write whether it may have happened. */
export function unanswered(failure: NoAnswer, purpose: ApiPurpose): EngineError {
  const { cause, code, sent } = failure;
  const { address, subject, writes } = purpose;
  if (cause instanceof EngineError) return onTheWay(cause, address);
  const certificate = certificateFailure(failure, address);
  if (certificate !== undefined) return certificate;
  if (cause instanceof ProxyError) return proxyFailure(cause, address);
  const why = cause instanceof ForwardError ? cause.message : (words[code] ?? code);
  if (writes && sent) {
    return new UnavailableError(
      `cannot tell whether the request to ${subject} was carried out: it was sent to ${address}, then ${why}`,
      { cause, hint: "look at the actions and the database before repeating the command" },
    );
  }
  const goal = sent ? `no answer to ${subject} from` : "cannot reach";
  return new UnavailableError(`${goal} the cluster's REST API ${address}: ${why}`, {
    cause,
    hint:
      code === "REQUEST_TIMEOUT"
        ? "give more time with --request-timeout"
        : "see that the cluster's pods are ready, or give another way with --api-url",
  });
}

/** The API server's own word, on the way to a pod. */
function onTheWay(cause: EngineError, address: string): EngineError {
  const { exitCode, message, hint } = cause;
  if (exitCode === exitCodes.permission || cause instanceof UnavailableError) return cause;
  return new UnavailableError(`cannot reach the cluster's REST API ${address}: ${message}`, {
    cause,
    hint: hint ?? "see that the cluster's pods are ready, or give another way with --api-url",
  });
}

function proxyFailure({ proxy, message, cause }: ProxyError, address: string): UnavailableError {
  const why = words[message] ?? message;
  return new UnavailableError(
    `the proxy ${proxy.shown} opened no way to the cluster's REST API ${address}: ${why}`,
    { cause, hint: `check the proxy that ${proxy.setting} names, or name the host in NO_PROXY` },
  );
}

function certificateFailure(
  { code, cause }: NoAnswer,
  address: string,
): UnavailableError | undefined {
  const unknown = unknownIssuer.includes(code);
  const why = certificateWords[code] ?? (unknown ? "another CA signed it" : undefined);
  if (why === undefined) return undefined;
  return new UnavailableError(
    `the certificate of the cluster's REST API ${address} is not accepted: ${why} (${code})`,
    {
      cause,
      hint: unknown
        ? "give the CA that signed it with --api-ca"
        : "have the cluster's certificate renewed for its domain name, and check this machine's clock",
    },
  );
}

/** An answer that is no success; `conceal` takes out what must not be shown. */
export function refused(
  answer: Answer,
  purpose: ApiPurpose,
  { names, conceal }: { readonly names: Names; readonly conceal: (text: string) => string },
): ClusterApiError | ClusterApiPermissionError {
  const body = parseFailure(parseJson(answer.body), names);
  const { status } = answer;
  const { address, subject, meanings = {} } = purpose;
  const parts = [body.code, body.message].filter((part) => part !== undefined).map(conceal);
  const said = parts.length > 0 ? parts : [meanings[status]].filter((part) => part !== undefined);
  const what = `the cluster's REST API ${address} answered ${status} to the request to ${subject}`;
  const message = said.length === 0 ? what : `${what}: ${said.map(oneLine).join(": ")}`;
  const failed = { status, ...body };
  if (status !== 401 && status !== 403) {
    return new ClusterApiError(message, failed, { hint: hintOf(status) });
  }
  return new ClusterApiPermissionError(message, failed, {
    hint:
      status === 401
        ? "give the Secret with the credentials that are valid with --api-credentials-secret"
        : permissionHint(body.code, names),
  });
}

function permissionHint(code: string | undefined, { restErrors, ...names }: Names): string {
  if (code !== restErrors.uploadDisabled) {
    return `let the user have a role with the permission, for upgrades ${names.restPermission}, and see that the license is valid`;
  }
  const { allowModulesUpload } = names.clusterFields;
  return `switch uploads on with PUT ${names.restPaths.cluster} {"${allowModulesUpload}": true}, and off again afterwards`;
}

function hintOf(status: number): string {
  if (status === 404) return "list what there is, and correct the name or the uid";
  if (status === 406) {
    return "see the builds with kubectl engine modules list, and install one that can do what the database is set to, or change the database";
  }
  if (status === 409) return "wait until what is under way has ended, then run the command again";
  if (status >= 500 || status === 429)
    return "see the cluster's health, then run the command again";
  return "correct what the answer names";
}

/** One line that fits on a screen line or two. */
function oneLine(text: string): string {
  const line = text
    .slice(0, 4096)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
