/** Answers of the REST API that are no success: what each says, and the way out that follows from it. */
import { ClusterApiError, ClusterApiPermissionError } from "../../domain/rest-api/errors";
import { loginFinding } from "../../domain/rest-api/login";
import { parseFailure } from "../../domain/rest-api/modules";
import { troubleFinding, troubleIn } from "../../domain/rest-api/troubles";
import type { Names } from "../../domain/names/names";
import { parseJson } from "../../domain/base/values";
import { type HttpAnswer, oneLine } from "../http/answer";
import type { Purpose } from "../http/failures";
import type { Login } from "./login";

/** What a request was for: `upgrade database 1`. */
export interface ApiPurpose extends Purpose {
  /** The address, for people. */
  readonly address: string;
  /** Published meanings of status codes, for answers without a body. */
  readonly meanings?: Readonly<Record<number, string>> | undefined;
}

/** An answer that is no success; `conceal` takes out what must not be shown. */
export function explainRefusal(
  answer: HttpAnswer,
  purpose: ApiPurpose,
  { names, login }: { readonly names: Names; readonly login: Login },
): ClusterApiError | ClusterApiPermissionError {
  const body = parseFailure(parseJson(answer.body), names);
  const { status } = answer;
  const { address, subject, meanings = {} } = purpose;
  const parts = [body.code, body.message]
    .filter((part) => part !== undefined)
    .map((part) => login.conceal(part));
  const said = parts.length > 0 ? parts : [meanings[status]].filter((part) => part !== undefined);
  const what = `the cluster's REST API ${address} answered ${status} to the request to ${subject}`;
  const message =
    said.length === 0 ? what : `${what}: ${said.map((part) => oneLine(part, 300)).join(": ")}`;
  const failed = { status, ...body };
  const trouble = status === 401 ? undefined : troubleIn(body, names);
  if (trouble !== undefined) {
    const finding = troubleFinding(trouble, { cause: message }, names);
    return new ClusterApiError(message, failed, { hint: finding.fix, finding });
  }
  if (status !== 401 && status !== 403) {
    return new ClusterApiError(message, failed, { hint: chooseHint(status, body.code, names) });
  }
  if (status === 403) {
    return new ClusterApiPermissionError(message, failed, {
      hint: permissionHint(body.code, names),
    });
  }
  const finding = loginFinding("refused", {
    object: login.secret,
    cause: `the cluster's REST API ${address} refuses the user name and password of ${login.secret}: each try counts towards the lock of the account, which the operator itself uses`,
  });
  return new ClusterApiPermissionError(message, failed, { hint: finding.fix, finding });
}

function permissionHint(code: string | undefined, { restErrors, ...names }: Names): string {
  if (code !== restErrors.uploadDisabled) {
    return `grant the user a role with the permission; for upgrades ${names.restPermission}, and check that the license is valid`;
  }
  const { allowModulesUpload } = names.clusterFields;
  return `switch uploads on with PUT ${names.restPaths.cluster} {"${allowModulesUpload}": true}, and off again afterwards`;
}

function chooseHint(status: number, code: string | undefined, { restErrors }: Names): string {
  const { missingModule, moduleCapabilities } = restErrors;
  if (status === 404) return "list what there is, and correct the name or the uid";
  // without a code, this status is published for the modules of the call
  if (status === 406 && [undefined, missingModule, moduleCapabilities].includes(code)) {
    return "see the builds with kubectl engine modules list, and install one that can do what the database is set to, or change the database";
  }
  if (status === 409) return "wait until the current action has ended, then run the command again";
  if (status === 429) return "it is busy: run the same command again";
  if (status >= 500) return "see the cluster's health, then run the command again";
  return "correct what the answer names";
}
