/** What keeps the data of a database while its shards restart: a replica, or a copy on disk (S37, S38, S83). */
import { type FieldPath, getOwn, getPath, renderValue } from "../base/values";
import type { Found } from "../diagnosis/symptom";
import { pathInKind } from "../names/database-paths";
import type { Names } from "../names/names";
import type { ApiDatabase } from "../rest-api/records";
import { databaseFinding } from "./findings";
import type { DatabaseTarget } from "./target";

/** The two values as they were read: a boolean, a word, or whatever else stands there. */
export interface DataKeeping {
  readonly replication: unknown;
  readonly persistence: unknown;
}

/** What a request says of data that may be lost (S83, S84). */
export interface LossWish {
  readonly mayDiscardData?: boolean;
  readonly forceDiscard?: boolean;
}

const disabled = "disabled";

/** As the REST API and the definitions begin every word for a copy on disk. */
const onDisk = /^(aof|snapshot)/;

/** What its resource asks for; an active-active database asks for it in its global configurations. */
export function askedKeeping(
  { kind, object }: Pick<DatabaseTarget, "kind" | "object">,
  names: Names,
): DataKeeping {
  const { edbFields } = names;
  const read = (path: FieldPath): unknown => getPath(object, pathInKind(kind, path, names));
  // the definitions have no defaults: a database has what it asks for, and nothing else
  return {
    replication: read(edbFields.replication) ?? false,
    persistence: read(edbFields.persistence) ?? disabled,
  };
}

/** What its record in the REST API says, which is what runs; a field that it lacks is as the resource asks. */
export function recordedKeeping(
  { sent, replication, dataPersistence }: ApiDatabase,
  asked: DataKeeping | undefined,
  { bdbFields }: Names,
): DataKeeping {
  return {
    replication: replication ?? getOwn(sent, bdbFields.replication) ?? asked?.replication,
    persistence: dataPersistence ?? getOwn(sent, bdbFields.dataPersistence) ?? asked?.persistence,
  };
}

/** What its record says where there is one, or else its resource. */
export function readKeeping(
  database: Pick<DatabaseTarget, "kind" | "object">,
  record: ApiDatabase | undefined,
  names: Names,
): DataKeeping {
  const asked = askedKeeping(database, names);
  return record === undefined ? asked : recordedKeeping(record, asked, names);
}

/** Whether a restart of its shards loses its data; what cannot be read is not known to keep anything. */
export function judgeKeeping(keeping: DataKeeping): "kept" | "lost" | "unknown" {
  const { replication, persistence } = keeping;
  const isOnDisk = typeof persistence === "string" && onDisk.test(persistence);
  if (replication === true || isOnDisk) return "kept";
  return replication === false && persistence === disabled ? "lost" : "unknown";
}

/** The two for people. */
export function describeKeeping({ replication, persistence }: DataKeeping): string {
  const copies =
    typeof replication === "boolean"
      ? `${replication ? "" : "not "}replicated`
      : `replication ${renderUnread(replication)}`;
  return `${copies}, persistence ${typeof persistence === "string" ? persistence : renderUnread(persistence)}`;
}

function renderUnread(value: unknown): string {
  return value === undefined ? "unknown" : renderValue(value);
}

/** Why its data is at risk; undefined where something keeps it. */
export function describeRisk(keeping: DataKeeping): string | undefined {
  const verdict = judgeKeeping(keeping);
  if (verdict === "kept") return undefined;
  if (verdict === "lost") return "neither replicated nor persistent";
  return `whether anything keeps its data is not known: ${describeKeeping(keeping)}`;
}

/** The same as a symptom; that a request allows the loss is told instead. */
export function findRisk(keeping: DataKeeping, request: LossWish = {}): readonly Found[] {
  if (mayLoseData(keeping, request)) {
    const cause = `its data may be lost: it is ${describeKeeping(keeping)}`;
    return [databaseFinding("dataMayGo", { cause })];
  }
  const cause = describeRisk(keeping);
  return cause === undefined ? [] : [{ cause }];
}

/** True when the request lets its data go (S83, S84): the flag of S83 harms nothing that is kept. */
export function mayLoseData(
  keeping: DataKeeping,
  { mayDiscardData, forceDiscard }: LossWish,
): boolean {
  if (forceDiscard === true) return true;
  return mayDiscardData === true && judgeKeeping(keeping) !== "kept";
}
