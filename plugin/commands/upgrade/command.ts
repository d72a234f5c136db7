/** `upgrade`: the whole procedure in order, planned before the first write (S9-S34). */
import type { RoleWish } from "../../cmdutil/print-role";
import { version as program } from "../../../package.json";
import { replaceFile } from "../../adapters/files";
import { parseDocuments, renderDocuments } from "../../adapters/yaml";
import { judgeChecks } from "../checks";
import { requireMatched } from "../../domain/checks/selection";
import { type Skip, skipWord } from "../../domain/base/skip";
import { unusualCode } from "../../domain/operator/findings";
import { renderAge } from "../../domain/base/duration";
import { exitCodes, UsageError } from "../../domain/base/errors";
import { type Facts, isOpenShift, unreadFacts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import type { Needs } from "../../domain/facts/needs";
import { upgradeNeeds, type UpgradeWish } from "./needs";
import { placeBundle } from "../../domain/operator/wanted";
import { bounded } from "../../domain/base/values";
import type { Permission } from "../../domain/kube/permissions";
import { clusterVersionFor } from "../../domain/release/platforms";
import type { Release, ReleaseContents } from "../../domain/release/contents";
import { publicText, publicWords } from "../../domain/base/redact";
import { parsePlan, type PlannedPart, savedBy, type UpgradePlan } from "./saved-plan";
import { judgePrerequisites, prerequisiteCodes } from "../../domain/checks/prerequisites";
import { prerequisiteFindings, isChosen } from "./procedure";
import { escape, type Palette, palette, quoteCommand, renderTable } from "../../output/escape";
import type { KubeClient } from "../../ports/kubernetes";
import { readSnapshot, requireRead } from "../../readers/snapshot";
import { Recorder } from "../../kernel/recorder";
import { readSettled } from "../../readers/settled";
import type { Report, StepReport, PartReport } from "../../kernel/report";
import { type PartPlan, partsOf, plannedSteps, runProcedure } from "./upgrade";
import type { CommandContext } from "../../cmdutil/context";
import { readContents, releaseOf, withRelease, readBundle } from "../../cmdutil/release-option";
import { recorderOf } from "../../cmdutil/run-ports";
import { limitOf } from "../../cmdutil/job";
import type { UpgradeFlags } from "./flags";
import { readyParts } from "../parts";
import { paintResult, renderPlanPart, renderText, type TextStyle } from "../../output/text";

/** Plans, confirms and does every part; every expected end comes back as a report. */
export async function runUpgrade(
  context: CommandContext,
  _args: readonly string[],
  flags: UpgradeFlags,
): Promise<Report> {
  const saved = await savedPlan(context, flags);
  const opened = await releaseOf(context, flags);
  const report = await upgrade(context, flags, { opened, saved });
  return withRelease(report, opened);
}

interface Given {
  readonly opened: Release | undefined;
  readonly saved: UpgradePlan | undefined;
}

async function upgrade(
  context: CommandContext,
  flags: UpgradeFlags,
  { opened, saved }: Given,
): Promise<Report> {
  const { clock, signal, options } = context;
  const cluster = await context.connect();
  const { namespace } = cluster;
  const recorder = await recorderOf(context, "Upgrade");
  const situation = await settled(context, flags, { opened, recorder });
  const { findings } = situation;
  recorder.findings(findings);
  recorder.needs.declare("upgrade", needsOf(flags, situation));
  try {
    await requireRead({ cluster, recorder, yaml: renderDocuments }, situation);
    requireMatched(ofPrerequisites(flags.skip), findings);
  } catch (error) {
    return recorder.failure(error);
  }
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return recorder.report(blockedBy(errors));
  const uid = await clusterUid(cluster, context);
  const { planOut } = flags;
  return await runProcedure(
    readyParts({ context, flags, opened, ...situation }),
    {
      recorder,
      unheard: () =>
        new Recorder({ kind: "Upgrade" }, { clock, event: unheard, needs: recorder.needs }),
      signal,
      clock,
      ask: context.ask,
      show: (plan) => {
        for (const text of renderPlan(plan)) recorder.note(text);
      },
      planOf: (plans) => planOf(plans, { context, flags, opened, uid, namespace }),
      keep: planOut === undefined ? undefined : (plan) => keep(plan, planOut, context),
    },
    { dryRun: options.dryRun, skip: flags.skip, saved },
  );
}

function unheard(): void {
  // a plan is told as a whole, not as it is made
}

/** What it may need, before anything is read. */
export async function upgradeRole({
  context,
  flags,
  namespace,
}: RoleWish<UpgradeFlags>): Promise<Needs> {
  const { registry, pullSecret, allowObjects } = flags;
  const release = await releaseOf(context, flags);
  const placing = { namespace, registry, pullSecret, allowObjects };
  const bundle = release && readBundle(release, context, placing);
  return needsIn(unreadFacts(context.names, namespace), flags, bundle);
}

/** What the whole run may need: the objects of the release are placed as its part will place them. */
function needsOf(flags: UpgradeFlags, { facts, contents }: EvaluatedUpgrade): Needs {
  const { registry, pullSecret, allowObjects } = flags;
  const { names, namespace } = facts;
  const placing = { names, namespace, registry, pullSecret, allowObjects, live: undefined };
  const placed = contents && placeBundle(contents.bundle, placing);
  return needsIn(facts, flags, placed && (placed.is === "placed" ? placed.objects : []));
}

function needsIn(facts: Facts, flags: UpgradeFlags, bundle: UpgradeWish["bundle"]): Needs {
  const { registry, pullSecret, probe, engineVersion } = flags;
  return upgradeNeeds({
    ...{ facts, pullSecret, probe, bundle },
    clusters: registry !== undefined || pullSecret !== undefined,
    databases: engineVersion !== undefined,
    isChosen: (id) => isChosen(flags, id),
  });
}

/** Those that the checks alone can match: the others may be for a part, which is planned later. */
function ofPrerequisites(skip: readonly Skip[]): readonly Skip[] {
  return skip.filter(({ code }) => prerequisiteCodes.includes(code));
}

interface EvaluatedUpgrade {
  /** Permissions without which not every prerequisite was judged. */
  readonly missing: readonly Permission[];
  readonly facts: Facts;
  /** Of a release that was opened. */
  readonly contents: ReleaseContents | undefined;
  readonly findings: readonly Finding[];
  readonly operatorVersion: string | undefined;
  readonly clusterTag: string | undefined;
}

/** The cluster when volumes are not being expanded any more, where that alone stands against it and --wait is given. */
async function settled(
  context: CommandContext,
  flags: UpgradeFlags,
  { opened, recorder }: Pick<Given, "opened"> & { readonly recorder: Recorder },
): Promise<EvaluatedUpgrade> {
  const { clock, signal, options } = context;
  const waits = options.wait && options.dryRun === "none";
  const { limitMs: ms = flags.stallAfterMs } = limitOf(options, flags.limited);
  const read = () => judged(context, flags, opened);
  return await readSettled({ clock, signal, recorder }, { waits, ms }, read);
}

/** The cluster by one LIST of each kind, judged against the release that is wanted. */
async function judged(
  context: CommandContext,
  flags: UpgradeFlags,
  opened: Release | undefined,
): Promise<EvaluatedUpgrade> {
  const { names, clock, signal } = context;
  const cluster = await context.connect();
  const facts = await readSnapshot({ cluster, clock, names, signal }, cluster.namespace);
  const platform = isOpenShift(facts) ? "openshift" : "kubernetes";
  const contents = opened && readContents(opened, platform, { context });
  const operatorVersion = contents?.operatorVersion ?? flags.chart?.version;
  const judgment = judgeChecks(
    facts,
    { operatorVersion, contents, clusterTag: flags.clusterTarget },
    { skip: flags.skip },
  );
  const { missing } = judgePrerequisites(facts, { operatorVersion }, flags.skip);
  // the other parts judge by themselves what they need, as they do alone
  const isWhole = isChosen(flags, "operator") || isChosen(flags, "cluster");
  return {
    missing: isWhole ? missing : [],
    facts,
    contents,
    findings: isWhole ? prerequisiteFindings(judgment.judged) : [],
    operatorVersion,
    clusterTag: clusterTagOf(flags, contents, operatorVersion),
  };
}

/** The EC's tag: given, of the release, or what belongs to the operator's; never a guess. */
function clusterTagOf(
  flags: UpgradeFlags,
  contents: ReleaseContents | undefined,
  operatorVersion: string | undefined,
): string | undefined {
  const { clusterTarget, auto } = flags;
  const paired = operatorVersion === undefined ? undefined : clusterVersionFor(operatorVersion);
  const tag = clusterTarget ?? contents?.clusterVersion ?? paired;
  if (tag !== undefined || auto || !isChosen(flags, "cluster")) return tag;
  throw new UsageError(
    `it is not known which cluster release belongs to operator ${operatorVersion ?? "of this release"}`,
    { hint: "give its tag with --cluster-target" },
  );
}

function blockedBy(errors: readonly Finding[]): Report["exit"] {
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : "";
  return {
    code: exitCodes.blocked,
    reason: `${first?.object ?? "the cluster"}: ${first?.cause ?? ""}${more}; nothing was written`,
    next: first?.fix ?? "see the findings",
  };
}

/** What tells one cluster from all others, for as long as it lives. */
async function clusterUid(cluster: KubeClient, { signal }: CommandContext): Promise<string> {
  const found = await cluster.get({ resource: kinds.namespace, name: "kube-system" }, { signal });
  return found?.metadata.uid ?? "unknown";
}

interface PlanParts {
  readonly context: CommandContext;
  readonly flags: UpgradeFlags;
  readonly opened: Release | undefined;
  readonly uid: string;
  readonly namespace: string;
}

function planOf(plans: readonly PartPlan[], parts: PlanParts): UpgradePlan {
  const { context, flags, opened, uid, namespace } = parts;
  const { chart } = flags;
  const release = opened?.source ?? publicText(`${chart?.chart ?? ""} ${chart?.version ?? ""}`);
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "UpgradePlan",
    program,
    madeAt: new Date(context.clock.now()).toISOString(),
    cluster: uid,
    namespace,
    release,
    ...(opened !== undefined && { sha256: opened.sha256 }),
    words: wordsOf(flags),
    parts: partsOf(plans),
    steps: plans.flatMap(({ steps }) => steps),
  };
}

/** The words of the same upgrade, for the command that carries its plan out. */
export function wordsOf(flags: UpgradeFlags): readonly string[] {
  const { release, sha256, target, chart, skip } = flags;
  const accepted = flags.allowObjects.map((object) => ({ code: unusualCode, object }));
  const valued = {
    ...{ release, sha256, target, chart: chart?.chart, "release-name": chart?.releaseName },
    ...{ version: chart?.version, values: chart?.values, "image-registry": flags.registry },
    ...{ "pull-secret": flags.pullSecret, "cluster-target": flags.clusterTarget },
    ...{ "engine-version": flags.engineVersion, participant: flags.participants },
    "probe-file": flags.probeFile,
    "take-fields": flags.takeFields,
    only: flags.only.join(",") || undefined,
    skip: [...skip, ...accepted].map(skipWord),
  };
  return publicWords([
    ...Object.entries(valued).flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((one) => [`--${name}`, one]),
    ),
    ...(flags.auto ? ["--auto"] : []),
    ...(flags.probe ? [] : ["--no-probe"]),
  ]);
}

/** Keeps the plan, and says how it is carried out. */
async function keep(plan: UpgradePlan, file: string, { options }: CommandContext): Promise<string> {
  const hint = "give a file in a folder that can be written";
  const text = `${JSON.stringify(plan, undefined, 2)}\n`;
  await replaceFile(file, text, { what: "plan", hint, mode: 0o600 });
  const words = [...options.prefix.split(" "), "upgrade", ...plan.words, "--plan", file];
  return `carry it out with ${quoteCommand([...words, ...options.contextArgs])}`;
}

async function savedPlan(
  context: CommandContext,
  { plan: file }: UpgradeFlags,
): Promise<UpgradePlan | undefined> {
  if (file === undefined) return undefined;
  const [document] = parseDocuments(await context.readInput(file), file);
  const [made, now] = [savedBy(document), `version ${program}`];
  if (made !== undefined && made !== now) {
    throw new UsageError(`${file} was saved by ${made} of this tool, and this is ${now}`, {
      hint: "create a new plan with --plan-out FILE",
    });
  }
  const plan = parsePlan(document);
  if (plan !== undefined) return plan;
  throw new UsageError(`${file} is not a plan of this tool`, {
    hint: "create one with --plan-out FILE",
  });
}

/** What the document says of a plan; its writes are the steps. */
export interface UpgradeDetails {
  readonly plan: Omit<UpgradePlan, "steps"> & { readonly steps: number };
}

/** What it says of a run, beside the details of its last part. */
export interface UpgradeParts {
  readonly parts: readonly PartReport[];
}

/** A plan that is not carried out is shown with every write, a run by its parts; more with -v. */
export function upgradeText(report: Report, style: TextStyle): string {
  const { steps = [], details, ...rest } = report;
  const { plan, parts } = (details ?? {}) as Partial<UpgradeDetails & UpgradeParts>;
  if (parts !== undefined) return partsText(parts, { ...rest, steps }, style);
  if (plan === undefined) return renderText(report, style);
  const lines = planLines(plan.parts, steps, style.palette);
  return `${lines.join("\n")}\n\n${renderText(rest, style)}`;
}

/** One line for each part; the steps of all of them with -v. */
function partsText(parts: readonly PartReport[], report: Report, style: TextStyle): string {
  const { exit, steps } = report;
  const rows = parts.map(({ title, result, ms, why }) => [
    escape(title),
    result,
    renderAge(ms),
    escape(why),
  ]);
  const table = renderTable(["PART", "RESULT", "TIME", "WHY"], rows, (cell, column) =>
    column === 1 ? paintResult(cell, style.palette) : cell,
  );
  const failed = parts.find(({ result }) => result === "failed");
  const left = exit.leftOut === undefined ? "" : `; left out: ${bounded(exit.leftOut, 10)}`;
  const done = `every part is done or was skipped, as shown above${left}`;
  const reason = failed === undefined ? done : `${failed.title}: ${failed.why}`;
  const shown = style.verbosity > 0 ? steps : [];
  const rest = renderText({ ...report, steps: shown, exit: { ...exit, reason } }, style);
  return `${table.join("\n")}\n\n${rest}`;
}

/** The plan before the question whether to carry it out. */
export function renderPlan(plan: UpgradePlan): readonly string[] {
  return planLines(plan.parts, plannedSteps(plan.steps), palette(false));
}

function planLines(
  parts: readonly PlannedPart[],
  steps: readonly StepReport[],
  paint: Palette,
): readonly string[] {
  return parts.flatMap(({ id, title, source, skipped, unplanned }, index) => {
    const heading = `${index + 1}. ${title} (${id}, ${source})`;
    const own = steps.filter((step) => step.id === id);
    if (skipped !== undefined) return [`${paint.strong(heading)}: skipped, ${escape(skipped)}`];
    if (unplanned !== undefined) {
      return [`${paint.strong(heading)}: could not be planned: ${escape(unplanned)}`];
    }
    if (own.length === 0) return [`${paint.strong(heading)}: up to date, nothing is written`];
    return renderPlanPart(heading, own, paint);
  });
}
