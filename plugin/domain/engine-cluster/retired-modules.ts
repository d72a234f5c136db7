/** Modules at the end of their life that a cluster has: where they are listed, and how they are removed (S103). */
import { asString, getOwn, getPath } from "../base/values";
import { isOlder } from "../base/versions";
import type { About, Finding } from "../base/findings";
import { kubectl, listInOrder, type Remedy } from "../base/remedy";
import type { Facts } from "../facts/facts";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { type Names, renderTerm } from "../names/names";
import { findRetired, type RetiredModule, retiredModules } from "../release/retired-modules";
import { findFields, fieldText } from "../rules/fields";
import { withInstalled } from "../rest-api/modules";
import type { InstalledModule } from "../rest-api/records";
import { projectCluster } from "../rules/clusters";
import { listDatabaseObjects } from "./causes";
import { clusterFinding } from "./findings";

/** A module at the end of its life, and every place that lists it. */
export interface RetiredUse {
  readonly row: RetiredModule;
  readonly module: string;
  /** The cluster has it. */
  readonly installed: boolean;
  /** The cluster's resource defines it as a user's own. */
  readonly defined: boolean;
  /** Labels of the databases that use it. */
  readonly databases: readonly string[];
  /** Whether a name is one of the module's. */
  readonly called: (name: string) => boolean;
}

/** Where modules are listed: in the cluster's resource, by the REST API, in databases. */
export interface ModuleLists {
  readonly ec: KubeObject;
  readonly names: Names;
  /** Those that the REST API tells; absent: it was not asked. */
  readonly modules?: readonly Pick<InstalledModule, "name" | "displayName">[];
  readonly databases: readonly { readonly label: string; readonly modules: readonly string[] }[];
}

/** Every module at the end of its life that is listed anywhere. */
export function listRetiredUses({
  ec,
  names,
  modules = [],
  databases,
}: ModuleLists): readonly RetiredUse[] {
  const own = projectCluster(ec, names);
  const { installedModules = [], userModules = [] } = own ? withInstalled(own, modules) : {};
  const entries = installedModules.map((entry) => Object.values(entry));
  return retiredModules.flatMap((row) => {
    const same = entries.filter((both) => both.some((name) => findRetired(name, names) === row));
    const known = new Set([...row.names(names), ...same.flat()].map((name) => name.toLowerCase()));
    const called = (name: string): boolean => known.has(name.toLowerCase());
    const defined = userModules.filter(called);
    const users = databases.filter((database) => database.modules.some(called));
    const used = users.flatMap((database) => database.modules.filter(called));
    const [module] = [...same.flat(), ...defined, ...used];
    if (module === undefined) return [];
    const labels = users.map(({ label }) => label);
    const is = { installed: same.length > 0, defined: defined.length > 0 };
    return [{ row, module, ...is, databases: labels, called }];
  });
}

/** Whether the release is before the one from which on the module cannot be; of an unknown one nothing is ruled out. */
export function isBeforeRetirement({ from }: RetiredModule, tags: readonly string[]): boolean {
  return tags.length === 0 || tags.some((tag) => isOlder(tag, from));
}

/**
 * Whether it stands against an upgrade. A cluster that is there already has met it before: what is left is a database
 * that names a module which the cluster does not have, and which nobody has built for it.
 */
export function stopsUpgrade({ databases, defined }: RetiredUse, isThere: boolean): boolean {
  return !isThere || (databases.length > 0 && !defined);
}

/** What is told of it: every place that lists it, and how it is taken out of each. */
export function renderRetired(
  ec: KubeObject,
  { row, module, installed, defined, databases }: RetiredUse,
  names: Names,
): Pick<Finding, "cause"> & About {
  const field = fieldText(names.fields.userDefinedModules);
  const users = databases.join(", ");
  const listed = [
    ...(installed ? ["installed"] : []),
    ...(defined ? [`defined in ${field}`] : []),
    ...(databases.length > 0 ? [`used by ${users}`] : []),
  ].join(" and ");
  const kind = `${names.ec.plural}.${names.group}`;
  const steps: readonly (false | Remedy)[] = [
    databases.length > 0 && {
      says: `take it out of ${users}; move a database that needs it to a new one without the module first`,
    },
    defined &&
      kubectl(`remove it from ${field}`, "edit", kind, readName(ec), "-n", readNamespace(ec)),
    installed && {
      says: `delete it from the cluster with DELETE ${names.restPaths.modules}/UID of the REST API; modules list -o wide shows its uid`,
      see: { of: "tool", words: ["modules", "list", `--ec=${readName(ec)}`, "-o", "wide"] },
    },
    { says: "run again" },
  ];
  return {
    object: objectLabel(ec),
    cause: `module ${module} is ${listed}; from ${row.from} on, ${row.because} (${row.source})`,
    remedies: listInOrder(steps.filter((step) => step !== false)),
  };
}

/** Its finding. */
export function retiredFinding(ec: KubeObject, use: RetiredUse, names: Names): Finding {
  return clusterFinding("moduleRetired", renderRetired(ec, use, names), names);
}

/** The places that may list a module and cannot be read, for people; none: what is not listed is not there. */
export function listUnreadLists(facts: Facts, ec: KubeObject): readonly string[] {
  const { names } = facts;
  const { statusModules, userDefinedModules } = names.fields;
  const { statusModuleName, statusModuleDisplayName, userModuleName, moduleName } =
    names.entryFields;
  const label = objectLabel(ec);
  const installed = getPath(ec, statusModules);
  const entryNames = [statusModuleName, statusModuleDisplayName];
  return [
    ...(isReadable(installed, entryNames)
      ? []
      : [
          `${fieldText(statusModules)} of ${label} ${installed === undefined ? "is absent" : "cannot be read"}`,
        ]),
    ...(isReadable(getPath(ec, userDefinedModules) ?? [], [userModuleName])
      ? []
      : [`${fieldText(userDefinedModules)} of ${label} cannot be read`]),
    ...listDatabaseObjects(facts, ec).flatMap(({ object: database, kind }) =>
      findFields(kind, names)
        .moduleLists.filter((path) => !isReadable(getPath(database, path) ?? [], [moduleName]))
        .map((path) => `${fieldText(path)} of ${objectLabel(database)} cannot be read`),
    ),
  ];
}

/** A list whose entries all have one of these names. */
function isReadable(list: unknown, keys: readonly string[]): boolean {
  return (
    Array.isArray(list) &&
    list.every((entry) => keys.some((key) => asString(getOwn(entry, key)) !== undefined))
  );
}

/** What is told where a list cannot be read. */
export function renderUnreadLists(
  ec: KubeObject,
  unread: readonly string[],
  names: Names,
): Pick<Finding, "object" | "severity" | "cause" | "fix"> {
  const modules = retiredModules.map((row) => row.names(names).slice(0, 1).join("")).join(", ");
  return {
    object: objectLabel(ec),
    severity: "warning",
    cause: `${unread.join("; ")}: whether the ${renderTerm(names.ec)} has a module at its end of life (${modules}) is not known`,
    fix: `look for it in the cluster: kubectl engine modules list --ec ${readName(ec)} -n ${readNamespace(ec)}`,
  };
}
