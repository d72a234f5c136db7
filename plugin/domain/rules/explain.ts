/** Why an edit is judged as it is: each rule with what it says, the ECs, and the way that would pass. */
import { mostCauses } from "./modules";
import { type FieldChange, nearestEdit } from "./nearest";
import { changeRules, createRules, isExempt, judgeEdit, needsCluster } from "./order";
import { readSubject } from "./subject";
import type { Cause, ClusterLookup, Edit, Lookups, Rule, RuleOptions } from "./types";

/** One rule and what it says of the edit, whatever its setting makes of that. */
export interface RuleTried {
  readonly id: Rule["id"];
  readonly setting: "deny" | "warn" | "off";
  readonly source: string;
  readonly causes: readonly Cause[];
  /** Problems that are not among them. */
  readonly more?: number;
  readonly warnings: readonly string[];
}

/** An edit, explained. */
export interface Explanation {
  readonly allowed: boolean;
  /** Why no rule was tried: `being deleted` or `unchanged`. */
  readonly spared?: string;
  readonly rules: readonly RuleTried[];
  /** The EC of the object; of the old one too where the reference changed. */
  readonly clusters: { readonly after?: ClusterLookup; readonly before?: ClusterLookup };
  /** The changes with which it would pass; absent when it passes, for wrong shapes, and for longer lists than any database has. */
  readonly nearest?: readonly FieldChange[];
}

/** Explains an edit by the ECs that it concerns. */
export function explainEdit(edit: Edit, lookups: Lookups, options: RuleOptions): Explanation {
  if (isExempt(edit) || !needsCluster(edit, options.names)) {
    const spared = isExempt(edit) ? "being deleted" : "unchanged";
    return { allowed: true, spared, rules: [], clusters: {} };
  }
  const facts = { edit, subject: readSubject(edit, options.names), lookups, options };
  const rules = (edit.before === undefined ? createRules : changeRules).map((rule) => {
    const { causes, warnings, more } = rule.judge(facts);
    const setting = options.rules[rule.setting];
    const tried = { id: rule.id, setting, source: rule.source, causes, warnings };
    return more === undefined ? tried : { ...tried, more };
  });
  const allowed = judgeEdit(edit, lookups, options).causes.length === 0;
  const { shapes, modules } = facts.subject;
  if (allowed || shapes.length > 0 || modules.length > mostCauses) {
    return { allowed, rules, clusters: lookups };
  }
  return { allowed, rules, clusters: lookups, nearest: nearestEdit(edit, lookups, options) };
}
