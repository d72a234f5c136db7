/** Judges a snapshot by the catalogue of checks: every one of them, whatever the others find. */
import { firstRun } from "../base/remedy";
import { diagnoseRow } from "../diagnosis/diagnose";
import type { Act } from "../diagnosis/symptom";
import { type Facts, factSources } from "../facts/facts";
import type { Finding } from "../base/findings";
import { checksWhy as why, factNeeds } from "./needs";
import { permissionLine, type Permission } from "../kube/permissions";
import { type Check, judgingCodes, type Want } from "./check";
import { chooseRoles } from "../rbac/scene";
import { listSecretNames } from "./secrets";
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
  /** Why it is unjudged. */
  readonly because?: string;
}

/** The verdicts, and all that a person has to know. */
export interface Judgment {
  readonly judged: readonly JudgedCheck[];
  /** Of the checks, then of the lists that could not be read. */
  readonly findings: readonly Finding[];
  /** Permissions that would let more be judged. */
  readonly missing: readonly Permission[];
}

/** Judges a situation by the checks of a list. */
export function judgeBy(
  list: readonly Check[],
  situation: CheckContext,
  selection: Selection,
): Judgment {
  const { only } = selection;
  const wanted = list.filter(({ code }) => only === undefined || only.includes(code));
  const judged = wanted.map((check) => judgeOne(check, situation, selection));
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

/** True where an error stands that the upgrade does not fix itself, or where `strict` a warning does. */
export function isBlocked({ findings }: Judgment, strict: boolean): boolean {
  return findings.some(
    (one) =>
      (one.severity === "error" && !isFixedByUpgrade(one)) || (strict && one.accepted !== true),
  );
}

/** The acts of a whole upgrade; each of them writes what the release has, whatever was there before. */
const upgradeActs: readonly Act[] = [
  "upgrade-operator",
  "upgrade-webhook",
  "upgrade-cluster",
  "reapply-rbac",
  "unbind-scc",
];

/** True where the remedy of a finding is an act of the upgrade that `check` is asked about. */
export function isFixedByUpgrade({ remedies }: Finding): boolean {
  const { of, words = [] } = firstRun(remedies)?.run ?? {};
  return of === "tool" && words.length === 1 && upgradeActs.some((act) => act === words[0]);
}

function judgeOne(check: Check, situation: CheckContext, selection: Selection): JudgedCheck {
  const { needs, wants, vouched } = check;
  const isRead = needs.every((key) => !situation.facts.unread.has(key));
  const lack = isRead ? findLack(wants, situation) : undefined;
  if (lack !== undefined) return leaveOut(check, selection, lack);
  const { findings: found, unseen } = diagnoseRow(check, situation);
  const [hidden] = unseen;
  if (hidden?.keys.length === 0) {
    const findings = accept([reportBroken(check)], selection.skip);
    return { check, verdict: "unjudged", findings };
  }
  if (hidden !== undefined) return leaveOut(check, selection, `unread: ${hidden.keys.join(", ")}`);
  const findings = accept(vouched === true ? found.map(askToVouch) : found, selection.skip);
  if (findings.length === 0) return { check, verdict: "ok", findings };
  const stands = findings.some(({ accepted }) => accepted !== true);
  return { check, verdict: stands ? "failed" : "skipped", findings };
}

function leaveOut(check: Check, selection: Selection, because: string): JudgedCheck {
  const verdict = isSkipped(selection, check.code) ? "skipped" : "unjudged";
  return { check, verdict, findings: [], because };
}

function askToVouch(finding: Finding): Finding {
  return { ...finding, fix: `${finding.fix}; then accept it with --skip ${skipWord(finding)}` };
}

type Lack = (situation: CheckContext) => boolean;

const noTemplate = "there is no template to compare with";

/** When a check has to do without what it wants, and what is said then. */
const lacks: Readonly<Record<Want, readonly [lacks: Lack, says: string]>> = {
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
  return isLacking(situation) ? says : undefined;
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
      ({ check: { needs, may = [] }, verdict }) =>
        verdict === "unjudged" && [...needs, ...may].includes(key),
    );
    if (left.length === 0) return [];
    const keys = [key];
    // what a dump holds otherwise than an API server, no permission helps with
    const isMisfit = facts.misfits?.has(key) === true;
    const permissions = isMisfit
      ? []
      : factNeeds(facts, { keys, why, secrets: listSecretNames(facts) });
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
