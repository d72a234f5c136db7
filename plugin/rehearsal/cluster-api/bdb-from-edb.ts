/** The database that stands behind an EDB, as far as the EDB tells it (domain facts 7, 9). */
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../domain/objects";
import { at, list, own, text } from "../../domain/values";
import { parseEngineVersion } from "../../domain/versions";
import type { Bdb } from "./model";
import { bdbOf, bundledVersion } from "./seed";
import { engineOf } from "./upgrade-judge";

/** The database that an EDB stands for; undefined where it has no number yet. */
export function bdbFromEdb(edb: KubeObject, names: Names): Bdb | undefined {
  const { edbFields, fields } = names;
  const uid = uidOfEdb(edb, names);
  const version = text(at(edb, fields.statusVersion)) ?? text(at(edb, fields.engineVersion));
  if (uid === undefined || version === undefined) return undefined;
  const type = text(at(edb, edbFields.type));
  const full = parseEngineVersion(version) === undefined ? version : `${version}.0`;
  return bdbOf({
    uid,
    name: edb.metadata.name ?? "",
    ...(type !== undefined && { type }),
    version: full,
    status: stateOf(text(at(edb, edbFields.status))),
    replication: at(edb, edbFields.replication) === true,
    persistence: persistenceOf(text(at(edb, edbFields.persistence))),
    modules: modulesOf(edb, names, full),
    ...activeActiveOf(edb, names),
  });
}

/** Nothing is at work on a database that was just taken on. */
function stateOf(told: string | undefined): string {
  const onItsWay = ["pending", "active-change-pending", ""];
  return told === undefined || onItsWay.includes(told) ? "active" : told;
}

/** The number of the database, where the EDB tells one. */
export function uidOfEdb(edb: KubeObject, { edbFields }: Names): number | undefined {
  return numberOf(at(edb, edbFields.databaseUid));
}

/** An instance of an active-active database: its guid is not told by the EDB. */
function activeActiveOf(edb: KubeObject, names: Names): Pick<Bdb, "crdtGuid" | "crdtProtocol"> {
  const owner = at(edb, names.edbFields.activeActive);
  if (owner === undefined || owner === false) return {};
  return { crdtGuid: edb.metadata.uid ?? "active-active", crdtProtocol: 1 };
}

/** The number as a text of digits alone; REST has it as an integer (domain facts 7). */
function numberOf(value: unknown): number | undefined {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** The EDB's words for how often; REST has the kind alone (domain facts 7, 9). */
function persistenceOf(value: string | undefined): Bdb["persistence"] {
  if (value?.startsWith("aof") === true) return "aof";
  return value?.startsWith("snapshot") === true ? "snapshot" : "disabled";
}

/** A bundled module goes with the engine, whatever number the list has (S62–S64). */
function modulesOf(edb: KubeObject, names: Names, full: string): Bdb["modules"] {
  const { fields, entryFields, bundledModules } = names;
  const entries = fields.moduleLists.flatMap((field) => list(own(edb["spec"], field)));
  const running = bundledVersion(engineOf({ version: full }));
  return entries.flatMap((entry) => {
    const name = text(own(entry, entryFields.moduleName));
    if (name === undefined) return [];
    const listed = text(own(entry, entryFields.moduleVersion));
    const version = bundledModules.includes(name) ? running : (listed ?? running);
    return [{ name, version, args: [] }];
  });
}
