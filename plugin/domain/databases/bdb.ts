/** A database as the REST API has it, beside the resource that asks for it (S36-S38, S75, S83, S84). */
import type { ApiDatabase } from "../api/records";
import { uidNumber } from "../api/values";
import type { Finding } from "../findings";
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { at } from "../values";
import { compareEngineVersions, type EngineVersion, leadingEngineVersion } from "../versions";
import { databaseFinding } from "./codes";
import { asksForMore, mayLoseData, type RequestWish } from "./request";

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
  { request, runs }: { readonly request: RequestWish; readonly runs: boolean },
): readonly Finding[] {
  const object = objectLabel(edb);
  if (bdb === undefined) return [databaseFinding("uidUnknown", { object })];
  if (!isVolatile(bdb) || mayLoseData(request) || (runs && !asksForMore(request))) return [];
  return [databaseFinding("volatile", { object })];
}
