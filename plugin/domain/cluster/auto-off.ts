/** Switching the automatic upgrade off before the operator's, where modules of one's own are used (S51, S124). */
import type { Facts } from "../facts";
import type { KubeObject } from "../objects";
import { at } from "../values";
import { usedModules } from "./databases";
import type { FieldEdit } from "./edits";
import { autoPaths } from "./fields";

/** The fields to write; none where the EC may follow the operator by itself. */
export function autoOffEdits(facts: Facts, ec: KubeObject): readonly FieldEdit[] {
  const { names } = facts;
  const on = autoPaths(names).filter((path) => at(ec, path) === true);
  if (on.length === 0) return [];
  if (usedModules(facts, ec).length === 0) return [];
  return on.map((path) => ({ path, from: true, to: false }));
}
