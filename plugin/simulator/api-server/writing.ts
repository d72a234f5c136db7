/** The way of a write: merged, prepared, judged, stored. */
import type { Namespace } from "../../domain/kube/models";
import type { KubeObject } from "../../domain/kube/objects";
import { isKind } from "../../domain/kube/typed";
import { getPath, type Json, omit, sameJson } from "../../domain/base/values";
import {
  alreadyExists,
  badRequest,
  conflict,
  internal,
  notFound,
  toPlural,
  qualifyPlural,
  qualifyKind,
} from "./answers";
import { requireConversion } from "./conversion";
import { type FieldSet, noFields, onlyHere, makeFieldSet, union } from "./field-set";
import {
  inVersion,
  judge,
  requestKey,
  type Plane,
  requireAccess,
  requireMortal,
  requireNamespace,
  timestamp,
  type WriteRequest,
} from "./request";
import {
  born,
  continueMetadata,
  nameObject,
  placeObject,
  requireName,
  requireUid,
  trimMetadata,
} from "./metadata";
import { type Ignored, manageApply, manageUpdate, type Managing } from "./ownership";
import { findStructure, findTypeProblems } from "./structure";
import type { ApplyOptions, Preconditions } from "../../ports/kubernetes";
import type { KindDefinition } from "../model";

/** A write whose object is made from the stored one, undefined where there is none. */
interface Writing {
  readonly request: WriteRequest;
  /** The object as the request wants it, its owners known when `owned`. */
  readonly next: (before: KubeObject | undefined) => KubeObject;
  readonly owned: boolean;
  /** The object as a whole: a uid in it names the object that it replaces. */
  readonly replaces?: true;
  /** Checks what else the creation of an absent object needs; absent: it is not created. */
  readonly allowCreate?: () => void;
}

/** Stores a new object. */
export async function create(plane: Plane, writing: Writing): Promise<KubeObject> {
  const { request } = writing;
  const { definition, namespace, options } = request;
  requireNamespace(plane.store, request);
  const time = timestamp(plane.parts);
  const sent = nameObject(placeObject(writing.next(undefined), request));
  const name = sent.metadata.name ?? "";
  const own = { ...request, name };
  const prepared = prepare(dropStatus(born(sent, own, time), own), undefined, own);
  const given = listGivenFields(sent, definition);
  const object = writing.owned ? prepared : manageFields(plane, own, { object: prepared, given });
  writing.allowCreate?.();
  await judge(plane, own, { operation: "CREATE", object, before: undefined });
  const kind = toPlural(definition);
  requireConversion(plane, definition, "sent");
  const present = plane.store.get(kind, name, namespace);
  if (present !== undefined) throw alreadyExists(kind, present);
  return options.dryRun === true ? object : plane.store.put(requestKey(own), object);
}

const mostAttempts = 5;

/** Stores a changed object; begins again when someone else changed it meanwhile. */
export async function change(plane: Plane, writing: Writing): Promise<KubeObject> {
  const { request, allowCreate } = writing;
  const { definition, name, namespace } = request;
  const kind = toPlural(definition);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const before = plane.store.get(kind, name, namespace);
    if (before === undefined) {
      if (allowCreate === undefined) throw notFound(kind, name);
      return create(plane, writing);
    }
    requireConversion(plane, definition);
    const object = await update(plane, writing, before);
    if (plane.store.get(kind, name, namespace) === before) {
      return store(plane, request, { object, before });
    }
  }
  throw conflict(
    qualifyPlural(kind),
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

async function update(plane: Plane, writing: Writing, before: KubeObject): Promise<KubeObject> {
  const { request } = writing;
  const live = inVersion(before, request.definition);
  const next = placeObject(writing.next(live), request);
  requireName(next, request);
  if (writing.replaces === true) requireUid(next, before, request);
  const kept = keepStatus(continueMetadata(next, live, request), live, request);
  const prepared = prepare(kept, live, request);
  const owned = writing.owned
    ? prepared
    : manageFields(plane, request, { object: prepared, before: live });
  const object = renumber(owned, before, request);
  if (request.subresource === undefined)
    await judge(plane, request, { operation: "UPDATE", object, before: live });
  return object;
}

interface Stored {
  readonly object: KubeObject;
  readonly before: KubeObject;
}

interface Step {
  readonly object: KubeObject;
  readonly before?: KubeObject | undefined;
  readonly given?: FieldSet;
}

function store(plane: Plane, request: WriteRequest, { object, before }: Stored): KubeObject {
  const { apiVersion } = object;
  if (isSame(object, before)) return { ...before, apiVersion };
  if (request.options.dryRun === true) return object;
  if (isFinished(object)) {
    plane.store.remove(requestKey(request));
    return object;
  }
  const stored = plane.store.put(requestKey(request), { ...object, apiVersion: before.apiVersion });
  return { ...stored, apiVersion };
}

/** Nothing keeps a deleted object any more. */
function isFinished({ metadata }: KubeObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    metadata["deletionGracePeriodSeconds"] !== undefined
  );
}

/** Equal but for the version it was written in and the times of its managers. */
function isSame(object: KubeObject, before: KubeObject): boolean {
  return sameJson(timeless({ ...object, apiVersion: before.apiVersion }), timeless(before));
}

function timeless(object: KubeObject): unknown {
  const managers = object.metadata.managedFields?.map((entry) => omit(entry, "time")) ?? [];
  return { ...object, metadata: { ...object.metadata, managedFields: managers } };
}

function prepare(
  object: KubeObject,
  before: KubeObject | undefined,
  { definition, options }: WriteRequest,
): KubeObject {
  const { object: prepared, warnings } = definition.prepare(trimMetadata(object), before);
  for (const warning of warnings) options.onWarning?.(warning);
  return prepared;
}

function manageFields(plane: Plane, request: WriteRequest, step: Step): KubeObject {
  return manageUpdate(describeManaging(plane, request, step), chooseIgnored(request));
}

/** What the rules of ownership need to know of a write. */
function describeManaging(
  { parts }: Plane,
  { definition, manager, subresource }: WriteRequest,
  step: Step,
): Managing {
  const structure = findStructure(definition);
  return {
    before: undefined,
    ...step,
    manager,
    subresource,
    structure,
    empty: makeEmpty(definition),
    time: timestamp(parts),
  };
}

/** Whether a write of the object leaves the status alone. */
function chooseIgnored({ definition, subresource }: WriteRequest): Ignored {
  return { status: definition.hasStatus && subresource === undefined };
}

function dropStatus(object: KubeObject, { definition }: WriteRequest): KubeObject {
  if (!definition.hasStatus) return object;
  return omit(object, "status");
}

function keepStatus(object: KubeObject, before: KubeObject, request: WriteRequest): KubeObject {
  if (!request.definition.hasStatus) return object;
  if (request.subresource !== undefined) return takeStatus(object, before);
  const { status } = before;
  return { ...dropStatus(object, request), ...(status !== undefined && { status }) };
}

/** A write of the status leaves everything else as it is stored. */
function takeStatus({ status }: KubeObject, before: KubeObject): KubeObject {
  return { ...omit(before, "status"), ...(status !== undefined && { status }) };
}

/** With the next generation when more than metadata and status changed. */
function renumber(
  object: KubeObject,
  before: KubeObject,
  { definition }: WriteRequest,
): KubeObject {
  if (!definition.counted) return object;
  const uncounted = ["apiVersion", "metadata", ...(definition.hasStatus ? ["status"] : [])];
  const content = (whole: KubeObject): unknown => omit(whole, ...uncounted);
  if (sameJson(content(object), content(before))) return object;
  const generation = (before.metadata.generation ?? 0) + 1;
  return { ...object, metadata: { ...object.metadata, generation } };
}

/** Applies an object; creates it when it is absent and the user may. */
export function apply(
  plane: Plane,
  request: WriteRequest,
  { object, options }: { readonly object: KubeObject; readonly options: ApplyOptions },
): Promise<KubeObject> {
  const next = (before: KubeObject | undefined): KubeObject => {
    requireNoManagers(object);
    requireTyped(object, request);
    const sent = before === undefined ? requireVersionless(object, request) : object;
    const managing = describeManaging(plane, request, { object: sent, before });
    return manageApply(managing, options.force === true, chooseIgnored(request));
  };
  return change(plane, {
    request,
    next,
    owned: true,
    allowCreate: () => {
      requireCreate(plane, request);
    },
  });
}

function requireCreate(plane: Plane, { definition, name, namespace, user }: WriteRequest): void {
  const { group, plural } = definition.resource;
  requireAccess(plane, user, {
    verb: "create",
    group,
    resource: plural,
    name,
    ...(namespace !== undefined && { namespace }),
  });
}

function requireNoManagers({ metadata }: KubeObject): void {
  if (metadata.managedFields === undefined) return;
  throw badRequest("metadata.managedFields must be nil");
}

/** A version means nothing for an object that does not exist yet, a uid another object. */
function requireVersionless(object: KubeObject, { definition, name }: WriteRequest): KubeObject {
  const { uid } = object.metadata;
  if (uid === undefined) return { ...object, metadata: omit(object.metadata, "resourceVersion") };
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(qualifyPlural(definition.resource), name, why);
}

/** What is applied has the types of the schema, and nothing twice that is known by keys. */
function requireTyped(
  object: KubeObject,
  { definition, namespace = "", name }: WriteRequest,
): void {
  const problems = findTypeProblems(object, findStructure(definition));
  if (problems.length === 0) return;
  const { group, version, kind } = definition.resource;
  const what = `(${namespace}/${name}; ${group}/${version}, Kind=${kind})`;
  const lines = problems.map((problem) => `  ${problem}`);
  const all = problems.length === 1 ? problems.join("") : ["errors:", ...lines].join("\n");
  throw internal(`failed to create typed patch object ${what}: ${all}`);
}

const template: Json = { metadata: {}, spec: { containers: null } };

/** Parts of built-in kinds that are there even in an empty object, so that nobody owns them. */
const parts: Readonly<Record<string, Json>> = {
  Deployment: { spec: { strategy: {}, template }, status: {} },
  StatefulSet: { spec: { updateStrategy: {}, template }, status: {} },
  ReplicaSet: { spec: { template }, status: {} },
  Job: { spec: { template }, status: {} },
};

/** The empty object of a kind: nothing at all for a custom one. */
function makeEmpty({ custom, resource }: KindDefinition): Json {
  const rest = custom ? {} : (parts[resource.kind] ?? { spec: {}, status: {} });
  return { metadata: {}, ...rest };
}

/** What the API server gives to new objects of a kind after it has noted who owns what. */
const given: Readonly<Record<string, readonly string[]>> = {
  Namespace: ["finalizers"],
  Service: ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
};

/** The fields that nobody owns because the API server itself filled them in. */
function listGivenFields(sent: KubeObject, { custom, resource }: KindDefinition): FieldSet {
  const names = custom ? [] : (given[resource.kind] ?? []);
  return names
    .filter((name) => getPath(sent, ["spec", name]) === undefined)
    .map((name) =>
      makeFieldSet(false, [["f:spec", makeFieldSet(false, [[`f:${name}`, onlyHere]])]]),
    )
    .reduce(union, noFields);
}

/** Deletes an object, or marks it when a finalizer keeps it. */
export async function remove(
  plane: Plane,
  request: WriteRequest,
  preconditions: Preconditions,
): Promise<void> {
  const kind = toPlural(request.definition);
  requireMortal(request);
  for (;;) {
    const before = plane.store.get(kind, request.name, request.namespace);
    if (before === undefined) throw notFound(kind, request.name);
    requireSame(before, preconditions, request);
    await judge(plane, request, { operation: "DELETE", object: undefined, before });
    if (request.options.dryRun === true) return;
    if (plane.store.get(kind, request.name, request.namespace) !== before) continue;
    take(plane, request, before);
    return;
  }
}

function take(plane: Plane, request: WriteRequest, before: KubeObject): void {
  const key = requestKey(request);
  if (!isKept(before)) plane.store.remove(key);
  else if (before.metadata.deletionTimestamp === undefined) {
    plane.store.put(key, markDeletion(before, timestamp(plane.parts)));
  }
}

/** A finalizer keeps the object; namespaces have one in their spec. */
function isKept(object: KubeObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || isKeptNamespace(object);
}

function isKeptNamespace(object: KubeObject): object is KubeObject & Namespace {
  if (object.apiVersion !== "v1" || !isKind(object, "Namespace")) return false;
  return (object.spec?.finalizers ?? []).length > 0;
}

function markDeletion(object: KubeObject, time: string): KubeObject {
  const { metadata } = object;
  const { generation = 0 } = metadata;
  if (isKeptNamespace(object)) {
    const status: Namespace["status"] = { ...object.status, phase: "Terminating" };
    return { ...object, metadata: { ...metadata, deletionTimestamp: time }, status };
  }
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(generation > 0 && { generation: generation + 1 }),
      deletionTimestamp: time,
      deletionGracePeriodSeconds: 0,
    },
  };
}

function requireSame(
  { metadata }: KubeObject,
  { uid, resourceVersion }: Preconditions,
  { definition, name }: WriteRequest,
): void {
  const subject = qualifyKind(definition.resource);
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ""}). ` +
        "The object might have been deleted and then recreated",
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ` +
        `ResourceVersion in record (${metadata.resourceVersion ?? ""}). The object might have been modified`,
    );
  }
}
