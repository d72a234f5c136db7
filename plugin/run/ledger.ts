/** Asks for every permission of a plan before the first write (cli contract, exit code 4). */
import { EngineError, exitCodes } from "../domain/errors";
import { permissionLine, type Permission } from "../domain/permissions";
import type { Cluster } from "./ports";

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
    permissions.map(({ verb, group, resource, namespace, name }) =>
      cluster.can({
        verb,
        group,
        resource,
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
      }),
    ),
  );
  return permissions.filter((_permission, index) => answers[index] !== true);
}
