/** The rules in order, and the verdict over one edit: what webhook and plugin both call. */
import { readReference } from "./clusters";
import type { Names } from "../names/names";
import { getOwn, asString, omit } from "../base/values";
import { engineVersionRule } from "./engine-version";
import { modulesRule } from "./modules";
import { readSubject } from "./fields";
import type { Case, Cause, Edit, Lookups, Rule, RuleOptions, Subject, Verdict } from "./types";
import { pass } from "./types";
import { upgradePolicyRule } from "./upgrade-policy";
import { describeCause, renderCause, renderWarning, showMiss } from "./wording";

/** The rules for a new object: creation is no upgrade (C7). */
export const createRules: readonly Rule[] = [engineVersionRule, modulesRule];

/** The rules for a changed object. */
export const changeRules: readonly Rule[] = [engineVersionRule, upgradePolicyRule, modulesRule];

/** What stands behind each rule. */
export const ruleSources: ReadonlyMap<Cause["rule"], string> = new Map(
  changeRules.map(({ id, source }) => [id, source]),
);

/** The rules that need a change: what is stored is not judged by them. */
export const rulesOfChange = changeRules
  .filter((rule) => !createRules.includes(rule))
  .map(({ id }) => id);

/** Together they stay below the 4096 bytes that the API server passes on (admission facts 4). */
const warningCount = 32;

/** True for an object that is being deleted: its finalizers have to go, whatever else it holds (C12). */
export function isExempt({ before, after }: Edit): boolean {
  return isBeingDeleted(before) || isBeingDeleted(after);
}

function isBeingDeleted(object: Edit["before"]): boolean {
  return asString(getOwn(getOwn(object, "metadata"), "deletionTimestamp")) !== undefined;
}

/** False when no judged field has changed, or none that rests on an EC or has the wrong shape: allowed at once (C12, admission facts 7). */
export function needsCluster(edit: Edit, names: Names): boolean {
  return !isExempt(edit) && restsOnCluster(readSubject(edit, names), names);
}

/** True when the old object's EC has to be looked up too: reference and engineVersion change together (C18). */
export function needsOldCluster(edit: Edit, names: Names): boolean {
  const { kind, before, after } = edit;
  return (
    before !== undefined &&
    !isExempt(edit) &&
    readSubject(edit, names).versions.length > 0 &&
    readReference(before, kind, names) !== readReference(after, kind, names)
  );
}

function restsOnCluster({ shapes, versions, modules }: Subject, names: Names): boolean {
  const bundled: readonly (string | undefined)[] = names.bundledModules;
  if (shapes.length > 0 || versions.length > 0) return true;
  return modules.some(({ name }) => !bundled.includes(name));
}

/** All causes and warnings of one edit, in the same order for the same input (C1–C12, C17–C20). */
export function judgeEdit(edit: Edit, lookups: Lookups, options: RuleOptions): Verdict {
  const subject = readSubject(edit, options.names);
  if (isExempt(edit) || !restsOnCluster(subject, options.names)) return pass;
  const facts: Case = { edit, subject, lookups, options };
  const verdicts = (edit.before === undefined ? createRules : changeRules).map((rule) =>
    applySetting(rule.judge(facts), options.rules[rule.setting]),
  );
  const more = sum(verdicts.map((verdict) => verdict.more));
  const wouldDeny = sortCauses(verdicts.flatMap((verdict) => verdict.wouldDeny ?? []));
  const uncertain = verdicts.flatMap((verdict) => verdict.uncertain ?? []);
  return {
    causes: sortCauses(verdicts.flatMap((verdict) => verdict.causes)),
    warnings: boundWarnings(
      [
        ...(lookups.after.is === "ambiguous"
          ? [renderWarning(showMiss(lookups.after, options.names))]
          : []),
        ...verdicts.flatMap((verdict) => verdict.warnings),
      ],
      sum(verdicts.map(({ unsaid }) => unsaid)),
    ),
    dependsOnCluster: verdicts.some((verdict) => verdict.dependsOnCluster),
    ...(more > 0 && { more }),
    ...(wouldDeny.length > 0 && { wouldDeny }),
    ...(uncertain.length > 0 && { uncertain }),
  };
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((sum, count = 0) => sum + count, 0);
}

/** A verdict under a rule's setting; `unsaid` are the problems for which there is no warning. */
type Applied = Verdict & { readonly unsaid?: number | undefined };

/** What a rule's setting makes of its verdict: nothing, warnings alone, or all of it. */
function applySetting(verdict: Verdict, setting: RuleOptions["rules"][Rule["setting"]]): Applied {
  switch (setting) {
    case "deny":
      return verdict;
    case "warn":
      return {
        ...omit(verdict, "more"),
        causes: [],
        warnings: [...verdict.causes.map(wouldBeDenied), ...verdict.warnings],
        dependsOnCluster: false,
        wouldDeny: verdict.causes,
        unsaid: verdict.more,
      };
    case "off":
      return pass;
  }
}

/** What a rule that does not refuse says instead. */
export function wouldBeDenied(cause: Cause): string {
  const { field, rule } = cause;
  return renderWarning(`would be denied: ${field}: ${describeCause(cause)}`, ` [${rule}]`);
}

/** The first of very many, and how many are left out, with those for which there is no text. */
export function boundWarnings(warnings: readonly string[], unsaid: number): readonly string[] {
  const all = [...new Set(warnings)];
  if (all.length + unsaid <= warningCount) return all;
  const shown = all.slice(0, warningCount - 1);
  const hidden = all.length - shown.length + unsaid;
  return [...shown, `${hidden} more warnings are not shown`];
}

/** By field path, indexes as numbers; of the same cause one is kept (admission facts 6.3). */
function sortCauses(causes: readonly Cause[]): readonly Cause[] {
  const distinct = new Map(causes.map((cause) => [`${cause.field}: ${renderCause(cause)}`, cause]));
  return [...distinct.values()]
    .map((cause) => ({ cause, parts: pathParts(cause.field) }))
    .sort((left, right) => comparePaths(left.parts, right.parts))
    .map(({ cause }) => cause);
}

function comparePaths(ours: readonly string[], theirs: readonly string[]): number {
  const different = ours.findIndex((part, index) => part !== theirs[index]);
  const [our, their] = [ours[different], theirs[different]];
  if (our === undefined || their === undefined) return ours.length - theirs.length;
  const byNumber = Number(our) - Number(their);
  if (!Number.isNaN(byNumber)) return byNumber;
  return our < their ? -1 : 1;
}

function pathParts(path: string): readonly string[] {
  return path.split(/[.[\]]+/);
}
