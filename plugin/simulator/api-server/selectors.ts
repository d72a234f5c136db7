/** Label and field selectors as a query writes them. */
import type { KubeObject } from "../../domain/kube/objects";
import { getOwn } from "../../domain/base/values";
import type { KindDefinition } from "../model";
import { badRequest } from "./answers";
import { meets, type Requirement as Wish } from "../../domain/kube/selectors";
import { labelValueRule, qualifiedRule } from "../kinds/names";

/** True for the objects that a list or watch is about. */
export type Selects = (object: KubeObject) => boolean;

/** Both selectors of a request as one; throws 400 for what cannot be read. */
export function parseSelectors(
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
export function readSelectedName(fieldSelector: string | undefined): string | undefined {
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
    const part = splitParts(selector)[at] ?? "";
    throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
  });
}

function termsIn(selector: string): readonly (FieldTerm | undefined)[] {
  return splitParts(selector).map((part) => {
    const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(part) ?? [];
    if (field === undefined || value === undefined) return undefined;
    return { field, equal: operator !== "!=", value };
  });
}

function splitParts(selector: string): readonly string[] {
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
  const held = getOwn(metadata, field.slice("metadata.".length)) ?? "";
  return (held === value) === equal;
}

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

const requireLabels =
  (wish: Wish): Requirement =>
  (labels) =>
    meets(wish, labels);

const symbols = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
const words = ["in", "notin"];
const comparisons = ["=", "==", "!=", ">", "<", ...words];

/** Whether labels meet a selector; throws 400 in the API server's words for a bad one. */
export function parseLabelSelector(selector: string): (labels: Labels) => boolean {
  const requirements = new Parser(splitTokens(selector)).requirements();
  return (labels) => requirements.every((requirement) => requirement(labels));
}

function splitTokens(selector: string): readonly string[] {
  return selector.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
}

class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  requirements(): readonly Requirement[] {
    const found: Requirement[] = [];
    if (this.tokens.length === 0) return found;
    for (;;) {
      if (this.peek() !== "!" && !isIdentifier(this.peek())) {
        throw refuseToken(this.peek(), "!, identifier, or 'end of string'");
      }
      found.push(this.requirement());
      if (this.peek() === "") return found;
      if (this.peek() !== ",") throw refuseToken(this.peek(), "',' or 'end of string'");
      this.take();
      if (this.peek() !== "!" && !isIdentifier(this.peek())) {
        throw refuseToken(this.peek(), "identifier after ','");
      }
    }
  }

  private peek(): string {
    return this.tokens[this.at] ?? "";
  }

  private take(): string {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  private requirement(): Requirement {
    const negated = this.peek() === "!";
    if (negated) this.take();
    const key = this.take();
    if (!isIdentifier(key)) throw unparsable(key, "identifier");
    requireLabelKey(key);
    if (negated) return requireLabels({ key, operator: "DoesNotExist", values: [] });
    if (this.peek() === "" || this.peek() === ",")
      return requireLabels({ key, operator: "Exists", values: [] });
    return this.comparison(key);
  }

  private comparison(key: string): Requirement {
    const operator = this.take();
    if (!comparisons.includes(operator)) {
      throw unparsable(operator, "in, notin, =, ==, !=, gt, lt");
    }
    const values = words.includes(operator) ? this.list() : [this.value()];
    values.forEach((value, index) => {
      requireLabelValue(key, value, index);
    });
    if (operator === ">" || operator === "<") return requireOrder(key, operator, values.join());
    const negative = operator === "!=" || operator === "notin";
    return requireLabels({ key, operator: negative ? "NotIn" : "In", values });
  }

  private value(): string {
    if (this.peek() === "" || this.peek() === ",") return "";
    const value = this.take();
    if (symbols.includes(value)) throw unparsable(value, "identifier");
    return value;
  }

  private list(): readonly string[] {
    const opening = this.take();
    if (opening !== "(") throw badRequest(`${unable}found '${opening}' expected: '('`);
    if (this.peek() === ")") {
      this.take();
      return [""];
    }
    const values: string[] = [];
    for (;;) {
      values.push(this.value());
      const next = this.take();
      if (next === ")") return values;
      if (next !== ",") throw unparsable(next, "',' or ')'");
    }
  }
}

function isIdentifier(token: string): boolean {
  return token !== "" && !symbols.includes(token);
}

const unable = "unable to parse requirement: ";

function refuseToken(found: string, expected: string): Error {
  return badRequest(`found '${found}', expected: ${expected}`);
}

function unparsable(found: string, expected: string): Error {
  return badRequest(`${unable}found '${found}', expected: ${expected}`);
}

function requireOrder(key: string, operator: ">" | "<", wanted: string): Requirement {
  if (!/^[-+]?\d+$/.test(wanted)) {
    const why = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw badRequest(`${unable}values[0]: Invalid value: "${wanted}": ${why}`);
  }
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? (labels[key] ?? "") : "";
    if (!/^[-+]?\d+$/.test(value)) return false;
    return operator === ">" ? Number(value) > Number(wanted) : Number(value) < Number(wanted);
  };
}

function requireLabelKey(key: string): void {
  const broken = qualifiedRule(key);
  if (broken.length === 0) return;
  throw badRequest(`${unable}<nil>: Invalid value: "${key}": ${broken.join("; ")}`);
}

function requireLabelValue(key: string, value: string, index: number): void {
  const broken = labelValueRule(value);
  if (broken.length === 0) return;
  const where = `values[${index}][${key}]`;
  throw badRequest(`${unable}${where}: Invalid value: "${value}": ${broken.join("; ")}`);
}
