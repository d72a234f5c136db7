/** The AdmissionReview around an edit: bytes to request, and request to answer in the version that was asked in. */
import { isUtf8 } from "node:buffer";
import type { DenialStatus } from "../plugin/domain/rules/denial";
import { isObject, type Json, list, own, text } from "../plugin/domain/values";
import { parseReviewJson } from "./review-json";

const apiVersions = ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"] as const;
const reviewKind = "AdmissionReview";
/** In characters: an answer repeats it. The API server's have 36; others may be far longer. */
const longestUid = 64 * 1_024;

/** What a review asks, as far as it matters here. */
export interface ReviewRequest {
  readonly apiVersion: (typeof apiVersions)[number];
  readonly uid: string;
  readonly operation: string;
  readonly resource: { readonly group: string; readonly plural: string };
  readonly subresource: string | undefined;
  readonly kind: { readonly group: string; readonly kind: string };
  readonly namespace: string;
  /** Absent with generateName. */
  readonly name: string | undefined;
  readonly dryRun: boolean;
  /** The caller's name; empty where the review does not tell it. */
  readonly user: string;
  /** The caller's groups. */
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

/** The review in a request body, or an UnreadableReview. */
export function parseReview(body: Uint8Array): ReviewRequest {
  const review = parseJson(body);
  if (!isObject(review)) throw new UnreadableReview("the body is no JSON object");
  const request = own(review, "request");
  const uid = text(own(request, "uid"));
  if (uid !== undefined && uid.length > longestUid) {
    throw new UnreadableReview("the review's request has a uid that is too long");
  }
  const apiVersion = knownVersion(own(review, "apiVersion"));
  if (apiVersion === undefined || own(review, "kind") !== reviewKind) {
    const known = apiVersions.join(" or ");
    throw new UnreadableReview(`the body is no ${reviewKind} of ${known}`, uid);
  }
  if (!isObject(request)) throw new UnreadableReview("the review has no request");
  if (uid === undefined) throw new UnreadableReview("the review's request has no uid");
  return parseRequest(request, uid, apiVersion);
}

function knownVersion(apiVersion: unknown): ReviewRequest["apiVersion"] | undefined {
  for (const known of apiVersions) if (known === apiVersion) return known;
  return undefined;
}

/** V8 parses without recursion, and nothing here walks a value recursively: any depth is harmless. */
function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) throw new UnreadableReview("the body is empty");
  if (!isUtf8(body)) throw new UnreadableReview("the body is not UTF-8");
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.length);
  try {
    return parseReviewJson(bytes);
  } catch {
    // The parser's message quotes the body, which is the user's.
    throw new UnreadableReview("the body is not JSON");
  }
}

function parseRequest(
  request: Json,
  uid: string,
  apiVersion: ReviewRequest["apiVersion"],
): ReviewRequest {
  const operation = text(own(request, "operation"));
  const resource = own(request, "resource");
  const plural = text(own(resource, "resource"));
  if (operation === undefined || plural === undefined) {
    const field = operation === undefined ? "operation" : "resource";
    throw new UnreadableReview(`the review's request has no ${field}`, uid);
  }
  const kind = own(request, "kind");
  return {
    apiVersion,
    uid,
    operation,
    resource: { group: text(own(resource, "group")) ?? "", plural },
    subresource: text(own(request, "subResource")),
    kind: { group: text(own(kind, "group")) ?? "", kind: text(own(kind, "kind")) ?? "" },
    namespace: text(own(request, "namespace")) ?? "",
    name: text(own(request, "name")),
    dryRun: own(request, "dryRun") === true,
    user: text(own(own(request, "userInfo"), "username")) ?? "",
    groups: list(own(own(request, "userInfo"), "groups")).filter(isText),
    object: own(request, "object"),
    oldObject: own(request, "oldObject"),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** What is said of a review. */
export interface ReviewAnswer {
  readonly denial?: DenialStatus | undefined;
  readonly warnings: readonly string[];
  /** For the audit log; the API server puts the entry's name and a slash before each key. */
  readonly annotations?: Readonly<Record<string, string | undefined>>;
}

/**
 * The answer in the review's own version, as JSON. Never a patch: under v1 its mere presence is an
 * error. Written by hand around what varies: nearly every answer is the same allow.
 */
export function renderAnswer({ apiVersion, uid }: ReviewRequest, answer: ReviewAnswer): string {
  const { denial, warnings, annotations } = answer;
  const allowed = denial === undefined ? "true" : `false,"status":${JSON.stringify(denial)}`;
  const warned = warnings.length === 0 ? "" : `,"warnings":${JSON.stringify(warnings)}`;
  const audited =
    annotations === undefined ? "" : `,"auditAnnotations":${JSON.stringify(annotations)}`;
  return (
    `{"apiVersion":"${apiVersion}","kind":"${reviewKind}","response":` +
    `{"uid":${JSON.stringify(uid)},"allowed":${allowed}${warned}${audited}}}`
  );
}
