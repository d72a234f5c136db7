/** Errors that end a command, and the one table of exit codes (cli contract). */
import type { Awaited } from "./awaited";
import { publicText } from "./redact";
import type { Finding } from "./findings";

/** The exit codes; `exitMeanings` says what each means. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  blocked: 3,
  permission: 4,
  conflict: 5,
  partial: 6,
  rolledBack: 7,
  rollbackIncomplete: 8,
  unavailable: 69,
  crashed: 70,
  timeout: 124,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** One of the exit codes of the contract. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What each exit code means, and the state that it leaves. */
export const exitMeanings: Readonly<Record<ExitCode, readonly [means: string, leaves: string]>> = {
  0: ["done, or already up to date", "proven"],
  1: [
    "differences exist (diff), violations exist (validate, audit), or the change failed for the cause named",
    "see the output",
  ],
  2: ["wrong usage or unreadable input; all problems are named at once", "untouched"],
  3: ["a preflight check blocks", "untouched"],
  4: ["a needed permission is missing; the Role to ask for is printed", "untouched"],
  5: ["conflict: another owner, changed since planned, another run", "as last proven"],
  6: ["partial: some namespaces or databases failed", "listed"],
  7: ["verification failed, the change was rolled back", "as before the run"],
  8: ["verification failed, the rollback is incomplete", "described, with manual steps"],
  69: ["the API server or network is unavailable", "running it again resumes"],
  70: ["the tool itself failed: run it again with --debug and report it", "see the output"],
  124: ["timed out waiting", "consistent, running it again resumes"],
  129: [
    "interrupted by SIGHUP: the terminal or the connection to it was closed",
    "described, running it again resumes",
  ],
  130: ["interrupted by SIGINT", "described, running it again resumes"],
  143: ["interrupted by SIGTERM", "described, running it again resumes"],
};

/** The way out where an error names none itself. */
export const nextByCode: Readonly<Record<ExitCode, string>> = {
  [exitCodes.ok]: "",
  [exitCodes.failed]: "remove the cause and run the same command again",
  [exitCodes.usage]: "correct the command line; --help shows every flag",
  [exitCodes.blocked]: "remove the cause and run the same command again",
  [exitCodes.permission]: "ask for the permission, or use another user with --context or --as",
  [exitCodes.conflict]: "read what has changed and run the same command again",
  [exitCodes.partial]: "run the same command again: it continues with what failed",
  [exitCodes.rolledBack]: "remove the cause and run the same command again",
  [exitCodes.rollbackIncomplete]: "follow the steps printed above",
  [exitCodes.unavailable]: "check the address and the network, then run the same command again",
  [exitCodes.crashed]: "run it again with --debug and report what it prints",
  [exitCodes.timeout]: "run the same command again: it continues from the state of the cluster",
  [exitCodes.hungUp]: "run the same command again: it continues from the state of the cluster",
  [exitCodes.interrupted]: "run the same command again: it continues from the state of the cluster",
  [exitCodes.terminated]: "run the same command again: it continues from the state of the cluster",
};

/** What an error may carry beside its message. */
export interface ErrorDetails {
  readonly cause?: unknown;
  readonly hint?: string;
}

/**
 * The base of every error that a command ends with.
 * `message`: what failed, on which object and namespace. `hint`: one imperative.
 */
export abstract class EngineError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(message: string, { hint, ...cause }: ErrorDetails = {}) {
    super(publicText(message), cause);
    this.name = new.target.name;
    this.hint = hint === undefined ? undefined : publicText(hint);
  }
}

/** Wrong usage or unreadable input; `problems` are all of them, each one line. */
export class UsageError extends EngineError {
  readonly code = "USAGE";
  readonly exitCode = exitCodes.usage;
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], details: ErrorDetails = {}) {
    const all = typeof problems === "string" ? [problems] : problems;
    super(all.join("; "), details);
    this.problems = all.map(publicText);
  }
}

/** A person answered no to a question: the run ends before that write. */
export class CancelledError extends UsageError {
  constructor(hint = "run the same command again and answer y") {
    super("cancelled; nothing was written", { hint });
  }
}

/** A file, or what stands for one, that cannot be used; each problem names it. */
export class InputError extends UsageError {
  constructor(problems: string | readonly string[], details: ErrorDetails = {}) {
    super(problems, { hint: "fix that file, or give another one, then run again", ...details });
  }
}

/** The API server or the network cannot be reached, or its certificate does not fit. */
export class UnavailableError extends EngineError {
  readonly code = "UNAVAILABLE";
  readonly exitCode = exitCodes.unavailable;
}

/** Not authenticated (401, failing exec credentials) or not allowed (403). */
export class PermissionError extends EngineError {
  readonly code = "PERMISSION";
  readonly exitCode = exitCodes.permission;
}

/** A write was sent, and neither its answer nor its effect could be seen. */
export class UnknownOutcomeError extends EngineError {
  readonly code = "OUTCOME-UNKNOWN";
  readonly exitCode = exitCodes.unavailable;
}

/** A wait ended at its deadline; the state is consistent and a re-run resumes. */
export class TimeoutError extends EngineError {
  readonly code = "TIMEOUT";
  readonly exitCode = exitCodes.timeout;
}

/** One field's cause in an API server's refusal. */
export interface StatusCause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

/** An answer of the API server that is not a success and not 401; the Status is kept as sent. */
export class ApiError extends EngineError {
  readonly code: string = "API";
  readonly exitCode: ExitCode;
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly StatusCause[];

  constructor(
    message: string,
    answer: {
      readonly status: number;
      readonly reason?: string;
      readonly causes?: readonly StatusCause[];
    },
    details: ErrorDetails = {},
  ) {
    super(message, details);
    this.status = answer.status;
    this.reason = answer.reason ?? "";
    this.causes = answer.causes ?? [];
    this.exitCode = chooseExitCode(answer.status);
  }
}

/** The exit code for an API answer that nobody handled better. */
function chooseExitCode(status: number): ExitCode {
  if (status === 403) return exitCodes.permission;
  if (status === 409) return exitCodes.conflict;
  // a redirect is the answer of a proxy that wants a login
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect || status === 429 || status >= 500) return exitCodes.unavailable;
  return exitCodes.failed;
}

/** A dry run that today's cluster cannot answer: what it depends on is only planned. Not an answer of a server. */
export class UntriedError extends EngineError {
  readonly code = "UNTRIED";
  readonly exitCode = exitCodes.blocked;
}

/** Something that nobody can read before an earlier part is done; the message names what has to come about. */
export class NotYetKnownError extends EngineError {
  readonly code = "NOT-YET-KNOWN";
  readonly exitCode = exitCodes.blocked;

  constructor(readonly until: Awaited) {
    super(until);
  }
}

/** A run that has to stop, with the findings that say why. */
export class BlockedError extends EngineError {
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly findings: readonly Finding[];

  constructor(exitCode: ExitCode, findings: readonly Finding[]) {
    const first = findings.find(({ severity }) => severity === "error") ?? findings[0];
    super(
      first === undefined ? "the run was stopped" : `${first.object ?? ""}: ${first.cause}`,
      first === undefined ? {} : { hint: first.fix },
    );
    this.code = first?.code ?? "STOPPED";
    this.exitCode = exitCode;
    this.findings = findings;
  }
}
