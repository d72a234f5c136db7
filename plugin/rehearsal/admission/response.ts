/** Reads the body of a webhook's answer as strictly, and complains in the same words, as the API server. */
import { isObject, type Json, own, parseJson, text } from "../../domain/values";
import { CallFailure } from "./failure";
import type { Mark, ReviewVersion } from "./review";
import { statusFailure } from "./status-failure";

/** An HTTP answer. */
export interface Reply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: number | undefined;
  readonly body: string;
}

/** The `response` of the review that was answered; throws CallFailure. */
export function responseOf(reply: Reply, { uid, version }: Mark): Json {
  const review = decoded(reply, version);
  const response = own(review, "response");
  if (!isObject(response)) throw invalid("webhook response was absent");
  // Only the newer version promises that the answer says what it is.
  if (version === "v1beta1") return response;
  const answered = text(own(response, "uid")) ?? "";
  if (answered !== uid) {
    const got = JSON.stringify(answered);
    throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${got}`);
  }
  const { apiVersion, kind } = typeOf(review);
  if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview") {
    const expected = "admission.k8s.io/v1, Kind=AdmissionReview";
    const got = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
    throw invalid(`expected webhook response of ${expected}, got ${got}`);
  }
  for (const key of ["patch", "patchType"]) {
    if (text(own(response, key)) !== undefined) {
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

function decoded(reply: Reply, version: ReviewVersion): unknown {
  const { status, body, contentType = "application/json" } = reply;
  if (status < 200 || status > 206) throw unusable(statusFailure(reply));
  if (body === "") {
    const what = `status code: ${status} and content type: ${contentType}`;
    throw unusable(`0-length response with ${what}`);
  }
  const review = parsed(body);
  const { apiVersion, kind } = typeOf(review);
  refuseOtherType(apiVersion, kind, version);
  refuseWrongTypes(review, version);
  return review;
}

const goStruct =
  String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; ` +
  String.raw`Kind string "json:\"kind,omitempty\"" }`;

/** What is no JSON object is read as YAML there, in which any text is a string. */
function parsed(body: string): unknown {
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

function typeOf(value: unknown): { readonly apiVersion: string; readonly kind: string } {
  return {
    apiVersion: text(own(value, "apiVersion")) ?? "",
    kind: text(own(value, "kind")) ?? "",
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
  ["response.patchType", "AdmissionResponse", "string", "PatchType"],
  ["response.status", "AdmissionResponse", "object", "v1.Status"],
  ["response.status.message", "Status", "string", "string"],
  ["response.status.reason", "Status", "string", "v1.StatusReason"],
  ["response.status.code", "Status", "number", "int32"],
];

function refuseWrongTypes(review: unknown, version: ReviewVersion): void {
  for (const [path, struct, json, go] of fields) {
    const value = path.split(".").reduce<unknown>((inner, key) => own(inner, key), review);
    if (value === undefined || value === null || goKind(value) === json) continue;
    const type = /^[AP]/.test(go) ? `${version}.${go}` : go;
    throw unusable(
      `json: cannot unmarshal ${goKind(value)} into Go struct field ${struct}.${path} of type ${type}`,
    );
  }
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
