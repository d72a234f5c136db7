/** `status`: flags to options, then one look or many (S57-S60, S68-S74). */
import { readSecretCertificate } from "../../adapters/certificate";
import { openRelease } from "../../adapters/release/open";
import { renderCompactly } from "../../adapters/kubernetes/text/yaml";
import { EngineError, exitCodes, UsageError } from "../../domain/base/errors";
import { readName } from "../../domain/names/names";
import { statusNeeds } from "../../domain/checks/needs";
import type { Needs, NeedsPlace } from "../../domain/facts/needs";
import type { ReleaseContents } from "../../domain/release/contents";
import { isObject } from "../../domain/base/values";
import { renderText, type TextStyle } from "../../output/text";
import { VirtualClock } from "../../ports/virtual-clock";
import type { ExitReport, Report } from "../../kernel/report";
import { operatorNamespaces } from "../../readers/operator-namespace";
import {
  isHealthy,
  listedOnce,
  type StatusView,
  type StatusOptions,
  StatusReader,
  watchStatus,
} from "./read";
import type { Status } from "./status";
import type { StatusFlags } from "./flags";
import {
  makeDetails,
  renderReason,
  screenFor,
  type StatusDetails,
  statusLines,
  type StatusOverview,
} from "./screen";
import {
  type CommandContext,
  type CommandRun,
  endingSignals,
  resolveNamespace,
} from "../../cmdutil/context";
import { inNamespace } from "../../cmdutil/kubectl-command";
import { readContents, readRoles } from "../../cmdutil/release-option";
import { requireAdvisories } from "../../cmdutil/advisories-option";
import { readProbeWish } from "../../cmdutil/probe-wish";
import { startRecorder } from "../../cmdutil/run-ports";

/** The command and its text, which leaves out what its watch has shown already. */
export function createStatus(): {
  readonly run: CommandRun<StatusFlags>;
  readonly text: (report: Report, style: TextStyle) => string;
} {
  const shown = new WeakSet<object>();
  return {
    run: requireAdvisories((context, args, flags) => runStatus({ context, flags, shown }, args)),
    text: (report, style) => statusText(report, style, shown),
  };
}

interface StatusRun {
  readonly context: CommandContext;
  readonly flags: StatusFlags;
  /** Details that the watch has shown; their report may be completed on its way out. */
  readonly shown: WeakSet<object>;
}

/** The state now, or until a signal comes. */
async function runStatus(asked: StatusRun, [typed]: readonly string[]): Promise<Report> {
  const { flags } = asked;
  const { names, clock, signal } = asked.context;
  if (flags.everywhere && typed !== undefined) {
    throw new UsageError("NAME and --all-namespaces: give one of the two; with NAME goes -n");
  }
  if (flags.watch && clock instanceof VirtualClock) {
    throw new UsageError("--watch: nothing changes in a rehearsal while it is watched");
  }
  const judged = await optionsOf(asked.context, flags);
  const context = await resolveNamespace(asked.context);
  const { options } = context;
  const cluster = await context.connect();
  const { server, namespace } = cluster;
  const ec = typed === undefined ? undefined : readName(typed, names).name;
  const recorder = await startRecorder(context, "Status");
  recorder.needs.declare("status", listNeeds(flags, { names, namespace }));
  const readerIn = (place: string, of: typeof cluster): StatusReader =>
    new StatusReader(
      {
        cluster: of,
        clock,
        names,
        recorder,
        signal,
        certificates: { readSecretCertificate },
        yaml: renderCompactly,
      },
      { ...judged, namespace: place, ...(ec !== undefined && { ec }) },
    );
  const reader = readerIn(namespace, cluster);
  const documentOf = (look: StatusView, end: (details: StatusDetails) => ExitReport): Report => {
    const details = makeDetails(look, { names, options, server });
    return { ...recorder.report(end(details)), details };
  };
  try {
    if (flags.everywhere) {
      const namespaces: StatusDetails[] = [];
      const shared = listedOnce(cluster);
      for (const place of await operatorNamespaces({ cluster, names, signal })) {
        const there = { ...options, contextArgs: inNamespace(options.contextArgs, place) };
        const status = await readerIn(place, shared).read();
        namespaces.push(makeDetails({ status }, { names, server, options: there }));
      }
      const details: StatusOverview = { server, namespaces };
      return { ...recorder.report(endOfAll(details)), details };
    }
    return flags.watch
      ? await watch({ ...asked, context }, { reader, documentOf })
      : documentOf({ status: await reader.read() }, endOf);
  } catch (error) {
    return recorder.failure(error);
  }
}

function listNeeds(flags: StatusFlags, { names, namespace }: NeedsPlace): Needs {
  return statusNeeds({ names, namespace: flags.everywhere ? undefined : namespace }, flags);
}

/** What can be read is told with 0, whatever it says. */
function endOf(details: StatusDetails): ExitReport {
  const { next } = details;
  return { code: exitCodes.ok, reason: renderReason(details), next: next?.command ?? next?.says };
}

/** The namespaces in which not all is healthy, and the first of their next steps. */
function endOfAll({ namespaces }: StatusOverview): ExitReport {
  const bad = namespaces.filter(({ verdict }) => !["fine", "absent"].includes(verdict));
  const told = bad.map((one) => `namespace ${one.namespace}: ${renderReason(one)}`).join("; ");
  const all = namespaces.length === 0 ? "no namespace has an operator" : "everything is healthy";
  const next = namespaces.map((one) => endOf(one).next).find((one) => one !== undefined);
  return { code: exitCodes.ok, reason: told === "" ? all : told, next };
}

interface Watched {
  readonly reader: StatusReader;
  readonly documentOf: (look: StatusView, end: (details: StatusDetails) => ExitReport) => Report;
}

async function watch(
  { context, flags, shown }: StatusRun,
  { reader, documentOf }: Watched,
): Promise<Report> {
  const { options, signal, env } = context;
  const show = screenFor(context);
  const limited = flags.limited || (env["ENGINE_TIMEOUT"] ?? "") !== "";
  let last: StatusView | undefined;
  const ended = (end: (details: StatusDetails) => ExitReport): Report | undefined => {
    if (last === undefined) return undefined;
    const report = documentOf(last, end);
    if (isObject(report.details)) shown.add(report.details);
    return report;
  };
  try {
    const how = await watchStatus(reader, context, {
      intervalMs: flags.intervalMs,
      timeoutMs: limited ? options.timeoutMs : Infinity,
      until: (status) => isOver(status, flags),
      show: (look) => {
        last = look;
        const report = documentOf(look, endOf);
        show(report.details as StatusDetails, () => report);
      },
    });
    const report = ended((details) =>
      how === "over" ? endOfWait(details) : timedOut(details, flags),
    );
    if (report !== undefined) return report;
    throw new Error("the watch ended before the first result");
  } catch (error) {
    const cause: unknown = signal.aborted ? signal.reason : error;
    const report = cause instanceof EngineError ? ended(() => failureOf(cause)) : undefined;
    if (report === undefined) throw cause;
    return report;
  }
}

/** True for what was waited for, and where no waiting shows what the user has no permission to ask for. */
function isOver(status: Status, { untilFine, probe }: StatusFlags): boolean {
  return untilFine && (isHealthy(status, { unprobed: !probe }) || isForbidden(status));
}

function isForbidden({ webhook: { verdict } }: Pick<Status, "webhook">): boolean {
  return verdict.is === "unknown" && verdict.unproven === "forbidden";
}

function endOfWait(details: StatusDetails): ExitReport {
  const { verdict } = details.webhook;
  if (verdict.is !== "unknown" || !isForbidden(details)) return endOf(details);
  return {
    code: exitCodes.permission,
    reason: `whether the webhook is healthy cannot be seen: ${verdict.because}`,
    next: "ask for that permission, or leave the dry runs out with --no-probe",
  };
}

function timedOut(details: StatusDetails, { untilFine }: StatusFlags): ExitReport {
  const wanted = untilFine ? "it was not healthy in time" : "the watch has timed out";
  return {
    code: exitCodes.timeout,
    reason: `${wanted}: ${renderReason(details)}`,
    next: "run the same command again, with a longer --timeout",
  };
}

function failureOf({ exitCode, message, hint }: EngineError): ExitReport {
  return { code: exitCode, reason: message, next: hint ?? "run the same command again" };
}

async function optionsOf(
  context: CommandContext,
  flags: StatusFlags,
): Promise<Omit<StatusOptions, "namespace">> {
  const { names, signal, env, onSlow } = context;
  const { release: given } = flags;
  const options = {
    probe: readProbeWish(context, flags),
    rbac: (contents: ReleaseContents | undefined) => readRoles(names, contents),
  };
  if (given === undefined) return options;
  const release = await openRelease(given, { names, signal, env, onSlow });
  const contents = (openShift: boolean): ReleaseContents =>
    readContents(release, openShift ? "openshift" : "kubernetes", { context });
  return { ...options, release: { given, contents } };
}

/** Whoever interrupts a watch knows why it ends. */
const endsQuietly = new Set<ExitReport["code"]>([exitCodes.ok, ...Object.values(endingSignals)]);

/** The screen; of a watch only how it ended, since the rest has been shown. */
function statusText(report: Report, style: TextStyle, shown: WeakSet<object>): string {
  const { details, exit } = report;
  if (details === undefined) return renderText(report, style);
  const screen = statusLines(details as StatusDetails | StatusOverview, style);
  const lines = screen.length === 0 ? [exit.reason] : screen;
  const why = style.palette.bad(`Ended with exit code ${exit.code}: ${exit.reason}`);
  const end = [why, ...(exit.next === undefined ? [] : [`Next: ${exit.next}`])];
  // a terminal has shown ^C: what follows begins on a line of its own
  const quiet = exit.code === exitCodes.interrupted && style.width !== undefined ? [""] : [];
  const told = shown.has(Object(details) as object) ? [] : lines;
  const all = [...told, ...(endsQuietly.has(exit.code) ? quiet : end)];
  return all.map((line) => `${line}\n`).join("");
}
