/** Asks for every permission of a plan before the first write (cli contract, exit code 4). */
import { ApiError, EngineError, exitCodes, UsageError } from "../../domain/errors";
import { type Permission, permissionLine, rolesFor } from "../../domain/permissions";
import type { Access, Clock, Cluster, ListOptions } from "../ports";
import type { Recorder } from "./recorder";
import type { Report } from "../report";
import type { Finding } from "../../domain/findings";
import type { Names } from "../../domain/names";
import type { Journal } from "./journal";
import type { KubeObject, Ref, Resource } from "../../domain/objects";

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
      source: "cli contract, Runs",
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

/** A connection, and the permissions that it was refused for want of. */
export interface Remembered {
  readonly cluster: Cluster;
  /** Those that the user does not have: a refusal may be an admission's as well. */
  readonly missing: () => Promise<readonly Permission[]>;
}

type Wanted = Omit<Permission, "why">;
type Find = (cluster: Cluster, args: readonly unknown[]) => Promise<readonly Wanted[]>;

const byRef =
  (verb: string): Find =>
  (_cluster, [ref]) => {
    const { resource, name, namespace } = ref as Ref;
    return Promise.resolve([{ ...wanted(verb, resource, namespace), name }]);
  };

const byObject =
  (...verbs: readonly string[]): Find =>
  async (cluster, [object]) => {
    const { apiVersion, kind, metadata } = object as KubeObject;
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const served = (await cluster.serves(group ?? "", version ?? "")) ?? [];
    const resource = served.find((one) => one.kind === kind);
    return resource === undefined
      ? []
      : verbs.map((verb) => wanted(verb, resource, metadata.namespace));
  };

/** The requests that are refused by what a Role grants; an apply creates what is absent. */
const finders: Readonly<Record<string, Find>> = {
  get: byRef("get"),
  list: (_cluster, [resource, options]) => {
    const { namespace } = (options as ListOptions | undefined) ?? {};
    return Promise.resolve([wanted("list", resource as Resource, namespace)]);
  },
  patch: byRef("patch"),
  delete: byRef("delete"),
  create: byObject("create"),
  update: byObject("update"),
  apply: byObject("create", "patch"),
};

function wanted(verb: string, { group, plural }: Resource, namespace: string | undefined): Wanted {
  return { verb, group, resource: plural, ...(namespace !== undefined && { namespace }) };
}

/** The same connection; each refusal of a request is remembered beside it. */
export function remembering(cluster: Cluster): Remembered {
  const refused: (() => Promise<readonly Wanted[]>)[] = [];
  const proxy = new Proxy(cluster, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...args: readonly unknown[]) => unknown;
      const find = finders[String(key)];
      if (find === undefined) return method;
      return async (...args: readonly unknown[]) => {
        try {
          return await method(...args);
        } catch (error) {
          if (isForbidden(error)) refused.push(() => find(cluster, args));
          throw error;
        }
      };
    },
  });
  return { cluster: proxy, missing: () => missingOf(cluster, refused) };
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

async function missingOf(
  cluster: Cluster,
  refused: readonly (() => Promise<readonly Wanted[]>)[],
): Promise<readonly Permission[]> {
  const found = (await Promise.all(refused.map((find) => find()))).flat();
  const distinct = new Map(found.map((one) => [JSON.stringify(one), one]));
  const why = "the request was refused without it";
  return await missingPermissions(
    cluster,
    [...distinct.values()].map((one) => ({ ...one, why })),
  );
}
