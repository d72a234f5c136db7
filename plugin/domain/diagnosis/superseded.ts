/**
 * What is not told beside a finding that says it better. This is for what people read: whether an act is refused is
 * the same with and without it, because nothing is left out for what weighs less.
 */
import type { Finding } from "../base/findings";
import { isSameCode } from "../base/skip";
import { groupBy } from "../base/values";
import { type Diagnosed, isFixedByUpgrade, rowOf } from "./symptom";

/** The findings, without those that another one of the same object supersedes. */
export function leaveSuperseded<F extends Finding>(findings: readonly F[]): readonly F[] {
  const superseded = findSuperseded(findings);
  return superseded.size === 0 ? findings : findings.filter((one) => !superseded.has(one));
}

/** The findings that are not told, each with the one that is told instead. */
export function findSuperseded(findings: readonly Finding[]): ReadonlyMap<Finding, Finding> {
  const able = findings.filter((one) => listSuperseded(one).length > 0);
  const instead = new Map<Finding, Finding>();
  if (able.length === 0) return instead;
  const byObject = groupBy(able, ({ object }) => object);
  for (const finding of findings) {
    // of two that supersede each other the second one is told
    const by = byObject
      .get(finding.object)
      ?.find((other) => !instead.has(other) && supersedes(other, finding));
    if (by !== undefined) instead.set(finding, by);
  }
  return new Map([...instead].map(([finding, by]) => [finding, follow(by, instead)]));
}

/** What supersedes another one may be superseded itself, by one that is told. */
function follow(by: Finding, instead: ReadonlyMap<Finding, Finding>): Finding {
  const next = instead.get(by);
  return next === undefined ? by : follow(next, instead);
}

function listSuperseded(finding: Finding): readonly string[] {
  return (finding as Diagnosed).supersedes ?? [];
}

/** What a person accepted is told as it was accepted: it is left out for nothing, and nothing is for it. */
function supersedes(by: Finding, finding: Finding): boolean {
  if (by === finding || by.object === undefined) return false;
  if (by.accepted === true || finding.accepted === true) return false;
  const own = [finding.code, rowOf(finding)];
  const isMeant = listSuperseded(by).some((code) => own.some((one) => isSameCode(one, code)));
  return isMeant && weigh(by) >= weigh(finding);
}

/** An error that the upgrade fixes by itself does not keep `check` from its good end. */
function weigh(finding: Finding): number {
  if (finding.severity === "warning") return 0;
  return isFixedByUpgrade(finding) ? 1 : 2;
}
