/** What has to be written in one place so that role and binding are up to date. Pure. */
import { type KubeObject, objectLabel } from "../kube/objects";
import { getPath, type Json, getOwn, asString } from "../base/values";
import type { RolePair } from "../kube/kinds";
import {
  beyond,
  compareRules,
  type Grant,
  grantLines,
  grantsOf,
  isAggregated,
  isAmong,
  metadataDiffers,
  readRoleRef,
  noRules,
  rulesGiving,
  readRules,
  type BindingSubject,
  nameByGroups,
  subjectLabel,
  subjectsBeyond,
  listSubjects,
  uniteRules,
} from "../kube/role-rules";
import { leftovers, type Names } from "../names/names";
import { releasedRules, type RoleFiles } from "./lines";
import type { Finding } from "../base/findings";
import { lastFile } from "../kube/field-managers";
import { rbacFinding } from "./findings";
import { isGone, otherOperators } from "./managed";

/** The rules and subjects of a person. */
export interface Additions {
  readonly grants: readonly Grant[];
  readonly subjects: readonly BindingSubject[];
}

/** What is there, as far as it can hold additions. */
export interface Held {
  readonly role?: KubeObject | undefined;
  readonly binding?: KubeObject | undefined;
  /** Rules of the role that the binding is for, where that is not the wanted one. */
  readonly bound?: readonly Json[];
}

/** What is known of releases and of this operator. */
export interface Releases {
  /** The rules of the role in all known releases; none for a role that they never changed. */
  readonly released: readonly Json[];
  readonly operatorNamespace: string;
  /** The namespaces that exist; absent: not known. */
  readonly existing?: ReadonlySet<string> | undefined;
  readonly names: Names;
  /** True for an addition that is given up, by its entry. */
  readonly drops: (entry: string) => boolean;
}

/** The additions of one place. What the wanted pair has is none, and neither is another operator, nor an account of a namespace that is gone. */
function additionsTo(held: Held, wanted: RolePair<KubeObject>, known: Releases): Additions {
  const { role, binding, bound = noRules } = held;
  const meant = grantsOf(readRules(wanted.role));
  const released = grantsOf(known.released);
  const inRole = beyond(beyond(grantsOf(readRules(role)), meant), findReleased(role, released));
  const inBound = beyond(beyond(beyond(grantsOf(bound), meant), released), inRole);
  const others = otherOperators(binding, known);
  const named = listSubjects(nameAccounts(wanted.binding, binding, known));
  return {
    grants: [...inRole, ...inBound],
    subjects: subjectsBeyond(realSubjects(binding, known), named).filter(
      (subject) =>
        !isGone(subject, known) &&
        (subject.kind !== "ServiceAccount" || !others.includes(String(subject.namespace))),
    ),
  };
}

/**
 * What a known release may have brought into a role. Where kubectl kept the file that was applied
 * last, a permission that is not in it came from elsewhere, even if an older release once had it.
 */
function findReleased(role: KubeObject | undefined, released: readonly Grant[]): readonly Grant[] {
  const said = grantsOf(readRules(role && lastFile(role)));
  if (said.length === 0) return released;
  const isElsewhere = isAmong(beyond(released, said));
  return released.filter((grant) => !isElsewhere(grant));
}

/** The subjects of a binding without those of a placeholder, which give access to nobody. */
function realSubjects(
  binding: unknown,
  { names }: Pick<Releases, "names">,
): readonly BindingSubject[] {
  return listSubjects(binding).filter((subject) => leftovers(subject, names).length === 0);
}

/**
 * The wanted binding, in which accounts stand as the live one names them: a group of theirs is the same access, and
 * is no addition unless it is given up.
 */
function nameAccounts(
  wanted: KubeObject,
  live: KubeObject | undefined,
  known: Releases,
): KubeObject {
  const role = readRole(wanted);
  const held = realSubjects(live, known).filter(
    (subject) => !known.drops(`${role}:${subjectLabel(subject)}`),
  );
  return { ...wanted, subjects: nameByGroups(listSubjects(wanted), held) };
}

/** The additions as `--drop-local` names them, each once: `edb-role:apps/deployments:get`. */
export function listEntries(
  object: KubeObject,
  { grants, subjects }: Additions,
): readonly string[] {
  const role = readRole(object);
  return [
    ...new Set([
      ...grants.map((grant) => grantEntry(role, grant)),
      ...subjects.map((subject) => `${role}:${subjectLabel(subject)}`),
    ]),
  ];
}

/** The additions whose entries are, or are not, among those given. */
function additionsWhere(
  object: KubeObject,
  { grants, subjects }: Additions,
  keep: (entry: string) => boolean,
): Additions {
  const role = readRole(object);
  return {
    grants: grants.filter((grant) => keep(grantEntry(role, grant))),
    subjects: subjects.filter((subject) => keep(`${role}:${subjectLabel(subject)}`)),
  };
}

/** The core group is written as nothing: `edb-role:/pods:get`. */
function grantEntry(role: string, { group, resource, verb }: Grant): string {
  return `${role}:${group}/${resource}:${verb}`;
}

/** What a person added to one object. */
export type LocalFinding = Finding & { readonly object: string };

/** The additions for a person, rule by rule, and how to give them up: one for each object. */
export function localFindings(
  { role, binding }: Omit<Held, "bound">,
  local: Additions,
): readonly LocalFinding[] {
  const findAdded = (object: KubeObject, field: string, part: Partial<Additions>): LocalFinding => {
    const { grants, subjects } = { ...none, ...part };
    const added = [...grantLines(grants), ...subjects.map(subjectLabel)];
    const entries = listEntries(object, { grants, subjects });
    const label = objectLabel(object);
    const finding = rbacFinding("local", {
      object: label,
      field,
      cause: `a person added what no known release had, and it is kept: ${added.join("; ")}`,
      fix: `nothing, as long as it is intended; else reapply-rbac --drop-local ${entries.join(",")}`,
    });
    return { ...finding, object: label };
  };
  return [
    ...(role && local.grants.length > 0
      ? [findAdded(role, "rules", { grants: local.grants })]
      : []),
    ...(binding && local.subjects.length > 0
      ? [findAdded(binding, "subjects", { subjects: local.subjects })]
      : []),
  ];
}

const none: Additions = { grants: [], subjects: [] };

/** The role that an object is, or that it is for. */
function readRole(object: KubeObject): string {
  return asString(getPath(object, ["roleRef", "name"])) ?? String(object.metadata.name);
}

/**
 * `expand` unites the wanted rules with those in force, so that neither the old operator nor the new
 * one lacks anything; `contract` removes what other releases had. Both keep what a person added.
 */
export type Mode = "expand" | "contract";

/** How a place is planned. */
export interface Terms extends Releases {
  readonly mode: Mode;
  /** The wanted labels and annotations are the release's own: to lack them is a difference. */
  readonly marks: boolean;
}

/** What is there. */
export interface LiveRbac extends Held {
  /** The second binding of a change of roleRef that was not brought to its end. */
  readonly temporary?: KubeObject | undefined;
}

/** One object to apply, and what it takes the place of. */
export interface Write {
  readonly object: KubeObject;
  readonly live?: KubeObject | undefined;
  /** It holds what a person added, which no file of a release has. */
  readonly mixed?: true;
}

/** Everything that one place needs; without `role`, `binding` and `temporary` it is up to date. */
export interface SitePlan {
  readonly role?: Write;
  readonly binding?: Write;
  /** The binding is for another role: a second one holds the access while it is replaced. */
  readonly rebind: boolean;
  /** A second binding left over from an earlier run, to be deleted at the end. */
  readonly temporary?: KubeObject;
  readonly gained: readonly Grant[];
  readonly lost: readonly Grant[];
  readonly subjectsGained: readonly string[];
  readonly subjectsLost: readonly string[];
  /** What a person added, whether it is kept or given up. */
  readonly local: Additions;
  readonly kept: Additions;
  /** Role and binding as they will be. */
  readonly outcome: RolePair<KubeObject>;
}

/** Plans one place. */
export function planSite(found: LiveRbac, wanted: RolePair<KubeObject>, terms: Terms): SitePlan {
  return isAggregated(found.role)
    ? planBeside(found.role, { found, wanted, terms })
    : planPair(found, wanted, terms);
}

function planPair(found: LiveRbac, wanted: RolePair<KubeObject>, terms: Terms): SitePlan {
  const { marks, drops } = terms;
  const before = uniteRules(readRules(found.role), found.bound ?? noRules);
  const local = additionsTo(found, wanted, terms);
  const kept = additionsWhere(wanted.role, local, (entry) => !drops(entry));
  const role = { ...wanted.role, rules: rulesAfter(before, wanted.role, { terms, local, kept }) };
  const held = realSubjects(found.binding, terms);
  const wantedBinding = nameAccounts(wanted.binding, found.binding, terms);
  const gone = subjectsBeyond(local.subjects, kept.subjects);
  const more = terms.mode === "expand" ? subjectsBeyond(held, gone) : kept.subjects;
  const binding = withSubjects(wantedBinding, more);
  const { gained, lost } = compareRules(before, readRules(role));
  const rebind =
    found.binding !== undefined && readRoleRef(found.binding) !== readRoleRef(wanted.binding);
  const subjects = listSubjects(binding);
  const subjectsGained = subjectsBeyond(subjects, held).map(subjectLabel);
  const subjectsLost = subjectsBeyond(held, subjects).map(subjectLabel);
  const bindingDiffers =
    rebind ||
    subjectsGained.length + subjectsLost.length > 0 ||
    held.length < listSubjects(found.binding).length ||
    differs(found.binding, wanted.binding, marks);
  return {
    ...(roleDiffers(found.role, role, marks) && {
      role: write(role, found.role, local.grants.length > 0),
    }),
    ...(bindingDiffers && { binding: write(binding, found.binding, local.subjects.length > 0) }),
    rebind,
    ...(found.temporary !== undefined && { temporary: found.temporary }),
    gained,
    lost,
    subjectsGained,
    subjectsLost,
    local,
    kept,
    outcome: { role, binding },
  };
}

/** What an aggregated role lacks is told, and nothing of it is written. */
function planBeside(
  live: KubeObject,
  of: { readonly found: LiveRbac; readonly wanted: RolePair<KubeObject>; readonly terms: Terms },
): SitePlan {
  const { found, wanted, terms } = of;
  const role = { ...live, aggregationRule: undefined };
  const plan = planPair({ ...found, role }, { ...wanted, role }, terms);
  return { ...plan, gained: compareRules(readRules(role), readRules(wanted.role)).gained };
}

/** The rules as they will be: those in force or the wanted ones first, then what the others add. */
function rulesAfter(
  before: readonly Json[],
  wanted: KubeObject,
  { terms, local, kept }: Pick<SitePlan, "local" | "kept"> & { readonly terms: Terms },
): readonly Json[] {
  const isKept = isAmong(kept.grants);
  if (terms.mode === "contract") return uniteRules(readRules(wanted), rulesGiving(before, isKept));
  const isLocal = isAmong(local.grants);
  const stays =
    kept.grants.length === local.grants.length
      ? before
      : rulesGiving(before, (grant) => isKept(grant) || !isLocal(grant));
  return uniteRules(stays, readRules(wanted));
}

/** True when nothing has to be written. */
export function isAsWanted({ role, binding, temporary }: SitePlan): boolean {
  return role === undefined && binding === undefined && temporary === undefined;
}

/** True when a right or an account goes. */
export function takesAway({ lost, subjectsLost }: SitePlan): boolean {
  return lost.length + subjectsLost.length > 0;
}

function write(object: KubeObject, live: KubeObject | undefined, mixed: boolean): Write {
  return { object, live, ...(mixed && { mixed }) };
}

function roleDiffers(live: KubeObject | undefined, role: KubeObject, marks: boolean): boolean {
  const { gained, lost } = compareRules(readRules(live), readRules(role));
  return gained.length + lost.length > 0 || differs(live, role, marks);
}

function differs(live: KubeObject | undefined, wanted: KubeObject, marks: boolean): boolean {
  return live === undefined || (marks && metadataDiffers(live, wanted));
}

function withSubjects(binding: KubeObject, more: readonly BindingSubject[]): KubeObject {
  const wanted = listSubjects(binding);
  return { ...binding, subjects: [...wanted, ...subjectsBeyond(more, wanted)] };
}

/** The second binding: the wanted role for everybody who has access now or shall have it. */
export function temporaryBinding(
  { outcome, binding }: SitePlan,
  name: string,
  witness: string | undefined,
): KubeObject {
  const subjects = listSubjects(outcome.binding);
  const held = subjectsBeyond(listSubjects(binding?.live), subjects);
  const user = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: witness };
  return {
    apiVersion: outcome.binding.apiVersion,
    kind: outcome.binding.kind,
    metadata: { ...outcome.binding.metadata, name },
    roleRef: getOwn(outcome.binding, "roleRef"),
    subjects: [...subjects, ...held, ...(witness === undefined ? [] : [user])],
  };
}

/** What the terms are made from; `drops` are entries as they are typed, `all` for all. */
export interface TermsFor {
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  /** The namespaces that exist; absent: not known. */
  readonly existing?: ReadonlySet<string> | undefined;
  readonly files: Pick<RoleFiles, "shipped">;
  readonly mode: Mode;
  readonly dropLocal?: readonly string[];
}

/** The terms of a managed namespace. */
export function termsFor({
  names,
  namespace,
  existing,
  files,
  mode,
  dropLocal = [],
}: TermsFor): Terms {
  const dropped = new Set(dropLocal.map(normalizeEntry));
  return {
    mode,
    names,
    existing,
    operatorNamespace: namespace,
    released: releasedRules(names),
    // of a release whose files are not there, the rules are known and the labels are not
    marks: files.shipped !== true,
    drops: (entry) => dropped.has("all") || dropped.has(entry),
  };
}

/** An entry as a person may type it: `edb-role:pods:get` and `edb-role:core/pods:get` are the core group's. */
export function normalizeEntry(entry: string): string {
  return entry.replace(/^([^:]+):(?:core\/|(?=[^/:]+:[^:]+$))/, "$1:/");
}
