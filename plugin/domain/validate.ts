/**
 * Objects that are judged outside an admission review: those of files, and those that are stored. Each
 * verdict is given by the function that the webhook calls (C1-C20), over the same values.
 */
import { isOfKind, lookUpCluster, referenceOf } from "./clusters";
import type { Finding } from "./findings";
import type { Names } from "./names";
import { ruleFinding, ruleFindings } from "./rules/codes";
import { explainEdit } from "./rules/explain";
import { readSubject } from "./rules/fields";
import { isExempt, judgeEdit, needsCluster, needsOldCluster, ruleSources } from "./rules/order";
import type { Cause, ClusterFacts, Edit, Lookups, RuleOptions, Verdict } from "./rules/types";
import { plain, showMiss } from "./rules/wording";
import { asString, getPath, groupBy, type Json } from "./values";
import { parseEngineVersion } from "./versions";

/** By what objects are judged. */
export interface RuleWorld {
  readonly options: RuleOptions;
  readonly operatorNamespace: string;
  readonly clusters: readonly ClusterFacts[];
  /** False where there may be others: an EC that is not among them is then not at hand, and not missing. */
  readonly complete: boolean;
}

/** What is said of one edit. */
export interface JudgedEdit {
  /** The webhook's, without the causes that only an EC could tell that is not at hand. */
  readonly verdict: Verdict;
  /** The causes of rules that are set to warn. */
  readonly wouldDeny: readonly Cause[];
  readonly lookups: Lookups;
  /** Which EC would have to be known for the rest. */
  readonly unevaluated?: string;
}

/** Judges edits of a namespace, each as the webhook would with the ECs given. */
export function judgeIn(world: RuleWorld): (edit: Edit, namespace: string) => JudgedEdit {
  const { options, operatorNamespace, complete } = world;
  const byNamespace = groupBy(world.clusters, (cluster) => cluster.namespace);
  return (edit, namespace) => {
    const places = [...new Set([namespace, operatorNamespace])];
    const all = places.flatMap((place) => byNamespace.get(place) ?? []);
    const look = (object: unknown) => {
      const reference = referenceOf(object, edit.kind, options.names);
      return lookUpCluster({ reference, namespace, operatorNamespace, all });
    };
    const after = look(edit.after);
    const isMoved = needsOldCluster(edit, options.names);
    const lookups: Lookups = isMoved ? { after, before: look(edit.before) } : { after };
    const miss = [after, lookups.before].find((lookup) => lookup?.is === "missing");
    const verdict = judgeEdit(edit, lookups, options);
    const judged = { verdict, wouldDeny: warned(edit, lookups, options), lookups };
    if (complete || miss?.is !== "missing" || !isOpen(edit, verdict, options)) return judged;
    const isCertain = ({ reason }: Cause): boolean =>
      !verdict.dependsOnCluster || reason === "FieldValueTypeInvalid";
    return {
      ...judged,
      verdict: { ...verdict, causes: verdict.causes.filter(isCertain), warnings: [] },
      wouldDeny: judged.wouldDeny.filter(({ reason }) => reason === "FieldValueTypeInvalid"),
      unevaluated: showMiss(miss, options.names),
    };
  };
}

/** The causes of rules that only warn, each with its field: their warnings are cut for a header. */
function warned(edit: Edit, lookups: Lookups, options: RuleOptions): readonly Cause[] {
  if (!Object.values(options.rules).includes("warn")) return [];
  const { rules } = explainEdit(edit, lookups, options);
  return rules.flatMap(({ setting, causes }) => (setting === "warn" ? causes : []));
}

/** Whether an EC could say something else: of a version, or of a module that not every EC bundles. */
function isOpen(edit: Edit, verdict: Verdict, { names, rules }: RuleOptions): boolean {
  if (isExempt(edit) || !needsCluster(edit, names)) return false;
  if (verdict.dependsOnCluster) return true;
  const { versions, modules } = readSubject(edit, names);
  const bundled: readonly (string | undefined)[] = names.bundledModules;
  const byVersion = rules.version !== "off" || rules.policy !== "off";
  const isAsked = ({ after }: (typeof versions)[number]): boolean =>
    after === names.latestChannel || parseEngineVersion(after) !== undefined;
  return (
    (byVersion && versions.some(isAsked)) ||
    (rules.modules !== "off" &&
      modules.some(({ name }) => name !== undefined && !bundled.includes(name)))
  );
}

const judgedKinds = ["edb", "eaadb"] as const;

/** The kind of a database that is judged, undefined for every other object. */
export function kindOf(object: unknown, names: Names): Edit["kind"] | undefined {
  return judgedKinds.find((kind) => isOfKind(object, kind, names));
}

/** An object as findings name it, cut and escaped as in a denial. */
export function labelOf(object: Json, namespace: string): string {
  const name = (key: string): string => asString(getPath(object, ["metadata", key])) ?? "";
  const called = name("name") === "" ? `${name("generateName")}*` : name("name");
  return [asString(object["kind"]) ?? "", namespace, called].map((part) => plain(part)).join("/");
}

/** All that is said of an edit, as findings about the object. */
export function findingsOf(object: string, judged: JudgedEdit): readonly Finding[] {
  const { verdict, wouldDeny, unevaluated } = judged;
  const { causes, warnings, more = 0 } = verdict;
  const [last] = causes.slice(-1);
  const isSaid = (text: string): boolean => wouldDeny.length > 0 && /^would be denied: /.test(text);
  return [
    ...causes.map((cause) => causeFinding(object, cause, "error")),
    ...(last !== undefined && more > 0
      ? [{ ...ruleFindings[last.rule], object, cause: `${more} more problems are not shown` }]
      : []),
    ...wouldDeny.map((cause) => causeFinding(object, cause, "warning")),
    ...warnings
      .filter((text) => !isSaid(text))
      .map((cause) => ruleFinding("warned", { object, cause })),
    ...(unevaluated === undefined
      ? []
      : [ruleFinding("unevaluated", { object, cause: `not evaluated: ${unevaluated}` })]),
  ];
}

/** What is wrong, and the way out: the two halves of a denial's sentence. */
function causeFinding(
  object: string,
  { rule, reason, field, message }: Cause,
  severity: Finding["severity"],
): Finding {
  const said = message.slice(0, -` [${rule}]`.length);
  const source = ruleSources.get(rule) ?? ruleFindings[rule].source;
  const about = { ...ruleFindings[rule], severity, object, field, source };
  if (reason === "FieldValueTypeInvalid") {
    const fix = `write ${said.split(": must be ").slice(-1).join("")}`;
    return { ...about, cause: said, fix };
  }
  const end = said.lastIndexOf("; ");
  return { ...about, cause: said.slice(0, end), fix: said.slice(end + 2) };
}
