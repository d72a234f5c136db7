/** What a person added to a role and its binding: rules and subjects that no known release had (S18). */
import type { Names } from "../names";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import { lastFile } from "../operator/managers";
import { leftovers } from "../placeholders";
import { at, type Json, text } from "../values";
import type { Pair } from "./kinds";
import { rbacFinding } from "./codes";
import { beyond, type Grant, grantLines, grantsOf, rulesOf } from "./rules";
import { otherOperators } from "./stale";
import { type Subject, subjectLabel, subjectsBeyond, subjectsOf } from "./subjects";

/** The rules and subjects of a person. */
export interface Additions {
  readonly grants: readonly Grant[];
  readonly subjects: readonly Subject[];
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
  /** The rules of the role in every known release; none for a role that they never changed. */
  readonly lines: readonly (readonly Json[])[];
  readonly operatorNamespace: string;
  readonly names: Names;
}

/** The additions of one place. What the wanted pair has is none, and neither is another operator. */
export function additionsTo(held: Held, wanted: Pair<KubeObject>, known: Releases): Additions {
  const { role, binding, bound = [] } = held;
  const meant = grantsOf(rulesOf(wanted.role));
  const inRole = beyond(grantsOf(rulesOf(role)), [...meant, ...releasedIn(role, known)]);
  const released = [...meant, ...known.lines.flatMap(grantsOf)];
  const others = otherOperators(binding, known);
  return {
    grants: [...inRole, ...beyond(grantsOf(bound), [...released, ...inRole])],
    subjects: subjectsBeyond(realSubjects(binding, known), subjectsOf(wanted.binding)).filter(
      ({ kind, namespace = "" }) => kind !== "ServiceAccount" || !others.includes(namespace),
    ),
  };
}

/**
 * What a known release may have brought into a role. Where kubectl kept the file that was applied
 * last, a right that is not in it came from elsewhere, even if an older release once had it.
 */
function releasedIn(role: KubeObject | undefined, { lines }: Releases): readonly Grant[] {
  const released = lines.flatMap(grantsOf);
  const said = grantsOf(rulesOf(role && lastFile(role)));
  if (said.length === 0) return released;
  return released.filter((grant) => beyond([grant], said).length === 0);
}

/** The subjects of a binding without those of a placeholder, which give access to nobody. */
export function realSubjects(
  binding: unknown,
  { names }: Pick<Releases, "names">,
): readonly Subject[] {
  return subjectsOf(binding).filter((subject) => leftovers(subject, names).length === 0);
}

/** The additions as `--drop-local` names them, each once: `edb-role:apps/deployments:get`. */
export function entriesOf(object: KubeObject, { grants, subjects }: Additions): readonly string[] {
  const role = roleOf(object);
  return [
    ...new Set([
      ...grants.map((grant) => grantEntry(role, grant)),
      ...subjects.map((subject) => `${role}:${subjectLabel(subject)}`),
    ]),
  ];
}

/** The additions whose entries are, or are not, among those given. */
export function additionsWhere(
  object: KubeObject,
  { grants, subjects }: Additions,
  keep: (entry: string) => boolean,
): Additions {
  const role = roleOf(object);
  return {
    grants: grants.filter((grant) => keep(grantEntry(role, grant))),
    subjects: subjects.filter((subject) => keep(`${role}:${subjectLabel(subject)}`)),
  };
}

/** The core group is written as nothing: `edb-role:/pods:get`. */
function grantEntry(role: string, { group, resource, verb }: Grant): string {
  return `${role}:${group}/${resource}:${verb}`;
}

/** The additions for a person, rule by rule, and how to give them up: one for each object. */
export function localFindings(
  { role, binding }: Omit<Held, "bound">,
  local: Additions,
): readonly Finding[] {
  const finding = (object: KubeObject, field: string, part: Partial<Additions>): Finding => {
    const { grants, subjects } = { ...none, ...part };
    const added = [...grantLines(grants), ...subjects.map(subjectLabel)];
    const entries = entriesOf(object, { grants, subjects });
    return rbacFinding("local", {
      object: objectLabel(object),
      field,
      cause: `a person added what no known release had, and it is kept: ${added.join("; ")}`,
      fix: `nothing, as long as it is wanted; else reapply-rbac --drop-local ${entries.join(",")}`,
    });
  };
  return [
    ...(role && local.grants.length > 0 ? [finding(role, "rules", { grants: local.grants })] : []),
    ...(binding && local.subjects.length > 0
      ? [finding(binding, "subjects", { subjects: local.subjects })]
      : []),
  ];
}

const none: Additions = { grants: [], subjects: [] };

/** The role that an object is, or that it is for. */
function roleOf(object: KubeObject): string {
  return text(at(object, ["roleRef", "name"])) ?? String(object.metadata.name);
}
