/** Runs a judged command line, and prints its end: exactly one document, whatever happens. */
import { explainMistakes } from "./mistakes";
import {
  AbandonedError,
  type GlobalOptions,
  InterruptedError,
  OutputClosedError,
  type RunIdentity,
} from "../cmdutil/context";
import {
  EngineError,
  type ExitCode,
  exitCodes,
  InputError,
  nextByCode,
  UsageError,
  BlockedError,
  CancelledError,
} from "../domain/base/errors";
import { createReporter, type ReporterWish, type TalkingReporter } from "../output/reporter";
import { escape, isTerminal, palette, type Palette, wantsColor } from "../output/escape";
import { fitText, readWidth } from "../domain/base/fit";
import { describeEnd, isDiff } from "../output/text";
import { openRun, type OpenRun, type HostProcess } from "./context";
import type { CommandEntry, LoadedCommand, PreparedCommand } from "../cmdutil/entry";
import type { Placed } from "./operator-namespace";
import { askForRoles, requestRole } from "../kernel/permissions";
import type { Event, Report } from "../kernel/report";
import type { Result } from "../domain/kube/planned-write";
import { types } from "node:util";
import type { Finding } from "../domain/base/findings";
import { publicText } from "../domain/base/redact";

/** A command line whose flags were judged; `entry` is absent when no command was recognized. */
export interface CommandLine {
  readonly options: GlobalOptions;
  /** What -o asks for, its template compiled. */
  readonly form: ReporterWish["output"];
  readonly problems: readonly string[];
  /** What stands against the names file. */
  readonly fileProblems?: readonly string[];
  readonly warnings?: readonly string[];
  readonly entry?: CommandEntry;
  readonly prepared?: PreparedCommand;
  readonly args: readonly string[];
  /** For a command that works in the operator's namespace. */
  readonly placed?: Omit<Placed, "words">;
}

/** Runs the line; every failure ends as a message, a document and an exit code. */
export async function run(line: CommandLine, world: HostProcess): Promise<ExitCode> {
  const { env, streams } = world;
  const { out, err } = streams;
  const reporter = await createReporter({ ...line.options, output: line.form, out, err, env });
  const { placed, prepared } = line;
  const opened = openRun(world, line.options, { reporter, placed, raw: prepared?.raw });
  const isWatch = prepared?.watches === true;
  const tell = (): void => {
    if (!isWatch && world.signal.reason instanceof InterruptedError) err.write(interruptedText);
  };
  world.signal.addEventListener("abort", tell);
  if (isWatch) world.watches?.();
  try {
    for (const text of line.warnings ?? []) reporter.event({ type: "warning", text });
    const command = await load(line);
    const ended = await Promise.race([command.run(opened.context, line.args), world.crashed]);
    const report = await signReport(withNext(await withRoles(ended, opened)), {
      line,
      world,
      opened,
    });
    if (isCancelled(line, opened)) return await endCancelled(report, { line, world, reporter });
    reporter.end(report, await withContents(report, command));
    const isOver = isWatch && world.signal.aborted;
    if (report.exit.code !== 0 && !isOver) sayWhy(report, { line, world });
    return await writePage(report, { line, world });
  } catch (thrown) {
    return await fail(explainSignal(thrown, opened), { line, world, reporter, opened });
  } finally {
    world.signal.removeEventListener("abort", tell);
    opened.close();
  }
}

const interruptedText =
  "\ninterrupted: a write in flight is finished first; a second signal ends at once\n";

function load({
  entry,
  problems,
  fileProblems = [],
  prepared,
}: CommandLine): Promise<LoadedCommand> {
  const all = [...problems, ...fileProblems];
  if (problems.length === 0 && all.length > 0) return Promise.reject(new InputError(all));
  if (all.length > 0 || prepared === undefined) return Promise.reject(explainMistakes(all, entry));
  return prepared.load();
}

/** The text of a report whose writes tell what they change begins with that. */
async function withContents(
  { steps = [] }: Report,
  { text }: LoadedCommand,
): Promise<LoadedCommand["text"]> {
  if (steps.every(({ write }) => write?.states === undefined)) return text;
  return (await import("../output/hunks.ts")).withHunks(text);
}

/** After a signal, an aborted request's own error says nothing: the signal was the cause. */
function explainSignal(thrown: unknown, { context: { signal }, open }: OpenRun): unknown {
  if (thrown instanceof AbandonedError) return thrown.abandon(open());
  return signal.aborted && !(thrown instanceof EngineError) ? signal.reason : thrown;
}

interface RunContext {
  readonly line: CommandLine;
  readonly world: HostProcess;
  readonly reporter: TalkingReporter;
  readonly opened: OpenRun;
}

/** Text shows a document only when there is something in it that stderr does not say. */
async function fail(
  thrown: unknown,
  { line, world, reporter, opened }: RunContext,
): Promise<ExitCode> {
  const { withCommands } = await import("../cmdutil/kubectl-command.ts");
  if (thrown instanceof CancelledError) opened.context.cancelled?.();
  const error = settleCancelled(thrown, opened);
  const failed = await withRoles(
    failureReport(error, describeFailureContext(line, opened)),
    opened,
  );
  const said = withCommands(failed, opened.resolved(), {});
  const report = await signReport(said, { line, world, opened });
  reporter.rest();
  if (error instanceof OutputClosedError) return await writePage(report, { line, world });
  if (isCancelled(line, opened)) return await endCancelled(report, { line, world, reporter });
  if (line.options.output !== "text" || hasContents(report)) reporter.end(report);
  if (line.prepared?.watches === true && error instanceof InterruptedError) {
    return await writePage(report, { line, world });
  }
  sayError(error, report, { line, world });
  return await writePage(report, { line, world });
}

/** What the report shows with its findings or its Role is not said in full again. */
function sayError(
  error: unknown,
  report: Report,
  { line, world }: Pick<RunContext, "line" | "world">,
): void {
  const { output, debug } = line.options;
  const isShown = output === "text" && report.permissions !== undefined;
  if (error instanceof BlockedError || isShown) {
    sayWhy(report, { line, world });
    return;
  }
  const text = renderFailure(error, { palette: colors(line.options, world), debug });
  world.streams.err.write(fitText(text, readWidth(world.streams.err)));
}

/** Whether it says more than why it ended. */
function hasContents({ steps, probes, permissions, findings = [] }: Report): boolean {
  const done = [steps, probes, permissions].some((part) => part !== undefined);
  return done || findings.some(({ code }) => code !== "USAGE");
}

/** Whether a person said no before anything was written: what was read for the question is not shown then. */
function isCancelled({ options }: CommandLine, opened: OpenRun): boolean {
  return options.output === "text" && opened.isCancelled() && !hasWritten(opened.events);
}

async function endCancelled(
  report: Report,
  { line, world, reporter }: Pick<RunContext, "line" | "world" | "reporter">,
): Promise<ExitCode> {
  reporter.rest();
  world.streams.err.write("Cancelled; nothing was written.\n");
  return await writePage(report, { line, world });
}

/** A no that comes after a write claims nothing of it. */
function settleCancelled(error: unknown, { events }: OpenRun): unknown {
  if (!(error instanceof CancelledError) || !hasWritten(events)) return error;
  return new UsageError("cancelled; what was written before stays as shown", { hint: error.hint });
}

function hasWritten(events: readonly Event[]): boolean {
  const written: readonly Result[] = ["created", "changed", "deleted"];
  return events.some((event) => event.type === "step" && written.includes(event.step.result));
}

/** Who ran it is asked where a page tells it. */
async function signReport(
  report: Report,
  { line, ...of }: Pick<RunContext, "line" | "world" | "opened">,
): Promise<Report> {
  if (line.options.report === undefined) return report;
  return (await import("./page.ts")).withOrigin(report, line, of);
}

/** Writes the page of the run where one is asked for; a run that went well and has none has failed. */
async function writePage(
  report: Report,
  { line: { options }, world }: Pick<RunContext, "line" | "world">,
): Promise<ExitCode> {
  const { code } = report.exit;
  if (options.report === undefined) return code;
  try {
    await (await import("./page.ts")).writePage(options.report, report);
    return code;
  } catch (error) {
    const { debug } = options;
    world.streams.err.write(renderFailure(error, { palette: colors(options, world), debug }));
    return code === exitCodes.ok ? exitCodes.failed : code;
  }
}

/** An end for want of a permission names the Roles to ask for; what cannot be found out is left out. */
async function withRoles(report: Report, opened: OpenRun): Promise<Report> {
  const cluster = opened.cluster();
  const { needs } = opened;
  const { exit, permissions } = report;
  if (exit.code !== exitCodes.permission || permissions !== undefined || !cluster) return report;
  try {
    const missing = await opened.missing();
    if (missing.length === 0) return report;
    const yaml = (await import("../adapters/kubernetes/text/yaml.ts")).renderCompactly;
    const asked = await requestRole({ cluster, yaml, needs }, missing);
    return { ...report, permissions: asked, exit: { ...exit, next: askForRoles } };
  } catch {
    return report;
  }
}

function describeFailureContext({ entry }: CommandLine, opened: OpenRun): FailureContext {
  const cluster = opened.cluster();
  return {
    kind: entry?.kind ?? "Usage",
    run: entry?.cluster === true ? opened.context.run : undefined,
    target: cluster && { server: cluster.server, namespace: cluster.namespace },
    events: opened.events,
  };
}

/** A run that ended otherwise than wished says so on stderr too, unless stdout is on the screen. */
function sayWhy(
  report: Report,
  { line: { options }, world }: Pick<RunContext, "line" | "world">,
): void {
  if (options.output === "text" && isTerminal(world.streams.out)) return;
  // differences are the result of a diff, as of kubectl diff
  if (isDiff(report)) return;
  // findings are part of the talk, permissions of the text alone
  const isSilent = options.quiet || report.permissions !== undefined;
  const untold = isSilent && options.output !== "text";
  const said = new ReturnedFailure(report, untold ? report.exit : describeEnd(report));
  const text = renderFailure(said, { palette: colors(options, world), debug: false });
  world.streams.err.write(fitText(text, readWidth(world.streams.err)));
}

/** The end of a report, in the form that failures are printed from. */
class ReturnedFailure extends EngineError {
  readonly code = "ENDED";
  readonly exitCode: ExitCode;

  constructor({ exit, findings = [] }: Report, { reason }: Pick<Report["exit"], "reason">) {
    const hint = exit.next ?? findings.find(({ severity }) => severity === "error")?.fix;
    super(reason, hint === undefined ? {} : { hint });
    this.exitCode = exit.code;
  }
}

function colors({ color }: GlobalOptions, { streams, env }: HostProcess) {
  return palette(wantsColor({ color, env, terminal: isTerminal(streams.err) }));
}

/** What was known of a run when it failed. */
interface FailureContext {
  readonly kind: string;
  readonly run?: RunIdentity;
  readonly target?: NonNullable<Report["target"]>;
  readonly events: readonly Event[];
}

/** The exit code of an error. */
function findExitCode(error: unknown): ExitCode {
  return error instanceof EngineError ? error.exitCode : exitCodes.crashed;
}

/** The document of a run that threw: what was done until then, and why it ended. */
function failureReport(error: unknown, known: FailureContext): Report {
  const code = findExitCode(error);
  const steps = pick(known.events, (event) => (event.type === "step" ? event.step : undefined));
  const probes = pick(known.events, (event) => (event.type === "probe" ? event.probe : undefined));
  const findings = collectFindings(error, known.events);
  return {
    apiVersion: "cli.engine.com/v1",
    kind: known.kind,
    run: known.run,
    target: known.target,
    steps: nonEmpty(steps),
    probes: nonEmpty(probes),
    findings: nonEmpty(findings),
    exit: {
      code,
      reason: [renderMessage(error), ...listCauses(error)].join(": "),
      next: findNext(error),
    },
  };
}

/** A report whose end names a way out: every end other than 0 has one, or a finding with a fix. */
function withNext(report: Report): Report {
  const { exit, findings = [] } = report;
  if (exit.code === 0 || exit.next !== undefined || findings.length > 0) return report;
  return { ...report, exit: { ...exit, next: nextByCode[exit.code] } };
}

/** The lines for stderr: message, causes, hint; the stack only when it was asked for. */
function renderFailure(
  error: unknown,
  { palette, debug }: { readonly palette: Palette; readonly debug: boolean },
): string {
  const problems = error instanceof UsageError ? error.problems : [renderMessage(error)];
  const lines = [
    ...problems.map((problem) => `${palette.bad("error:")} ${escape(problem)}`),
    ...listCauses(error).map((cause) => `  caused by: ${escape(cause)}`),
    `  next: ${escape(findNext(error))}`,
    ...(debug && types.isNativeError(error) ? listStack(error).map(escape) : []),
  ];
  return `${lines.join("\n")}\n`;
}

function findNext(error: unknown): string {
  const hint = error instanceof EngineError ? error.hint : undefined;
  return hint ?? nextByCode[findExitCode(error)];
}

function renderMessage(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  const said = types.isNativeError(error) ? error.message : String(error);
  return `unexpected failure: ${publicText(said)}`;
}

/** Messages of the chain of causes; one that its successor quotes already is left out. */
function listCauses(error: unknown): readonly string[] {
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

function listStack(error: Error): readonly string[] {
  const own = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const cause = types.isNativeError(error.cause) ? ["  caused by:", ...listStack(error.cause)] : [];
  return [...own, ...cause];
}

/** Findings seen, those that the error brings, and one for each problem of a wrong usage. */
function collectFindings(error: unknown, events: readonly Event[]): readonly Finding[] {
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
    fix: findNext(error),
    source: "exit code 2",
  }));
}

function pick<T>(events: readonly Event[], of: (event: Event) => T | undefined): readonly T[] {
  return events.map(of).filter((part) => part !== undefined);
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
