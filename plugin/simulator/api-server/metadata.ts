/** What the API server fills in, keeps and refuses in metadata. */
import { randomInt, randomUUID } from "node:crypto";
import { type KubeObject, type ObjectMeta } from "../../domain/kube/objects";
import { asArray, sameJson, omit } from "../../domain/base/values";
import { type FieldError, forbidden, invalid, invalidObject } from "../kinds/refusal";
import { badRequest, conflict, internal, qualifyPlural, qualifyKind } from "./answers";
import type { WriteRequest } from "./request";

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";

const unborn = ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];

/** A new object with its identity. */
export function born(object: KubeObject, { definition }: WriteRequest, time: string): KubeObject {
  const { metadata } = object;
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== "") {
    throw internal("resourceVersion should not be set on objects to be created");
  }
  return {
    ...object,
    metadata: {
      ...omit(metadata, ...unborn),
      ...(definition.counted && { generation: 1 }),
      uid: randomUUID(),
      creationTimestamp: time,
    },
  };
}

/** The name of an object, made up after `generateName` when it has none. */
export function nameObject(object: KubeObject): KubeObject {
  const { name, generateName } = object.metadata;
  if ((name ?? "") !== "" || (generateName ?? "") === "") return object;
  const letters = Array.from({ length: 5 }, () => suffixLetters[randomInt(suffixLetters.length)]);
  const made = `${String(generateName).slice(0, 58)}${letters.join("")}`;
  return { ...object, metadata: { ...object.metadata, name: made } };
}

/** The object in the namespace of its request; 400 when it names another one. */
export function placeObject(object: KubeObject, { namespace }: WriteRequest): KubeObject {
  const { namespace: given, ...metadata } = object.metadata;
  if (namespace === undefined) return { ...object, metadata };
  if (given !== undefined && given !== "" && given !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  return { ...object, metadata: { ...metadata, namespace } };
}

/** The object under the name of its request; 400 when it has another one. */
export function requireName({ metadata }: KubeObject, { name }: WriteRequest): void {
  if (metadata.name === name) return;
  throw badRequest(
    `the name of the object (${metadata.name ?? ""}) does not match the name on the URL (${name})`,
  );
}

/** The uid in a whole object is that of the stored one. */
export function requireUid(
  { metadata }: KubeObject,
  before: KubeObject,
  { definition, name, namespace }: WriteRequest,
): void {
  const { uid } = metadata;
  if (uid === undefined || uid === before.metadata.uid) return;
  const { resource, custom } = definition;
  const folder = custom ? `${resource.group}/${resource.plural}` : resource.plural;
  const key = ["/registry", folder, ...(namespace === undefined ? [] : [namespace]), name].join(
    "/",
  );
  throw conflict(
    qualifyPlural(resource),
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid ?? ""}`,
  );
}

/** The changed object as a later version of the stored one; throws what cannot be changed. */
export function continueMetadata(
  object: KubeObject,
  before: KubeObject,
  { definition, name }: WriteRequest,
): KubeObject {
  const { resource } = definition;
  requireVersion(object.metadata, before, { definition, name });
  const faults = immutable(object.metadata, before.metadata);
  // found once by the store and once more by the kind
  if (faults.length > 0) throw invalidObject(qualifyKind(resource), name, [...faults, ...faults]);
  const metadata = { ...omit(object.metadata, "selfLink"), ...pickKept(before.metadata) };
  return { ...object, metadata };
}

/** Groups whose built-in kinds, like custom ones, are updated from a named version alone. */
const versioned = ["admissionregistration.k8s.io", "apiextensions.k8s.io"];

/** An update that names a version starts from it; version 0 is none. */
function requireVersion(
  { resourceVersion: version = "" }: ObjectMeta,
  { metadata }: KubeObject,
  { definition, name }: Pick<WriteRequest, "definition" | "name">,
): void {
  const { resource, custom } = definition;
  if (version === "" || version === "0") {
    if (!custom && !versioned.includes(resource.group)) return;
    throw invalidObject(qualifyPlural(resource), name, [
      invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  if (!/^\d+$/.test(version)) {
    throw internal(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (version === metadata.resourceVersion) return;
  throw conflict(
    qualifyPlural(resource),
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

const kept = [
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function pickKept(before: ObjectMeta): ObjectMeta {
  const names = [...kept, "generation", "resourceVersion"];
  return Object.fromEntries(
    names.filter((name) => before[name] !== undefined).map((name) => [name, before[name]]),
  );
}

function immutable(metadata: ObjectMeta, before: ObjectMeta): readonly FieldError[] {
  const fixed = ["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;
  const faults = fixed
    .filter((name) => (metadata[name] ?? null) !== null && !sameJson(metadata[name], before[name]))
    .map((name) => invalid(`metadata.${name}`, metadata[name], "field is immutable"));
  return [...lateFinalizers(metadata, before), ...faults];
}

function lateFinalizers(metadata: ObjectMeta, before: ObjectMeta): readonly FieldError[] {
  if (before.deletionTimestamp === undefined) return [];
  // what a client sends has not been held against a schema yet
  const old = asArray(before.finalizers);
  const added = asArray(metadata.finalizers).filter((finalizer) => !old.includes(finalizer));
  if (added.length === 0) return [];
  const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [forbidden("metadata.finalizers", why)];
}

/** Metadata without the maps and lists that hold nothing. */
export function trimMetadata(object: KubeObject): KubeObject {
  const entries = Object.entries(object.metadata).filter(([key, value]) => {
    if (value === null || value === undefined) return false;
    const bare = typeof value === "object" && Object.keys(value).length === 0;
    return !bare || key === "managedFields";
  });
  return { ...object, metadata: Object.fromEntries(entries) };
}
