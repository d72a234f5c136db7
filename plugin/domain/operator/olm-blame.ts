/** The object that OLM names in the message of an InstallPlan that failed. */

/** One object, and what OLM says of it. */
export interface Blamed {
  /** `kind/name` or `kind/namespace/name`. */
  readonly object: string;
  readonly field?: string;
  readonly says: string;
  /** Words of kubectl that show it. */
  readonly look: readonly string[];
}

/**
 * The object that a message is about: one that the new definition refuses, else what the API server
 * names by resource and name, else a definition. Undefined where none is named.
 */
export function blamedBy(message: string): Blamed | undefined {
  for (const read of [readRefused, readNamed, readDefinition]) {
    const found = read(message);
    if (found !== undefined) return { ...found, says: message };
  }
  return undefined;
}

type Reader = (message: string) => Omit<Blamed, "says"> | undefined;

/** `group/v1, Kind=Database "space/orders": …` of new releases, `for Database space/orders: …` of old ones. */
const readRefused: Reader = (message) => {
  const found =
    /\bKind=(?<kind>\w+) "(?:(?<space>[^"/]+)\/)?(?<name>[^"/]+)"/.exec(message) ??
    /\bschema for (?<kind>[A-Z]\w+) (?:(?<space>[^\s/]*)\/)?(?<name>[^\s/:]+):/.exec(message);
  const { kind, space = "", name } = found?.groups ?? {};
  if (kind === undefined || name === undefined) return undefined;
  return {
    object: [kind, ...(space === "" ? [] : [space]), name].join("/"),
    ...readField(message),
    look: [
      ...["get", kind.toLowerCase(), name],
      ...(space === "" ? [] : [`--namespace=${space}`]),
      ...["-o", "yaml"],
    ],
  };
};

/** The path of the first field that is refused, as the validation of definitions writes it. */
function readField(message: string): Pick<Blamed, "field"> {
  const [, field] =
    /(?:\[\]|<nil>)?\.?\b((?:spec|status|metadata)(?:\.[\w-]+|\[\w+\])*): /.exec(message) ?? [];
  return field === undefined ? {} : { field };
}

const definitions = "customresourcedefinitions";

/** `deployments.apps "operator" is forbidden`, as the API server names what it refuses. */
const readNamed: Reader = (message) => {
  const refused = / (?:is forbidden|is invalid|already exists|not found)|: the object has been/;
  const [, resource, name] =
    new RegExp(`\\b([a-z]+(?:\\.[a-z0-9.-]+)?) "([^"]+)"(?:${refused.source})`).exec(message) ?? [];
  if (resource === undefined || name === undefined) return undefined;
  const [plural] = resource.split(".");
  const kind = plural === definitions ? "CustomResourceDefinition" : String(plural);
  return { object: `${kind}/${name}`, look: ["get", resource, name, "-o", "yaml"] };
};

/** A definition, whose objects are not named. */
const readDefinition: Reader = (message) => {
  const [, name] =
    /\b(?:schema for|updating|CRD:?|definition) "?([a-z]+(?:\.[a-z0-9-]+){2,})"?/.exec(message) ??
    [];
  if (name === undefined) return undefined;
  const field = readField(message);
  return {
    object: `CustomResourceDefinition/${name}`,
    ...field,
    look:
      field.field === undefined
        ? ["get", "crd", name, "-o", "yaml"]
        : ["get", name, "--all-namespaces", "-o", "yaml"],
  };
};
