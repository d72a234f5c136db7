/** Runs a judged command line, and prints its end: exactly one document, whatever happens. */
import { AbandonedError, type GlobalOptions } from "../commands/context";
import type { ExitCode } from "../domain/errors";
import { EngineError, exitCodes, InputError, UsageError } from "../domain/errors";
import type { Names } from "../domain/names";
import type { TalkingReporter } from "../output/reporter";
import { createReporter } from "../output/reporter";
import { isTerminal, palette, wantsColor } from "../output/style";
import { endOf } from "../output/text";
import type { Session, World } from "./context";
import { createSession } from "./context";
import type { CommandEntry, LoadedCommand, PreparedCommand } from "./entry";
import type { FailureContext } from "./failure";
import type { Placed } from "./place";
import { exitCodeOf, failureReport, renderFailure, withNext } from "./failure";
import { askedFor } from "../run/engine/permissions";
import { BlockedError } from "../run/engine/recorder";
import type { Report } from "../run/report";

/** A command line whose flags were judged; `entry` is absent when no command was recognized. */
export interface Job {
  readonly options: GlobalOptions;
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

/** Does the job; every failure ends as a message, a document and an exit code. */
export async function run(job: Job, world: World): Promise<ExitCode> {
  const { out, err } = world.streams;
  const plain = await createReporter({ ...job.options, out, err, env: world.env });
  const { reporter, say } = await inNames(plain, job.options.names);
  const session = createSession(world, job.options, { reporter, placed: job.placed });
  try {
    for (const text of job.warnings ?? []) reporter.event({ type: "warning", text });
    const command = await load(job);
    const ended = await Promise.race([command.run(session.context, job.args), world.crashed]);
    const report = withNext(await withRoles(ended, session));
    reporter.end(report, command.text);
    if (report.exit.code !== 0) sayWhy(report, { job, world, say });
    return report.exit.code;
  } catch (thrown) {
    return await fail(meant(thrown, session), { job, world, say, reporter, session });
  } finally {
    session.cluster()?.close();
  }
}

function load({ problems, fileProblems = [], prepared }: Job): Promise<LoadedCommand> {
  const all = [...problems, ...fileProblems];
  if (problems.length === 0 && all.length > 0) return Promise.reject(new InputError(all));
  if (all.length > 0 || prepared === undefined) return Promise.reject(new UsageError(all));
  return prepared.load();
}

/** After a signal, an aborted request's own error says nothing: the signal was the cause. */
function meant(thrown: unknown, { context: { signal }, open }: Session): unknown {
  if (thrown instanceof AbandonedError) return thrown.during(open());
  return signal.aborted && !(thrown instanceof EngineError) ? signal.reason : thrown;
}

/** Nothing is loaded for the default names. */
async function inNames(
  reporter: TalkingReporter,
  names: Names | undefined,
): Promise<{ readonly reporter: TalkingReporter } & Pick<RunContext, "say">> {
  if (names === undefined) return { reporter, say: (text) => text };
  const { sentencesIn, worded } = await import("./wording.ts");
  const say = sentencesIn(names);
  return { reporter: worded(reporter, say), say };
}

interface RunContext {
  readonly job: Job;
  readonly world: World;
  /** Sentences of the program, in the words of the names. */
  readonly say: (text: string) => string;
  readonly reporter: TalkingReporter;
  readonly session: Session;
}

/** Text shows a document only when there is something in it that stderr does not say. */
async function fail(
  error: unknown,
  { job, world, say, reporter, session }: RunContext,
): Promise<ExitCode> {
  const { withCommands } = await import("../commands/kubectl-command.ts");
  const failed = await withRoles(failureReport(error, known(job, session)), session);
  const report = withCommands(failed, session.context, {});
  reporter.rest();
  const { steps, probes, permissions } = report;
  const done = [steps, probes, permissions].some((part) => part !== undefined);
  const findings = (report.findings ?? []).some((finding) => finding.code !== "USAGE");
  if (job.options.output !== "text" || done || findings) reporter.end(report);
  if (error instanceof BlockedError) sayWhy(report, { job, world, say });
  else {
    const { debug } = job.options;
    const text = renderFailure(error, { palette: colors(job.options, world), debug });
    world.streams.err.write(say(text));
  }
  return exitCodeOf(error);
}

/** An end for want of a permission names the Roles to ask for; what cannot be found out is left out. */
async function withRoles(report: Report, session: Session): Promise<Report> {
  const cluster = session.cluster();
  const { exit, permissions } = report;
  if (exit.code !== exitCodes.permission || permissions !== undefined || !cluster) return report;
  try {
    const missing = await session.missing();
    if (missing.length === 0) return report;
    const yaml = (await import("../adapters/yaml.ts")).renderDocuments;
    return { ...report, permissions: await askedFor({ cluster, yaml }, missing) };
  } catch {
    return report;
  }
}

function known({ entry }: Job, session: Session): FailureContext {
  const cluster = session.cluster();
  return {
    kind: entry?.kind ?? "Usage",
    run: entry?.cluster === true ? session.context.run : undefined,
    target: cluster && { server: cluster.server, namespace: cluster.namespace },
    events: session.events,
  };
}

/** A run that ended otherwise than wished says so on stderr too, unless stdout is on the screen. */
function sayWhy(
  report: Report,
  { job: { options }, world, say }: Pick<RunContext, "job" | "world" | "say">,
): void {
  if (options.output === "text" && isTerminal(world.streams.out)) return;
  const untold = options.quiet && options.output !== "text"; // findings are part of the talk
  const said = new ReturnedFailure(report, untold ? report.exit : endOf(report));
  const text = renderFailure(said, { palette: colors(options, world), debug: false });
  world.streams.err.write(say(text));
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

function colors({ color }: GlobalOptions, { streams, env }: World) {
  return palette(wantsColor({ color, env, terminal: isTerminal(streams.err) }));
}
