/** Label and field selectors as a query writes them. */
import type { KubeObject } from "../../domain/objects";
import { own } from "../../domain/values";
import type { KindDefinition } from "../model";
import { badRequest } from "./answers";
import { parseLabelSelector } from "./label-selector";

/** True for the objects that a list or watch is about. */
export type Selects = (object: KubeObject) => boolean;

/** Both selectors of a request as one; throws 400 for what cannot be read. */
export function selectorOf(
  query: { readonly labelSelector?: string; readonly fieldSelector?: string },
  definition: KindDefinition,
): Selects {
  const labels = parseLabelSelector(query.labelSelector ?? "");
  const fields = fieldTerms(query.fieldSelector ?? "");
  for (const { field } of fields) requireKnown(field, definition);
  return (object) =>
    labels(object.metadata.labels ?? {}) && fields.every((term) => holds(term, object));
}

/** The name that a field selector asks for: access is judged by it. */
export function selectedName(fieldSelector: string | undefined): string | undefined {
  const terms = termsIn(fieldSelector ?? "");
  return terms.find((term) => term?.field === "metadata.name" && term.equal)?.value;
}

interface FieldTerm {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

function fieldTerms(selector: string): readonly FieldTerm[] {
  return termsIn(selector).map((term, at) => {
    if (term !== undefined) return term;
    const part = partsOf(selector)[at] ?? "";
    throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
  });
}

function termsIn(selector: string): readonly (FieldTerm | undefined)[] {
  return partsOf(selector).map((part) => {
    const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(part) ?? [];
    if (field === undefined || value === undefined) return undefined;
    return { field, equal: operator !== "!=", value };
  });
}

function partsOf(selector: string): readonly string[] {
  return selector.split(",").filter((part) => part !== "");
}

function requireKnown(field: string, { custom }: KindDefinition): void {
  if (field === "metadata.name" || field === "metadata.namespace") return;
  throw badRequest(
    custom
      ? `field label not supported: ${field}`
      : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

function holds({ field, equal, value }: FieldTerm, { metadata }: KubeObject): boolean {
  const held = own(metadata, field.slice("metadata.".length)) ?? "";
  return (held === value) === equal;
}
