/** JSON patches (RFC 6902) with the leniency of the API server's own implementation. */
import { applyPatch, type Operation } from "rfc6902";
import { ApiError } from "../../domain/errors";
import type { KubeObject } from "../../domain/objects";
import { isObject, own, text } from "../../domain/values";
import { badRequest } from "./answers";

/** The object after all operations; 422 when one of them does not fit. */
export function jsonPatch(object: KubeObject, body: unknown): KubeObject {
  if (!Array.isArray(body)) {
    const found = isObject(body) ? "object" : typeof body;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  const target = structuredClone(object);
  for (const operation of body as readonly unknown[]) applyOne(target, operation);
  return target;
}

function applyOne(target: KubeObject, operation: unknown): void {
  let failure: unknown;
  try {
    [failure] = applyPatch(target, [lenient(operation, target)]);
  } catch (error) {
    failure = error; // a path that is none
  }
  if (failure === null || failure === undefined) return;
  throw new ApiError(
    "the server rejected our request due to an error in our request",
    { status: 422, reason: "Invalid" },
    { cause: failure },
  );
}

/** A field of a map that is not there counts as null: it may be replaced, copied and tested. */
function lenient(operation: unknown, target: unknown): Operation {
  const given = operation as Operation;
  const op = own(operation, "op");
  const subject = text(own(operation, op === "copy" ? "from" : "path"));
  if (subject === undefined || !isOpen(subject, target)) return given;
  const path = own(operation, "path") as string;
  if (op === "replace") return { ...(operation as Operation), op: "add" } as Operation;
  if (op === "copy") return { op: "add", path, value: null };
  // what is not there passes a test for null
  if (op === "test" && own(operation, "value") === null)
    return { op: "test", path: "", value: target };
  return given;
}

/** True for a field that its map does not have. */
function isOpen(path: string, target: unknown): boolean {
  const steps = path.split("/").slice(1).map(unescaped);
  const parent = steps.slice(0, -1).reduce<unknown>((value, step) => stepInto(value, step), target);
  return isObject(parent) && !Object.hasOwn(parent, steps.at(-1) ?? "");
}

function stepInto(value: unknown, step: string): unknown {
  return Array.isArray(value) ? (value as readonly unknown[])[Number(step)] : own(value, step);
}

function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
