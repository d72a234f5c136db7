/** Failures of the cluster's REST API. */
import type { Finding } from "../base/findings";
import {
  EngineError,
  type ErrorDetails,
  type ExitCode,
  exitCodes,
  PermissionError,
} from "../base/errors";

/** What the body of an error says: all three shapes, one of them empty (S115; domain facts 9). */
export interface FailureBody {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

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
  /** What the cluster lacks, where the answer says so. */
  readonly finding: Finding | undefined;

  constructor(
    message: string,
    answer: FailedAnswer,
    { finding, ...details }: ErrorDetails & { readonly finding?: Finding | undefined } = {},
  ) {
    super(message, details);
    this.status = answer.status;
    this.apiCode = answer.code;
    this.finding = finding;
    this.exitCode =
      finding === undefined || answer.status >= 500
        ? chooseExitCode(answer.status)
        : exitCodes.blocked;
  }
}

/** The REST API does not accept the credentials (401), or its user may not do this (403). */
export class ClusterApiPermissionError extends PermissionError {
  readonly status: number;
  readonly apiCode: string | undefined;
  /** Of a login that was refused: nothing is asked after it. */
  readonly finding: Finding | undefined;

  constructor(
    message: string,
    answer: FailedAnswer,
    { finding, ...details }: ErrorDetails & { readonly finding?: Finding | undefined } = {},
  ) {
    super(message, details);
    this.status = answer.status;
    this.apiCode = answer.code;
    this.finding = finding;
  }
}

/** What an answer of the REST API, no success, is about: a login, or what the cluster lacks. */
export function apiFinding(thrown: unknown): Finding | undefined {
  return thrown instanceof ClusterApiError || thrown instanceof ClusterApiPermissionError
    ? thrown.finding
    : undefined;
}

/** The exit code for an answer that nobody handled better (cli contract). */
function chooseExitCode(status: number): ExitCode {
  if (status === 409) return exitCodes.conflict;
  if (status === 400 || status === 406) return exitCodes.blocked;
  // 303 says that a write was carried out: its answer is elsewhere
  const isRedirect = [301, 302, 307, 308].includes(status);
  return isRedirect || status === 429 || status >= 500 ? exitCodes.unavailable : exitCodes.failed;
}
