/** The AdmissionReview around an edit, from the bytes of a body. */
import { isUtf8 } from "node:buffer";
import {
  isObject,
  type Json,
  asArray,
  getOwn,
  asString,
  oncePer,
} from "../../plugin/domain/base/values";
import type { Names } from "../../plugin/domain/names/names";
import { listJudgedPaths } from "../../plugin/domain/rules/fields";
import { show } from "../../plugin/domain/rules/wording";
import { keepFields, type ReadField, readFields } from "./json";

export const reviewKind = "AdmissionReview";
const apiVersions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"] as const;
/** In characters: an answer repeats it. The API server's have 36; others may be far longer. */
const longestUid = 64 * 1_024;

/** Every operation that an API server sends, in all its versions. */
export const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"] as const;

export interface ReviewRequest {
  readonly apiVersion: (typeof apiVersions)[number];
  readonly uid: string;
  readonly operation: (typeof operations)[number];
  readonly resource: { readonly group: string; readonly plural: string };
  readonly subresource: string | undefined;
  readonly kind: { readonly group: string; readonly kind: string };
  readonly namespace: string;
  /** Absent with generateName. */
  readonly name: string | undefined;
  readonly dryRun: boolean;
  /** The caller's name; empty where the review does not report it. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly object: unknown;
  readonly oldObject: unknown;
}

/** A body that is no review; `uid` when it could be read that far. */
export class UnreadableReview extends Error {
  constructor(
    message: string,
    readonly uid?: string,
  ) {
    super(message);
  }
}

/** The review in a request body, which is overwritten, or an UnreadableReview; its objects hold what is judged. */
export function parseReview(body: Buffer, names: Names): ReviewRequest {
  const review = parseJson(body, fieldsOf(names));
  if (!isObject(review)) throw new UnreadableReview("the body is not a JSON object");
  const request = getOwn(review, "request");
  const uid = asString(getOwn(request, "uid"));
  if (uid !== undefined && uid.length > longestUid) {
    throw new UnreadableReview("the review's request has a uid that is too long");
  }
  const apiVersion = findVersion(getOwn(review, "apiVersion"));
  if (apiVersion === undefined || getOwn(review, "kind") !== reviewKind) {
    const known = apiVersions.join(" or ");
    throw new UnreadableReview(`the body is not an ${reviewKind} of ${known}`, uid);
  }
  if (!isObject(request)) throw new UnreadableReview("the review has no request");
  if (uid === undefined) throw new UnreadableReview("the review's request has no uid");
  return parseRequest(request, uid, apiVersion);
}

function findVersion(apiVersion: unknown): ReviewRequest["apiVersion"] | undefined {
  for (const known of apiVersions) if (known === apiVersion) return known;
  return undefined;
}

/** What is read of a request, beside its objects. */
const requestPaths = [
  ...["uid", "operation", "subResource", "namespace", "name", "dryRun"].map((key) => [key]),
  ...["group", "resource"].map((key) => ["resource", key]),
  ...["group", "kind"].map((key) => ["kind", key]),
  ...["username", "groups"].map((key) => ["userInfo", key]),
];

const fieldsOf = oncePer((names: Names): readonly ReadField[] => {
  const objects = ["object", "oldObject"].flatMap((object) =>
    listJudgedPaths(names).map((path) => [object, ...path]),
  );
  const paths = [...requestPaths, ...objects].map((path) => ["request", ...path]);
  return readFields([["apiVersion"], ["kind"], ...paths]);
});

/** V8 parses without recursion, and nothing here walks a value recursively: any depth is harmless. */
function parseJson(body: Buffer, fields: readonly ReadField[]): unknown {
  if (body.length === 0) throw new UnreadableReview("the body is empty");
  if (!isUtf8(body)) throw new UnreadableReview("the body is not UTF-8");
  try {
    const part = keepFields(body, fields);
    if (part.length <= mostRead) return JSON.parse(part.toString("utf8"));
  } catch {
    // The parser's message quotes the body, which is the user's.
    throw new UnreadableReview("the body is not JSON");
  }
  throw new UnreadableReview("the fields that are judged are too large");
}

/** In bytes, of the old object and the new one: more than the API server can store of them. */
const mostRead = 3 * 1_024 * 1_024;

function parseRequest(
  request: Json,
  uid: string,
  apiVersion: ReviewRequest["apiVersion"],
): ReviewRequest {
  const operation = parseOperation(getOwn(request, "operation"), uid);
  const resource = getOwn(request, "resource");
  const plural = asString(getOwn(resource, "resource"));
  if (plural === undefined) {
    throw new UnreadableReview("the review's request has no resource", uid);
  }
  const kind = getOwn(request, "kind");
  return {
    apiVersion,
    uid,
    operation,
    resource: { group: asString(getOwn(resource, "group")) ?? "", plural },
    subresource: asString(getOwn(request, "subResource")),
    kind: {
      group: asString(getOwn(kind, "group")) ?? "",
      kind: asString(getOwn(kind, "kind")) ?? "",
    },
    namespace: asString(getOwn(request, "namespace")) ?? "",
    name: asString(getOwn(request, "name")),
    dryRun: getOwn(request, "dryRun") === true,
    user: asString(getOwn(getOwn(request, "userInfo"), "username")) ?? "",
    groups: asArray(getOwn(getOwn(request, "userInfo"), "groups")).filter(isText),
    object: getOwn(request, "object"),
    oldObject: getOwn(request, "oldObject"),
  };
}

function parseOperation(operation: unknown, uid: string): ReviewRequest["operation"] {
  for (const known of operations) if (known === operation) return known;
  const known = `${operations.slice(0, -1).join(", ")} or ${operations.slice(-1).join("")}`;
  const message = `the review's operation has to be ${known}, received: ${show(operation)}`;
  throw new UnreadableReview(message, uid);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
