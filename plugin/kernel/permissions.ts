/** Asks for every permission of a plan before the first write (cli contract, exit code 4). */
import { EngineError, exitCodes } from "../domain/base/errors";
import { platformKinds } from "../domain/facts/facts";
import type { Needs } from "../domain/facts/needs";
import {
  narrowPermissions,
  type Permission,
  permissionLine,
  buildRoles,
} from "../domain/kube/permissions";
import { boundList } from "../domain/base/values";
import type { Access, KubeClient } from "../ports/kubernetes";
import type { Recorder } from "./recorder";
import type { Report } from "./report";
import type { DeclaredNeeds } from "./needs";
import { createHash } from "node:crypto";

/** Who is asked for permissions, and where the Role to ask for is written. */
export interface PermissionChecker {
  readonly cluster: KubeClient;
  readonly recorder: Recorder;
  /** Renders a list of objects as YAML. */
  readonly yaml: (objects: readonly object[]) => string;
}

/** The next step of whoever gets roles printed. */
export const askForRoles = "ask an administrator to apply the printed roles, then run again";

/** Permissions are missing; nothing was written. */
export class MissingPermissionsError extends EngineError {
  readonly code = "PERMISSION-MISSING";
  readonly exitCode = exitCodes.permission;
  readonly missing: readonly Permission[];

  constructor(missing: readonly Permission[]) {
    super(`permissions are missing: ${boundList(missing.map(permissionLine), 30)}`, {
      hint: askForRoles,
    });
    this.missing = missing;
  }
}

/** The permissions that the user does not have, in the order asked. */
export async function findMissingPermissions(
  cluster: KubeClient,
  permissions: readonly Permission[],
): Promise<readonly Permission[]> {
  const answers = await Promise.all(
    permissions.map((permission) => cluster.can(describeAccess(permission))),
  );
  return permissions.filter((_permission, index) => answers[index] !== true);
}

/** As a review asks: `pods/portforward` of a Role is the resource pods and its subresource. */
export function describeAccess(permission: Omit<Permission, "why">): Access {
  const { verb, group, resource, namespace, name } = permission;
  const [plural = "", subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}

/**
 * Declares what the command may need, and throws where something is missing of what it reads in any case, or of
 * what a later command has declared that it reads. All that is missing is told at once.
 */
export async function requireNeeds(
  checker: PermissionChecker,
  command: string,
  needs: Needs,
): Promise<void> {
  const { needs: all } = checker.recorder;
  all.declare(command, needs);
  const ahead = all.takeReadsAhead(command);
  await requirePermissions(checker, [...needs.reads, ...ahead], all.declared.may);
}

/** Throws when a permission is missing, and tells of `also` then; the Role to ask for goes into the report. */
export async function requirePermissions(
  { cluster, recorder, yaml }: PermissionChecker,
  permissions: readonly Permission[],
  also: readonly Permission[] = [],
): Promise<void> {
  const missing = await findMissingPermissions(cluster, permissions);
  if (missing.length === 0) return;
  const others = await findMissingPermissions(cluster, narrowPermissions(also));
  const told = new Map([...missing, ...others].map((one) => [permissionLine(one), one]));
  const all = [...told.values()];
  await tellMissing({ cluster, recorder, yaml }, all);
  throw new MissingPermissionsError(all);
}

/** Puts what is missing into the report, with the Role of the whole command. */
export async function tellMissing(
  { cluster, recorder, yaml }: PermissionChecker,
  missing: readonly Permission[],
): Promise<void> {
  const permissions = await requestRole({ cluster, yaml, needs: recorder.needs }, missing);
  recorder.keep({ permissions });
}

/** Whose Role is asked for. */
interface RoleRequest extends Pick<PermissionChecker, "cluster" | "yaml"> {
  readonly needs: DeclaredNeeds;
}

/**
 * What is missing, and the Role to ask for: complete, whatever the user may do already, since what is applied
 * takes the place of what an earlier run has printed. Its name follows from what it holds and for whom: no
 * other Role is ever overwritten by it.
 */
export async function requestRole(
  { cluster, yaml, needs }: RoleRequest,
  missing: readonly Permission[],
): Promise<NonNullable<Report["permissions"]>> {
  needs.add(missing);
  const subject = (await cluster.whoAmI()) ?? unknownUser;
  const all = await keepServed(cluster, needs.all());
  const lacked = await findMissingPermissions(cluster, all);
  return {
    missing: missing.map((permission) => `${permissionLine(permission)}: ${permission.why}`),
    ...(lacked.length === all.length && { nothingHeld: true as const }),
    manifest: renderRole({ command: needs.command, subject, yaml }, all),
  };
}

/** Whom a Role is bound to where nobody can tell who runs the command. */
export const unknownUser = "REPLACE-WITH-THE-USER";

/** Whose Role it is. */
interface RoleOwner extends Pick<PermissionChecker, "yaml"> {
  readonly command: string | undefined;
  readonly subject: string;
}

/** The manifest of a Role that grants these, with its binding. */
export function renderRole(
  { command, subject, yaml }: RoleOwner,
  permissions: readonly Permission[],
): string {
  const words = [
    ...["kubectl-engine", command],
    hashLines([subject, ...permissions.map(permissionLine)]),
  ];
  return yaml(buildRoles(permissions, { name: words.join("-").replaceAll(" ", "-"), subject }));
}

function hashLines(lines: readonly string[]): string {
  return createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 8);
}

/** Without kinds of platforms that this API server is not of. */
async function keepServed(
  cluster: KubeClient,
  permissions: readonly Permission[],
): Promise<readonly Permission[]> {
  const groups = platformKinds.filter(({ group }) =>
    permissions.some((one) => one.group === group),
  );
  const absent = new Set<string>();
  for (const { group, version } of groups) {
    const served = await cluster.serves(group, version);
    if ((served ?? []).length === 0) absent.add(group);
  }
  return permissions.filter(({ group }) => !absent.has(group));
}

/** Throws where prerequisites are not judged because a list may not be read. */
export async function requireRead(
  checker: PermissionChecker,
  { missing }: { readonly missing: readonly Permission[] },
): Promise<void> {
  if (missing.length === 0) return;
  await tellMissing(checker, missing);
  throw new MissingPermissionsError(missing);
}
