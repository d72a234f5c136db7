/** Judges a snapshot by the catalogue of checks: every one of them, whatever the others find. */
import { diagnoseRow, reportUnseen, type Unseen } from "../diagnosis/diagnose";
import { findSuperseded } from "../diagnosis/superseded";
import { isFixedByUpgrade } from "../diagnosis/symptom";
import { type FactKey, type Facts, factSources } from "../facts/facts";
import type { Finding } from "../base/findings";
import { checksWhy as why, factNeeds } from "./needs";
import { permissionLine, type Permission } from "../kube/permissions";
import { type Check, judgingCodes, type Want } from "./check";
import type { ProbeOutcome } from "../admission/probe-outcome";
import { chooseRoles } from "../rbac/scene";
import { listSecretsNamed } from "./secrets";
import { accept, isSkipped, type Selection } from "./selection";
import { type Skip, skipWord } from "../base/skip";
import type { CheckContext } from "./context";

/** What became of a check: `skipped` is one whose findings are all accepted, or that need not be judged. */
export type CheckVerdict = "ok" | "failed" | "unjudged" | "skipped";

/** A check that was asked for, and its verdict. */
export interface JudgedCheck {
  readonly check: Check;
  readonly verdict: CheckVerdict;
  readonly findings: readonly Finding[];
  /** Why it is unjudged, or skipped though no finding is accepted. */
  readonly because?: string;
  /** The lists for want of which it is. */
  readonly unread?: readonly FactKey[];
}

/** The verdicts, and all that a person has to know. */
export interface Judgment {
  readonly judged: readonly JudgedCheck[];
  /** Of the checks, then of the lists that could not be read. */
  readonly findings: readonly Finding[];
  /** Permissions that would let more be judged. */
  readonly missing: readonly Permission[];
}

/** How checks are judged. */
export interface JudgingWish extends Selection {
  /** Whoever is about to act is told what could not be judged, though everything was read. */
  readonly acts?: boolean;
}

/** Judges a situation by the checks of a list. */
export function judgeBy(
  list: readonly Check[],
  situation: CheckContext,
  selection: JudgingWish,
): Judgment {
  const { only } = selection;
  const wanted = list.filter(({ code }) => only === undefined || only.includes(code));
  const judged = leaveOthersWords(wanted.map((check) => judgeOne(check, situation, selection)));
  const unread = listUnread(judged, situation.facts, selection.skip);
  return {
    judged,
    findings: [
      ...judged.flatMap(({ findings }) => findings),
      ...unread.map(({ finding }) => finding),
    ],
    missing: unread.flatMap(({ finding, permissions }) =>
      finding.accepted === true ? [] : permissions,
    ),
  };
}

/** Without what is not told beside another finding; a check of which nothing is left is not ok all the same. */
function leaveOthersWords(judged: readonly JudgedCheck[]): readonly JudgedCheck[] {
  const superseded = findSuperseded(judged.flatMap(({ findings }) => findings));
  if (superseded.size === 0) return judged;
  return judged.map((one) => {
    const findings = one.findings.filter((finding) => !superseded.has(finding));
    if (findings.length === one.findings.length) return one;
    const instead = one.findings.flatMap((finding) => superseded.get(finding)?.code ?? []);
    const because = `told by ${[...new Set(instead)].join(", ")}`;
    return settle(one.check, findings, because);
  });
}

/** True where an error stands that the upgrade does not fix itself, or where `strict` a warning does. */
export function isBlocked({ findings }: Judgment, strict: boolean): boolean {
  return findings.some(
    (one) =>
      (one.severity === "error" && !isFixedByUpgrade(one)) || (strict && one.accepted !== true),
  );
}

function judgeOne(check: Check, situation: CheckContext, selection: JudgingWish): JudgedCheck {
  const { may = [], needs, wants, vouched } = check;
  const isRead = needs.every((key) => !situation.facts.unread.has(key));
  const lack = isRead ? findLack(wants, situation) : undefined;
  const { unread: gone } = situation.facts;
  const lacking = [...needs, ...may].filter((key) => gone.has(key));
  if (lack !== undefined) return leaveOut(check, selection, lack, lacking);
  const { findings: found, unseen } = diagnoseRow(check, situation);
  const [hidden] = unseen;
  if (hidden?.broken === true) {
    const findings = accept([reportBroken(check)], selection.skip);
    return { check, verdict: "unjudged", findings };
  }
  if (hidden !== undefined) {
    const left = leaveOut(check, selection, describeUnseen(hidden), [...hidden.keys, ...lacking]);
    // without a list the whole judgment tells that
    if (hidden.keys.length > 0 || selection.acts !== true) return left;
    return { ...left, findings: accept([reportUnseen(hidden)], selection.skip) };
  }
  const findings = accept(vouched === true ? found.map(askToVouch) : found, selection.skip);
  return findings.length === 0 ? { check, verdict: "ok", findings } : settle(check, findings);
}

/** The verdict of a check that found something. */
function settle(check: Check, findings: readonly Finding[], because?: string): JudgedCheck {
  const stands = findings.some(({ accepted }) => accepted !== true);
  if (stands) return { check, verdict: "failed", findings };
  return { check, verdict: "skipped", findings, ...(because !== undefined && { because }) };
}

function describeUnseen({ keys, because }: Unseen): string {
  return keys.length === 0 ? because : `unread: ${keys.join(", ")}`;
}

function leaveOut(
  check: Check,
  selection: Selection,
  because: string,
  unread: readonly FactKey[],
): JudgedCheck {
  const verdict = isSkipped(selection, check.code) ? "skipped" : "unjudged";
  return { check, verdict, findings: [], because, unread };
}

function askToVouch(finding: Finding): Finding {
  return { ...finding, fix: `${finding.fix}; then accept it with --skip ${skipWord(finding)}` };
}

type Lack = (situation: CheckContext) => boolean;

const noTemplate = "there is no template to compare with";

/** When a check has to do without what it wants, and what is said then. */
const lacks: Readonly<
  Record<Want, readonly [lacks: Lack, says: string | ((situation: CheckContext) => string)]>
> = {
  probe: [
    ({ probe }) => findUnproven(probe) !== undefined,
    ({ probe }) => String(findUnproven(probe)),
  ],
  version: [({ wanted }) => wanted === undefined, "give the release with --target"],
  contents: [
    ({ target }) => target.contents === undefined,
    "give the release's files with --release",
  ],
  webhook: [({ target }) => target.webhook === undefined, noTemplate],
  rbac: [
    (situation) => chooseRoles(situation).is === "unknown",
    "the role of the operator that runs is not known, give the release's files with --release",
  ],
  certificate: [
    ({ facts }) => facts.objects.webhookSecrets.length > 0 && facts.certificate === undefined,
    "the certificate was not read",
  ],
};

function findLack(want: Want | undefined, situation: CheckContext): string | undefined {
  if (want === undefined) return undefined;
  const [isLacking, says] = lacks[want];
  if (!isLacking(situation)) return undefined;
  return typeof says === "string" ? says : says(situation);
}

/** Why nothing was seen of the webhook, neither good nor bad. */
function findUnproven(probe: ProbeOutcome | undefined): string | undefined {
  if (probe === undefined) return "not probed";
  return probe.is === "unasked" || probe.is === "open" ? probe.because : undefined;
}

function reportBroken({ code }: Check): Finding {
  const { cause, ...entry } = judgingCodes.broken;
  return { ...entry, cause: `${code}: ${cause}` };
}

interface Unread {
  readonly finding: Finding;
  readonly permissions: readonly Permission[];
}

/** One finding for each list, with the checks that were left out. */
function listUnread(
  judged: readonly JudgedCheck[],
  facts: Facts,
  skip: readonly Skip[] | undefined,
): readonly Unread[] {
  return [...facts.unread].flatMap(([key, refusal]) => {
    const left = judged.filter(
      ({ unread = [], verdict }) => verdict === "unjudged" && unread.includes(key),
    );
    if (left.length === 0) return [];
    const keys = [key];
    // what a dump holds otherwise than an API server, no permission helps with
    const isMisfit = facts.misfits?.has(key) === true;
    const permissions = isMisfit
      ? []
      : factNeeds(facts, { keys, why, secrets: listSecretsNamed(facts) });
    const codes = left.map(({ check }) => check.code).join(", ");
    const { resource } = factSources(facts.names)[key];
    const finding = {
      ...judgingCodes.unread,
      object: resource.kind,
      cause: `could not be read (${refusal}), so these are not checked: ${codes}`,
      fix: isMisfit
        ? "correct the dump as its own findings say, then rehearse again"
        : `ask an administrator to grant: ${permissions.map(permissionLine).join(", ")}; then run again`,
    };
    return accept([finding], skip).map((each) => ({ permissions, finding: each }));
  });
}
