/** The rules as expressions: one renderer for each, so that a rule without one does not compile. */
import { type Names, renderTerm } from "../../domain/names/names";
import { fieldText } from "../../domain/rules/fields";
import type { Rule, RuleSetting } from "../../domain/rules/types";
import { quoteAll } from "../../domain/rules/wording";
import { engineVersion } from "../../domain/base/versions";
import { all, any, literal, nameVariable, pattern, showText, use } from "./cel";
import {
  isVersion,
  ownReleases,
  partNames,
  type Place,
  listPlaces,
  type PolicySubject,
  tooOld,
} from "./variables";

/** One condition of a policy: what has to hold, and what is said where it does not. */
export interface Validation {
  readonly expression: string;
  /** Where there is no expression for it, or none can be made. */
  readonly message: string;
  readonly messageExpression?: string;
}

/** A rule in the words of policies. */
interface RuleInPolicy {
  readonly setting: RuleSetting;
  /** What holds whatever the EC is. */
  readonly always: (subject: PolicySubject) => readonly Validation[];
  /** What rests on the EC that is the parameter. */
  readonly byCluster: (subject: PolicySubject) => readonly Validation[];
}

/** Every rule of the webhook; REF is no rule of its own, and no policy can look for an EC (C17). */
export const rulesInPolicy: Readonly<Record<Rule["id"], RuleInPolicy>> = {
  R1: {
    setting: "version",
    always: (subject) => {
      const { shapes, versions } = listPlaces(subject);
      return [
        ...shapes.map(({ rule, wanted, ...place }) => shape(place, wanted, rule)),
        ...versions.map((place) => form(place, subject)),
      ];
    },
    byCluster: (subject) =>
      listPlaces(subject).versions.map((place) => requireSupported(place, subject)),
  },
  R2: {
    setting: "policy",
    always: () => [],
    byCluster: (subject) => listPlaces(subject).versions.map((place) => raise(place, subject)),
  },
  R3: {
    setting: "modules",
    always: (subject) => listPlaces(subject).lists.map((place) => list(place, subject)),
    byCluster: (subject) => listPlaces(subject).lists.map((place) => requireKnown(place, subject)),
  },
};

/** What is said where a condition does not hold; `says` are expressions that name the values, too. */
interface Said {
  readonly rule: string;
  readonly plain: string;
  readonly says?: readonly string[];
}

function validation({ path }: Place, { rule, plain, says }: Said, expression: string): Validation {
  const field = fieldText(path);
  const parts = says && [literal(`${field}: `), ...says, literal(` [${rule}]`)];
  return {
    expression,
    message: `${field}: ${plain} [${rule}]`,
    ...(parts && { messageExpression: parts.join(" + ") }),
  };
}

function shape(place: Place, wanted: "an object" | "a string", rule: string): Validation {
  const said = { rule, plain: `Invalid value: must be ${wanted}; correct it` };
  const type = wanted === "a string" ? "string" : "map";
  return validation(place, said, any(`!(${place.isNew})`, `type(${place.now}) == ${type}`));
}

/** Texts that may be a version of some EC: 7.2 or later, or a channel (C1, C2). */
export function mayBeVersion(value: string, { options }: PolicySubject): string {
  const { names, allowLatest } = options;
  const latest = allowLatest === false ? [] : [names.latestChannel];
  return any(
    all(`${value}.matches(${pattern(engineVersion)})`, `!${value}.matches(${pattern(tooOld)})`),
    `${value} in ${literal([names.majorChannel, ...latest])}`,
  );
}

/** What is said of a value that is no version of any EC, and how to go on. */
export function formAdvice({ options: { names } }: PolicySubject): string {
  return `an engine version is a string in quotes as ${ownVersions(names)}; set one that the ${renderTerm(names.ec)} offers`;
}

/** The versions where no EC publishes any, and the channel that always passes. */
function ownVersions(names: Names): string {
  return quoteAll([...ownReleases(names), names.majorChannel]);
}

function form(place: Place, subject: PolicySubject): Validation {
  const { now, isNew } = place;
  const advice = formAdvice(subject);
  const said = {
    rule: "R1",
    plain: `Unsupported value: ${advice}`,
    says: [
      `(type(${now}) == string ? "Unsupported value: " + ${showText(now)} : "Invalid value: no string")`,
      literal(`: ${advice}`),
    ],
  };
  const isFit = all(`type(${now}) == string`, mayBeVersion(now, subject));
  return validation(place, said, any(`!(${isNew})`, isFit));
}

/** The EC that is judged by, as namespace/name. */
function showsCluster({ ec }: Names): string {
  const metadata = `${use("cluster")}.metadata`;
  return `${literal(`${renderTerm(ec)} `)} + ${metadata}.namespace + "/" + ${metadata}.name`;
}

function readPolicy(names: Names): string {
  return use(nameVariable(names.fields.engineUpgradePolicy, "ec"));
}

function requireSupported(place: Place, subject: PolicySubject): Validation {
  const { now, isNew } = place;
  const { names, allowLatest } = subject.options;
  const latest = literal(names.latestChannel);
  const isLatest = [`${now} == ${latest}`];
  if (allowLatest === undefined) isLatest.push(`${readPolicy(names)} == ${latest}`);
  const expression = any(
    `!(${isNew})`,
    `!${use("isItsCluster")}`,
    // what is no version of any EC is refused without one
    `type(${now}) != string`,
    `!(${mayBeVersion(now, subject)})`,
    `${now} == ${literal(names.majorChannel)}`,
    ...(allowLatest === false ? [] : [all(...isLatest)]),
    all(
      `${now}.matches(${pattern(engineVersion)})`,
      `${use("releases")}.exists(v, ${isVersion("v", now)})`,
    ),
  );
  const field = fieldText(names.fields.bundledDatabaseVersions);
  const way = `set one that the ${renderTerm(names.ec)} has in ${field}, or ${literal(names.majorChannel)}`;
  const says = [
    `"Unsupported value: " + ${showText(now)} + ": not a version of "`,
    showsCluster(names),
    `(size(${use("published")}) > 0 ? ${literal(`; ${way}`)} : ${literal(`; set one of ${ownVersions(names)}`)})`,
  ];
  return validation(place, { rule: "R1", plain: `Unsupported value: ${way}`, says }, expression);
}

/** Under policy `major` no raise onto a minor release; the sides are the EC and the old value (C3–C6, C18–C20). */
function raise(place: Place, subject: PolicySubject): Validation {
  const { now, isNew, path } = place;
  const { names, allowLatest } = subject.options;
  const [policy, major] = [readPolicy(names), literal(names.majorChannel)];
  const wasMajor = listPlaces(subject).versions.map(({ was }) => `${was} == ${major}`);
  const sides = any(
    all(use("isItsCluster"), any(`${policy} == ${major}`, ...wasMajor)),
    all(use("wasItsCluster"), `${policy} == ${major}`),
  );
  const isLatest = [`${now} == ${literal(names.latestChannel)}`];
  if (allowLatest === undefined) {
    isLatest.push(any(`${policy} == ${literal(names.latestChannel)}`, use("wasItsCluster")));
  }
  const forbidden = any(
    all(`${now}.matches(${pattern(engineVersion)})`, ...isMinorRaise(place, subject)),
    ...(allowLatest === false ? [] : [all(...isLatest)]),
  );
  const expression = any(
    "oldObject == null",
    `!(${isNew})`,
    `type(${now}) != string`,
    `!(${sides})`,
    `!(${forbidden})`,
  );
  const [field, version] = [fieldText(names.fields.engineUpgradePolicy), fieldText(path)];
  const ways = `choose a major release (or ${major}), or `;
  const says = [
    `"Forbidden: " + ${showText(now)}`,
    literal(` is not a major release, refused as an upgrade under policy ${major}: `),
    `(${policy} == ${major} ? ${showsCluster(names)} + ${literal(` sets ${field} ${major}; ${ways}set another ${field} there`)} : ` +
      `${literal(`the database had ${version} ${major}; ${ways}first clear ${version} in an edit of its own`)})`,
  ];
  const plain = `Forbidden: not a major release, under policy ${major}; ${ways}another policy`;
  return validation(place, { rule: "R2", plain, says }, expression);
}

/** Both versions are known, the new one is above the other, and is a minor release (C4) or step (C6). */
function isMinorRaise({ path, now }: Place, { options }: PolicySubject): readonly string[] {
  const [target, current] = [
    partNames(nameVariable(path, "target")),
    partNames(nameVariable(path, "current")),
  ];
  const [major, minor] = [`${use(target.major)}[0]`, `${use(target.minor)}[0]`];
  const sameLine = `${major} == ${use(current.major)}[0]`;
  const flagged = `!${use("majorReleases")}.exists(v, ${isVersion("v", now)})`;
  const lower = all(`n < ${minor}`, isVersion("v", `(${use(target.line)} + string(n))`));
  const notLowest = `${use("releases")}.exists(v, ${use("numbers")}.exists(n, ${lower}))`;
  return [
    `size(${use(target.minor)}) > 0`,
    `size(${use(current.minor)}) > 0`,
    any(
      `${major} > ${use(current.major)}[0]`,
      all(sameLine, `${minor} > ${use(current.minor)}[0]`),
    ),
    options.reading === "step"
      ? sameLine
      : `size(${use("majorReleases")}) > 0 ? ${flagged} : ${notLowest}`,
  ];
}

/** A list of modules is a list, and each module in it has a name (C11). */
function list(place: Place, { options: { names } }: PolicySubject): Validation {
  const { moduleName } = names.entryFields;
  const plain = `Invalid value: must be a list of modules, each with a ${moduleName} that is a string; correct it`;
  // what was there before is not judged again, unless the version changes (C10, C12)
  const isOld = all(use("hadOddModules"), `!${use("versionChanges")}`);
  const expression = any(`!${use(nameVariable(place.path, "odd"))}`, isOld);
  return validation(place, { rule: "R3", plain }, expression);
}

/** Each module that is judged is bundled, or defined in the EC (C9, C10). */
function requireKnown(place: Place, { options: { names } }: PolicySubject): Validation {
  const missing = use(nameVariable(place.path, "missing"));
  const ec = renderTerm(names.ec);
  const way = `add it to ${fieldText(names.fields.userDefinedModules)} of that ${ec} or remove it here`;
  const plain = `Not found: a module is neither bundled nor defined in the ${ec}; ${way}`;
  const says = [
    `"Not found: " + ${showText(`${missing}[0]`)} + ": neither bundled nor defined in "`,
    showsCluster(names),
    literal(`; ${way}`),
  ];
  const expression = any(`!${use("isItsCluster")}`, `size(${missing}) == 0`);
  return validation(place, { rule: "R3", plain, says }, expression);
}
