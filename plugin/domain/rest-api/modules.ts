/** Installed modules, and the manifest inside a module's archive (S45-S47, S54, S93). */
import type { Names } from "../names/names";
import type { ClusterFacts } from "../rules/types";
import { asString, getOwn, isObject } from "../base/values";
import { flag, type InstalledModule, readableOf } from "./records";
import type { FailureBody } from "./errors";

/** A module record or manifest; undefined for what has no module_name (S45-S47, S54). */
export function parseModule(value: unknown, names: Names): InstalledModule | undefined {
  const { restModuleFields: fields } = names;
  const name = asString(getOwn(value, fields.name));
  if (name === undefined) return undefined;
  return {
    uid: asString(getOwn(value, fields.uid)),
    name,
    displayName: asString(getOwn(value, fields.displayName)),
    version: asString(getOwn(value, fields.version)),
    platforms: readPlatforms(getOwn(value, fields.platforms)),
    minEngineVersion: asString(getOwn(value, fields.minEngineVersion)),
    compatibleEngineVersion: asString(getOwn(value, fields.compatibleEngineVersion)),
    bundled: flag(getOwn(value, fields.isBundled)),
  };
}

/** Every module of a list; undefined where it is no list, or nothing in it is a module. */
export function parseModules(value: unknown, names: Names): readonly InstalledModule[] | undefined {
  return readableOf(value, (each) => parseModule(each, names));
}

/** S47: an object with the platforms' names as keys; absent on 8.x. */
function readPlatforms(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) return value.filter((each) => asString(each) !== undefined).map(String);
  return isObject(value) ? Object.keys(value) : undefined;
}

/** A module and its version for people: `rg 1.2.5`. */
export function moduleLabel({ name, version }: Pick<InstalledModule, "name" | "version">): string {
  return version === undefined ? name : `${name} ${version}`;
}

/** The names by which the EC may define a module (S54). */
export function listModuleNames({
  name,
  displayName,
}: Pick<InstalledModule, "name" | "displayName">): readonly string[] {
  return displayName === undefined || displayName === name ? [name] : [name, displayName];
}

/** The EC as it knows its modules once those that the REST API tells are in its status (S54; C9). */
export function withInstalled(
  cluster: ClusterFacts,
  modules: readonly Pick<InstalledModule, "name" | "displayName">[],
): ClusterFacts {
  const told = modules.map(({ name, displayName }) => ({
    name,
    ...(displayName !== undefined && { displayName }),
  }));
  return { ...cluster, installedModules: [...cluster.installedModules, ...told] };
}

/** The installed build that is what an archive holds: a build for another engine or platform is not. */
export function sameBuild(
  wanted: InstalledModule,
  installed: readonly InstalledModule[],
): InstalledModule | undefined {
  return installed.find(
    ({ name, version, compatibleEngineVersion: engine, platforms }) =>
      name === wanted.name &&
      version === wanted.version &&
      agree(engine, wanted.compatibleEngineVersion) &&
      covers(platforms, wanted.platforms),
  );
}

/** What one side does not report is no difference. */
function agree(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function covers(
  installed: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): boolean {
  return (
    installed === undefined || (wanted ?? []).every((platform) => installed.includes(platform))
  );
}

/** The code and the message of a body; both undefined where it has neither. */
export function parseFailure(body: unknown, { restErrors }: Names): FailureBody {
  return {
    code: asString(getOwn(body, restErrors.code)),
    message:
      asString(getOwn(body, restErrors.message)) ?? asString(getOwn(body, restErrors.description)),
  };
}

/** What the codes of the upgrade call mean, for an answer that says nothing itself (S109-S112). */
export const upgradeMeanings: Readonly<Record<number, string>> = {
  400: "malformed or bad command",
  404: "the database does not exist",
  406: "the capabilities of the new module version do not comply with the database configuration",
  500: "internal error",
};
