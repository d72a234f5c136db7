/**
 * Objects that are judged outside an admission review: those of files, and those that are stored. Each
 * verdict is given by the function that the webhook calls (C1-C20), over the same values.
 */
import { clustersAsFilled, fillEdit, isPlaceholder } from "./placeholders";
import {
  clusterKey,
  findRuledKind,
  lookUpCluster,
  readReference,
} from "../../domain/rules/clusters";
import type { Finding } from "../../domain/base/findings";
import type { Names } from "../../domain/names/names";
import { ruleFinding, ruleFindings } from "../../domain/rules/findings";
import { readSubject } from "../../domain/rules/fields";
import { notChecked } from "../../domain/rules/modules";
import {
  isExempt,
  judgeEdit,
  needsCluster,
  needsOldCluster,
  ruleSources,
  wouldBeDenied,
} from "../../domain/rules/order";
import type {
  Cause,
  ClusterFacts,
  ClusterLookup,
  Edit,
  Lookups,
  RuleOptions,
  Verdict,
} from "../../domain/rules/types";
import { plain, showCluster, showMiss } from "../../domain/rules/wording";
import { asString, boundList, getPath, groupBy, type Json, omit } from "../../domain/base/values";

/** By what objects are judged. */
export interface RuleWorld {
  readonly options: RuleOptions;
  readonly operatorNamespace: string;
  /** Several of one namespace and name are candidates: which of them counts is not known. */
  readonly clusters: readonly ClusterFacts[];
  /** False where there may be others: an EC that is not among them is then not at hand, and not missing. */
  readonly complete: boolean;
  /** Values may be placeholders, which somebody fills in before the objects are applied. */
  readonly unfilled?: true;
}

/** What is said of one edit. */
export interface JudgedEdit {
  /** The webhook's, without the causes that rest on what is not known. */
  readonly verdict: Verdict;
  readonly lookups: Lookups;
  /** What would have to be known for the rest, and how to make it known. */
  readonly unevaluated?: Pick<Finding, "cause" | "fix">;
}

/** A database before its change, where several documents describe it: which of them counts is not known. */
export interface Befores {
  readonly objects: readonly (Json | undefined)[];
  /** That they differ, for people. */
  readonly because: string;
}

/** Judges edits of a namespace, each as the webhook would with the ECs given. */
export function judgeIn(
  world: RuleWorld,
): (edit: Edit, namespace: string, befores?: Befores) => JudgedEdit {
  const { operatorNamespace } = world;
  const { names } = world.options;
  const documents = groupBy(world.clusters, (cluster) => cluster.namespace);
  const distinct = [...groupBy(world.clusters, clusterKey).values()].flatMap((same) =>
    same.slice(0, 1),
  );
  const byNamespace = groupBy(distinct, (cluster) => cluster.namespace);
  return (edit, namespace, befores = { objects: [edit.before], because: "" }) => {
    const places = [...new Set([namespace, operatorNamespace])];
    const all = places.flatMap((place) => byNamespace.get(place) ?? []);
    const near = places.flatMap((place) => documents.get(place) ?? []);
    const isNamed = ![namespace, readReference(edit.after, edit.kind, names)].some(isPlaceholder);
    const known = { ...world, complete: world.complete && (isNamed || !world.unfilled) };
    const look = (asked: Edit, object: unknown): readonly Choice<ClusterLookup>[] => {
      const reference = readReference(object, edit.kind, names);
      const lookup = lookUpCluster({ reference, namespace, operatorNamespace, all });
      return listChoices(lookup, near, { edit: asked, world: known });
    };
    const makeCase = (asked: Edit, lookups: Lookups, choices: PossibleCase["choices"]) => ({
      ...{ edit: asked, lookups, choices },
      verdict: judgeEdit(asked, lookups, world.options),
    });
    const cases = befores.objects.flatMap((before, at) => {
      const old = { at, fix: oneState, because: befores.because };
      return listWrittenOrFilled({ ...edit, before }, world).flatMap(
        ({ it: asked, ...written }): readonly PossibleCase[] =>
          look(asked, asked.after).flatMap((ec) =>
            needsOldCluster(asked, names)
              ? look(asked, before).map((was) =>
                  makeCase(asked, { after: ec.it, before: was.it }, [old, written, ec, was]),
                )
              : [makeCase(asked, { after: ec.it }, [old, written, ec])],
          ),
      );
    });
    return judgeCases(cases, known);
  };
}

/** An edit as it is written; as it is without its placeholders too. */
function listWrittenOrFilled(
  edit: Edit,
  { options, unfilled }: RuleWorld,
): readonly Choice<Edit>[] {
  const filled = unfilled && fillEdit(edit, options.names);
  if (filled === undefined) return [{ it: edit, at: 0, fix: fillIn, because: "" }];
  const because = `${boundList(filled.fields)} ${filled.fields.length === 1 ? "is" : "are"} not filled in`;
  return [edit, filled.edit].map((it, at) => ({ it, at, fix: fillIn, because }));
}

/** Every EC that a lookup may mean: each document of the one found, or each of several. */
function listChoices(
  lookup: ClusterLookup,
  near: readonly ClusterFacts[],
  {
    edit,
    world: { options, complete, unfilled },
  }: { readonly edit: Edit; readonly world: RuleWorld },
): readonly Choice<ClusterLookup>[] {
  const { names } = options;
  const makeFound = (cluster: ClusterFacts): ClusterLookup => ({ is: "found", cluster });
  if (lookup.is !== "found") {
    const others = lookup.is === "ambiguous" && !complete ? near.map(makeFound) : [];
    const because = showMiss(lookup, names);
    return [lookup, ...others].map((it, at) => ({ it, at, fix: nameIt, because }));
  }
  const key = clusterKey(lookup.cluster);
  const documents = near.filter((cluster) => clusterKey(cluster) === key);
  const all = unfilled
    ? documents.flatMap((each) => clustersAsFilled(each, edit, names))
    : documents;
  const isUnfilled = all.length > documents.length;
  const ec = showCluster(lookup.cluster, names);
  const because = isUnfilled ? `not all of ${ec} is filled in` : `the documents of ${ec} differ`;
  const fix = isUnfilled ? fillIn : ruleFindings.candidates.fix;
  return all.map((cluster, at) => ({ it: makeFound(cluster), at, fix, because }));
}

const oneState = "give the documents of one state";
const fillIn = "fill the placeholders in, and check what comes of it";
const nameIt = "name the cluster in the database";
const ownName =
  "write the bundled module's own name, or check again once the cluster publishes its modules";

/** One of several that may count, the others being as well as it. */
interface Choice<T> {
  readonly it: T;
  readonly at: number;
  readonly because: string;
  readonly fix: string;
}

/** An edit as it may be: by the document of the database before, its placeholders, its EC, and the EC before. */
interface PossibleCase {
  readonly edit: Edit;
  readonly lookups: Lookups;
  readonly verdict: Verdict;
  readonly choices: readonly Omit<Choice<unknown>, "it">[];
}

/** A cause stands where nothing that is not known could take it away; what could is named. */
function judgeCases(cases: readonly PossibleCase[], world: RuleWorld): JudgedEdit {
  const { verdict, lookups } = cases.reduce((first) => first);
  const doubts = [...cases.flatMap((one) => missDoubt(one, world)), ...choiceDoubts(cases)];
  const uncertain = verdict.uncertain ?? [];
  const open = [...doubts, ...uncertain.map((because) => ({ because, fix: ownName }))];
  if (open.length === 0) return { verdict, lookups };
  const isCertain = (cause: Cause): boolean => doubts.every(({ leaves }) => leaves(cause));
  const told = new Set(uncertain.map(notChecked));
  const isHidden = doubts.some(({ hidesWarnings }) => hidesWarnings);
  return {
    verdict: {
      ...(doubts.length > 0 ? omit(verdict, "more") : verdict),
      causes: verdict.causes.filter(isCertain),
      wouldDeny: (verdict.wouldDeny ?? []).filter(isCertain),
      warnings: isHidden ? [] : verdict.warnings.filter((text) => !told.has(text)),
    },
    lookups,
    unevaluated: {
      cause: `not evaluated: ${joinTexts(open.map(({ because }) => because))}`,
      fix: joinTexts(open.map(({ fix }) => fix)),
    },
  };
}

const joinTexts = (texts: readonly string[]): string => [...new Set(texts)].join("; ");

/** Something that is not known, and which causes it leaves certain. */
interface Doubt {
  readonly because: string;
  readonly fix: string;
  readonly leaves: (cause: Cause) => boolean;
  /** What the webhook would say with less than may be known. */
  readonly hidesWarnings?: true;
}

/** An EC that is not at hand: what is wrong under any EC is wrong, each cause by itself. */
function missDoubt(
  { edit, lookups, verdict }: PossibleCase,
  { options, complete }: RuleWorld,
): readonly Doubt[] {
  const { names, allowLatest } = options;
  const miss = [lookups.after, lookups.before].find((lookup) => lookup?.is === "missing");
  if (complete || miss?.is !== "missing" || isExempt(edit) || !needsCluster(edit, names)) return [];
  const { versions } = readSubject(edit, names);
  const isByPolicy = (field: string): boolean =>
    allowLatest === undefined &&
    versions.some((version) => version.field === field && version.after === names.latestChannel);
  const leaves = ({ rule, reason, field }: Cause): boolean =>
    reason === "FieldValueTypeInvalid" || (rule === "R1" && !isByPolicy(field));
  const isOpen = !causesIn(verdict).every(leaves) || mayBeRefused(edit, options);
  const { fix } = ruleFindings.unevaluated;
  return isOpen ? [{ because: showMiss(miss, names), fix, leaves, hidesWarnings: true }] : [];
}

/** Whether an EC could refuse what passes without one: a version that it does not bundle, or by its policy. */
function mayBeRefused(edit: Edit, { names, rules }: RuleOptions): boolean {
  if (rules.version === "off" && rules.policy === "off") return false;
  const known: readonly unknown[] = [names.latestChannel, ...names.engineVersions];
  return readSubject(edit, names).versions.some(({ after }) => known.includes(after));
}

/** Each choice on which a cause depends: documents of one object that differ, or several ECs. */
function choiceDoubts(cases: readonly PossibleCase[]): readonly Doubt[] {
  if (cases.length < 2) return [];
  const outcomes = cases.map(({ verdict, choices }) => {
    const places = new Set(causesIn(verdict).map(renderPlace));
    return { choices, places, said: [...places].sort().join("\n") };
  });
  const leaves = (cause: Cause): boolean =>
    outcomes.every(({ places }) => places.has(renderPlace(cause)));
  return [0, 1, 2, 3].flatMap((which) => {
    // where nothing else is another choice, the outcome is another one
    const alike = groupBy(outcomes, ({ choices }) =>
      choices.map(({ at }, index) => (index === which ? "" : at)).join(),
    );
    const mixed = [...alike.values()].find(
      (group) => new Set(group.map(({ said }) => said)).size > 1,
    );
    const choice = mixed?.[0]?.choices[which];
    return choice === undefined ? [] : [{ because: choice.because, fix: choice.fix, leaves }];
  });
}

const causesIn = ({ causes, wouldDeny = [] }: Verdict): readonly Cause[] => [
  ...causes,
  ...wouldDeny,
];

const renderPlace = ({ rule, field }: Cause): string => `${rule} ${field}`;

/** The kind of a database that is judged, undefined for every other object. */
export function findKind(object: unknown, names: Names): Edit["kind"] | undefined {
  const kind = findRuledKind(object, names);
  return kind === "ec" ? undefined : kind;
}

/** An object as findings name it, cut and escaped as in a denial. */
export function labelManifest(object: Json, namespace: string): string {
  const name = (key: string): string => asString(getPath(object, ["metadata", key])) ?? "";
  const called = name("name") === "" ? `${name("generateName")}*` : name("name");
  return [asString(object["kind"]) ?? "", namespace, called].map((part) => plain(part)).join("/");
}

/** All that is said of an edit, as findings about the object. */
export function listFindings(object: string, judged: JudgedEdit): readonly Finding[] {
  const { verdict, unevaluated } = judged;
  const { causes, warnings, wouldDeny = [], more = 0 } = verdict;
  const [last] = causes.slice(-1);
  const said = wouldDeny.map(wouldBeDenied);
  return [
    ...causes.map((cause) => causeFinding(object, cause, "error")),
    ...(last !== undefined && more > 0
      ? [{ ...ruleFindings[last.rule], object, cause: `${more} more problems are not shown` }]
      : []),
    ...wouldDeny.map((cause) => causeFinding(object, cause, "warning")),
    ...warnings
      .filter((text) => !said.includes(text))
      .map((cause) => ruleFinding("warned", { object, cause })),
    ...(unevaluated === undefined ? [] : [ruleFinding("unevaluated", { object, ...unevaluated })]),
  ];
}

/** What is wrong, and the way out. */
function causeFinding(
  object: string,
  { rule, field, says: cause, fix }: Cause,
  severity: Finding["severity"],
): Finding {
  const source = ruleSources.get(rule) ?? ruleFindings[rule].source;
  return { ...ruleFindings[rule], severity, object, field, source, cause, fix };
}
