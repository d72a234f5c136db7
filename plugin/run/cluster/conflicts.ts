/** Whether the fields of an upgrade may be written over those who hold them (S18). */
import { shownEdits } from "../../domain/cluster/edits";
import type { ClusterPlan } from "../../domain/cluster/plan";
import type { Act } from "../../domain/confirmed";
import type { Finding } from "../../domain/findings";
import { objectLabel } from "../../domain/objects";
import { judgeConflict } from "../../domain/webhook/conflicts";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";

/** What keeps the write from being sent, and whether fields are taken from a manager's hands. */
export interface Conflicts {
  /** The owner of the whole EC, and the managers of its fields (exit 5). */
  readonly conflicts: readonly Finding[];
  /** Somebody beside a person's kubectl loses a field, as was asked for. */
  readonly takes: boolean;
}

/** What is written, and from whose hands, for comparison with a plan that is made again. */
export function actsOf(
  deps: Pick<UpgradeClusterDeps, "names">,
  options: Pick<UpgradeClusterOptions, "fieldManager" | "takeFields">,
  plan: Pick<ClusterPlan, "ec" | "owned" | "holders" | "edits">,
): readonly Act[] {
  const object = objectLabel(plan.ec);
  const { takes } = conflictsOf(deps, options, plan);
  const taken = takes ? plan.holders.map(({ message = "" }) => `take a field: ${message}`) : [];
  const edits = plan.edits.map((edit) => `write ${shownEdits([edit])}`);
  return [...edits, ...taken].map((does) => ({ object, does }));
}

/** Judges the holders; a person's own kubectl is no hindrance. */
export function conflictsOf(
  { names }: Pick<UpgradeClusterDeps, "names">,
  { fieldManager, takeFields }: Pick<UpgradeClusterOptions, "fieldManager" | "takeFields">,
  { ec, owned, holders: causes }: Pick<ClusterPlan, "ec" | "owned" | "holders">,
): Conflicts {
  const judge = (fields: readonly string[]): readonly Finding[] => {
    if (causes.length === 0) return [];
    const ours = [fieldManager, names.fieldManager];
    const verdict = judgeConflict({ causes, object: objectLabel(ec), ours, takeFields: fields });
    return verdict.is === "force" ? [] : verdict.findings;
  };
  const held = judge(takeFields);
  return { conflicts: [...owned, ...held], takes: judge([]).length > held.length };
}
