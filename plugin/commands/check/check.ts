/** `check`: one snapshot, every check, no write (S121-S127). */
import { countNoun } from "../../domain/base/values";
import type { Names } from "../../domain/names/names";
import { textIn } from "../../domain/names/text";
import { type Check, judgingCodes } from "../../domain/checks/check";
import { type CheckVerdict, isBlocked, type Judgment } from "../../domain/checks/judge";
import { isFixedByUpgrade } from "../../domain/diagnosis/symptom";
import { judgeChecks, probedChecks } from "../checks";
import { requireMatched, type Selection } from "../../domain/checks/selection";
import type { CheckTarget } from "../../domain/checks/context";
import { silenceGoing } from "../../domain/checks/going";
import { listSecretsNamed } from "../../domain/checks/secrets";
import { exitCodes } from "../../domain/base/errors";
import type { Facts } from "../../domain/facts/facts";
import type { Finding, Severity } from "../../domain/base/findings";
import { checkNeeds } from "../../domain/checks/needs";
import { certificateReport } from "../../readers/certificate";
import { tellMissing } from "../../kernel/permissions";
import type { Recorder } from "../../kernel/recorder";
import type { Report, CheckLine } from "../../kernel/report";
import { readOtherOperators, unseenOperators } from "../../readers/operator-namespace";
import { probeWebhook, type ProbeWish } from "../../readers/webhook-probe";
import type { ProbeOutcome } from "../../domain/admission/probe-outcome";
import { readSnapshot, type SnapshotDeps } from "../../readers/snapshot";
import { type Injection, injectionsIn } from "../../domain/admission/injector";

/** What a check is made with. */
interface CheckDeps extends SnapshotDeps {
  readonly recorder: Recorder;
  /** Renders a list of objects as YAML. */
  readonly yaml: (objects: readonly object[]) => string;
}

/** What is checked. */
interface CheckOptions {
  readonly namespace: string;
  /** What is wanted, once the platform is known. */
  readonly targetFor: (facts: Facts) => CheckTarget;
  readonly selection: Selection;
  /** Warnings count as errors do. */
  readonly strict: boolean;
  /** What may not be read is accepted, whatever it is. */
  readonly allowUnread: boolean;
  readonly probe: ProbeWish;
  /** What is wrong with rows of advisories that were given: the others are judged. */
  readonly broken: readonly Finding[];
}

/** `details` of a document of kind Check. */
export interface CheckDetails {
  /** Release of the operator that was checked for. */
  readonly target?: string;
  readonly checks: readonly CheckLine[];
  /** Webhook configurations whose caBundle is written by a CA injector. */
  readonly injected?: readonly Injection[];
}

/** Reads and judges; every expected end comes back as a report. */
export async function checkCluster(deps: CheckDeps, options: CheckOptions): Promise<Report> {
  const { recorder, names } = deps;
  const { skip = [], ...selection } = options.selection;
  const unread = options.allowUnread ? [{ code: judgingCodes.unread.code }] : [];
  try {
    const read = await readSnapshot(deps, options.namespace);
    const operators = await readOtherOperators(deps, options.namespace);
    if (operators === undefined) recorder.note(unseenOperators);
    const facts = { ...read, ...(operators !== undefined && { operators }) };
    const target = options.targetFor(facts);
    const probe = await probeIfJudged(deps, facts, options);
    const judged = judgeChecks(facts, target, {
      selection: { ...selection, skip: [...skip, ...unread] },
      probe,
    });
    const judgment = { ...judged, findings: [...judged.findings, ...options.broken] };
    recorder.addFindings(silenceGoing(judgment.findings, names));
    requireMatched(skip, [...judgment.findings, ...listSkipped(judgment)]);
    if (facts.certificate !== undefined) {
      const label = `${options.namespace}/${names.webhook.secret}`;
      for (const certificate of certificateReport(label, facts.certificate))
        recorder.keep({ certificate });
    }
    recorder.needs.declare(
      "check",
      checkNeeds(facts, { secrets: listSecretsNamed(facts), probe: options.probe.most !== 0 }),
    );
    if (judgment.missing.length > 0) await tellMissing(deps, judgment.missing);
    const details = buildDetails(judgment, facts, target);
    return { ...recorder.report(chooseExit(judgment, options)), details };
  } catch (error) {
    return recorder.failure(error);
  }
}

/** Dry runs are sent only where a check rests on them. */
async function probeIfJudged(
  deps: CheckDeps,
  facts: Facts,
  { selection: { only }, probe }: CheckOptions,
): Promise<ProbeOutcome> {
  const isJudged = probedChecks.some(({ code }) => only === undefined || only.includes(code));
  return await probeWebhook(deps, facts, {
    ...(isJudged ? probe : { ...probe, most: 0 }),
    phase: "check",
  });
}

function buildDetails({ judged }: Judgment, facts: Facts, target: CheckTarget): CheckDetails {
  const wanted = target.operatorVersion ?? target.contents?.operatorVersion;
  const injected = injectionsIn(facts.objects.webhookConfigurations, facts.names);
  return {
    ...(wanted !== undefined && { target: wanted }),
    checks: judged.map(({ check, verdict, because }) => ({
      ...makeLine(check, facts.names),
      verdict,
      ...(because !== undefined && { because }),
    })),
    ...(injected.length > 0 && { injected }),
  };
}

function listSkipped({ judged }: Judgment): readonly { readonly code: string }[] {
  return judged.flatMap(({ check, verdict }) => (verdict === "skipped" ? [check] : []));
}

/** A check as documents have it. */
export function makeLine({ code, area, title, severity, source }: Check, names: Names): CheckLine {
  return { code, area, title: textIn(title, names), severity, source };
}

function chooseExit(judgment: Judgment, { strict }: CheckOptions): Report["exit"] {
  const reason = renderSum(judgment);
  if (judgment.missing.length > 0) {
    return {
      code: exitCodes.permission,
      reason,
      next: "ask an administrator to apply the printed roles, then run again; with --allow-unread the rest is checked without them",
    };
  }
  if (!isBlocked(judgment, strict)) return { code: exitCodes.ok, reason };
  return {
    code: exitCodes.blocked,
    reason,
    next: `fix ${strict ? "what is" : "the errors that are"} named, then run again; accept what you can live with by --skip CODE=OBJECT`,
  };
}

/** Checks by what became of them; of those that failed, their findings by severity. */
function renderSum({ judged }: Judgment): string {
  const findings = judged
    .flatMap((one) => one.findings)
    .filter(({ accepted }) => accepted !== true);
  const of = (verdict: CheckVerdict): number =>
    judged.filter((one) => one.verdict === verdict).length;
  const fixed = findings.filter((one) => one.severity === "error" && isFixedByUpgrade(one)).length;
  const ofThem = fixed === 0 ? "" : ` (the upgrade itself fixes ${fixed})`;
  return [
    `${of("ok")} of ${judged.length} checks are ok`,
    `${countFindings(findings, "error")}${ofThem}`,
    countFindings(findings, "warning"),
    `${of("skipped")} skipped`,
    `${of("unjudged")} not checked`,
  ].join(", ");
}

function countFindings(findings: readonly Finding[], severity: Severity): string {
  const count = findings.filter((finding) => finding.severity === severity).length;
  return countNoun(count, severity);
}
