/** `check`: one snapshot, every check, no write (S121-S127). */
import type { Area, Check } from "../domain/checks/check";
import { isBlocked, type Judgement, judgeChecks, type Verdict } from "../domain/checks/judge";
import type { Selection } from "../domain/checks/selection";
import type { CheckTarget } from "../domain/checks/target";
import { exitCodes } from "../domain/errors";
import type { Facts } from "../domain/facts";
import type { Finding, Severity } from "../domain/findings";
import { type Permission, permissionLine, rolesFor } from "../domain/permissions";
import { certificateReport } from "./cert-parts";
import type { Recorder } from "./recorder";
import type { Report } from "./report";
import { readSnapshot, type SnapshotDeps } from "./snapshot";

/** What a check is made with. */
export interface CheckDeps extends SnapshotDeps {
  readonly recorder: Recorder;
  /** Renders a list of objects as YAML. */
  readonly yaml: (objects: readonly unknown[]) => string;
}

/** What is checked. */
export interface CheckOptions {
  readonly namespace: string;
  /** What is wanted, once the platform is known. */
  readonly targetFor: (facts: Facts) => CheckTarget;
  readonly selection: Selection;
  /** Warnings count as errors do. */
  readonly strict: boolean;
}

/** One check of a document. */
export interface CheckLine {
  readonly code: string;
  readonly area: Area;
  readonly title: string;
  readonly severity: Severity;
  readonly source: string;
  /** Absent where the checks are only listed. */
  readonly verdict?: Verdict;
  /** Why it was not judged. */
  readonly because?: string;
}

/** `details` of a document of kind Check. */
export interface CheckDetails {
  /** Release of the operator that was judged for. */
  readonly target?: string;
  readonly checks: readonly CheckLine[];
}

/** Reads and judges; every expected end comes back as a report. */
export async function checkCluster(deps: CheckDeps, options: CheckOptions): Promise<Report> {
  const { recorder, names } = deps;
  try {
    const facts = await readSnapshot(deps, options.namespace);
    const target = options.targetFor(facts);
    const judgement = judgeChecks(facts, target, options.selection);
    recorder.findings(judgement.findings);
    if (facts.certificate !== undefined) {
      const label = `${options.namespace}/${names.webhook.secret}`;
      for (const part of certificateReport(label, facts.certificate)) recorder.certificate(part);
    }
    await tellMissing(deps, judgement.missing);
    const wanted = target.operatorVersion ?? target.contents?.operatorVersion;
    const details: CheckDetails = {
      ...(wanted !== undefined && { target: wanted }),
      checks: judgement.judged.map(({ check, verdict, because }) => ({
        ...lineOf(check),
        verdict,
        ...(because !== undefined && { because }),
      })),
    };
    return { ...recorder.report(exitOf(judgement, options)), details };
  } catch (error) {
    return recorder.failure(error);
  }
}

/** A check as documents have it. */
export function lineOf({ code, area, title, severity, source }: Check): CheckLine {
  return { code, area, title, severity, source };
}

async function tellMissing(
  { cluster, recorder, yaml }: CheckDeps,
  missing: readonly Permission[],
): Promise<void> {
  if (missing.length === 0) return;
  const subject = (await cluster.whoAmI()) ?? "REPLACE-WITH-THE-USER";
  recorder.permissions({
    missing: missing.map((permission) => `${permissionLine(permission)}: ${permission.why}`),
    manifest: yaml(rolesFor(missing, subject)),
  });
}

function exitOf(judgement: Judgement, { strict }: CheckOptions): Report["exit"] {
  const { findings, judged } = judgement;
  const ok = judged.filter(({ verdict }) => verdict === "ok").length;
  const said = `${ok} of ${judged.length} checks are ok, ${counted(findings, "error")}, ${counted(findings, "warning")}`;
  if (!isBlocked(judgement, strict)) return { code: exitCodes.ok, reason: said };
  return {
    code: exitCodes.blocked,
    reason: said,
    next: `mend ${strict ? "what is" : "the errors that are"} named, then run again; what you can live with is left out with --skip CODE=OBJECT`,
  };
}

function counted(findings: readonly Finding[], severity: Severity): string {
  const count = findings.filter((finding) => finding.severity === severity).length;
  return `${count} ${severity}${count === 1 ? "" : "s"}`;
}
