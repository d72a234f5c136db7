/** One verdict of access control: may this user do that, and why. */
import type { StateView, User } from "../model";
import { type Grant, grantsOf, rbacGroup } from "./grants";
import { type Asked, ruleAllows } from "./rules";

/** A verdict; `reason` in the API server's words, empty when there is none. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Its members may do everything, whatever the roles say. */
export const allMighty = "system:masters";

/** May the user do it, and by which binding, or which bindings lead nowhere. */
export function decide(user: User, asked: Asked, state: StateView): Decision {
  if (user.groups.includes(allMighty)) return { allowed: true, reason: "" };
  const lost: string[] = [];
  const namespace = "path" in asked ? undefined : asked.namespace;
  for (const grant of grantsOf(user, namespace, state)) {
    if (grant.rules?.some((rule) => ruleAllows(rule, asked)) === true) {
      return { allowed: true, reason: `RBAC: allowed by ${grant.source()}` };
    }
    if (grant.rules === undefined) lost.push(notFound(grant));
  }
  const [first] = lost;
  return { allowed: false, reason: first === undefined ? "" : `RBAC: ${aggregate(lost)}` };
}

/** A binding to a role that is not there. */
export function notFound({ role }: Grant): string {
  return `${role.kind.toLowerCase()}.${rbacGroup} ${JSON.stringify(role.name)} not found`;
}

/** Several errors as one, each named once. */
export function aggregate(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? different.join() : `[${different.join(", ")}]`;
}
