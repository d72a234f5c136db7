/** R3: every module is bundled or defined in the EC (S56; C9–C11); REF: the named EC exists (C17). */
import { type KnownModules, findKnownModules } from "./clusters";
import { findBundled } from "./display-names";
import { type Names, renderTerm } from "../names/names";
import { fieldName, fieldOfModule, findFields, fieldText } from "./fields";
import type {
  Case,
  Cause,
  ClusterFacts,
  ClusterLookup,
  Rule,
  SubjectModule,
  Verdict,
} from "./types";
import {
  quote,
  quoteAll,
  show,
  showCluster,
  showMiss,
  showPlaces,
  renderWarning,
  wrongType,
} from "./wording";

/** R3, on create and change: each module to judge is one that the database can load (C9, C10). */
export const modulesRule: Rule = {
  id: "R3",
  setting: "modules",
  source: "S54, S56, S62, C9, C10, C11, C17",
  judge: judgeModules,
};

/** A refusal shows fewer; of a list of a hundred thousand the others are counted. */
const mostCauses = 64;

function judgeModules({ edit, subject, lookups, options }: Case): Verdict {
  const { names } = options;
  const cluster = lookups.after.is === "found" ? lookups.after.cluster : undefined;
  const known = findKnownModules(cluster, names);
  const findStanding = ({ name }: SubjectModule) => name !== undefined && known.standingOf(name);
  const isWrong = (module: SubjectModule): boolean =>
    [false, "unknown", "installed"].includes(findStanding(module));
  const wrong = subject.modules.filter(isWrong);
  const open = subject.modules.filter((module) => findStanding(module) === "unpublished");
  const uncertain = cluster && open.length > 0 ? [notPublished(open, cluster, names)] : [];
  const said = {
    warnings: [
      ...(subject.moduleVersionsEdited ? [describeEdit(names)] : []),
      ...uncertain.map(notChecked),
    ],
    ...(uncertain.length > 0 && { uncertain }),
  };
  if (wrong.length === 0) return { causes: [], ...said, dependsOnCluster: false };
  const reference = findFields(edit.kind, names).texts.clusterReference;
  const asked = { lookup: lookups.after, names, reference };
  const remedy = remedyFor(asked);
  const isUnknown = ({ name }: SubjectModule): boolean => name !== undefined;
  const dependsOnCluster = wrong.some(isUnknown);
  const shown = wrong.slice(0, mostCauses);
  const more = wrong.length - shown.length;
  return {
    causes: [
      ...(dependsOnCluster ? reportMissingReference(asked) : []),
      ...shown.map((module) =>
        isUnknown(module) ? notFound(module, { remedy, known, names }) : notNamed(module, names),
      ),
    ],
    ...said,
    dependsOnCluster,
    ...(more > 0 && { more }),
  };
}

function describeEdit(names: Names): string {
  const version = fieldName(names.fields.engineVersion);
  const text = `module versions changed together with ${version}: leave the old numbers, they have no effect`;
  return renderWarning(text, " [R3]");
}

/** An EC that publishes no modules yet does not tell how the bundled ones are displayed. */
function notPublished(open: readonly SubjectModule[], cluster: ClusterFacts, names: Names): string {
  const shown = quoteAll([...new Set(open.map(({ value }) => String(value)))]);
  return `${showCluster(cluster, names)} publishes no modules yet, so it may bundle ${shown}`;
}

/** The warning about what the EC does not tell. */
export function notChecked(uncertain: string): string {
  return renderWarning(`not checked: ${uncertain}`, " [R3]");
}

function notNamed(module: SubjectModule, names: Names): Cause {
  const { index, value } = module;
  const wanted = index === undefined ? "a list of modules" : "a string, the name of a module";
  return { rule: "R3", field: fieldOfModule(module, names), ...wrongType(value, wanted) };
}

interface Hints {
  readonly remedy: Remedy;
  readonly known: KnownModules;
  readonly names: Names;
}

function notFound(module: SubjectModule, { remedy, known, names }: Hints): Cause {
  const { value } = module;
  const name = String(value);
  const bundled = findBundled(name, names);
  const near = bundled ?? known.lowered.get(name.toLowerCase());
  const hint = near === undefined ? "" : ` (did you mean ${quote(near)}?)`;
  const wrong = known.standingOf(name) === "installed" ? remedy.installed : remedy.unknown;
  return {
    rule: "R3",
    reason: "FieldValueNotFound",
    field: fieldOfModule(module, names),
    says: `Not found: ${show(value)}${hint}: ${wrong}`,
    // to define a bundled module as one of the user's own would restart all pods for nothing
    fix: bundled === undefined ? remedy.fix : `write ${quote(bundled)}`,
  };
}

/** Where the EC was looked for, and the field that names it. */
interface LookedUp {
  readonly lookup: ClusterLookup;
  readonly names: Names;
  readonly reference: string;
}

/** What is said of a module that is installed, and of one that is not; the ways out of both. */
interface Remedy {
  readonly installed: string;
  readonly unknown: string;
  readonly fix: string;
}

/** What is wrong and the ways out, naming the EC and the field to edit (S56, C17). */
function remedyFor({ lookup, names, reference }: LookedUp): Remedy {
  const term = renderTerm(names.ec);
  const field = fieldText(names.fields.userDefinedModules);
  if (lookup.is === "found") {
    const ec = showCluster(lookup.cluster, names);
    return {
      installed: `installed but not defined in ${ec}`,
      unknown: `neither bundled nor defined in ${ec}`,
      fix: `add it to ${field} of that ${term} or remove it here`,
    };
  }
  const ways =
    lookup.is === "ambiguous"
      ? `name one of them in ${reference}`
      : `create the ${term} with the module in ${field}`;
  const unknown = `not bundled, and ${showMiss(lookup, names)}`;
  return { installed: unknown, unknown, fix: `${ways} or remove the module here` };
}

/** REF, beside R3's causes: only a module that is not bundled needs the EC (C17). */
function reportMissingReference({ lookup, names, reference }: LookedUp): readonly Cause[] {
  if (lookup.is !== "missing" || lookup.name === undefined) return [];
  const where = showPlaces(lookup.lookedIn);
  return [
    {
      rule: "REF",
      reason: "FieldValueNotFound",
      field: reference,
      says: `Not found: ${quote(lookup.name)}: no such ${renderTerm(names.ec)} in ${where}`,
      fix: "create it or correct the name",
    },
  ];
}
