/** Which requests a webhook is called for: what is wrong with one such rule. */
import { list, own } from "../../../domain/values";
import { type FieldError, invalid, required, unsupported } from "../refusal";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];

/** What is wrong with a rule, in the API server's order. */
export function webhookRuleErrors(rule: unknown, field: string): readonly FieldError[] {
  const of = (key: string): readonly string[] => list(own(rule, key)).map(String);
  const scope = own(rule, "scope");
  return [
    ...listErrors(of("operations"), `${field}.operations`, "operations"),
    ...of("operations").flatMap((operation, index) =>
      operations.includes(operation)
        ? []
        : [unsupported(`${field}.operations[${index}]`, operation, operations)],
    ),
    ...listErrors(of("apiGroups"), `${field}.apiGroups`, "API groups"),
    ...listErrors(of("apiVersions"), `${field}.apiVersions`, "API versions"),
    ...emptyErrors(of("apiVersions"), `${field}.apiVersions`),
    ...resourceErrors(of("resources"), `${field}.resources`),
    ...(scope === undefined || scopes.some((known) => known === scope)
      ? []
      : [unsupported(`${field}.scope`, scope, scopes)]),
  ];
}

function listErrors(values: readonly string[], field: string, what: string): readonly FieldError[] {
  if (values.length === 0) return [required(field)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
}

function emptyErrors(values: readonly string[], field: string): readonly FieldError[] {
  return values.flatMap((value, index) => (value === "" ? [required(`${field}[${index}]`)] : []));
}

function resourceErrors(resources: readonly string[], field: string): readonly FieldError[] {
  if (resources.length === 0) return [required(field)];
  const all = resources.length > 1 && resources.includes("*/*");
  const plain = resources.some((name) => name !== "*" && name !== "" && !name.includes("/"));
  return [
    ...resources.flatMap((name, index) =>
      shadowed(name, resources.slice(0, index)).map((why) =>
        why === "" ? required(`${field}[${index}]`) : invalid(`${field}[${index}]`, name, why),
      ),
    ),
    ...(all
      ? [invalid(field, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(plain && resources.includes("*")
      ? [
          invalid(
            field,
            resources,
            "if '*' is present, must not specify other resources without subresources",
          ),
        ]
      : []),
  ];
}

/** Why a resource may not stand after the earlier ones; an empty text for an empty name. */
function shadowed(name: string, earlier: readonly string[]): readonly string[] {
  if (name === "") return [""];
  const slash = name.indexOf("/");
  if (slash < 0) return [];
  const [resource, sub] = [name.slice(0, slash), name.slice(slash + 1)];
  return [`${resource}/*`, `*/${sub}`]
    .filter((wide) => earlier.includes(wide))
    .map((wide) => `if '${wide}' is present, must not specify ${name}`);
}
