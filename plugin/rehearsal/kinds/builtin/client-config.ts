/** How a webhook is reached: a URL or a Service. */
import { own, text } from "../../../domain/values";
import { subdomainRule } from "../names";
import { type FieldError, invalid, required } from "../refusal";

const form = "desired format: https://host[/path]";

/** What is wrong with a client configuration. */
export function clientConfigErrors(config: unknown, field: string): readonly FieldError[] {
  const url = own(config, "url");
  const service = own(config, "service");
  if ((url === undefined) === (service === undefined)) {
    return [required(field, "exactly one of url or service is required")];
  }
  return url === undefined
    ? serviceErrors(service, `${field}.service`)
    : urlErrors(text(url) ?? "", `${field}.url`);
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
  const wrong = (bad: boolean, value: string, why: string): readonly FieldError[] =>
    bad ? [invalid(field, value, why)] : [];
  return [
    ...wrong(scheme !== "https", scheme, `'https' is the only allowed URL scheme; ${form}`),
    ...wrong(host === "", host, `host must be specified; ${form}`),
    ...wrong(user !== "", user, "user information is not permitted in the URL"),
    ...wrong(fragment !== "", fragment, "fragments are not permitted in the URL"),
    ...wrong(query !== "", query, "query parameters are not permitted in the URL"),
  ];
}

function serviceErrors(service: unknown, field: string): readonly FieldError[] {
  const port = own(service, "port");
  const isPort = typeof port === "number" && port >= 1 && port <= 65535;
  const why = "port is not valid: must be between 1 and 65535, inclusive";
  // The API server takes the two for each other, and so names the wrong one.
  const [missingName, missingNamespace] = [`${field}.namespace`, `${field}.name`];
  return [
    ...(text(own(service, "namespace")) === undefined ? [required(missingNamespace)] : []),
    ...(text(own(service, "name")) === undefined ? [required(missingName)] : []),
    ...(isPort ? [] : [invalid(`${field}.port`, port, why)]),
    ...pathErrors(own(service, "path"), `${field}.path`),
  ];
}

function pathErrors(value: unknown, field: string): readonly FieldError[] {
  const path = text(value) ?? "/";
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
