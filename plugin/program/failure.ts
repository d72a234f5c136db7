/** A failure in words: the one place that turns an error into a message and a document. */
import { types } from "node:util";
import type { RunIdentity } from "../commands/context";
import type { ExitCode } from "../domain/errors";
import { EngineError, UsageError, exitCodes } from "../domain/errors";
import type { Finding } from "../domain/findings";
import { publicText } from "../domain/public-words";
import { escape } from "../output/escape";
import type { Palette } from "../output/style";
import { BlockedError } from "../run/engine/recorder";
import type { Event, Report } from "../run/report";

/** What was known of a run when it failed. */
export interface FailureContext {
  readonly kind: string;
  readonly run?: RunIdentity;
  readonly target?: NonNullable<Report["target"]>;
  readonly events: readonly Event[];
}

/** The way out where an error names none itself. */
const nextByCode: Readonly<Record<ExitCode, string>> = {
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
  [exitCodes.interrupted]: "run the same command again: it continues from the state of the cluster",
  [exitCodes.terminated]: "run the same command again: it continues from the state of the cluster",
};

/** The exit code of an error. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof EngineError ? error.exitCode : exitCodes.crashed;
}

/** The document of a run that threw: what was done until then, and why it ended. */
export function failureReport(error: unknown, known: FailureContext): Report {
  const code = exitCodeOf(error);
  const steps = pick(known.events, (event) => (event.type === "step" ? event.step : undefined));
  const probes = pick(known.events, (event) => (event.type === "probe" ? event.probe : undefined));
  const findings = findingsOf(error, known.events);
  return {
    apiVersion: "cli.engine.com/v1",
    kind: known.kind,
    run: known.run,
    target: known.target,
    steps: nonEmpty(steps),
    probes: nonEmpty(probes),
    findings: nonEmpty(findings),
    exit: { code, reason: [messageOf(error), ...causesOf(error)].join(": "), next: nextOf(error) },
  };
}

/** A report whose end names a way out: every end other than 0 has one, or a finding with a fix. */
export function withNext(report: Report): Report {
  const { exit, findings = [] } = report;
  if (exit.code === 0 || exit.next !== undefined || findings.length > 0) return report;
  return { ...report, exit: { ...exit, next: nextByCode[exit.code] } };
}

/** The lines for stderr: message, causes, hint; the stack only when it was asked for. */
export function renderFailure(
  error: unknown,
  { palette, debug }: { readonly palette: Palette; readonly debug: boolean },
): string {
  const problems = error instanceof UsageError ? error.problems : [messageOf(error)];
  const lines = [
    ...problems.map((problem) => `${palette.bad("error:")} ${escape(problem)}`),
    ...causesOf(error).map((cause) => `  caused by: ${escape(cause)}`),
    `  next: ${escape(nextOf(error))}`,
    ...(debug && types.isNativeError(error) ? stackOf(error).map(escape) : []),
  ];
  return `${lines.join("\n")}\n`;
}

function nextOf(error: unknown): string {
  const hint = error instanceof EngineError ? error.hint : undefined;
  return hint ?? nextByCode[exitCodeOf(error)];
}

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  const said = types.isNativeError(error) ? error.message : String(error);
  return `unexpected failure: ${publicText(said)}`;
}

/** Messages of the chain of causes; one that its successor quotes already is left out. */
function causesOf(error: unknown): readonly string[] {
  const messages: string[] = [];
  let said = types.isNativeError(error) ? error.message : "";
  let cause = types.isNativeError(error) ? error.cause : undefined;
  for (let depth = 0; types.isNativeError(cause) && depth < 10; depth += 1) {
    const message = publicText(cause.message);
    if (message !== "" && !said.includes(message)) messages.push(message);
    said = message;
    cause = cause.cause;
  }
  return messages;
}

function stackOf(error: Error): readonly string[] {
  const own = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const cause = types.isNativeError(error.cause) ? ["  caused by:", ...stackOf(error.cause)] : [];
  return [...own, ...cause];
}

/** Findings seen, those that the error brings, and one for each problem of a wrong usage. */
function findingsOf(error: unknown, events: readonly Event[]): readonly Finding[] {
  const seen = pick(events, (event) => (event.type === "finding" ? event.finding : undefined));
  const brought = error instanceof BlockedError ? error.findings : [];
  const fresh = brought.filter((finding) => !seen.includes(finding));
  return [...seen, ...fresh, ...usageFindings(error)];
}

function usageFindings(error: unknown): readonly Finding[] {
  if (!(error instanceof UsageError)) return [];
  return error.problems.map((cause) => ({
    code: error.code,
    severity: "error",
    cause,
    fix: nextOf(error),
    source: "cli",
  }));
}

function pick<T>(events: readonly Event[], of: (event: Event) => T | undefined): readonly T[] {
  return events.map(of).filter((part) => part !== undefined);
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
