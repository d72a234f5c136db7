/** One diagnosis over one snapshot: every command that looks at a cluster, or is about to write, asks this. */
import { pick } from "../base/values";
import type { FactKey } from "../facts/facts";
import { chooseWays } from "../names/codes";
import { textIn } from "../names/text";
import { type ComponentHealth, stalledBy, unreadVerdict } from "../rollout/health";
import type { Act, Diagnosed, Found, Scene, Symptom } from "./symptom";

/** A symptom that nothing can be said about. */
export interface Unseen {
  readonly row: Pick<Symptom, "code" | "source">;
  /** Lists that could not be read; none where it is a value that is not known. */
  readonly keys: readonly FactKey[];
  readonly because: string;
  /** The row met data that it does not understand. */
  readonly broken?: true;
  /** A user who may act need not be able to read these. */
  readonly may: boolean;
}

/** What is wrong, in causal order: the first error explains those after it. */
export interface Diagnosis {
  readonly findings: readonly Diagnosed[];
  readonly unseen: readonly Unseen[];
}

/**
 * Judges each row of a list, in its order. No row is left out because another one finds something. `lists` are what
 * a view rests on that chooses the objects itself.
 */
export function diagnose<S extends Scene>(
  rows: readonly Symptom<S>[],
  scene: S,
  lists: Partial<Pick<Symptom, "needs" | "may">> = {},
): Diagnosis {
  const each = rows.map((row) => diagnoseRow({ ...row, ...lists }, scene));
  return {
    findings: each.flatMap(({ findings }) => findings),
    unseen: each.flatMap(({ unseen }) => unseen),
  };
}

/** Judges one row: its findings, else why nothing can be said about it. */
export function diagnoseRow<S extends Scene>(row: Symptom<S>, scene: S): Diagnosis {
  const { may = [], needs } = row;
  try {
    if (row.concerns?.(scene) === false) return { findings: [], unseen: [] };
    const hidden = findHidden(needs, scene);
    if (hidden !== undefined) return unseen({ row, ...hidden, may: false });
    const findings = row.judge(scene).map((found) => complete(row, found, scene));
    // what is found holds without these lists; that nothing is wrong does not
    const doubt = findings.length === 0 ? findHidden(may, scene) : undefined;
    return doubt === undefined ? { findings, unseen: [] } : unseen({ row, ...doubt, may: true });
  } catch (error) {
    if (error instanceof NotSeen) {
      return unseen({
        row,
        keys: error.keys,
        because: error.message,
        may: row.forbids === undefined || error.keys.length === 0,
      });
    }
    const because = "it met data that it does not understand";
    return unseen({ row, keys: [], because, may: false, broken: true });
  }
}

/** Thrown by a row that finds nothing, and for which a value that it needs is not known. */
export class NotSeen extends Error {
  /** `keys` are the lists for want of which it is not known. */
  constructor(
    because: string,
    readonly keys: readonly FactKey[],
  ) {
    super(because);
  }
}

function unseen(one: Unseen): Diagnosis {
  return { findings: [], unseen: [one] };
}

function findHidden(
  keys: readonly FactKey[],
  { facts }: Scene,
): Pick<Unseen, "keys" | "because"> | undefined {
  const unread = unreadVerdict(facts, keys);
  return unread && { keys: keys.filter((key) => facts.unread.has(key)), because: unread.because };
}

/** The finding, in the words of its row where the symptom has none of its own. */
export function complete(
  row: Pick<Symptom, "code" | "severity" | "fix" | "remedies" | "source" | "why">,
  found: Found,
  scene: Scene,
): Diagnosed {
  const { why = [] } = row;
  const { code = row.code, severity = row.severity, source = row.source } = found;
  // a finding with a code of its own has told its cause already
  const hidden = found.code === undefined ? findHidden(why, scene) : undefined;
  const unseen = hidden === undefined ? "" : `; ${hidden.because}, so no cause is seen`;
  const { fix = textIn(row.fix, scene.facts.names), remedies } = chooseWays(row, found);
  return {
    ...{ code, severity, ...pick(found, "object", "field", "location") },
    ...{ cause: `${found.cause}${unseen}`, fix },
    ...{ ...(remedies && { remedies }), source, ...pick(found, "passes", "supersedes") },
    ...(hidden !== undefined && { blind: true }),
    row: row.code,
  };
}

/**
 * What stands against an act, in one list: each finding of a row that forbids it is an error here, whatever its
 * severity is where nobody is about to act. A row that could not look is in the list too.
 */
export function gate<S extends Scene>(
  rows: readonly Symptom<S>[],
  act: Act,
  scene: S,
): readonly Diagnosed[] {
  return rows
    .filter(({ forbids = [] }) => forbids.includes(act))
    .flatMap((row) => {
      const { findings, unseen } = diagnoseRow(row, scene);
      return [
        // a warning of a row of errors, or under a code of its own, has been judged to stand against nothing
        ...findings.map((one): Diagnosed => {
          const isJudged = row.severity === "error" || one.code !== row.code;
          return isJudged && one.severity === "warning" ? one : { ...one, severity: "error" };
        }),
        ...unseen.map(reportUnseen),
      ];
    });
}

/** That a row could not look: an error where its lists are needed, for whoever is about to act. */
export function reportUnseen({ row: { code, source }, keys, because, may }: Unseen): Diagnosed {
  return {
    ...{ code, source, row: code, blind: true },
    severity: may ? "warning" : "error",
    cause: `not checked: ${because}`,
    fix:
      keys.length === 0
        ? "check by hand what it is about (explain prints it)"
        : "have the permission to read it granted (--print-role prints the Role), then run again",
  };
}

/** A component in one word: its first error, one that waiting ends last; else that it was not seen, else what it rests on. */
export function verdictOf({ findings, unseen }: Diagnosis, rests: string): ComponentHealth {
  const errors = findings.filter(({ severity }) => severity === "error");
  const first = errors.find(({ passes }) => passes !== true) ?? errors[0];
  if (first !== undefined) return verdictOn(first, unseen);
  const [hidden] = unseen;
  if (hidden !== undefined) return { is: "unknown", because: hidden.because };
  return { is: "fine", says: rests };
}

/** A component by the finding that stands for it. */
export function verdictOn(first: Diagnosed, unseen: readonly Unseen[]): ComponentHealth {
  const { passes, blind, object, cause: because } = first;
  if (blind === true) return { is: "unknown", because };
  if (passes === true)
    return verdictOnPassing([object, because].filter(Boolean).join(": "), unseen);
  return stalledBy(first);
}

/** What ends by waiting is on its way only where nothing that was not seen may hold it up. */
function verdictOnPassing(on: string, [hidden]: readonly Unseen[]): ComponentHealth {
  if (hidden === undefined) return { is: "moving", on };
  return { is: "unknown", because: `${on}; ${hidden.because}` };
}
