/** Rows of advisories as symptoms of the one diagnosis: those of a code are one, each judged on all that it concerns. */
import { getPath, groupBy, oncePer } from "../base/values";
import { diagnose, gate, NotSeen } from "../diagnosis/diagnose";
import type { Diagnosed, Found, Symptom } from "../diagnosis/symptom";
import type { FactKey } from "../facts/facts";
import { objectLabel } from "../kube/objects";
import type { Names } from "../names/names";
import { judgeEach, type Judgment } from "./judge";
import type { AdvisedAct, Sourced } from "./row";
import { type AdvisoryScene, findUnread, listSubjects, type Subject } from "./situation";

/** The symptom of one code. */
export interface AdvisorySymptom extends Omit<Symptom<AdvisoryScene>, "concerns"> {
  readonly rows: readonly Sourced[];
}

/** Every code of the rows, in their order. */
export const listAdvisories = oncePer((rows: readonly Sourced[]): readonly AdvisorySymptom[] =>
  [...groupBy(rows, ({ code }) => code).values()].flatMap(describeCode),
);

/** Those that forbid an act. */
function listForbidding(rows: readonly Sourced[], act: AdvisedAct): readonly AdvisorySymptom[] {
  return listAdvisories(rows.filter(({ forbids = [] }) => forbids.includes(act)));
}

/** Those that the plan of an act shows and that do not forbid it. */
function listWarning(rows: readonly Sourced[], act: AdvisedAct): readonly AdvisorySymptom[] {
  const shown = rows.filter(({ warns = [] }) => warns.includes(act));
  return listAdvisories(shown.filter(({ forbids = [] }) => !forbids.includes(act)));
}

/** What is to be told before an act: what forbids it, and what its plan warns of. */
export function judgeAct(
  rows: readonly Sourced[],
  act: AdvisedAct,
  scene: AdvisoryScene,
): readonly Diagnosed[] {
  return [...gate(listForbidding(rows, act), act, scene), ...judgeWarning(rows, act, scene)];
}

/** What the plan of an act warns of; it forbids nothing. */
export function judgeWarning(
  rows: readonly Sourced[],
  act: AdvisedAct,
  scene: AdvisoryScene,
): readonly Diagnosed[] {
  const { findings } = diagnose(listWarning(rows, act), scene);
  return findings.map((one): Diagnosed => ({ ...one, severity: "warning" }));
}

function describeCode(rows: readonly Sourced[]): readonly AdvisorySymptom[] {
  const severity = rows.some((one) => one.severity === "error") ? "error" : "warning";
  const forbids = [...new Set(rows.flatMap((one) => one.forbids ?? []))];
  // the first one says in general what the code is about
  return rows.slice(0, 1).map(({ code, title, cause, fix, remedies, source }) => ({
    ...{ code, title, cause, source, severity, rows, needs: [] },
    fix: fix ?? remedies?.map(({ says }) => says).join("; else ") ?? "",
    ...(forbids.length > 0 && { forbids }),
    judge: (scene) => judgeRows(rows, scene),
  }));
}

interface Judged {
  readonly row: Sourced;
  readonly subject: Subject;
  readonly judgment: Judgment;
}

/** What is found; where nothing is, and something is not known, that is told instead. */
function judgeRows(rows: readonly Sourced[], scene: AdvisoryScene): readonly Found[] {
  const judged = rows.flatMap((row) => judgeSubjects(row, scene));
  const found = judged.flatMap((one) => report(one, scene.facts.names));
  const hidden = judged.flatMap(({ judgment, subject: { object } }) =>
    judgment.is === "unknown" ? [{ ...judgment, object }] : [],
  );
  const [first] = hidden;
  if (first === undefined || found.length > 0) return [...found, ...hidden.map(reportUnknown)];
  const on = first.object === undefined ? "" : `${objectLabel(first.object)}: `;
  const keys = [...new Set(hidden.flatMap((one): readonly FactKey[] => one.keys))];
  throw new NotSeen(keys.length > 0 ? first.because : `${on}${first.because}`, keys);
}

/** Where a list was not read, there may be more than what is judged. */
function judgeSubjects(row: Sourced, scene: AdvisoryScene): readonly Judged[] {
  const judged = judgeEach(row, listSubjects(row.concerns, scene)).map((one) => ({ row, ...one }));
  const unread = findUnread(row.concerns, scene.facts);
  if (unread === undefined) return judged;
  const { because, keys } = unread;
  const subject: Subject = { object: undefined, values: {} };
  return [...judged, { row, subject, judgment: { is: "unknown", because, keys } }];
}

function report({ row, subject, judgment }: Judged, names: Names): readonly Found[] {
  if (judgment.is !== "fires") return [];
  const { cause, fix, remedies } = judgment;
  const { object } = subject;
  const field = row.field === undefined ? undefined : findField(row.field, names);
  return [
    {
      severity: row.severity,
      source: row.source,
      cause,
      ...(object !== undefined && { object: objectLabel(object) }),
      ...(field !== undefined && { field }),
      ...(fix !== undefined && { fix }),
      ...(remedies !== undefined && { remedies }),
      ...(row.supersedes !== undefined && { supersedes: row.supersedes }),
    },
  ];
}

/** Beside what is found: of this object it is not known. */
function reportUnknown({
  because,
  object,
}: Extract<Judgment, { readonly is: "unknown" }> & Pick<Subject, "object">): Found {
  return {
    severity: "warning",
    cause: `not checked: ${because}`,
    fix: "check by hand what the others are told for",
    ...(object !== undefined && { object: objectLabel(object) }),
  };
}

/** The path that a key of the names file leads to: `ecFields.licenseState`. */
function findField(key: string, names: Names): string | undefined {
  const path = getPath(names, key.split("."));
  return Array.isArray(path) ? path.join(".") : undefined;
}
