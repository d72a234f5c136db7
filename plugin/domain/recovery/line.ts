/** Resources that ask for less than what runs: the operator would undo the recovery (S99, S100). */
import { moduleLabel } from "../rest-api/modules";
import type { InstalledModule, UsedModule } from "../rest-api/records";
import type { FieldEdit } from "../kube/edits";
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { KubeObject } from "../kube/objects";
import { getPath, isObject, asArray, getOwn, asString } from "../base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
} from "../base/versions";
import { fits } from "../engine-cluster/modules";
import { recoveryFinding } from "./findings";
import { type ApiFacts, readListedModules, type RecoveryDatabase } from "./databases";
import { renderVersion } from "../database/rollout";

/** A database whose resource is to follow what runs. */
export interface Apart {
  readonly database: RecoveryDatabase;
  readonly edb: KubeObject;
  readonly edits: readonly FieldEdit[];
}

/** The resources to bring in line, and those that are not edited themselves. */
interface OutOfLine {
  readonly apart: readonly Apart[];
  readonly warnings: readonly Finding[];
}

/** Compares what resources ask for with what runs and is installed. */
export function outOfLine(
  facts: Facts,
  databases: readonly RecoveryDatabase[],
  api?: ApiFacts,
): OutOfLine {
  const all = databases.flatMap((database): readonly Apart[] => {
    const edb = database.target?.object;
    if (edb === undefined) return [];
    const edits = [
      ...versionEdits(facts, edb, database.runs),
      ...moduleEdits(facts, edb, { database, installed: api?.modules ?? [] }),
    ];
    return edits.length === 0 ? [] : [{ database, edb, edits }];
  });
  const isInstance = ({ database }: Apart): boolean => database.target?.instanceOf !== undefined;
  return {
    apart: all.filter((one) => !isInstance(one)),
    warnings: all.filter(isInstance).map(({ database: { label, runs, target } }) =>
      recoveryFinding("databaseApart", {
        object: label,
        cause: `${renderVersion(runs)} runs, its resource asks for something else, and it is an instance of ${String(target?.instanceOf)}`,
      }),
    ),
  };
}

/** Modules of one's own that a database uses otherwise than its resource lists them, as the REST API reports (S99, S102). */
export function modulesApart(
  { names }: Facts,
  databases: readonly RecoveryDatabase[],
  { modules: installed }: ApiFacts,
): readonly Finding[] {
  return databases.flatMap(({ label, target, modules: used }) => {
    if (target === undefined) return [];
    const own = ({ name }: UsedModule): boolean =>
      !names.bundledModules.includes(name) &&
      !listBuilds(name, installed).some(({ bundled }) => bundled === true);
    const listNames = ({ name }: UsedModule): readonly (string | undefined)[] => [
      name,
      ...listBuilds(name, installed).flatMap((build) => [build.name, build.displayName]),
    ];
    const listed = readListedModules({ names }, target.object).filter(own);
    const says = [
      ...listed.flatMap((one) => {
        const found = used.find(({ name }) => listNames(one).includes(name));
        if (found === undefined) return [`it lists ${one.name}, which the database does not use`];
        const isSame = [one.version, undefined].includes(found.version);
        return isSame || one.version === undefined
          ? []
          : [`it lists ${moduleLabel(one)}, and the database uses ${moduleLabel(found)}`];
      }),
      ...used
        .filter((one) => own(one) && !listed.some(({ name }) => listNames(one).includes(name)))
        .map((one) => `the database uses ${moduleLabel(one)}, which it does not list`),
    ];
    return says.map((cause) => recoveryFinding("modulesApart", { object: label, cause }));
  });
}

/** What will have been done: some databases run the version. */
interface Ahead {
  readonly engineVersion: string | undefined;
  /** Labels of the databases that are raised. */
  readonly raised: ReadonlySet<string>;
}

/** The databases as they were seen. */
interface RecoveryFacts {
  readonly databases: readonly RecoveryDatabase[];
  readonly api: ApiFacts | undefined;
}

/** The resources that are out of line by then. */
export function outOfLineAhead(
  facts: Facts,
  { databases, api }: RecoveryFacts,
  { engineVersion, raised }: Ahead,
): readonly Apart[] {
  const version = parseEngineVersion(engineVersion);
  const then = databases.map((database) =>
    version !== undefined && raised.has(database.label) ? { ...database, runs: version } : database,
  );
  return outOfLine(facts, then, api).apart;
}

/** The edit by which a resource follows a version; an absent one or a channel asks for nothing that would undo it. */
export function raisedEdit(
  database: RecoveryDatabase,
  to: string,
  { fields }: Facts["names"],
): readonly Apart[] {
  const { target } = database;
  if (target === undefined || target.instanceOf !== undefined) return [];
  const path = fields.engineVersion;
  const from = getPath(target.object, path);
  if (parseEngineVersion(from) === undefined) return [];
  return [{ database, edb: target.object, edits: [{ path, from, to }] }];
}

/** Lowering is never written, nor is a channel or an absent version replaced by a number. */
function versionEdits(
  { names }: Facts,
  edb: KubeObject,
  runs: EngineVersion | undefined,
): readonly FieldEdit[] {
  const path = names.fields.engineVersion;
  const from = getPath(edb, path);
  const asked = parseEngineVersion(from);
  if (asked === undefined || runs === undefined || compareEngineVersions(asked, runs) >= 0) {
    return [];
  }
  return [{ path, from, to: formatEngineVersion(runs) }];
}

interface Running {
  readonly database: RecoveryDatabase;
  readonly installed: readonly InstalledModule[];
}

/** A module of one's own whose number is of no installed build; bundled ones are left alone (S62). */
function moduleEdits({ names }: Facts, edb: KubeObject, running: Running): readonly FieldEdit[] {
  const { moduleName, moduleVersion } = names.entryFields;
  return names.fields.moduleLists.flatMap((field) => {
    const from = asArray(getOwn(edb["spec"], field));
    const to = from.map((entry) => {
      const name = asString(getOwn(entry, moduleName));
      const listed = asString(getOwn(entry, moduleVersion));
      if (!isObject(entry) || name === undefined || listed === undefined) return entry;
      if (names.bundledModules.includes(name)) return entry;
      const version = followEngine(name, listed, running);
      return version === undefined ? entry : { ...entry, [moduleVersion]: version };
    });
    return to.every((entry, index) => entry === from[index])
      ? []
      : [{ path: ["spec", field], from, to }];
  });
}

/** The build that the database uses, else the newest that fits it; undefined where nothing is to follow. */
function followEngine(
  name: string,
  listed: string,
  { database, installed }: Running,
): string | undefined {
  const builds = listBuilds(name, installed);
  const versions = builds.flatMap(({ version }) => version ?? []);
  if (versions.length === 0 || versions.includes(listed)) return undefined;
  const used = database.modules.find((module) => module.name === name)?.version;
  if (used !== undefined && versions.includes(used)) return used;
  const { runs } = database;
  const fitting = builds.filter((build) => runs === undefined || fits(build, runs));
  return fitting.flatMap(({ version }) => version ?? []).toSorted(byNumbers)[0];
}

/** Installed builds of a module, by either of its names (S54). */
export function listBuilds(
  name: string,
  installed: readonly InstalledModule[],
): readonly InstalledModule[] {
  return installed.filter((one) => one.name === name || one.displayName === name);
}

/** The later version first. */
function byNumbers(one: string, other: string): number {
  return other.localeCompare(one, "en", { numeric: true });
}
