/** A database as the REST API has it, beside the resource that asks for it (S36-S38, S75, S83, S84). */
import { fits } from "../api/module-judgement";
import { moduleLabel } from "../api/modules";
import type { ApiDatabase, InstalledModule } from "../api/records";
import { uidNumber } from "../api/values";
import type { Finding } from "../findings";
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { at } from "../values";
import {
  compareDotted,
  compareEngineVersions,
  type EngineVersion,
  leadingEngineVersion,
} from "../versions";
import { databaseFinding } from "./codes";
import { mayLoseData, type RequestWish } from "./request";

/** The database of a resource: by the uid that its status has, else by its name alone. */
export function bdbOf(
  edb: KubeObject,
  all: readonly ApiDatabase[],
  names: Names,
): ApiDatabase | undefined {
  const uid = uidNumber(at(edb, names.edbFields.databaseUid));
  const same = all.filter((bdb) =>
    uid === undefined ? bdb.name === edb.metadata.name : bdb.uid === uid,
  );
  return same.length === 1 ? same[0] : undefined;
}

/** The engine version that it runs. */
export function bdbVersion({ version, engineVersion }: ApiDatabase): EngineVersion | undefined {
  return leadingEngineVersion(version) ?? leadingEngineVersion(engineVersion);
}

/** True when it runs the version; a channel is content with more. */
export function runsVersion(
  bdb: ApiDatabase,
  { version, channel }: { readonly version: EngineVersion | undefined; readonly channel: boolean },
): boolean {
  const runs = bdbVersion(bdb);
  if (version === undefined || runs === undefined) return false;
  const order = compareEngineVersions(runs, version);
  return order === 0 || (channel && order > 0);
}

/**
 * Bundled modules of which a newer build for the version that runs is installed, as `search 7.4.0`:
 * the release has them, and an upgrade to the present version brings them (S63, S81). A build that
 * does not tell its engine version proves nothing.
 */
export function modulesBehind(
  bdb: ApiDatabase,
  installed: readonly InstalledModule[],
  names: Names,
): readonly string[] {
  const engine = bdbVersion(bdb);
  if (engine === undefined) return [];
  const builds = installed.filter(
    (build) =>
      (build.bundled ?? names.bundledModules.includes(build.name)) &&
      (build.compatibleEngineVersion ?? build.minEngineVersion) !== undefined &&
      fits(build, engine),
  );
  return bdb.modules
    .filter(({ name, version: used }) =>
      builds.some(
        ({ name: built, version }) =>
          built === name &&
          version !== undefined &&
          used !== undefined &&
          compareDotted(version, used) > 0,
      ),
    )
    .map(moduleLabel);
}

/** What keeps its data while shards restart, for people. */
export function keeping({ replication, dataPersistence }: ApiDatabase): string {
  const copies =
    replication === undefined
      ? "replication unknown"
      : replication
        ? "replicated"
        : "not replicated";
  return `${copies}, persistence ${dataPersistence ?? "unknown"}`;
}

/** The resource asks for neither replication nor persistence: a restart empties the database. */
export function keepsNothing(edb: KubeObject, { edbFields }: Names): boolean {
  const persistence = at(edb, edbFields.persistence) ?? disabled;
  return at(edb, edbFields.replication) !== true && persistence === disabled;
}

/** Nothing keeps its data: known for certain, not merely untold. */
function isVolatile({ replication, dataPersistence }: ApiDatabase): boolean {
  return replication === false && dataPersistence === disabled;
}

const disabled = "disabled";

/** True when its data will or may be lost by the request (S83, S84): the flag of S83 harms no other. */
export function losesData(bdb: ApiDatabase, request: RequestWish): boolean {
  return request.forceDiscard === true || (mayLoseData(request) && isVolatile(bdb));
}

/** What stands against the call for one database, as the REST API has it now. */
export function bdbFindings(
  edb: KubeObject,
  bdb: ApiDatabase | undefined,
  { request, calls }: { readonly request: RequestWish; readonly calls: boolean },
): readonly Finding[] {
  const object = objectLabel(edb);
  if (bdb === undefined) return [databaseFinding("uidUnknown", { object })];
  if (!isVolatile(bdb) || mayLoseData(request) || !calls) return [];
  return [databaseFinding("volatile", { object })];
}
