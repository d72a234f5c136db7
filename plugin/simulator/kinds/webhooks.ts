/** What is wrong with a webhook configuration, in the API server's order and words. */
import type { KubeObject } from "../../ports/kubernetes";
import { asArray, getOwn, asString } from "../../domain/base/values";
import { selectorErrors } from "./metadata";
import { oldLabelRule, subdomainRule } from "./names";
import { breaches, choice, duplicate, type FieldError, invalid, required } from "./refusal";

const reviewVersions = ["v1", "v1beta1"];
const sideEffects = ["None", "NoneOnDryRun"];

/** Everything wrong with a configuration. */
export function configurationErrors(object: KubeObject): readonly FieldError[] {
  const webhooks = asArray(object["webhooks"]);
  const names = webhooks.map((webhook) => asString(getOwn(webhook, "name")));
  return webhooks.flatMap((webhook, index) => {
    const field = `webhooks[${index}]`;
    const name = names[index];
    const isRepeated = name !== undefined && names.indexOf(name) < index;
    return [
      ...webhookErrors(webhook, field),
      ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
    ];
  });
}

function webhookErrors(webhook: unknown, field: string): readonly FieldError[] {
  const checkChoice = (key: string, values: readonly string[]): readonly FieldError[] =>
    choice(`${field}.${key}`, getOwn(webhook, key), values);
  return [
    ...nameErrors(getOwn(webhook, "name"), `${field}.name`),
    ...asArray(getOwn(webhook, "rules")).flatMap((rule, index) =>
      ruleErrors(rule, `${field}.rules[${index}]`),
    ),
    ...checkChoice("failurePolicy", ["Fail", "Ignore"]),
    ...checkChoice("matchPolicy", ["Equivalent", "Exact"]),
    ...(getOwn(webhook, "sideEffects") === undefined
      ? [required(`${field}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`)]
      : checkChoice("sideEffects", sideEffects)),
    ...timeoutErrors(getOwn(webhook, "timeoutSeconds"), `${field}.timeoutSeconds`),
    ...selectorErrors(getOwn(webhook, "namespaceSelector"), `${field}.namespaceSelector`),
    ...selectorErrors(getOwn(webhook, "objectSelector"), `${field}.objectSelector`),
    ...clientConfigErrors(getOwn(webhook, "clientConfig"), `${field}.clientConfig`),
    ...checkChoice("reinvocationPolicy", ["IfNeeded", "Never"]),
    // whether an expression compiles is beyond what is checked here
    ...asArray(getOwn(webhook, "matchConditions")).flatMap((condition, index) =>
      ["expression", "name"]
        .filter((key) => asString(getOwn(condition, key)) === undefined)
        .map((key) => required(`${field}.matchConditions[${index}].${key}`)),
    ),
    ...versionErrors(
      getOwn(webhook, "admissionReviewVersions"),
      `${field}.admissionReviewVersions`,
    ),
  ];
}

function nameErrors(value: unknown, field: string): readonly FieldError[] {
  const name = asString(value);
  if (name === undefined) return [required(field)];
  const wrong = subdomainRule(name);
  if (wrong.length > 0) return [invalid(field, name, wrong.join(","))];
  if (name.split(".").length >= 3) return [];
  return [
    invalid(field, name, "should be a domain with at least three segments separated by dots"),
  ];
}

function timeoutErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== "number" || (value >= 1 && value <= 30)) return [];
  return [invalid(field, value, "the timeout value must be between 1 and 30 seconds")];
}

function versionErrors(value: unknown, field: string): readonly FieldError[] {
  const versions = asArray(value).map(String);
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [required(field, `must specify one of ${known}`)];
  const wrong = versions.flatMap((version, index) => {
    const at = `${field}[${index}]`;
    if (versions.indexOf(version) < index) return [invalid(at, version, "duplicate version")];
    return breaches(at, version, oldLabelRule);
  });
  if (versions.some((version) => reviewVersions.includes(version))) return wrong;
  return [...wrong, invalid(field, versions, `must include at least one of ${known}`)];
}

/** What is wrong with a rule that says which requests a webhook is called for. */
function ruleErrors(rule: unknown, field: string): readonly FieldError[] {
  const of = (key: string): readonly string[] => asArray(getOwn(rule, key)).map(String);
  const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
  return [
    ...listErrors(of("operations"), `${field}.operations`, "operations"),
    ...of("operations").flatMap((operation, index) =>
      choice(`${field}.operations[${index}]`, operation, operations),
    ),
    ...listErrors(of("apiGroups"), `${field}.apiGroups`, "API groups"),
    ...listErrors(of("apiVersions"), `${field}.apiVersions`, "API versions"),
    ...of("apiVersions").flatMap((version, index) =>
      version === "" ? [required(`${field}.apiVersions[${index}]`)] : [],
    ),
    ...resourceErrors(of("resources"), `${field}.resources`),
    ...choice(`${field}.scope`, getOwn(rule, "scope"), ["*", "Cluster", "Namespaced"]),
  ];
}

function listErrors(values: readonly string[], field: string, what: string): readonly FieldError[] {
  if (values.length === 0) return [required(field)];
  if (values.length === 1 || !values.includes("*")) return [];
  return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
}

function resourceErrors(resources: readonly string[], field: string): readonly FieldError[] {
  if (resources.length === 0) return [required(field)];
  const plain = resources.some((name) => name !== "*" && name !== "" && !name.includes("/"));
  const clashes = [
    ...(resources.length > 1 && resources.includes("*/*") ? ["'*/*'|other resources"] : []),
    ...(plain && resources.includes("*") ? ["'*'|other resources without subresources"] : []),
  ].map((pair) => pair.split("|"));
  return [
    ...resources.flatMap((name, index) =>
      name === ""
        ? [required(`${field}[${index}]`)]
        : findShadowed(name, resources.slice(0, index)).map((why) =>
            invalid(`${field}[${index}]`, name, why),
          ),
    ),
    ...clashes.map(([wide = "", others = ""]) =>
      invalid(field, resources, `if ${wide} is present, must not specify ${others}`),
    ),
  ];
}

/** Why a resource may not stand after the earlier ones. */
function findShadowed(name: string, earlier: readonly string[]): readonly string[] {
  const slash = name.indexOf("/");
  if (slash < 0) return [];
  const [resource, sub] = [name.slice(0, slash), name.slice(slash + 1)];
  return [`${resource}/*`, `*/${sub}`]
    .filter((wide) => earlier.includes(wide))
    .map((wide) => `if '${wide}' is present, must not specify ${name}`);
}

const form = "desired format: https://host[/path]";

/** A webhook is reached by a URL or a Service. */
function clientConfigErrors(config: unknown, field: string): readonly FieldError[] {
  const url = getOwn(config, "url");
  const service = getOwn(config, "service");
  if ((url === undefined) === (service === undefined)) {
    return [required(field, "exactly one of url or service is required")];
  }
  return url === undefined
    ? serviceErrors(service, `${field}.service`)
    : urlErrors(asString(url) ?? "", `${field}.url`);
}

function urlErrors(url: string, field: string): readonly FieldError[] {
  if (url.startsWith(":")) {
    const why = `parse ${JSON.stringify(url)}: missing protocol scheme`;
    return [required(field, `url must be a valid URL: ${why}; ${form}`)];
  }
  const parts = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/i;
  const [, scheme = "", authority = "", , query = "", fragment = ""] = parts.exec(url) ?? [];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : "";
  const host = user === "" ? authority : authority.slice(user.length + 1);
  const rules: readonly (readonly [wrong: boolean, value: string, why: string])[] = [
    [scheme !== "https", scheme, `'https' is the only allowed URL scheme; ${form}`],
    [host === "", host, `host must be specified; ${form}`],
    [user !== "", user, "user information is not permitted in the URL"],
    [fragment !== "", fragment, "fragments are not permitted in the URL"],
    [query !== "", query, "query parameters are not permitted in the URL"],
  ];
  return rules.flatMap(([wrong, value, why]) => (wrong ? [invalid(field, value, why)] : []));
}

function serviceErrors(service: unknown, field: string): readonly FieldError[] {
  const port = getOwn(service, "port");
  const isPort = typeof port === "number" && port >= 1 && port <= 65535;
  const why = "port is not valid: must be between 1 and 65535, inclusive";
  // The API server takes the two for each other, and so names the wrong one.
  const [missingName, missingNamespace] = [`${field}.namespace`, `${field}.name`];
  return [
    ...(asString(getOwn(service, "namespace")) === undefined ? [required(missingNamespace)] : []),
    ...(asString(getOwn(service, "name")) === undefined ? [required(missingName)] : []),
    ...(isPort ? [] : [invalid(`${field}.port`, port, why)]),
    ...pathErrors(getOwn(service, "path"), `${field}.path`),
  ];
}

function pathErrors(value: unknown, field: string): readonly FieldError[] {
  const path = asString(value) ?? "/";
  if (path === "/") return [];
  if (path === "//") return [invalid(field, path, "segment[0] may not be empty")];
  const start = path.startsWith("/") ? [] : [invalid(field, path, "must start with a '/'")];
  const segments = path.slice(1).replace(/\/$/, "").split("/");
  const wrong = segments.flatMap((segment, index) => {
    if (segment === "") return [invalid(field, path, `segment[${index}] may not be empty`)];
    return subdomainRule(segment).map((why) => invalid(field, path, `segment[${index}]: ${why}`));
  });
  return [...start, ...wrong];
}
