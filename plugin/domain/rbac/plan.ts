/** What has to be written in one place so that role and binding are as wanted. Pure. */
import type { KubeObject } from "../objects";
import { type Json, own } from "../values";
import type { Pair } from "./kinds";
import { compareRules, type Grant, rulesOf, uniteRules } from "./rules";
import { metadataDiffers, roleRefOf, subjectLabel, subjectsBeyond, subjectsOf } from "./subjects";

/**
 * `exact` and `contract` leave the wanted rules alone; `expand` unites them with those in force,
 * so that neither the old operator nor the new one lacks anything.
 */
export type Mode = "exact" | "expand" | "contract";

/** What is there. */
export interface Found {
  readonly role?: KubeObject;
  readonly binding?: KubeObject;
  /** The second binding of a change of roleRef that was not brought to its end. */
  readonly temporary?: KubeObject;
  /** Rules of the role that the binding is for, where that is not the wanted one. */
  readonly bound?: readonly Json[];
}

/** One object to apply, and what it takes the place of. */
export interface Write {
  readonly object: KubeObject;
  readonly live?: KubeObject;
}

/** Everything that one place needs; without `role`, `binding` and `temporary` it is as wanted. */
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
  /** Role and binding as they will be. */
  readonly outcome: Pair<KubeObject>;
}

const none: readonly Json[] = [];

/** Plans one place. */
export function planSite(found: Found, wanted: Pair<KubeObject>, mode: Mode): SitePlan {
  const bound = found.bound ?? none;
  const before = uniteRules(rulesOf(found.role), bound);
  const role = mode === "expand" ? withRules(wanted.role, before) : wanted.role;
  const held = subjectsOf(found.binding);
  const binding = mode === "expand" ? withSubjects(wanted.binding, found.binding) : wanted.binding;
  const { gained, lost } = compareRules(before, rulesOf(role));
  const rebind =
    found.binding !== undefined && roleRefOf(found.binding) !== roleRefOf(wanted.binding);
  const subjects = subjectsOf(binding);
  const subjectsGained = subjectsBeyond(subjects, held).map(subjectLabel);
  const subjectsLost = subjectsBeyond(held, subjects).map(subjectLabel);
  const bindingDiffers =
    rebind ||
    subjectsGained.length + subjectsLost.length > 0 ||
    differs(found.binding, wanted.binding);
  return {
    ...(roleDiffers(found.role, role) && { role: write(role, found.role) }),
    ...(bindingDiffers && { binding: write(binding, found.binding) }),
    rebind,
    ...(found.temporary !== undefined && { temporary: found.temporary }),
    gained,
    lost,
    subjectsGained,
    subjectsLost,
    outcome: { role, binding },
  };
}

/** What is there once the place is expanded: what a contract that comes later will find. */
export function expanded(found: Found, wanted: Pair<KubeObject>): Found {
  const { outcome, rebind } = planSite(found, wanted, "expand");
  // the binding of another role is made anew by then
  const { binding } = rebind ? {} : found;
  return { role: after(outcome.role, found.role), binding: after(outcome.binding, binding) };
}

/** The object with what is written now, and the identity that stays; its version will be another. */
function after(written: KubeObject, live: KubeObject | undefined): KubeObject {
  const kept: readonly string[] = ["uid", "ownerReferences", "managedFields"];
  const before = Object.entries(live?.metadata ?? {}).filter(([key]) => kept.includes(key));
  const labels = { ...live?.metadata.labels, ...written.metadata.labels };
  const annotations = { ...live?.metadata.annotations, ...written.metadata.annotations };
  const metadata = { ...Object.fromEntries(before), ...written.metadata, labels, annotations };
  return { ...written, metadata };
}

/** True when nothing has to be written. */
export function isAsWanted({ role, binding, temporary }: SitePlan): boolean {
  return role === undefined && binding === undefined && temporary === undefined;
}

function write(object: KubeObject, live: KubeObject | undefined): Write {
  return { object, ...(live !== undefined && { live }) };
}

function roleDiffers(live: KubeObject | undefined, role: KubeObject): boolean {
  const { gained, lost } = compareRules(rulesOf(live), rulesOf(role));
  return gained.length + lost.length > 0 || differs(live, role);
}

function differs(live: KubeObject | undefined, wanted: KubeObject): boolean {
  return live === undefined || metadataDiffers(live, wanted);
}

function withRules(role: KubeObject, before: readonly Json[]): KubeObject {
  return { ...role, rules: uniteRules(before, rulesOf(role)) };
}

function withSubjects(binding: KubeObject, live: KubeObject | undefined): KubeObject {
  const wanted = subjectsOf(binding);
  return { ...binding, subjects: [...wanted, ...subjectsBeyond(subjectsOf(live), wanted)] };
}

/** The second binding: the wanted role for everybody who has access now or shall have it. */
export function temporaryBinding(
  { outcome, binding }: SitePlan,
  name: string,
  witness: string | undefined,
): KubeObject {
  const subjects = subjectsOf(outcome.binding);
  const held = subjectsBeyond(subjectsOf(binding?.live), subjects);
  const user = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: witness };
  return {
    apiVersion: outcome.binding.apiVersion,
    kind: outcome.binding.kind,
    metadata: { ...outcome.binding.metadata, name },
    roleRef: own(outcome.binding, "roleRef"),
    subjects: [...subjects, ...held, ...(witness === undefined ? [] : [user])],
  };
}
