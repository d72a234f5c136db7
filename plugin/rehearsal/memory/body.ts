/** Request bodies as they arrive: a copy of what was sent, no larger than allowed. */
import { invalid, tooLarge } from "./answers";

const mostBytes = 3 * 1024 * 1024;
const mostManagerBytes = 128;

/** What was sent, as JSON carries it; 413 for too much of it. */
export function bodyOf(sent: unknown): unknown {
  const body = JSON.stringify(sent ?? null);
  if (Buffer.byteLength(body) > mostBytes) throw tooLarge(mostBytes);
  return JSON.parse(body);
}

/** The options of a write are valid; an apply names its manager. */
export function requireManager(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  manager: string | undefined,
  apply?: "apply",
): void {
  const subject = `${kind}.meta.k8s.io`;
  if (apply !== undefined && (manager ?? "") === "") {
    const message = "Required value: is required for apply patch";
    throw invalid(subject, "", [{ is: "Required", field: "fieldManager", message }]);
  }
  if (Buffer.byteLength(manager ?? "") > mostManagerBytes) {
    const message = `Too long: may not be more than ${mostManagerBytes} bytes`;
    throw invalid(subject, "", [{ is: "TooLong", field: "fieldManager", message }]);
  }
}
