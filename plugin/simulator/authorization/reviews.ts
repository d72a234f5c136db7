/** Access reviews: questions that are sent as objects and come back answered, stored nowhere. */
import { ApiError, type StatusCause } from "../../domain/base/errors";
import { isObject, type Json, asArray, getOwn, asString } from "../../domain/base/values";
import type { KubeObject } from "../../ports/kubernetes";
import type { StateView, User } from "../model";
import { aggregate, decide, listGrants, notFound } from "./grants";
import type { AccessRequest, AccessRule } from "./rules";

/** Who asks, and what it is judged by. */
interface Asking {
  readonly user: User;
  readonly state: StateView;
}

type ReviewHandler = (review: KubeObject, asking: Asking) => KubeObject;

const answers: Readonly<Record<string, Readonly<Record<string, ReviewHandler>>>> = {
  "authorization.k8s.io": {
    SelfSubjectAccessReview: ownAccess,
    SubjectAccessReview: accessOfSubject,
    LocalSubjectAccessReview: accessOfSubject,
    SelfSubjectRulesReview: ownRules,
  },
  "authentication.k8s.io": { SelfSubjectReview: ownIdentity },
};

/** The answered review, undefined for an object of any other kind. Throws ApiError (400, 422). */
export function answerReview(
  object: KubeObject,
  user: User,
  state: StateView,
): KubeObject | undefined {
  const [group = ""] = object.apiVersion.split("/");
  const answer = getOwn(getOwn(answers, group), object.kind) as ReviewHandler | undefined;
  // A review may be sent without metadata, whatever the type says.
  const metadata = (getOwn(object, "metadata") ?? {}) as KubeObject["metadata"];
  return answer?.({ ...object, metadata }, { user, state });
}

function ownAccess(review: KubeObject, { user, state }: Asking): KubeObject {
  refuse(attributeProblems(review));
  return { ...review, status: statusFor(review, { user, state }) };
}

/** No group is derived for the subject, not even that of a service account. */
function accessOfSubject(review: KubeObject, { state }: Asking): KubeObject {
  const spec = getOwn(review, "spec");
  const user = {
    name: asString(getOwn(spec, "user")) ?? "",
    groups: asArray(getOwn(spec, "groups")).map(String),
  };
  refuse([
    ...attributeProblems(review),
    ...(user.name === "" && user.groups.length === 0 ? [noSubject] : []),
    ...(review.kind === "LocalSubjectAccessReview" ? localProblems(review) : []),
  ]);
  return { ...review, status: statusFor(review, { user, state }) };
}

function statusFor(review: KubeObject, { user, state }: Asking): Json {
  const { allowed, reason } = decide(user, readRequest(getOwn(review, "spec")), state);
  return { allowed, ...(reason !== "" && { reason }) };
}

function readRequest(spec: unknown): AccessRequest {
  const about = getOwn(spec, "resourceAttributes");
  const path = getOwn(spec, "nonResourceAttributes");
  const word = (key: string): string => asString(getOwn(about, key)) ?? "";
  if (!isObject(about)) {
    return {
      verb: asString(getOwn(path, "verb")) ?? "",
      path: asString(getOwn(path, "path")) ?? "",
    };
  }
  return {
    verb: word("verb"),
    group: word("group"),
    resource: word("resource"),
    subresource: word("subresource"),
    namespace: word("namespace"),
    name: word("name"),
  };
}

const noSubject = invalid("spec.user", '"": at least one of user or group must be specified');

function attributeProblems(review: KubeObject): readonly StatusCause[] {
  const spec = getOwn(review, "spec");
  const path = getOwn(spec, "nonResourceAttributes");
  const onObjects = isObject(getOwn(spec, "resourceAttributes"));
  if (onObjects !== isObject(path)) return [];
  if (!onObjects) {
    const choice = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    return [invalid("spec.resourceAttributes", `null: ${choice}`)];
  }
  const value = JSON.stringify({
    Path: getOwn(path, "path") ?? "",
    Verb: getOwn(path, "verb") ?? "",
  });
  const clash = "cannot be specified in combination with resourceAttributes";
  return [invalid("spec.nonResourceAttributes", `${value}: ${clash}`)];
}

function localProblems(review: KubeObject): readonly StatusCause[] {
  const about = getOwn(getOwn(review, "spec"), "resourceAttributes");
  const namespace = asString(getOwn(about, "namespace")) ?? "";
  if (!isObject(about) || namespace === (review.metadata.namespace ?? "")) return [];
  const value = JSON.stringify(namespace);
  const field = "spec.resourceAttributes.namespace";
  return [invalid(field, `${value}: must match metadata.namespace`)];
}

function invalid(field: string, value: string): StatusCause {
  return { reason: "FieldValueInvalid", message: `Invalid value: ${value}`, field };
}

/** The kind is left out of the message by the API server itself. */
function refuse(causes: readonly StatusCause[]): void {
  if (causes.length === 0) return;
  const problems = causes.map(({ field = "", message = "" }) => `${field}: ${message}`);
  throw new ApiError(`.authorization.k8s.io "" is invalid: ${aggregate(problems)}`, {
    status: 422,
    reason: "Invalid",
    causes,
  });
}

function ownRules(review: KubeObject, { user, state }: Asking): KubeObject {
  const namespace = asString(getOwn(getOwn(review, "spec"), "namespace"));
  if (namespace === undefined) {
    throw new ApiError("no namespace on request", { status: 400, reason: "BadRequest" });
  }
  const grants = [...listGrants(user, namespace, state)];
  const rules = grants.flatMap(({ rules: held = [] }) => held);
  const lost = grants.filter(({ rules: held }) => held === undefined).map(notFound);
  const resourceRules = rules.filter(({ resources }) => resources.length > 0);
  const pathRules = rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0);
  const status = {
    resourceRules: resourceRules.map(resourceRule),
    nonResourceRules: pathRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(lost.length > 0 && { evaluationError: aggregate(lost) }),
  };
  return { ...review, metadata: {}, spec: {}, status };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: AccessRule): Json {
  return { verbs, apiGroups, resources, ...(resourceNames.length > 0 && { resourceNames }) };
}

function ownIdentity(review: KubeObject, { user }: Asking): KubeObject {
  const userInfo = { username: user.name, groups: user.groups };
  return { ...review, status: { userInfo } };
}
