/** What may stand against a write once it is known what it would store. */
import type { Attempt } from "../model";
import { optionsOf, type Plane, type WriteRequest } from "./request";

/** Escalation, then the admission; its warnings go to who asked. */
export async function judge(
  { parts, store: state }: Plane,
  request: WriteRequest,
  { operation, object, before }: Pick<Attempt, "operation" | "object" | "before">,
): Promise<void> {
  const { definition, name, namespace, user, options } = request;
  const kinds = {
    CREATE: "CreateOptions",
    UPDATE: "UpdateOptions",
    DELETE: "DeleteOptions",
  } as const;
  const attempt: Attempt = {
    operation,
    definition,
    name,
    namespace,
    object,
    before,
    user,
    dryRun: options.dryRun === true,
    options: optionsOf(kinds[operation], request),
    signal: options.signal,
  };
  if (operation !== "DELETE") parts.access.refuseEscalation(attempt, state);
  for (const warning of await parts.admission.admit(attempt, state)) options.onWarning?.(warning);
}
