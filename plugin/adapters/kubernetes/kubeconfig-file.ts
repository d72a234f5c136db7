/** One kubeconfig file's text into entries; problems never quote the text, which holds secrets. */
import { CORE_SCHEMA, load, YAMLException } from "js-yaml";
import { isObject, type Json, asArray, getOwn, shapeProblem, asString } from "../../domain/values";

/** The entries of one file, paths as written. */
export interface KubeconfigFile {
  readonly problems: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

/** Reads a kubeconfig; each problem completes the sentence "the kubeconfig FILE …". */
export function parseKubeconfig(content: string): KubeconfigFile {
  const problems: string[] = [];
  const document = parsed(content, problems);
  return {
    problems,
    currentContext: asString(getOwn(document, "current-context")),
    clusters: entries(document, { list: "clusters", item: "cluster", read: clusterOf }, problems),
    users: entries(document, { list: "users", item: "user", read: userOf }, problems),
    contexts: entries(document, { list: "contexts", item: "context", read: contextOf }, problems),
  };
}

function parsed(content: string, problems: string[]): Json {
  let document: unknown;
  try {
    document = load(content, { schema: CORE_SCHEMA }) ?? {};
    if (shapeProblem(document, content.length) !== undefined) {
      problems.push("is larger than any kubeconfig, by its aliases (&, *)");
      return {};
    }
  } catch (error) {
    problems.push(`is not YAML${placeOf(error)}`);
    return {};
  }
  const kind = getOwn(document, "kind");
  if (isObject(document) && (kind === undefined || kind === "Config")) return document;
  problems.push(`is not a Config${asString(kind) === undefined ? "" : ` but a ${String(kind)}`}`);
  return {};
}

/** Only the place: the parser's own message quotes the lines around it. */
function placeOf(error: unknown): string {
  const mark: unknown = error instanceof YAMLException ? error.mark : undefined;
  const line = getOwn({ ...(mark as object) }, "line");
  return typeof line === "number" ? ` (line ${line + 1})` : "";
}

interface Section<T> {
  readonly list: string;
  readonly item: string;
  readonly read: (fields: Fields) => T;
}

function entries<T>(document: Json, section: Section<T>, problems: string[]): Map<string, T> {
  const found = new Map<string, T>();
  for (const entry of asArray(getOwn(document, section.list))) {
    const name = asString(getOwn(entry, "name"));
    if (name === undefined) problems.push(`has an entry without a name in ${section.list}`);
    else if (found.has(name)) problems.push(`names the ${section.item} "${name}" twice`);
    else {
      const fields = new Fields(getOwn(entry, section.item), `${section.item} "${name}"`, problems);
      found.set(name, section.read(fields));
    }
  }
  return found;
}

/** The fields of one entry; a value of a wrong type is a problem, an empty one is absent. */
class Fields {
  constructor(
    private readonly entry: unknown,
    private readonly owner: string,
    private readonly problems: string[],
  ) {}

  string<K extends string>(key: K, name: string): Partial<Record<K, string>> {
    const value = getOwn(this.entry, name) ?? "";
    if (typeof value !== "string") this.problem(name, "text");
    return typeof value === "string" && value !== "" ? given(key, value) : {};
  }

  flag<K extends string>(key: K, name: string): Partial<Record<K, boolean>> {
    const value = getOwn(this.entry, name) ?? false;
    if (typeof value !== "boolean") this.problem(name, "true or false");
    return value === true ? given(key, value) : {};
  }

  object<K extends string>(key: K, name: string): Partial<Record<K, Json>> {
    const value = getOwn(this.entry, name) ?? undefined;
    if (value !== undefined && !isObject(value)) this.problem(name, "a mapping");
    return isObject(value) ? given(key, value) : {};
  }

  list(name: string): readonly unknown[] {
    return asArray(getOwn(this.entry, name));
  }

  private problem(name: string, wanted: string): void {
    this.problems.push(`has a value that is not ${wanted} at ${name} of the ${this.owner}`);
  }
}

function given<K extends string, V>(key: K, value: V): Partial<Record<K, V>> {
  return { [key]: value } as Partial<Record<K, V>>;
}

function clusterOf(fields: Fields): ClusterEntry {
  const execConfig = fields
    .list("extensions")
    .find((extension) => getOwn(extension, "name") === "client.authentication.k8s.io/exec");
  return {
    ...fields.string("server", "server"),
    ...fields.string("caFile", "certificate-authority"),
    ...fields.string("caData", "certificate-authority-data"),
    ...fields.flag("insecure", "insecure-skip-tls-verify"),
    ...fields.string("tlsServerName", "tls-server-name"),
    ...fields.string("proxyUrl", "proxy-url"),
    ...fields.flag("disableCompression", "disable-compression"),
    ...(execConfig !== undefined && { execConfig: getOwn(execConfig, "extension") }),
  };
}

function userOf(fields: Fields): UserEntry {
  const asGroups = fields.list("as-groups").flatMap((group) => asString(group) ?? []);
  return {
    ...fields.string("token", "token"),
    ...fields.string("tokenFile", "tokenFile"),
    ...fields.string("username", "username"),
    ...fields.string("password", "password"),
    ...fields.string("certFile", "client-certificate"),
    ...fields.string("certData", "client-certificate-data"),
    ...fields.string("keyFile", "client-key"),
    ...fields.string("keyData", "client-key-data"),
    ...fields.object("exec", "exec"),
    ...fields.object("authProvider", "auth-provider"),
    ...fields.string("as", "as"),
    ...fields.string("asUid", "as-uid"),
    ...fields.object("asExtra", "as-user-extra"),
    ...(asGroups.length > 0 && { asGroups }),
  };
}

function contextOf(fields: Fields): ContextEntry {
  return {
    ...fields.string("cluster", "cluster"),
    ...fields.string("user", "user"),
    ...fields.string("namespace", "namespace"),
  };
}

/** A cluster of a kubeconfig; files are absolute paths. */
export interface ClusterEntry {
  readonly server?: string;
  readonly caFile?: string;
  readonly caData?: string;
  readonly insecure?: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  /** Configuration for exec plugins. */
  readonly execConfig?: unknown;
}

/** Whom to act as. */
export interface Impersonation {
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  readonly asExtra?: Json | undefined;
}

/** A user of a kubeconfig; files are absolute paths. */
export interface UserEntry extends Impersonation {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly certFile?: string;
  readonly certData?: string;
  readonly keyFile?: string;
  readonly keyData?: string;
  readonly exec?: Json;
  readonly authProvider?: Json;
}

/** A context of a kubeconfig. */
export interface ContextEntry {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** One kubeconfig, or several merged. */
export interface Kubeconfig {
  /** The files that were looked for. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}
