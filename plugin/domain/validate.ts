/**
 * Objects that are judged outside an admission review: those of files, and those that are stored. Each
 * verdict is given by the function that the webhook calls (C1-C20), over the same values.
 */
import { clusterKey, isOfKind, lookUpCluster, mayBeDisplayName, referenceOf } from "./clusters";
import type { Finding } from "./findings";
import type { Names } from "./names";
import { ruleFinding, ruleFindings } from "./rules/codes";
import { explainEdit } from "./rules/explain";
import { fieldOfModule, readSubject } from "./rules/fields";
import { isExempt, judgeEdit, needsCluster, needsOldCluster, ruleSources } from "./rules/order";
import type {
  Cause,
  ClusterFacts,
  ClusterLookup,
  Edit,
  Lookups,
  RuleOptions,
  Verdict,
} from "./rules/types";
import { plain, showCluster, showMiss } from "./rules/wording";
import { asString, getPath, groupBy, type Json, omit } from "./values";

/** By what objects are judged. */
export interface RuleWorld {
  readonly options: RuleOptions;
  readonly operatorNamespace: string;
  /** Several of one namespace and name are candidates: which of them counts is not known. */
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
  /** What would have to be known for the rest. */
  readonly unevaluated?: string;
}

/** Judges edits of a namespace, each as the webhook would with the ECs given. */
export function judgeIn(world: RuleWorld): (edit: Edit, namespace: string) => JudgedEdit {
  const { options, operatorNamespace } = world;
  const { names } = options;
  const documents = groupBy(world.clusters, clusterKey);
  const distinct = [...documents.values()].flatMap((group) => group.slice(0, 1));
  const isDistinct = distinct.length === world.clusters.length;
  const byNamespace = groupBy(distinct, (cluster) => cluster.namespace);
  return (edit, namespace) => {
    const places = [...new Set([namespace, operatorNamespace])];
    const all = places.flatMap((place) => byNamespace.get(place) ?? []);
    const look = (object: unknown) => {
      const reference = referenceOf(object, edit.kind, names);
      return lookUpCluster({ reference, namespace, operatorNamespace, all });
    };
    const after = look(edit.after);
    const isMoved = needsOldCluster(edit, names);
    const lookups: Lookups = isMoved ? { after, before: look(edit.before) } : { after };
    const theirs = isDistinct && lookups.after.is !== "ambiguous" ? [] : world.clusters;
    return judgeAsked({ edit, lookups, world, candidates: theirs });
  };
}

interface Asked {
  readonly edit: Edit;
  readonly lookups: Lookups;
  readonly world: RuleWorld;
  /** Every document of every EC, where it may matter which one counts. */
  readonly candidates: readonly ClusterFacts[];
}

type Judgment = Pick<JudgedEdit, "verdict" | "wouldDeny">;

/** A cause stands where nothing that is not known could take it away; what could is named. */
function judgeAsked(asked: Asked): JudgedEdit {
  const { edit, lookups, world } = asked;
  const judgeBy = (by: Lookups): Judgment => ({
    verdict: judgeEdit(edit, by, world.options),
    wouldDeny: warned(edit, by, world.options),
  });
  const usual = judgeBy(lookups);
  const doubts = doubtsOf(asked, judgeBy, usual);
  if (doubts.length === 0) return { ...usual, lookups };
  const isCertain = (cause: Cause): boolean => doubts.every(({ leaves }) => leaves(cause));
  const causes = usual.verdict.causes.filter(isCertain);
  const said = doubts.some(({ hidesWarnings }) => hidesWarnings) ? [] : usual.verdict.warnings;
  return {
    verdict: { ...omit(usual.verdict, "more"), causes, warnings: said },
    wouldDeny: usual.wouldDeny.filter(isCertain),
    lookups,
    unevaluated: doubts.map(({ because }) => because).join("; "),
  };
}

/** Something that is not known, and which causes it leaves certain. */
interface Doubt {
  readonly because: string;
  readonly leaves: (cause: Cause) => boolean;
  /** What the webhook would say with less than may be known. */
  readonly hidesWarnings?: true;
}

function doubtsOf(
  asked: Asked,
  judgeBy: (lookups: Lookups) => Judgment,
  usual: Judgment,
): readonly Doubt[] {
  return [
    ...missDoubt(asked, usual),
    ...candidateDoubt(asked, judgeBy, usual),
    ...displayNameDoubt(asked, usual),
  ];
}

/** An EC that is not at hand: what is wrong under any EC is wrong, each cause by itself. */
function missDoubt(
  { edit, lookups, world }: Asked,
  { verdict, wouldDeny }: Judgment,
): readonly Doubt[] {
  const { options, complete } = world;
  const { names, allowLatest } = options;
  const miss = [lookups.after, lookups.before].find((lookup) => lookup?.is === "missing");
  if (complete || miss?.is !== "missing" || isExempt(edit) || !needsCluster(edit, names)) return [];
  const { versions } = readSubject(edit, names);
  const isByPolicy = (field: string): boolean =>
    allowLatest === undefined &&
    versions.some((version) => version.field === field && version.after === names.latestChannel);
  const leaves = ({ rule, reason, field }: Cause): boolean =>
    reason === "FieldValueTypeInvalid" || (rule === "R1" && !isByPolicy(field));
  const isOpen = ![...verdict.causes, ...wouldDeny].every(leaves) || mayBeRefused(edit, options);
  return isOpen ? [{ because: showMiss(miss, names), leaves, hidesWarnings: true }] : [];
}

/** Whether an EC could refuse what passes without one: a version that it does not bundle, or by its policy. */
function mayBeRefused(edit: Edit, { names, rules }: RuleOptions): boolean {
  if (rules.version === "off" && rules.policy === "off") return false;
  const known: readonly unknown[] = [names.latestChannel, ...names.engineVersions];
  return readSubject(edit, names).versions.some(({ after }) => known.includes(after));
}

/** Several documents of one EC, or several ECs of which the database names none. */
function candidateDoubt(
  { lookups, world, candidates }: Asked,
  judgeBy: (lookups: Lookups) => Judgment,
  { verdict, wouldDeny }: Judgment,
): readonly Doubt[] {
  const { names } = world.options;
  const ofKey = (key: string): readonly ClusterFacts[] =>
    candidates.filter((cluster) => clusterKey(cluster) === key);
  const choices = (lookup: ClusterLookup): readonly ClusterFacts[] => {
    if (lookup.is === "found") return ofKey(clusterKey(lookup.cluster)).slice(1);
    return lookup.is === "ambiguous" && !world.complete ? lookup.candidates.flatMap(ofKey) : [];
  };
  const { after, before } = lookups;
  const found = (cluster: ClusterFacts): ClusterLookup => ({ is: "found", cluster });
  const others = [
    ...choices(after).map((one) => judgeBy({ ...lookups, after: found(one) })),
    ...(before === undefined ? [] : choices(before)).map((one) =>
      judgeBy({ ...lookups, before: found(one) }),
    ),
  ];
  const own = [...verdict.causes, ...wouldDeny].map(placeOfCause);
  const theirs = others.map((other) =>
    [...other.verdict.causes, ...other.wouldDeny].map(placeOfCause),
  );
  const isCommon = (place: string): boolean => theirs.every((places) => places.includes(place));
  if ([...own, ...theirs.flat()].every((place) => own.includes(place) && isCommon(place)))
    return [];
  const because = [after, before].flatMap((lookup) =>
    lookup === undefined || choices(lookup).length === 0
      ? []
      : lookup.is === "found"
        ? `the documents of ${showCluster(lookup.cluster, names)} differ`
        : showMiss(lookup, names),
  );
  return [{ because: because.join("; "), leaves: (cause) => isCommon(placeOfCause(cause)) }];
}

const placeOfCause = ({ rule, field }: Cause): string => `${rule} ${field}`;

/** An EC that publishes no modules yet does not tell how the bundled ones are displayed. */
function displayNameDoubt({ edit, lookups, world }: Asked, judgment: Judgment): readonly Doubt[] {
  const { names } = world.options;
  const { after } = lookups;
  if (after.is !== "found" || after.cluster.installedModules.length > 0) return [];
  const displayed = new Set(
    readSubject(edit, names)
      .modules.filter(({ name }) => name !== undefined && mayBeDisplayName(name, names))
      .map((module) => fieldOfModule(module, names)),
  );
  const leaves = ({ rule, field }: Cause): boolean => rule !== "R3" || !displayed.has(field);
  if ([...judgment.verdict.causes, ...judgment.wouldDeny].every(leaves)) return [];
  const because = `${showCluster(after.cluster, names)} publishes no modules, so display names of bundled ones are not known`;
  return [{ because, leaves }];
}

/** The causes of rules that only warn, each with its field: their warnings are cut for a header. */
function warned(edit: Edit, lookups: Lookups, options: RuleOptions): readonly Cause[] {
  if (!Object.values(options.rules).includes("warn")) return [];
  const { rules } = explainEdit(edit, lookups, options);
  return rules.flatMap(({ setting, causes }) => (setting === "warn" ? causes : []));
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
