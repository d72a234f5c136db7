/** What a plan to unbind has to tell a person. */
import { objectLabel } from "../objects";
import type { Finding } from "../findings";
import { userOf } from "./account";
import { constraintResource } from "./constraint";
import type { Unbinding, Way } from "./plan";

const shownUsers = 10;

/** Ways in that stay, who else uses the constraint, and what is left behind. */
export function findingsOf(plan: Unbinding, constraint: string): readonly Finding[] {
  return [
    ...plan.ways.map((way) => wayFinding(way, constraint)),
    ...inUse(plan, constraint),
    ...leftRole(plan),
  ];
}

function wayFinding(way: Way, constraint: string): Finding {
  const may = `${userOf(way.account)} may still use ${constraint}`;
  const where = { severity: "warning", object: objectLabel(way.object), source: "S33" } as const;
  if (way.group !== undefined) {
    return {
      ...where,
      code: "SCC-WAY-GROUP",
      field: way.role === undefined ? "groups" : "subjects",
      cause: `${may} as a member of group ${way.group}; taking the group away would take it from all its members`,
      fix: "take the group out by hand if none of its members needs the constraint, then run again",
    };
  }
  return {
    ...where,
    code: "SCC-WAY-ROLE",
    field: "subjects",
    cause:
      way.breadth === "wide"
        ? `${may} by ${way.role}, a role with a wildcard; this is an administrator's grant and not the constraint's`
        : `${may} by ${way.role}, which also grants other things that it would lose`,
    fix: "take the account out of the binding, or the rule out of the role, by hand if it is not wanted, then run again",
  };
}

function inUse({ users }: Unbinding, constraint: string): readonly Finding[] {
  if (users.length === 0) return [];
  return [
    {
      code: "SCC-IN-USE",
      severity: "warning",
      object: `${constraintResource.kind}/${constraint}`,
      cause: `it is kept, it is still used by ${few(users).join("; ")}`,
      fix: "unbind those that no longer need it (other namespaces with -n), then run again: it is deleted when nobody is left",
      source: "S33",
    },
  ];
}

/** A whole cluster may use it: the report's details have everybody. */
function few(users: readonly string[]): readonly string[] {
  const more = users.length - shownUsers;
  return more > 0 ? [...users.slice(0, shownUsers), `${more} more`] : users;
}

function leftRole({ leftover }: Unbinding): readonly Finding[] {
  if (leftover === undefined) return [];
  return [
    {
      code: "SCC-ROLE-LEFT",
      severity: "warning",
      object: objectLabel(leftover),
      cause: "nobody is bound to it any more, and nothing removes it",
      fix: "delete it if you do not mean to grant the constraint again",
      source: "domain facts 5",
    },
  ];
}

/** The constraint of releases before 6.4.2-6 is there as well. */
export function olderLeft(older: string, command: string): Finding {
  return {
    code: "SCC-OLDER-LEFT",
    severity: "warning",
    object: `${constraintResource.kind}/${older}`,
    cause: "the constraint of still older releases exists as well",
    fix: `take it away in the same manner: ${command}`,
    source: "domain facts 5",
  };
}
