/** Files of advisories: every problem of a row is told, a row that has one is left out, and the others stay. */
import { isObject, type Json } from "../base/values";
import { areas } from "../checks/check";
import { programs } from "./judge";
import { compile } from "./language";
import { chooseReader, leadsTo, parseRange } from "./ranges";
import {
  type AdvisoryFile,
  type Dimension,
  type Row,
  type Sourced,
  advisedActs,
  dimensions,
} from "./row";
import {
  type Key,
  type Keys,
  type Path,
  type RowProblem,
  type Shape,
  checkKeys,
  checkNeeded,
  choice,
  flag,
  makeList,
  makeObject,
  text,
  textLike,
  textThat,
} from "./shapes";
import { compileText, hasHoles, withoutHoles } from "./texts";
import { type Concern, concerns } from "./vocabulary";
import { typedWorld, world } from "./worlds";

export type { RowProblem } from "./shapes";

/** What a file holds, and what is wrong with it. */
export interface ReadAdvisories {
  readonly rows: readonly Sourced[];
  readonly problems: readonly RowProblem[];
  readonly date?: string;
  readonly upTo?: NonNullable<AdvisoryFile["upTo"]>;
}

const code = textLike(
  /^[A-Z][A-Z0-9]*(-[A-Z0-9]+)*$/,
  "capital letters with dashes, such as SOME-CODE,",
);
const id = textLike(
  /^[a-z0-9]+([.-][a-z0-9]+)*$/,
  "small letters with dashes, such as some-code-8.4,",
);
const day = textLike(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, "a day, such as 2026-11-30,");
const fieldPath = textLike(/^[A-Za-z]+([.][A-Za-z]+)*$/, "a path, such as ecFields.licenseState,");

function rangeOf(dimension: Dimension): Shape {
  const range = textThat((said) => {
    const read = parseRange(said, dimension);
    return typeof read === "string" ? read : undefined;
  });
  return {
    ...range,
    check: (value, path) =>
      typeof value === "number"
        ? [{ path, says: `write a sign and quotes, such as ">=${value}": it is a range` }]
        : range.check(value, path),
  };
}

function releaseOf(dimension: Dimension): Shape {
  const read = chooseReader(dimension);
  return textThat((release) =>
    read(release) === undefined ? `${release} is no version` : undefined,
  );
}

function perDimension(make: (dimension: Dimension) => Shape): Shape {
  const says: Readonly<Record<Dimension, string>> = {
    operator: "releases of the operator",
    cluster: "tags of the cluster",
    engine: "engine versions of a database",
    kubernetes: "minor versions of Kubernetes",
    openshift: "minor versions of OpenShift",
  };
  return makeObject(
    Object.fromEntries(
      dimensions.map((dimension) => [dimension, { shape: make(dimension), says: says[dimension] }]),
    ),
  );
}

/** A platform is not moved by this tool: there is nothing that it could be asked to become. */
function crossingOf(dimension: Dimension): Shape {
  const from: Key = { shape: rangeOf(dimension), says: "range of what runs" };
  const to: Key = { shape: rangeOf(dimension), says: "range of what is asked for" };
  const isPlatform = dimension === "kubernetes" || dimension === "openshift";
  return makeObject(isPlatform ? { from: { ...from, needed: true } } : { from, to });
}

const remedy = makeObject({
  says: { shape: text, says: "what to do, as an imperative", needed: true },
  run: { shape: makeList(text), says: "words of the command that does it, its program first" },
  see: { shape: makeList(text), says: "words of a command that only shows" },
});

/** What a row may have. */
export const rowKeys: Readonly<Record<keyof Row, Key>> = {
  code: { shape: code, says: "the code, which several rows may share", needed: true },
  id: { shape: id, says: "unique; the code in small letters where it is left out" },
  severity: { shape: choice(["error", "warning"]), says: "error or warning", needed: true },
  area: { shape: choice(areas), says: "an area of check", needed: true },
  concerns: {
    shape: choice(Object.keys(concerns)),
    says: "what it is judged once for",
    needed: true,
  },
  title: { shape: text, says: "what is so when nothing is found", needed: true },
  needsTarget: { shape: flag, says: "it is not judged without a release that is asked for" },
  crosses: { shape: perDimension(crossingOf), says: "the steps that it is about" },
  at: { shape: perDimension(rangeOf), says: "ranges of what will be in force" },
  when: { shape: text, says: "the condition, in CEL" },
  whenUnknown: { shape: choice(["fires"]), says: "what a condition counts as that is not known" },
  vouched: { shape: flag, says: "a person has to look, and says so with --skip" },
  forbids: { shape: makeList(choice(advisedActs)), says: "acts that are refused while it holds" },
  warns: { shape: makeList(choice(advisedActs)), says: "acts whose plans show it" },
  field: { shape: fieldPath, says: "a path of the names file" },
  cause: { shape: text, says: "the cause, with {…} for values", needed: true },
  fix: { shape: text, says: "what to do, as a sentence" },
  remedies: { shape: makeList(remedy), says: "the ways out, the surest first" },
  supersedes: { shape: makeList(code), says: "codes that are not told beside it" },
  source: { shape: text, says: "which document of which release says so", needed: true },
  since: { shape: day, says: "the day on which it was written down" },
  fixedIn: { shape: perDimension(rangeOf), says: "ranges that end it" },
  disabled: { shape: flag, says: "switches off the row of the same id" },
  examples: {
    shape: makeObject({
      fires: { shape: typedWorld, says: "values with which it fires", needed: true },
      silent: { shape: typedWorld, says: "values with which it is silent", needed: true },
      unknown: { shape: world, says: "values with which it cannot be judged" },
    }),
    says: "values to try it with",
    needed: true,
  },
};

const newest = 1;
const mostRows = 500;
const format = /^advisories\/v([1-9]\d{0,3})$/;

/** What a file may have; the rows are read one by one. */
export const fileKeys: Readonly<Record<keyof AdvisoryFile, Key>> = {
  apiVersion: {
    shape: textLike(format, `advisories/v${newest}`),
    says: `advisories/v${newest}`,
    needed: true,
  },
  date: { shape: day, says: "the day up to which its knowledge has been kept" },
  upTo: {
    shape: perDimension(releaseOf),
    says: "the newest releases whose notes were read for it",
  },
  advisories: { shape: { schema: {}, check: () => [] }, says: "a list of rows", needed: true },
};

/** The rows of a file that was parsed; the origin is its name for people. */
export function readAdvisories(document: unknown, origin: string): ReadAdvisories {
  if (!isObject(document))
    return { rows: [], problems: [{ path: [], says: "a file of advisories is an object" }] };
  const problems = [
    ...checkNeeded(document, fileKeys, []),
    ...checkKeys(document, fileKeys, []),
    ...checkVersion(document["apiVersion"]),
  ];
  const { rows, found } = readRows(document["advisories"], origin);
  const isForeign = problems.some(({ path, kind }) => path[0] === "apiVersion" && kind !== "newer");
  const { date, upTo } = document as Partial<AdvisoryFile>;
  const isTold = (key: string) => !problems.some(({ path }) => path[0] === key);
  return {
    rows: isForeign ? [] : rows,
    problems: [...problems, ...(isForeign ? [] : found)],
    ...(date !== undefined && isTold("date") && { date }),
    ...(upTo !== undefined && isTold("upTo") && { upTo }),
  };
}

/** A later vocabulary has words that are unknown here: each breaks the row that it is in. */
function checkVersion(version: unknown): readonly RowProblem[] {
  if (typeof version !== "string" || !(Number(format.exec(version)?.[1]) > newest)) return [];
  const says = `it is written for ${version}, and this tool knows advisories/v${newest}: rows with unknown words are left out`;
  return [{ path: ["apiVersion"], kind: "newer", says }];
}

interface Found {
  readonly rows: readonly Sourced[];
  readonly found: readonly RowProblem[];
}

function readRows(list: unknown, origin: string): Found {
  const path = ["advisories"];
  if (list === undefined) return { rows: [], found: [] };
  if (!Array.isArray(list)) return { rows: [], found: [{ path, says: "a list is expected" }] };
  const says = `it has ${list.length} rows, and ${mostRows} are the most`;
  if (list.length > mostRows) return { rows: [], found: [{ path, says }] };
  const ids = new Set<string>();
  const all = list.map((row: unknown, index) =>
    readRow(row, { path: [...path, index], origin, ids }),
  );
  return { rows: all.flatMap(({ rows }) => rows), found: all.flatMap(({ found }) => found) };
}

interface Place {
  readonly path: Path;
  readonly origin: string;
  /** Those of the rows before. */
  readonly ids: Set<string>;
}

function readRow(row: unknown, { path, origin, ids }: Place): Found {
  if (!isObject(row)) return { rows: [], found: [{ path, says: "a row is an object" }] };
  const id = idOf(row);
  const found = [
    ...checkNeeded(row, row["disabled"] === true ? disabledKeys : rowKeys, path),
    ...checkKeys(row, rowKeys, path),
    ...checkMeaning(row, path),
    ...(id !== undefined && ids.has(id)
      ? [{ path: [...path, "id"], says: `another row has the id ${id} already` }]
      : []),
  ];
  if (id !== undefined) ids.add(id);
  if (id === undefined || found.length > 0)
    return { rows: [], found: found.map((problem) => ({ ...problem, ...(id && { row: id }) })) };
  const rest = row["disabled"] === true ? { ...switchedOff, ...row } : row;
  return { rows: [{ ...(rest as unknown as Row), id, origin }], found: [] };
}

function idOf({ id, code }: Json): string | undefined {
  if (typeof id === "string") return id;
  return typeof code === "string" ? code.toLowerCase() : undefined;
}

/** A row that only switches one off needs nothing else. */
const disabledKeys: Keys = { code: rowKeys.code };
const switchedOff: Omit<Row, "code" | "id"> = {
  severity: "warning",
  area: "release",
  concerns: "operator",
  title: "It is switched off",
  cause: "it is switched off",
  fix: "switch it on again",
  source: "the file that switches it off",
  examples: { fires: {}, silent: {} },
};

/** The rows of a file that was checked when it was built: nothing is read again. */
export function takeAdvisories({ advisories }: AdvisoryFile, origin: string): readonly Sourced[] {
  return advisories.map((row: Omit<Row, "id"> & Partial<Row>) => ({
    ...row,
    id: row.id ?? row.code.toLowerCase(),
    origin,
  }));
}

/** What keys mean together. A key that is of another type is told by its shape. */
function checkMeaning(row: Json, path: Path): readonly RowProblem[] {
  const rest = [
    ...checkWaysOut(row),
    ...checkTitle(row),
    ...checkCrossings(row),
    ...checkForbids(row),
  ].map(({ path: inner, says }) => ({ path: [...path, ...inner], says }));
  const concern = row["concerns"];
  if (typeof concern !== "string" || !Object.hasOwn(concerns, concern)) return rest;
  return [...rest, ...checkWords(row, path, concern as Concern)];
}

function checkWaysOut(row: Json): readonly RowProblem[] {
  const { fix, remedies, whenUnknown, when, disabled } = row as Readonly<
    Record<keyof Row, unknown>
  >;
  const problems: RowProblem[] = [];
  if (fix !== undefined && remedies !== undefined)
    problems.push({ path: ["fix"], says: "a row has a fix or remedies, and not both" });
  if (fix === undefined && remedies === undefined && disabled !== true)
    problems.push({ path: [], says: "what to do is missing: a fix, or remedies" });
  if (typeof fix === "string" && !/\p{L}{2}/u.test(withoutHoles(fix)))
    problems.push({ path: ["fix"], says: "it says nothing beside its values" });
  if (whenUnknown !== undefined && when === undefined)
    problems.push({ path: ["whenUnknown"], says: "there is no condition that it could be about" });
  return problems;
}

function checkTitle({ title }: Json): readonly RowProblem[] {
  const says = "a title has no {…}: it is told where nothing is found";
  return typeof title === "string" && hasHoles(title) ? [{ path: ["title"], says }] : [];
}

function checkCrossings({ crosses }: Json): readonly RowProblem[] {
  return Object.entries(isObject(crosses) ? crosses : {}).flatMap(([dimension, crossing]) => {
    const says = isObject(crossing) ? judgeCrossing(crossing, dimension as Dimension) : undefined;
    return says === undefined ? [] : [{ path: ["crosses", dimension], says }];
  });
}

/** Ranges that cannot be read are told by their shapes. */
function judgeCrossing(crossing: Json, dimension: Dimension): string | undefined {
  if (Object.keys(crossing).length === 0) return "a step has a range from, a range to, or both";
  const [from, to] = [crossing["from"], crossing["to"]].map((range) =>
    typeof range === "string" ? parseRange(range, dimension) : "absent",
  );
  if (typeof from !== "object" || typeof to !== "object" || leadsTo(from, to)) return undefined;
  return `no upgrade leads from ${from.text} to ${to.text}`;
}

function checkForbids({ forbids, severity }: Json): readonly RowProblem[] {
  if (forbids === undefined || severity !== "warning") return [];
  const says = "a warning forbids nothing: write severity: error, or warns";
  return [{ path: ["forbids"], says }];
}

/** What depends on the variables that a row has. */
function checkWords(row: Json, path: Path, concern: Concern): readonly RowProblem[] {
  return [
    ...checkDimensions(row, concern),
    ...checkCondition(row, concern),
    ...checkText(row["cause"], ["cause"], concern),
    ...checkText(row["fix"], ["fix"], concern),
    ...listed(row["remedies"]).flatMap((one, index) =>
      checkRemedy(one, ["remedies", index], concern),
    ),
  ].map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

function checkDimensions(row: Json, concern: Concern): readonly RowProblem[] {
  const has: readonly string[] = concerns[concern];
  const owners: Readonly<Record<string, string>> = { engine: "database", cluster: "cluster" };
  return (["crosses", "at", "fixedIn"] as const).flatMap((key) => {
    const ranges = row[key];
    return Object.keys(isObject(ranges) ? ranges : {}).flatMap((dimension) => {
      const owner = owners[dimension];
      const says = `a row that concerns ${concern} has no ${String(owner)}, whose version this would be`;
      return owner === undefined || has.includes(owner) ? [] : [{ path: [key, dimension], says }];
    });
  });
}

function checkCondition({ when }: Json, concern: Concern): readonly RowProblem[] {
  const read = typeof when === "string" ? compile(when, concern, "bool") : undefined;
  return typeof read === "string" ? [{ path: ["when"], says: read }] : [];
}

function checkText(value: unknown, path: Path, concern: Concern): readonly RowProblem[] {
  const read = typeof value === "string" ? compileText(value, concern) : undefined;
  return typeof read === "string" ? [{ path, says: read }] : [];
}

function checkRemedy(value: unknown, path: Path, concern: Concern): readonly RowProblem[] {
  if (!isObject(value)) return [];
  return [
    ...checkText(value["says"], [...path, "says"], concern),
    ...["run", "see"].flatMap((key) => {
      const words = listed(value[key]);
      const [program] = words;
      const names = Object.keys(programs);
      const says = `its first word is one of ${names.join(", ")}`;
      return [
        ...(typeof program !== "string" || names.includes(program)
          ? []
          : [{ path: [...path, key, 0], says }]),
        ...words.flatMap((word, index) => checkText(word, [...path, key, index], concern)),
      ];
    }),
  ];
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Our rows with those of users. A row of theirs takes the place of the row with its id, and of all of ours with its
 * code; one that is disabled takes the row of its id away.
 */
export function mergeAdvisories(
  base: readonly Sourced[],
  ...more: readonly (readonly Sourced[])[]
): readonly Sourced[] {
  const theirs = more.flat();
  const codes = new Set(theirs.filter(isOn).map((row) => row.code));
  const ours = base.filter((row) => !codes.has(row.code));
  const merged = new Map<string, Sourced>();
  for (const row of [...ours, ...theirs])
    if (isOn(row)) merged.set(row.id, row);
    else merged.delete(row.id);
  return [...merged.values()];
}

function isOn({ disabled }: Row): boolean {
  return disabled !== true;
}
