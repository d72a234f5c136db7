/** Reads the body of a webhook's answer as strictly, and complains in the same words, as the API server. */
import {
  isObject,
  type Json,
  asArray,
  getOwn,
  parseJson,
  asString,
} from "../../domain/base/values";
import { CallFailure } from "./trust";
import { ApiError, type StatusCause } from "../../domain/base/errors";
import type { KubeObject, Resource } from "../../ports/kubernetes";
import type { Attempt } from "../model";
import { type Invocation, isNamespace } from "./entries";

/** An HTTP answer. */
export interface Reply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: number | undefined;
  readonly body: string;
}

/** The `response` of the review that was answered; throws CallFailure. */
function readResponse(reply: Reply, { uid, version }: Mark): Json {
  const review = decodeReply(reply, version);
  const response = getOwn(review, "response");
  if (!isObject(response)) throw invalid("webhook response was absent");
  // Only the newer version promises that the answer says what it is.
  if (version === "v1beta1") return response;
  const answered = asString(getOwn(response, "uid")) ?? "";
  if (answered !== uid) {
    const got = JSON.stringify(answered);
    throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${got}`);
  }
  const { apiVersion, kind } = readType(review);
  if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview") {
    const expected = "admission.k8s.io/v1, Kind=AdmissionReview";
    const got = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
    throw invalid(`expected webhook response of ${expected}, got ${got}`);
  }
  for (const key of ["patch", "patchType"]) {
    if (asString(getOwn(response, key)) !== undefined) {
      throw invalid(`validating webhook may not return response.${key}`);
    }
  }
  return response;
}

function invalid(why: string): CallFailure {
  return new CallFailure(`received invalid webhook response: ${why}`);
}

function unusable(why: string): CallFailure {
  return new CallFailure(`failed to call webhook: ${why}`);
}

function decodeReply(reply: Reply, version: ReviewVersion): unknown {
  const { status, body, contentType = "application/json" } = reply;
  if (status < 200 || status > 206) throw unusable(statusFailure(reply));
  if (body === "") {
    const what = `status code: ${status} and content type: ${contentType}`;
    throw unusable(`0-length response with ${what}`);
  }
  const review = parseBody(body);
  const { apiVersion, kind } = readType(review);
  refuseOtherType(apiVersion, kind, version);
  refuseWrongTypes(review, version);
  refusePatch(asString(getOwn(getOwn(review, "response"), "patch")) ?? "");
  return review;
}

const goStruct =
  String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; ` +
  String.raw`Kind string "json:\"kind,omitempty\"" }`;

/** What is no JSON object is read as YAML there, in which any text is a string. */
function parseBody(body: string): unknown {
  const wrong = "couldn't get version/kind; json parse error:";
  const value = parseJson(body);
  if (value === undefined && body.trimStart().startsWith("{")) {
    throw unusable(`${wrong} unexpected end of JSON input`);
  }
  if (value === null || isObject(value)) return value;
  throw unusable(
    `${wrong} json: cannot unmarshal ${goKind(value ?? "")} into Go value of type ${goStruct}`,
  );
}

function readType(value: unknown): { readonly apiVersion: string; readonly kind: string } {
  return {
    apiVersion: asString(getOwn(value, "apiVersion")) ?? "",
    kind: asString(getOwn(value, "kind")) ?? "",
  };
}

/** What is left out counts as what was expected, at first. */
function refuseOtherType(apiVersion: string, kind: string, version: ReviewVersion): void {
  const expected = `admission.k8s.io/${version}`;
  const found = `${apiVersion || expected} ${kind || "AdmissionReview"}`;
  if (found === `${expected} AdmissionReview`) return;
  const known = /^(?:admission\.k8s\.io\/)?(v1|v1beta1) (AdmissionReview|Status)$/.exec(found);
  if (known === null || (known[2] === "Status") !== !apiVersion.includes("/")) {
    throw unusable(
      `no kind ${JSON.stringify(kind || "AdmissionReview")} is registered for version ` +
        `${JSON.stringify(apiVersion || expected)} in scheme "pkg/runtime/scheme.go:110"`,
    );
  }
  const [, from = "", what = ""] = known;
  throw unusable(
    `converting (${from}.${what}) to (${version}.AdmissionReview): unknown conversion`,
  );
}

/** Path of a field, its Go struct, and the Go type that it must have. */
type Typed = readonly [path: string, struct: string, json: string, go: string];

const fields: readonly Typed[] = [
  ["response", "AdmissionReview", "object", "AdmissionResponse"],
  ["response.uid", "AdmissionResponse", "string", "types.UID"],
  ["response.allowed", "AdmissionResponse", "bool", "bool"],
  ["response.warnings", "AdmissionResponse", "array", "[]string"],
  ["response.auditAnnotations", "AdmissionResponse", "object", "map[string]string"],
  ["response.patch", "AdmissionResponse", "string", "[]uint8"],
  ["response.patchType", "AdmissionResponse", "string", "PatchType"],
  ["response.status", "AdmissionResponse", "object", "v1.Status"],
  ["response.status.message", "Status", "string", "string"],
  ["response.status.reason", "Status", "string", "v1.StatusReason"],
  ["response.status.code", "Status", "number", "int32"],
];

function refuseWrongTypes(review: unknown, version: ReviewVersion): void {
  for (const [path, struct, json, go] of fields) {
    const value = path.split(".").reduce<unknown>((inner, key) => getOwn(inner, key), review);
    if (value === undefined || value === null || goKind(value) === json) continue;
    const type = /^[AP]/.test(go) ? `${version}.${go}` : go;
    throw unusable(
      `json: cannot unmarshal ${goKind(value)} into Go struct field ${struct}.${path} of type ${type}`,
    );
  }
}

function refusePatch(patch: string): void {
  const wrong = patch.search(/[^\w+/=]|_/);
  if (wrong >= 0) throw unusable(`illegal base64 data at input byte ${wrong}`);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

interface Failed {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

const words: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** The message: that of a Status in the body, else one for the number, with the body's text where it helps. */
function statusFailure({ status, contentType, body }: Failed): string {
  const told = statusMessage(body);
  if (told !== undefined) return told;
  const known = words[status];
  if (known !== undefined) return known;
  const isText = contentType === undefined || contentType.startsWith("text/");
  const said = isText ? body.slice(0, 2048).trim() : "unknown";
  if (status === 403 || status === 415) return said;
  if (status === 406) return notAcceptable(said);
  return status >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}

function notAcceptable(said: string): string {
  return said === "" || said === "unknown"
    ? "the server was unable to respond with a content type that the client supports"
    : said;
}

function statusMessage(body: string): string | undefined {
  const status = parseJson(body);
  const isFailure =
    getOwn(status, "kind") === "Status" &&
    ["v1", undefined].includes(asString(getOwn(status, "apiVersion"))) &&
    getOwn(status, "status") === "Failure";
  return isFailure ? (asString(getOwn(status, "message")) ?? "") : undefined;
}

/** Yes or no, with what is to be shown to the writer. */
export interface AdmissionVerdict {
  readonly warnings: readonly string[];
  readonly refusal: ApiError | undefined;
}

/** Reads the answer to the review of that mark; throws CallFailure when it is none. */
export function readVerdict(entry: string, reply: Reply, mark: Mark): AdmissionVerdict {
  const response = readResponse(reply, mark);
  const allowed = getOwn(response, "allowed") === true;
  return {
    warnings: asArray(getOwn(response, "warnings")).map(String),
    refusal: allowed ? undefined : denial(entry, getOwn(response, "status")),
  };
}

/** A Status of the webhook's choice, but never one that could be taken for a success. */
function denial(entry: string, status: unknown): ApiError {
  const denied = `admission webhook ${JSON.stringify(entry)} denied the request`;
  const reason = asString(getOwn(status, "reason"));
  const why = asString(getOwn(status, "message")) ?? reason;
  const code = getOwn(status, "code");
  const details = getOwn(status, "details");
  return new ApiError(why === undefined ? `${denied} without explanation` : `${denied}: ${why}`, {
    status: typeof code === "number" && code >= 400 ? code : 400,
    ...(reason !== undefined && { reason }),
    causes: asArray(getOwn(details, "causes")).filter(isObject).map(readCause),
  });
}

function readCause(cause: object): StatusCause {
  const part = (key: keyof StatusCause): StatusCause => {
    const value = asString(getOwn(cause, key));
    return value === undefined ? {} : { [key]: value };
  };
  return { ...part("reason"), ...part("field"), ...part("message") };
}

/** The refusal of a dry run that a webhook might take for a real write. */
export function dryRunUnsupported(entry: string): ApiError {
  const message = `admission webhook ${JSON.stringify(entry)} does not support dry run`;
  return new ApiError(message, { status: 400, reason: "BadRequest" });
}

/** Versions of AdmissionReview that the API server speaks. */
type ReviewVersion = "v1" | "v1beta1";

/** The first version of the entry's list that the API server speaks. */
export function chooseReviewVersion(accepted: readonly string[]): ReviewVersion | undefined {
  return accepted.find((version): version is ReviewVersion => /^v1(beta1)?$/.test(version));
}

/** How the review is marked. */
export interface Mark {
  readonly uid: string;
  readonly version: ReviewVersion;
}

/** The review of a write, as the API server words it. */
export function reviewFor(attempt: Attempt, { resource }: Invocation, mark: Mark): Json {
  const { definition, name, namespace, user } = attempt;
  const place = isNamespace(attempt) ? name : namespace;
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${mark.version}`,
    request: {
      uid: mark.uid,
      kind: renderKind(resource),
      resource: renderResource(resource),
      requestKind: renderKind(definition.resource),
      requestResource: renderResource(definition.resource),
      ...(name !== "" && { name }),
      ...(place !== undefined && { namespace: place }),
      operation: attempt.operation,
      userInfo: { username: user.name, ...(user.groups.length > 0 && { groups: user.groups }) },
      object: inVersion(attempt.object, resource),
      oldObject: inVersion(attempt.before, resource),
      dryRun: attempt.dryRun,
      options: { ...attempt.options, apiVersion: "meta.k8s.io/v1" },
    },
  };
}

function renderKind({ group, version, kind }: Resource): Json {
  return { group, version, kind };
}

function renderResource({ group, version, plural }: Resource): Json {
  return { group, version, resource: plural };
}

/** Versions differ in their name alone: conversion by a webhook is not a part of the rehearsal. */
function inVersion(object: KubeObject | undefined, resource: Resource): KubeObject | null {
  if (object === undefined) return null;
  const { group, version } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { ...object, apiVersion, kind: resource.kind };
}
