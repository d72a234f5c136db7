/** What other objects take of the rules: the schema of a database's kind, and the webhook's match conditions. */
import type { Names } from "../../domain/names/names";
import { findFields } from "../../domain/rules/fields";
import type { Edit, Rule, RuleOptions } from "../../domain/rules/types";
import type { FieldPath } from "../../domain/base/values";
import { all, any, literal, valueAt } from "./cel";
import { kinds } from "./variables";
import { formAdvice, mayBeVersion } from "./rules";

/** One change of a JSON patch (RFC 6902). */
export interface PatchOperation {
  readonly op: "add" | "test";
  readonly path: string;
  readonly value: unknown;
}

/** What of each rule a schema can hold, or why it holds nothing of it. */
export const rulesInSchema: Readonly<Record<Rule["id"], "form" | { readonly without: string }>> = {
  R1: "form",
  R2: { without: "it rests on the cluster and on the running version, which no schema sees" },
  R3: {
    without: "modules rest on the cluster, and unchanged ones would be checked again with others",
  },
};

/**
 * The form of an engineVersion as a rule of the kind's schema, at the place where definitions have
 * it. The API server does not judge it again while it is unchanged (Kubernetes 1.30 and later).
 */
export function schemaPatch(kind: Edit["kind"], options: RuleOptions): readonly PatchOperation[] {
  const { names } = options;
  if (options.rules.version !== "deny") return [];
  const subject = { kind, options };
  const rule = {
    rule: all("type(self) == string", mayBeVersion("self", subject)),
    message: `Unsupported value: ${formAdvice(subject)} [R1]`,
  };
  const properties = findFields(kind, names).engineVersion.flatMap((key) => ["properties", key]);
  const schema = ["schema", "openAPIV3Schema", ...properties, "x-kubernetes-validations"];
  return [
    { op: "test", path: pointer("spec", "versions", "0", "name"), value: names.version },
    { op: "add", path: pointer("spec", "versions", "0", ...schema), value: [rule] },
  ];
}

/** Conditions of the webhook's one entry: reviews of edits that no rule looks at are not sent. */
export function matchConditionsPatch(options: RuleOptions): readonly PatchOperation[] {
  const { names } = options;
  return [
    { op: "test", path: "/webhooks/0/name", value: names.webhook.entry },
    { op: "add", path: "/webhooks/0/matchConditions", value: matchConditions(names) },
  ];
}

function matchConditions(names: Names) {
  const isDeleted = (object: string) => `has(${object}.metadata.deletionTimestamp)`;
  return [
    {
      name: "is-a-database",
      expression: `request.resource.resource in ${literal(kinds.map((kind) => names[kind].plural))}`,
    },
    {
      name: "is-not-being-deleted",
      expression: `object != null && !${isDeleted("object")} && (oldObject == null || !${isDeleted("oldObject")})`,
    },
    {
      name: "changes-what-is-judged",
      expression: any("oldObject == null", ...listChanges(names)),
    },
  ];
}

/** True where a place of either kind has another value; of what holds these, where that is no object. */
function listChanges(names: Names): readonly string[] {
  const changes = kinds.flatMap((kind) => {
    const { engineVersions, moduleLists, shapes } = findFields(kind, names);
    return [
      ...[...engineVersions, ...moduleLists].map(isChanged),
      ...shapes.map(({ path, wanted }) => {
        const type = wanted === "an object" ? "map" : "string";
        return all(isChanged(path), `type(${valueAt("object", path)}) != ${type}`);
      }),
    ];
  });
  return [...new Set(changes)];
}

function isChanged(path: FieldPath): string {
  return `${valueAt("object", path)} != ${valueAt("oldObject", path)}`;
}

function pointer(...keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
