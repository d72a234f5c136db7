/**
 * What a person added to a role or binding of the operator itself: it is kept beside the release's
 * rules and subjects, which the API server replaces as a whole (S18).
 */
import type { Finding } from "../base/findings";
import type { Names } from "../names/names";
import { readAnnotation, type KubeObject, type ManagedFields, objectLabel } from "../kube/objects";
import { isPersonsManager, takes } from "../kube/owners";
import {
  beyond,
  type BindingSubject,
  type Grant,
  grantLines,
  grantsOf,
  isAmong,
  rulesGiving,
  readRules,
  subjectLabel,
  isAggregated,
  subjectsBeyond,
  placedSubjects,
  uniteRules,
} from "../kube/role-rules";
import { asArray, getOwn, type Json, parseJson } from "../base/values";
import { isHelmsManager } from "./chart-marks";
import { operatorFinding } from "./findings";
import { fileEntries, lastFile } from "../kube/field-managers";

interface Additions {
  readonly grants: readonly Grant[];
  readonly subjects: readonly BindingSubject[];
}

const none: Additions = { grants: [], subjects: [] };

interface Choice {
  readonly names: Names;
  /** Fields that the release wins by the person's word. */
  readonly takeFields: readonly string[];
}

/** The release's object with what was added to the stored one, and the findings that name it. */
export function withAdditions(
  live: KubeObject,
  given: KubeObject,
  { names, takeFields }: Choice,
): { readonly object: KubeObject; readonly findings: readonly Finding[] } {
  const wanted = withPlaces(given, live);
  // the rules of an aggregated role are made of other roles
  const isKept = !isAggregated(live) && byPersons(live, names);
  const found = isKept ? additionsTo(live, wanted, names) : none;
  const grants = takes(takeFields, ".rules") ? [] : found.grants;
  const subjects = takes(takeFields, ".subjects") ? [] : found.subjects;
  if (grants.length + subjects.length === 0) return { object: wanted, findings: [] };
  const added: Json = {
    ...(grants.length > 0 && { rules: rulesGiving(readRules(live), isAmong(grants)) }),
    ...(subjects.length > 0 && { subjects }),
  };
  return {
    object: unite(wanted, added, names),
    findings: [finding(live, { grants, subjects })],
  };
}

/**
 * The release's object, whose accounts without a namespace are of the one where it is applied. They are written out
 * where the stored object lacks one: an account of another namespace would otherwise count as the same.
 */
function withPlaces(wanted: KubeObject, live: KubeObject): KubeObject {
  const subjects = placedSubjects(wanted, live);
  const isHeld = subjectsBeyond(subjects, placedSubjects(live, live)).length === 0;
  return isHeld ? wanted : { ...wanted, subjects };
}

/** The release's object with the additions, which a note in it tells from the release's own. */
function unite(wanted: KubeObject, added: Json, names: Names): KubeObject {
  const { metadata } = wanted;
  const note = { [names.annotations.added]: JSON.stringify(added) };
  const { rules, subjects } = added;
  return {
    ...wanted,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...note } },
    ...(rules !== undefined && { rules: uniteRules(readRules(wanted), readRules(added)) }),
    ...(subjects !== undefined && {
      subjects: [...asArray(wanted["subjects"]), ...asArray(subjects)],
    }),
  };
}

function finding(live: KubeObject, { grants, subjects }: Additions): Finding {
  const field = grants.length > 0 ? ".rules" : ".subjects";
  const what = [...grantLines(grants), ...subjects.map(subjectLabel)].join("; ");
  return operatorFinding("added", {
    object: objectLabel(live),
    field,
    cause: `a person added what the release does not have, and it is kept: ${what}`,
    fix: `nothing, as long as it is intended; else let the release win with --take-fields '${field}'`,
  });
}

/** A role or binding of a chart: stored, as helm renders it, and as the release was deployed. */
interface ChartRights {
  readonly live: KubeObject;
  readonly wanted: KubeObject;
  /** Absent: not known. */
  readonly before?: KubeObject | undefined;
}

/** Helm writes rules and subjects as a whole: what others than helm added to them is lost. */
export function judgeLostRights(
  { live, wanted, before = wanted }: ChartRights,
  takeFields: readonly string[],
): readonly Finding[] {
  const holders = listHolders(live);
  const isHelms =
    holders.length > 0 && holders.every(({ manager = "" }) => isHelmsManager(manager));
  if (isAggregated(live) || isHelms) return [];
  const grants = [before, wanted].reduce(
    (rest, known) => beyond(rest, grantsOf(readRules(known))),
    grantsOf(readRules(live)),
  );
  const subjects = [before, wanted].reduce(
    (rest, known) => subjectsBeyond(rest, placedSubjects(known, live)),
    placedSubjects(live, live),
  );
  const lost: readonly (readonly [string, readonly string[]])[] = [
    [".rules", grantLines(grants)],
    [".subjects", subjects.map(subjectLabel)],
  ];
  return lost
    .filter(([field, what]) => what.length > 0 && !takes(takeFields, field))
    .map(([field, what]) =>
      operatorFinding("localChange", {
        object: objectLabel(live),
        field,
        cause: `a local change: what the chart does not have was added, and helm takes it away: ${what.join("; ")}`,
        fix: `give it by a role or binding of its own, or let the chart win with --take-fields '${field}'`,
      }),
    );
}

/** Rights and subjects that the stored object has beyond the release's, and that no release brought. */
export function additionsTo(live: KubeObject, wanted: KubeObject, names: Names): Additions {
  const grants = beyond(grantsOf(readRules(live)), grantsOf(readRules(wanted)));
  const subjects = subjectsBeyond(placedSubjects(live, live), placedSubjects(wanted, live));
  const file = lastFile(live);
  if (file !== undefined) {
    return {
      grants: beyond(grants, grantsOf(readRules(file))),
      subjects: subjectsBeyond(subjects, placedSubjects(file, live)),
    };
  }
  if (!isByFiles(live, names)) return { grants, subjects };
  // files and this tool alone have written it: what was added before is what this tool kept
  const note = parseJson(readAnnotation(live, [names.annotations.added]) ?? "");
  const noted = placedSubjects(note, live);
  return {
    grants: grants.filter(isAmong(grantsOf(readRules(note)))),
    subjects: subjects.filter((one) => subjectsBeyond([one], noted).length === 0),
  };
}

/** Who holds the rules or the subjects. */
function listHolders({ metadata }: KubeObject): readonly ManagedFields[] {
  return (metadata.managedFields ?? []).filter(({ fieldsV1 }) =>
    ["f:rules", "f:subjects"].some((key) => getOwn(fieldsV1, key) !== undefined),
  );
}

/** Without holders, as in a dump, nothing speaks against it. */
function byPersons(live: KubeObject, { fieldManager }: Names): boolean {
  return listHolders(live).every(({ manager }) =>
    isPersonsManager(String(manager), [fieldManager]),
  );
}

function isByFiles(live: KubeObject, { fieldManager }: Names): boolean {
  const files = fileEntries(live, fieldManager);
  const holders = listHolders(live);
  return (
    holders.length > 0 &&
    holders.every((entry) => entry.manager === fieldManager || files.includes(entry))
  );
}

/**
 * True where the list has all that the file which was applied last gave, or without one all of the
 * release's: nothing was taken away, and what was added is kept.
 */
export function onlyAdds(live: KubeObject, wanted: KubeObject, field: string): boolean {
  const before = lastFile(live) ?? wanted;
  if (field === ".rules") {
    return beyond(grantsOf(readRules(before)), grantsOf(readRules(live))).length === 0;
  }
  return (
    field === ".subjects" &&
    subjectsBeyond(placedSubjects(before, live), placedSubjects(live, live)).length === 0
  );
}
