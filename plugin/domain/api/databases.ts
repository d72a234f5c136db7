/** Databases as the REST API sends them (S35-S40, S91, S94). */
import type { Names } from "../names";
import { isObject, type Json, list, own, text } from "../values";
import type { ApiDatabase, UsedModule } from "./records";
import { flag, uidNumber, wholeNumber } from "./values";

/** The database of an answer; undefined for what is none: it has no uid. */
export function parseDatabase(value: unknown, names: Names): ApiDatabase | undefined {
  const { bdbFields: fields } = names;
  const uid = uidNumber(own(value, fields.uid));
  if (!isObject(value) || uid === undefined) return undefined;
  return {
    uid,
    name: text(own(value, fields.name)),
    status: text(own(value, fields.status)),
    version: text(own(value, fields.version)),
    engineVersion: text(own(value, fields.engineVersion)),
    replication: flag(own(value, fields.replication)),
    dataPersistence: text(own(value, fields.dataPersistence)),
    modules: list(own(value, fields.moduleList)).flatMap((entry) => usedModule(entry, names)),
    crdt: flag(own(value, fields.crdt)),
    crdtGuid: text(own(value, fields.crdtGuid)),
    shards: wholeNumber(own(value, fields.shardsCount)),
    actionUid: text(own(value, fields.actionUid)),
    sent: withoutCredentials(value) as Json,
  };
}

/** Every database of a list; undefined when it is no list, or holds what is no database. */
export function parseDatabases(value: unknown, names: Names): readonly ApiDatabase[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const parsed = value.map((each) => parseDatabase(each, names));
  const databases = parsed.filter((each) => each !== undefined);
  return databases.length === parsed.length ? databases : undefined;
}

function usedModule(entry: unknown, { restModuleFields: fields }: Names): readonly UsedModule[] {
  const name = text(own(entry, fields.name));
  return name === undefined ? [] : [{ name, version: text(own(entry, fields.version)) }];
}

/** A database is sent with its passwords and keys: fields of such names are not kept. */
const credential = /pass|secret|credential|token|private|(^|_)keys?(_|$)|authentication_/i;

function withoutCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCredentials);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !credential.test(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutCredentials(inner)]));
}
