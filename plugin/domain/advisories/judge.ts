/**
 * The judgment of one row over one set of values. Everything that a row asks for is joined by "and" over three
 * values: what is false decides, then what is not known. Ranges are judged first, of many subjects once for those that
 * they cannot tell apart, so that a condition is asked only where they let it.
 */
import type { Remedy, Run } from "../base/remedy";
import { groupBy, isObject, oncePer } from "../base/values";
import type { FactKey } from "../facts/facts";
import { Unknown, type Values, compile } from "./language";
import { type Range, parseRange } from "./ranges";
import type { Crossing, Dimension, Row, RowRemedy, Sourced } from "./row";
import { type Template, compileText, listHoles } from "./texts";
import { Version, peekAt, versionOf } from "./values";
import { type Variable, type Word, concerns, variables, vocabulary } from "./vocabulary";

/** What a row says of a set of values. */
export type Judgment =
  | {
      readonly is: "fires";
      readonly cause: string;
      readonly fix?: string;
      readonly remedies?: readonly Remedy[];
    }
  | { readonly is: "silent" }
  | {
      readonly is: "unknown";
      readonly because: string;
      /** Lists that were not read. */
      readonly keys: readonly FactKey[];
    };

/** What can be judged. */
interface Subject {
  readonly values: Values;
}

type Known = boolean | Unknown;
type Question = (values: Values) => Known;

/** Judges a row; its texts are read when they are needed for the first time. */
export function judgeRow(row: Sourced, values: Values): Judgment {
  const plan = planOf(row);
  return judgeWithin(plan, plan.ranges(values), values);
}

/** What a row says of many, without those of which it says nothing; where ranges cannot tell two apart, they are judged once. */
export function judgeEach<S extends Subject>(
  row: Sourced,
  subjects: readonly S[],
): readonly { readonly subject: S; readonly judgment: Judgment }[] {
  const plan = planOf(row);
  const likes = findLikes(subjects);
  const inRanges = new Map<Values, Known>();
  for (const like of new Set(likes)) inRanges.set(like, plan.ranges(like));
  if ([...inRanges.values()].every((inRange) => inRange === false)) return [];
  const told: { readonly subject: S; readonly judgment: Judgment }[] = [];
  subjects.forEach((subject, at) => {
    const inRange = inRanges.get(likes[at] as Values) as Known;
    const judgment = judgeWithin(plan, inRange, subject.values);
    if (judgment.is !== "silent") told.push({ subject, judgment });
  });
  return told;
}

function judgeWithin(plan: Plan, inRange: Known, values: Values): Judgment {
  if (inRange === false) return silent;
  const condition = plan.condition();
  const holds = both(inRange, condition === undefined || condition(values));
  if (holds === false) return silent;
  if (holds === true) return plan.tell()(values);
  const { because, keys } = holds;
  return { is: "unknown", because, keys };
}

const silent: Judgment = { is: "silent" };

function both(one: Known, other: Known): Known {
  if (one === false || other === false) return false;
  return one === true ? other : one;
}

function all(parts: readonly Known[]): Known {
  return parts.reduce(both, true);
}

/**
 * Lists of objects that tell what a row is about, and every word that it names. Nothing is compiled for it: a name
 * counts wherever it is met in an expression.
 */
export function listFacts(row: Row): readonly FactKey[] {
  const subjects = row.concerns === "operator" ? (["operator"] as const) : concerns[row.concerns];
  const names = [...subjects, ...listRanged(row), ...listNames(row)];
  return [...new Set(names.flatMap((name) => factsByName.get(name) ?? []))];
}

/** Of variables, and of words, which are behind a dot. */
const factsByName: ReadonlyMap<string, readonly FactKey[]> = mergeFacts([
  ...Object.entries<Word>(variables),
  ...Object.values<Readonly<Record<string, Word>>>(vocabulary).flatMap((words) =>
    Object.entries(words).map(([name, word]) => [`.${name}`, word] as const),
  ),
]);

function mergeFacts(words: readonly (readonly [name: string, word: Word])[]) {
  const named = groupBy(words, ([name]) => name);
  return new Map(
    [...named].map(([name, same]) => [name, same.flatMap(([, { facts = [] }]) => facts)]),
  );
}

function listNames({ when = "", cause, fix = "", remedies = [] }: Row): readonly string[] {
  const words = remedies.flatMap(({ says, run = [], see = [] }) => [says, ...run, ...see]);
  const expressions = [when, ...[cause, fix, ...words].flatMap(listHoles)];
  const names = expressions.flatMap((text) => text.match(/[.]?\s*[A-Za-z]\w*/g) ?? []);
  return names.map((name) => name.replaceAll(/\s/g, ""));
}

/** Variables that the ranges of a row are about. */
function listRanged({ crosses, at, fixedIn }: Row): readonly Variable[] {
  const dimensions = Object.keys({ ...crosses, ...at, ...fixedIn }) as readonly Dimension[];
  return dimensions.map((dimension) => sources[dimension].runs[0]);
}

/** A row, made ready. */
interface Plan {
  readonly ranges: Question;
  readonly condition: () => Question | undefined;
  readonly tell: () => (values: Values) => Judgment;
}

const planOf = oncePer((row: Row): Plan => ({
  ranges: joinRanges(row),
  condition: once(() => readCondition(row)),
  tell: once(() => readTexts(row)),
}));

function once<T>(make: () => T): () => T {
  const made: T[] = [];
  return () => {
    if (made.length === 0) made.push(make());
    return made[0] as T;
  };
}

/** A text that cannot be read is a mistake of this tool: files are checked when they are loaded. */
function must<T>(read: T | string, row: Row): T {
  if (typeof read === "string") throw new Error(`advisory ${row.id}: ${read}`);
  return read;
}

function readCondition(row: Row): Question | undefined {
  if (row.when === undefined) return undefined;
  const { judge } = must(compile(row.when, row.concerns, "bool"), row);
  return row.whenUnknown === "fires" ? (values) => judge(values) !== false : judge;
}

/** Where a dimension's version is told: what runs, and what is asked for. */
const sources: Readonly<
  Record<
    Dimension,
    {
      readonly runs: readonly [variable: Variable, word: string];
      readonly goal?: "operator" | "cluster" | "engine";
    }
  >
> = {
  operator: { runs: ["operator", "version"], goal: "operator" },
  cluster: { runs: ["cluster", "tag"], goal: "cluster" },
  engine: { runs: ["database", "version"], goal: "engine" },
  kubernetes: { runs: ["platform", "kubernetes"] },
  openshift: { runs: ["platform", "openshift"] },
};

type Told = Version | Unknown;

/** Undefined where there is none: a platform that is not OpenShift has no such version. */
function whatRuns(values: Values, dimension: Dimension): Told | undefined {
  const [variable, word] = sources[dimension].runs;
  return asTold(peekAt(values, variable, word));
}

/** Undefined where nothing is asked for. */
function whatIsAsked(values: Values, dimension: Dimension): Told | undefined {
  const { goal } = sources[dimension];
  return goal && asTold(peekAt(values, "target", goal));
}

function asTold(value: unknown): Told | undefined {
  return value instanceof Version || value instanceof Unknown ? value : undefined;
}

function within(range: Range | undefined, version: Told | undefined): Known {
  if (range === undefined) return true;
  if (version instanceof Unknown) return version;
  return version !== undefined && range.holds(version.text) === true;
}

/** Everything that a row says with versions alone. */
function joinRanges(row: Row): Question {
  const questions: readonly Question[] = [
    ...eachDimension(row.crosses).map(([dimension, crossing]) => crosses(row, dimension, crossing)),
    ...eachDimension(row.at).map(([dimension, text]) => isAt(row, dimension, text)),
    ...eachDimension(row.fixedIn).map(([dimension, text]) => not(isAt(row, dimension, text))),
    ...(row.needsTarget === true ? [asksForTarget] : []),
  ];
  return (values) => all(questions.map((ask) => ask(values)));
}

function eachDimension<T>(
  ranges: Readonly<Partial<Record<Dimension, T>>> | undefined,
): readonly (readonly [Dimension, T])[] {
  return Object.entries(ranges ?? {}) as readonly (readonly [Dimension, T])[];
}

const noTarget = new Unknown("give the release with --target");

const asksForTarget: Question = (values) => {
  const goals = (["operator", "cluster", "engine"] as const).map((goal) =>
    peekAt(values, "target", goal),
  );
  return goals.some((goal) => goal !== undefined) ? true : noTarget;
};

function not(question: Question): Question {
  return (values) => {
    const known = question(values);
    return known instanceof Unknown ? known : !known;
  };
}

/** What will be in force is within the range. */
function isAt(row: Row, dimension: Dimension, text: string): Question {
  const range = must(parseRange(text, dimension), row);
  return (values) => within(range, whatIsAsked(values, dimension) ?? whatRuns(values, dimension));
}

/** The step is made: from one range into the other, and on. */
function crosses(row: Row, dimension: Dimension, { from, to }: Crossing): Question {
  const [start, end] = [from, to].map((text) =>
    text === undefined ? undefined : must(parseRange(text, dimension), row),
  );
  return (values) => {
    const runs = whatRuns(values, dimension);
    const goal = whatIsAsked(values, dimension);
    const starts = within(start, runs);
    if (goal !== undefined) return all([starts, within(end, goal), isOnward(runs, goal)]);
    const isOffered = dimension === "engine" && end !== undefined;
    return isOffered ? both(starts, offers(values, end, runs)) : starts;
  };
}

/** False only where both are known and the one is no later than the other. */
function isOnward(runs: Told | undefined, goal: Told): boolean {
  return runs instanceof Version && goal instanceof Version ? goal.compare(runs) > 0 : true;
}

/** Without a target, the cluster offers a later version within the range. */
function offers(values: Values, range: Range, runs: Told | undefined): Known {
  const offered = peekAt(values, "cluster", "offered");
  return offered instanceof Unknown
    ? offered
    : (offered as readonly Version[]).some(
        (version) => isOnward(runs, version) && within(range, version) === true,
      );
}

/** For each subject the values of the first one of which ranges say the same: they look at nothing else of a database than its version. */
const findLikes = oncePer((subjects: readonly Subject[]): readonly Values[] => {
  const numbers = new Map<unknown, number>();
  const numberOf = (thing: unknown): number => {
    const number = numbers.get(thing) ?? numbers.size;
    numbers.set(thing, number);
    return number;
  };
  const firsts = new Map<string, Values>();
  return subjects.map(({ values }) => {
    const { operator, target, platform, cluster, database } = values;
    const version = isObject(database) ? versionOf(database) : undefined;
    const key = [operator, target, platform, cluster, version ?? database].map(numberOf).join();
    const first = firsts.get(key) ?? values;
    firsts.set(key, first);
    return first;
  });
});

/** What a row tells where it fires. */
function readTexts(row: Row): (values: Values) => Judgment {
  const read = (text: string): Template => must(compileText(text, row.concerns), row);
  const cause = read(row.cause);
  const fix = row.fix === undefined ? undefined : read(row.fix);
  const remedies = row.remedies?.map((remedy) => readRemedy(remedy, read));
  return (values) => ({
    is: "fires",
    cause: cause(values),
    ...(fix && { fix: fix(values) }),
    ...(remedies && { remedies: remedies.map((remedy) => remedy(values)) }),
  });
}

function readRemedy(
  { says, run, see }: RowRemedy,
  read: (text: string) => Template,
): (values: Values) => Remedy {
  const [text, does, shows] = [read(says), run?.map(read), see?.map(read)];
  return (values) => ({
    says: text(values),
    ...(does && { run: readRun(does, values) }),
    ...(shows && { see: readRun(shows, values) }),
  });
}

/** Programs by the first word of a command. */
export const programs: Readonly<Record<string, Run["of"]>> = {
  kubectl: "kubectl",
  oc: "oc",
  helm: "helm",
  engine: "tool",
};

function readRun(templates: readonly Template[], values: Values): Run {
  const [program = "", ...words] = templates.map((template) => template(values));
  return { of: programs[program] ?? "kubectl", words };
}
