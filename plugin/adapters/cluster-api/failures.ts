/** What goes wrong with a request, as errors of the contract: by status and code, never by text. */
import { ClusterApiError, ClusterApiPermissionError, parseFailure } from "../../domain/api/failure";
import { EngineError, exitCodes, UnavailableError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import { parseJson } from "../../domain/values";
import { type Answer, type NoAnswer, oneLine } from "../http/answer";
import { type Purpose, type Server, unanswered } from "../http/failures";
import { ForwardError } from "../kubernetes/port-forward";

/** What a request was for: `upgrade database 1`. */
export interface ApiPurpose extends Purpose {
  /** The address, for people. */
  readonly address: string;
  /** Published meanings of status codes, for answers without a body. */
  readonly meanings?: Readonly<Record<number, string>> | undefined;
}

const otherWay = "see that the cluster's pods are ready, or give another way with --api-url";
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
export function noAnswer(failure: NoAnswer, purpose: ApiPurpose): EngineError {
  const { cause } = failure;
  const { address } = purpose;
  if (cause instanceof EngineError) return onTheWay(cause, address);
  // the words of the far end say more than that the connection broke
  if (cause instanceof ForwardError) failure.message = cause.message;
  return unanswered(failure, { ...restApi, address }, purpose);
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
  const message =
    said.length === 0 ? what : `${what}: ${said.map((part) => oneLine(part, 300)).join(": ")}`;
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
    return `grant the user a role with the permission; for upgrades ${names.restPermission}, and see that the license is valid`;
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
