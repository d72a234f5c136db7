/** The API server's refusals, in its own words. */
import { ApiError, type StatusCause } from "../../domain/base/errors";
import type { KubeObject, Resource } from "../../domain/kube/objects";
import type { Attributes, KindDefinition, Plural, User } from "../model";

/** `roles.rbac.authorization.k8s.io`, or `secrets` for the core group. */
export function qualifyPlural({ group, plural }: Plural): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** `Role.rbac.authorization.k8s.io`, or `Secret` for the core group. */
export function qualifyKind({ group, kind }: Resource): string {
  return group === "" ? kind : `${kind}.${group}`;
}

const answerWith =
  (status: number, reason: string) =>
  (message: string, causes: readonly StatusCause[] = []): ApiError =>
    new ApiError(message, { status, reason, causes });
const lost = answerWith(404, "NotFound");
const denied = answerWith(403, "Forbidden");

/** 400. */
export const badRequest = answerWith(400, "BadRequest");

/** 404 for an object. */
export function notFound(kind: Plural, name: string): ApiError {
  return lost(`${qualifyPlural(kind)} "${name}" not found`);
}

/** 404 for a path that the server does not serve. */
export function refuseUnserved(): ApiError {
  return lost("the server could not find the requested resource");
}

/** 404 for a group and version that the server does not know at all, as the client tells it. */
export function noSuchPage(server: string, subject: string): ApiError {
  return new ApiError(
    `the API server ${server} answered 404 to ${subject}: 404 page not found`,
    { status: 404 },
    { hint: `check that ${server} is a Kubernetes API server` },
  );
}

/** 403 for a user who may not do this. */
export function forbidden(user: User, attributes: Attributes, reason = ""): ApiError {
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const place =
    namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const why = `User "${user.name}" cannot ${verb} resource "${full}" in API group "${group}" ${place}`;
  const what = qualifyPlural({ group, plural: resource });
  const whole = reason === "" ? why : `${why}: ${reason}`;
  return refusal403(name === undefined ? what : `${what} "${name}"`, whole);
}

/** 403 for something that nobody may do. */
export function refusal403(
  subject: string,
  why: string,
  causes: readonly StatusCause[] = [],
): ApiError {
  return denied(`${subject} is forbidden: ${why}`, causes);
}

/** 409 for a name that is taken, be it by an object that is on its way out. */
export function alreadyExists(kind: Plural, { metadata }: KubeObject): ApiError {
  const leaving = metadata.deletionTimestamp === undefined ? "" : "object is being deleted: ";
  const message = `${leaving}${qualifyPlural(kind)} "${metadata.name ?? ""}" already exists`;
  return answerWith(409, "AlreadyExists")(message);
}

/** 409 for a write that does not fit the stored object; `subject` is the kind as the server says it. */
export function conflict(subject: string, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${subject} "${name}": ${why}`;
  return answerWith(409, "Conflict")(message);
}

/** 410 for a version that the log no longer reaches. */
export function refuseExpired(asked: number, oldest: number): ApiError {
  return answerWith(410, "Expired")(`too old resource version: ${asked} (${oldest})`);
}

/** 500 with a message alone, as errors of the server's inside come out. */
export function internal(message: string): ApiError {
  return new ApiError(message, { status: 500 });
}

/** 415 for a strategic merge patch of a custom resource. */
export function unknownFormat(): ApiError {
  const types = ["json-patch+json", "merge-patch+json", "apply-patch+yaml"];
  const accepted = types.map((type) => `application/${type}`).join(", ");
  return answerWith(
    415,
    "UnsupportedMediaType",
  )(`the body of the request was in an unknown format - accepted media types include: ${accepted}`);
}

/** 413 for a body that is too long. */
export function tooLarge(limit: number): ApiError {
  const message = `Request entity too large: limit is ${limit}`;
  return answerWith(413, "RequestEntityTooLarge")(message);
}

/** 404 for a kind that is not served: the client's words, before any request of its own. */
export function unknownKind(apiVersion: string, kind: string): ApiError {
  return new ApiError(
    `the API server serves no kind ${kind} in ${apiVersion}`,
    { status: 404, reason: "NotFound" },
    { hint: "check the kind, or install its CustomResourceDefinition first" },
  );
}

/** Group and plural of a definition. */
export function toPlural({ resource }: KindDefinition): Plural {
  return { group: resource.group, plural: resource.plural };
}
