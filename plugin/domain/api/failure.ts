/** Answers of the REST API that are no success: their bodies, and the errors made of them (S108-S115). */
import {
  EngineError,
  type ErrorDetails,
  type ExitCode,
  exitCodes,
  PermissionError,
} from "../errors";
import type { Names } from "../names";
import { getOwn, asString } from "../values";

/** What the body of an error says: all three shapes, one of them empty (S115; domain facts 9). */
interface FailureBody {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** The code and the message of a body; both undefined where it has neither. */
export function parseFailure(body: unknown, { restErrors }: Names): FailureBody {
  return {
    code: asString(getOwn(body, restErrors.code)),
    message:
      asString(getOwn(body, restErrors.message)) ?? asString(getOwn(body, restErrors.description)),
  };
}

/** What the codes of the upgrade call mean, for an answer that says nothing itself (S109-S112). */
export const upgradeMeanings: Readonly<Record<number, string>> = {
  400: "malformed or bad command",
  404: "the database does not exist",
  406: "the capabilities of the new module version do not comply with the database configuration",
  500: "internal error",
};

/** An answer that is no success, as it came. */
interface FailedAnswer extends FailureBody {
  readonly status: number;
}

/** An answer of the REST API that is no success; judge it by `status` and `apiCode`. */
export class ClusterApiError extends EngineError {
  readonly code = "CLUSTER-API";
  readonly exitCode: ExitCode;
  readonly status: number;
  /** The server's own code, "module_exists". */
  readonly apiCode: string | undefined;

  constructor(message: string, answer: FailedAnswer, details: ErrorDetails = {}) {
    super(message, details);
    this.status = answer.status;
    this.apiCode = answer.code;
    this.exitCode = exitCodeOf(answer.status);
  }
}

/** The REST API does not accept the credentials (401), or its user may not do this (403). */
export class ClusterApiPermissionError extends PermissionError {
  readonly status: number;
  readonly apiCode: string | undefined;

  constructor(message: string, answer: FailedAnswer, details: ErrorDetails = {}) {
    super(message, details);
    this.status = answer.status;
    this.apiCode = answer.code;
  }
}

/** The exit code for an answer that nobody handled better (cli contract). */
function exitCodeOf(status: number): ExitCode {
  if (status === 409) return exitCodes.conflict;
  if (status === 400 || status === 406) return exitCodes.blocked;
  return status === 429 || status >= 500 ? exitCodes.unavailable : exitCodes.failed;
}
