/** Server-side apply of one object, from its checks to the merge. */
import type { KubeObject } from "../../domain/objects";
import type { ApplyOptions } from "../../run/ports";
import { badRequest, conflict, internal, qualified } from "./answers";
import { omit } from "./omit";
import { manageApply } from "./ownership";
import { type Plane, requireAccess, type WriteRequest } from "./request";
import { structureOf } from "./structure";
import { typedProblems } from "./typed-problems";
import { change, ignoredOf, managingOf } from "./writing";

/** Applies an object; creates it when it is absent and the user may. */
export function apply(
  plane: Plane,
  request: WriteRequest,
  { object, options }: { readonly object: KubeObject; readonly options: ApplyOptions },
): Promise<KubeObject> {
  const next = (before: KubeObject | undefined): KubeObject => {
    requireNoManagers(object);
    requireTyped(object, request);
    const sent = before === undefined ? unversioned(object, request) : object;
    const managing = managingOf(plane, request, { object: sent, before });
    return manageApply(managing, options.force === true, ignoredOf(request));
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
function unversioned(object: KubeObject, { definition, name }: WriteRequest): KubeObject {
  const { uid } = object.metadata;
  if (uid === undefined) return { ...object, metadata: omit(object.metadata, "resourceVersion") };
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(qualified(definition.resource), name, why);
}

/** What is applied has the types of the schema, and nothing twice that is known by keys. */
function requireTyped(
  object: KubeObject,
  { definition, namespace = "", name }: WriteRequest,
): void {
  const problems = typedProblems(object, structureOf(definition));
  if (problems.length === 0) return;
  const { group, version, kind } = definition.resource;
  const what = `(${namespace}/${name}; ${group}/${version}, Kind=${kind})`;
  const lines = problems.map((problem) => `  ${problem}`);
  const all = problems.length === 1 ? problems.join("") : ["errors:", ...lines].join("\n");
  throw internal(`failed to create typed patch object ${what}: ${all}`);
}
