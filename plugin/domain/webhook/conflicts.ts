/** Whether a server-side apply may take fields from those who hold them (cli contract). */
import type { StatusCause } from "../errors";
import type { Finding } from "../findings";
import { isPersonsManager } from "../owners";

/** Force when only a person's own kubectl or oc holds the fields; else the findings say who does. */
export type ConflictVerdict =
  { readonly is: "force" } | { readonly is: "refuse"; readonly findings: readonly Finding[] };

/** What the verdict rests on. */
export interface ConflictFacts {
  readonly causes: readonly StatusCause[];
  readonly object: string;
  /** Managers that count as this tool's own. */
  readonly ours: readonly string[];
  /** Fields that the person has said to take, as the conflict names them. */
  readonly takeFields: readonly string[];
}

/** Judges the causes of a 409 of a server-side apply. */
export function judgeConflict(facts: ConflictFacts): ConflictVerdict {
  const held = heldOf(facts.causes);
  const foreign = held.filter(
    ({ field, manager }) =>
      !isPersonsManager(manager, facts.ours) && !takes(facts.takeFields, field),
  );
  if (held.length > 0 && foreign.length === 0) return { is: "force" };
  const named = foreign.length > 0 ? foreign : [{ field: "", manager: "" }];
  return {
    is: "refuse",
    findings: named.map(({ field, manager }) => ({
      code: "FIELD-CONFLICT",
      severity: "error",
      object: facts.object,
      ...(field !== "" && { field }),
      cause: `the field is held by ${manager === "" ? "another manager" : `manager "${manager}"`}, which may write it again`,
      fix:
        field === ""
          ? "see who writes the object: kubectl get -o yaml --show-managed-fields"
          : `have that manager change it, or take the field with --take-fields '${field}'`,
      source: "S18",
    })),
  };
}

/** A field that somebody else holds, and that an apply would change. */
export interface Held {
  readonly field: string;
  readonly manager: string;
}

/** The fields and managers of a 409, which names the manager in the message alone: `conflict with "NAME" using …`. */
export function heldOf(causes: readonly StatusCause[]): readonly Held[] {
  return causes.map(({ field = "", message = "" }) => ({
    field,
    manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? "",
  }));
}

/** True for a field that --take-fields names: the API server writes a dot before it. */
export function takes(takeFields: readonly string[], field: string): boolean {
  return takeFields.some((wanted) => bareField(wanted) === bareField(field));
}

function bareField(field: string): string {
  return field.replace(/^\./, "");
}
