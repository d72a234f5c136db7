/** Asks for every permission of a plan before the first write (cli contract, exit code 4). */
import { EngineError, exitCodes } from "../../domain/errors";
import { permissionLine, rolesFor, type Permission } from "../../domain/permissions";
import type { Access, Cluster } from "../ports";
import type { Recorder } from "./recorder";
import type { Report } from "../report";

/** Who is asked for permissions, and where the Roles to ask for are written. */
export interface Ledger {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  /** Renders a list of objects as YAML. */
  readonly yaml: (objects: readonly unknown[]) => string;
}

/** Permissions are missing; nothing was written. */
export class MissingPermissionsError extends EngineError {
  readonly code = "PERMISSION-MISSING";
  readonly exitCode = exitCodes.permission;
  readonly missing: readonly Permission[];

  constructor(missing: readonly Permission[]) {
    super(`permissions are missing: ${missing.map(permissionLine).join(", ")}`, {
      hint: "have somebody with the right to do so apply the printed roles, then run again",
    });
    this.missing = missing;
  }
}

/** The permissions that the user does not have, in the order asked. */
export async function missingPermissions(
  cluster: Cluster,
  permissions: readonly Permission[],
): Promise<readonly Permission[]> {
  const answers = await Promise.all(
    permissions.map((permission) => cluster.can(accessOf(permission))),
  );
  return permissions.filter((_permission, index) => answers[index] !== true);
}

/** As a review asks: `pods/portforward` of a Role is the resource pods and its subresource. */
export function accessOf(permission: Omit<Permission, "why">): Access {
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

/** Throws when a permission is missing; the Roles to ask for go into the report, those of `also` too. */
export async function requirePermissions(
  { cluster, recorder, yaml }: Ledger,
  permissions: readonly Permission[],
  also: readonly Permission[] = [],
): Promise<void> {
  const missing = await missingPermissions(cluster, permissions);
  if (missing.length === 0) return;
  const all = [...missing, ...(await missingPermissions(cluster, also))];
  await tellMissing({ cluster, recorder, yaml }, all);
  throw new MissingPermissionsError(all);
}

/** Puts the Roles to ask for into the report. */
export async function tellMissing(ledger: Ledger, missing: readonly Permission[]): Promise<void> {
  ledger.recorder.permissions(await askedFor(ledger, missing));
}

/** The Roles to ask for, as a report has them. */
export async function askedFor(
  { cluster, yaml }: Omit<Ledger, "recorder">,
  missing: readonly Permission[],
): Promise<NonNullable<Report["permissions"]>> {
  const subject = (await cluster.whoAmI()) ?? "REPLACE-WITH-THE-USER";
  return {
    missing: missing.map((permission) => `${permissionLine(permission)}: ${permission.why}`),
    manifest: yaml(rolesFor(missing, subject)),
  };
}
