/** Asks for every permission of a plan before the first write (cli contract, exit code 4). */
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import { type Permission, permissionLine, rolesFor } from "../../domain/permissions";
import type { Access, Clock, Cluster } from "../ports";
import type { Recorder } from "./recorder";
import type { Report } from "../report";
import type { Finding } from "../../domain/findings";
import type { Names } from "../../domain/names";
import type { Journal } from "./journal";

/** Who is asked for permissions, and where the Roles to ask for are written. */
export interface PermissionChecker {
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
      hint: "ask an administrator to apply the printed roles, then run again",
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
  { cluster, recorder, yaml }: PermissionChecker,
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
export async function tellMissing(
  ledger: PermissionChecker,
  missing: readonly Permission[],
): Promise<void> {
  ledger.recorder.keep({ permissions: await askedFor(ledger, missing) });
}

/** The Roles to ask for, as a report has them. */
export async function askedFor(
  { cluster, yaml }: Omit<PermissionChecker, "recorder">,
  missing: readonly Permission[],
): Promise<NonNullable<Report["permissions"]>> {
  const subject = (await cluster.whoAmI()) ?? "REPLACE-WITH-THE-USER";
  return {
    missing: missing.map((permission) => `${permissionLine(permission)}: ${permission.why}`),
    manifest: yaml(rolesFor(missing, subject)),
  };
}

/** Asks once; a no ends the run before anything is written. */
export async function requireYes(
  { ask }: { readonly ask: (question: string) => Promise<boolean> },
  question: string,
): Promise<void> {
  if (!(await ask(question))) throw notConfirmed();
}

export function notConfirmed(): UsageError {
  return new UsageError("not confirmed, nothing was written", { hint: "run again and answer yes" });
}

/**
 * A run that writes keeps a record, so its folder has to be writable; for one that has nothing to
 * write the problem is a warning, which is returned.
 */
export async function requireHome(
  { journal }: Pick<RunPorts, "journal">,
  writes: boolean,
): Promise<readonly Finding[]> {
  const problem = await journal.problem();
  if (problem === undefined) return [];
  if (writes) {
    throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that can be written" });
  }
  return [
    {
      code: "HOME-NOT-WRITABLE",
      severity: "warning",
      cause: problem,
      fix: "set ENGINE_HOME to a folder that can be written; a run that writes needs it",
      source: "docs/reference/environment.md",
    },
  ];
}

/** What every such run is given. */
export interface RunPorts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
  readonly recorder: Recorder;
  readonly journal: Journal;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly unknown[]) => string;
  /** A command line for a person: quoted, with the flags that were given. */
  readonly command: (words: readonly string[]) => string;
}

/** The same where a person may be asked. */
export interface AskingPorts extends RunPorts {
  /** Asks once before the first write; throws UsageError where nobody can be asked. */
  readonly ask: (question: string) => Promise<boolean>;
}
