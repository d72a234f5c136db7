/**
 * Which record of the REST API a resource stands for. A number that its status remembers may belong to
 * another database by now, so that two signs of identity have to agree before anything is called.
 */
import {
  type ApiDatabase,
  type DatabaseEndpoint,
  parseEndpoint,
  uidNumber,
} from "../rest-api/records";
import type { Finding } from "../base/findings";
import type { Names } from "../names/names";
import { objectLabel } from "../kube/objects";
import { asArray, getPath } from "../base/values";
import { databaseFinding } from "./findings";
import type { DatabaseTarget } from "./target";

/** The record, or why none is proven to be the database's. */
export type Identity =
  | { readonly is: "proven"; readonly bdb: ApiDatabase }
  | { readonly is: "unproven"; readonly finding: Finding };

type Identified = Pick<DatabaseTarget, "object" | "guid">;

/** The number that the status of the resource remembers; it proves nothing by itself. */
export function readRememberedUid(
  { object }: Identified,
  { edbFields }: Names,
): number | undefined {
  return uidNumber(getPath(object, edbFields.databaseUid));
}

/** A record that two resources stand for is nobody's: which of them it belongs to is not known. */
export function identifyAmong(
  target: Identified,
  { others, all }: { readonly others: readonly Identified[]; readonly all: readonly ApiDatabase[] },
  names: Names,
): Identity {
  const found = identify(target, all, names);
  if (found.is === "unproven") return found;
  const label = objectLabel(target.object);
  const rival = others
    .filter(({ object }) => objectLabel(object) !== label)
    .find((other) => identify(other, [found.bdb], names).is === "proven");
  if (rival === undefined) return found;
  const cause = `${label} and ${objectLabel(rival.object)} both stand for ${found.bdb.uid} (${String(found.bdb.name)}) of the REST API`;
  return unproven(target, "uidShared", cause);
}

/** The one record that at least two signs point at: number, name, guid, port, endpoint. */
export function identify(target: Identified, all: readonly ApiDatabase[], names: Names): Identity {
  const remembered = readRememberedUid(target, names);
  const named = all.filter(({ name }) => name === target.object.metadata.name);
  const candidates = remembered === undefined ? named : all.filter(({ uid }) => uid === remembered);
  const [bdb] = candidates;
  if (bdb === undefined || candidates.length > 1) {
    return unproven(target, "uidUnknown", notFound(remembered, named));
  }
  // in both cases one sign is what it was found by
  const bothNamed = remembered !== undefined && named.includes(bdb);
  if (bothNamed || hasSign(target, bdb, names)) return { is: "proven", bdb };
  const unsaid = `its status has no number, and a name does not prove that ${bdb.uid} is it`;
  if (remembered === undefined) return unproven(target, "uidUnknown", unsaid);
  const other = `its status has the number ${remembered}, and ${contradiction(target, bdb, named)}`;
  return unproven(target, "uidMismatch", other);
}

function contradiction(
  { object }: Identified,
  { uid, name }: ApiDatabase,
  named: readonly ApiDatabase[],
): string {
  const is = name === undefined ? `${uid} has no name` : `${uid} is ${name}`;
  const others = named.map((other) => `, ${String(object.metadata.name)} is ${other.uid}`);
  return `in the REST API ${is}${others.join("")}`;
}

function notFound(remembered: number | undefined, named: readonly ApiDatabase[]): string {
  const numbers = named.map(({ uid }) => uid).join(", ");
  const has = numbers === "" ? "no record has its name" : `of its name there is ${numbers}`;
  return remembered === undefined
    ? `its status has no number, and in the REST API ${has}`
    : `its status has the number ${remembered}, which the REST API does not have, and ${has}`;
}

function unproven(
  { object }: Identified,
  what: "uidUnknown" | "uidMismatch" | "uidShared",
  cause: string,
): Identity {
  return { is: "unproven", finding: databaseFinding(what, { object: objectLabel(object), cause }) };
}

/** A sign beside number and name: the guid of an instance, the port, an endpoint. */
function hasSign({ object, guid }: Identified, bdb: ApiDatabase, names: Names): boolean {
  const { edbFields, entryFields } = names;
  const port = getPath(object, edbFields.port);
  const endpoints = asArray(getPath(object, edbFields.endpoints)).flatMap(
    (entry) =>
      parseEndpoint(entry, { host: entryFields.endpointHost, port: entryFields.endpointPort }) ??
      [],
  );
  return (
    (guid !== undefined && guid === bdb.crdtGuid) ||
    (port !== undefined && port === bdb.port) ||
    endpoints.some((one) => bdb.endpoints.some((other) => isSameEndpoint(one, other)))
  );
}

function isSameEndpoint(one: DatabaseEndpoint, other: DatabaseEndpoint): boolean {
  return one.port === other.port && one.host.toLowerCase() === other.host.toLowerCase();
}
