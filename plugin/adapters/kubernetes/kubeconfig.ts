/** Finding, reading and merging kubeconfig files as kubectl does. */
import { delimiter, dirname, join, resolve } from "node:path";
import { InputError } from "../../domain/base/errors";
import { asArray, asString, getOwn, isObject, type Json } from "../../domain/base/values";
import { firstDocument } from "./text/documents";
import { fileProblem, readText } from "../files";
import { findUserHome, kubeFolder } from "../user-home";
import { unread } from "./text/yaml";

/** Reads --kubeconfig, else the list in KUBECONFIG, else the file in the home folder. */
export function loadKubeconfig(explicit: string | undefined, env: NodeJS.ProcessEnv): Kubeconfig {
  const files = explicit === undefined ? defaultFiles(env) : [resolve(explicit)];
  const problems: string[] = [];
  const parts = files.map((file) => readOne(file, explicit !== undefined, problems));
  if (problems.length > 0) throw new InputError(problems);
  return parts.reduce(mergeConfigs, { ...nothing, files });
}

const nothing: Kubeconfig = {
  files: [],
  currentContext: undefined,
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
};

function defaultFiles(env: NodeJS.ProcessEnv): readonly string[] {
  const listed = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) return [...new Set(listed.map((file) => resolve(file)))];
  const home = findUserHome(env);
  return home === undefined ? [] : [join(home, kubeFolder, "config")];
}

/** A file of a list may be missing; one that was named by flag may not. */
function readOne(file: string, required: boolean, problems: string[]): Kubeconfig {
  const read = readText(file);
  if ("failure" in read) {
    const ignored = read.failure.code === "ENOENT" && !required;
    if (!ignored) problems.push(`kubeconfig: ${fileProblem(file, read.failure)}`);
    return nothing;
  }
  const parseConfig = parseKubeconfig(read.text);
  problems.push(...parseConfig.problems.map((problem) => `the kubeconfig ${file} ${problem}`));
  const dir = dirname(file);
  return {
    files: [file],
    currentContext: parseConfig.currentContext,
    clusters: mapEntries(parseConfig.clusters, (entry) => within(dir, entry, clusterFields)),
    users: mapEntries(parseConfig.users, ({ exec, ...entry }, name) => ({
      ...within(dir, entry, userFields),
      ...(exec !== undefined && { exec: execIn(dir, exec) }),
      ...(entry.authProvider !== undefined && { origin: { file, name } }),
    })),
    contexts: parseConfig.contexts,
  };
}

function mapEntries<T>(
  entries: ReadonlyMap<string, T>,
  change: (entry: T, name: string) => T,
): Map<string, T> {
  return new Map([...entries].map(([name, entry]) => [name, change(entry, name)]));
}

/** What an earlier file says wins, whole entry by whole entry. */
function mergeConfigs(first: Kubeconfig, second: Kubeconfig): Kubeconfig {
  return {
    files: first.files,
    currentContext: first.currentContext ?? second.currentContext,
    clusters: new Map([...second.clusters, ...first.clusters]),
    users: new Map([...second.users, ...first.users]),
    contexts: new Map([...second.contexts, ...first.contexts]),
  };
}

/** Files of an entry lie beside the kubeconfig. */
function within<T extends object>(dir: string, entry: T, fields: FieldTable<T>): T {
  const files = Object.entries(entry).map(([key, value]: [string, unknown]) => {
    const isFile = fields[key as keyof T]?.[1] === "file";
    return [key, isFile ? resolve(dir, String(value)) : value];
  });
  return Object.fromEntries(files) as T;
}

/** A command with a slash lies beside the file; a bare one is looked for on PATH. */
function execIn(dir: string, exec: Json): Json {
  const command = getOwn(exec, "command");
  const relative = typeof command === "string" && /[\\/]/.test(command);
  return relative ? { ...exec, command: resolve(dir, command) } : exec;
}

/** The entries of one file, paths as written. */
interface KubeconfigFile {
  readonly problems: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

/** Reads a kubeconfig; each problem completes the sentence "the kubeconfig FILE …". */
function parseKubeconfig(content: string): KubeconfigFile {
  const problems: string[] = [];
  const document = parseConfig(content, problems);
  return {
    problems,
    currentContext: asString(getOwn(document, "current-context")),
    clusters: entries(
      document,
      { list: "clusters", item: "cluster", fields: clusterFields, more: readExecConfig },
      problems,
    ),
    users: entries(
      document,
      { list: "users", item: "user", fields: userFields, more: readAsGroups },
      problems,
    ),
    contexts: entries(
      document,
      { list: "contexts", item: "context", fields: contextFields },
      problems,
    ),
  };
}

function parseConfig(content: string, problems: string[]): Json {
  const document = firstDocument(content);
  if (document === undefined) return {};
  if ("problems" in document) {
    problems.push(...document.problems.map(unread));
    return {};
  }
  const { value } = document;
  const kind = getOwn(value, "kind");
  if (isObject(value) && (kind === undefined || kind === "Config")) return value;
  problems.push(`is not a Config${asString(kind) === undefined ? "" : ` but a ${String(kind)}`}`);
  return {};
}

/** The fields of an entry: the name in the file and the type; a file's path is relative to the kubeconfig. */
type FieldTable<T> = Readonly<
  Partial<Record<keyof T, readonly [name: string, type: "text" | "flag" | "object" | "file"]>>
>;

/** Of a cluster. */
export const clusterFields: FieldTable<ClusterEntry> = {
  server: ["server", "text"],
  caFile: ["certificate-authority", "file"],
  caData: ["certificate-authority-data", "text"],
  insecure: ["insecure-skip-tls-verify", "flag"],
  tlsServerName: ["tls-server-name", "text"],
  proxyUrl: ["proxy-url", "text"],
  disableCompression: ["disable-compression", "flag"],
};

/** Of a user. */
export const userFields: FieldTable<UserEntry> = {
  token: ["token", "text"],
  tokenFile: ["tokenFile", "file"],
  username: ["username", "text"],
  password: ["password", "text"],
  certFile: ["client-certificate", "file"],
  certData: ["client-certificate-data", "text"],
  keyFile: ["client-key", "file"],
  keyData: ["client-key-data", "text"],
  exec: ["exec", "object"],
  authProvider: ["auth-provider", "object"],
  as: ["as", "text"],
  asUid: ["as-uid", "text"],
  asExtra: ["as-user-extra", "object"],
};

const contextFields: FieldTable<ContextEntry> = {
  cluster: ["cluster", "text"],
  user: ["user", "text"],
  namespace: ["namespace", "text"],
};

const types = {
  text: { is: (value: unknown) => typeof value === "string", wanted: "text" },
  file: { is: (value: unknown) => typeof value === "string", wanted: "text" },
  flag: { is: (value: unknown) => typeof value === "boolean", wanted: "true or false" },
  object: { is: isObject, wanted: "a mapping" },
} as const;

interface Section<T> {
  readonly list: string;
  readonly item: string;
  readonly fields: FieldTable<T>;
  /** What is no plain field. */
  readonly more?: (entry: unknown) => T;
}

function entries<T extends object>(
  document: Json,
  { list, item, fields, more }: Section<T>,
  problems: string[],
): Map<string, T> {
  const found = new Map<string, T>();
  for (const each of asArray(getOwn(document, list))) {
    const name = asString(getOwn(each, "name"));
    if (name === undefined) problems.push(`has an entry without a name in ${list}`);
    else if (found.has(name)) problems.push(`names the ${item} "${name}" twice`);
    else {
      const entry = getOwn(each, item);
      const problem = (what: string): unknown => problems.push(`${what} of the ${item} "${name}"`);
      found.set(name, { ...read(entry, fields, problem), ...more?.(entry) });
    }
  }
  return found;
}

/** A value of a wrong type is a problem; an empty one, and false, is absent. */
function read<T>(entry: unknown, fields: FieldTable<T>, problem: (what: string) => unknown): T {
  const table = Object.entries(fields) as [string, NonNullable<FieldTable<T>[keyof T]>][];
  const values = table.flatMap(([key, [name, type]]) => {
    const value = getOwn(entry, name);
    if (value === undefined || value === null) return [];
    const { is, wanted } = types[type];
    if (!is(value)) problem(`has a value that is not ${wanted} at ${name}`);
    return is(value) && value !== "" && value !== false ? [[key, value] as const] : [];
  });
  return Object.fromEntries(values) as T;
}

/** Configuration of exec plugins is an extension of the cluster. */
function readExecConfig(entry: unknown): ClusterEntry {
  const found = asArray(getOwn(entry, "extensions")).find(
    (extension) => getOwn(extension, "name") === "client.authentication.k8s.io/exec",
  );
  return found === undefined ? {} : { execConfig: getOwn(found, "extension") };
}

function readAsGroups(entry: unknown): UserEntry {
  const asGroups = asArray(getOwn(entry, "as-groups")).flatMap((group) => asString(group) ?? []);
  return asGroups.length > 0 ? { asGroups } : {};
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
  /** Where a login that is renewed is written. */
  readonly origin?: UserOrigin;
}

/** The kubeconfig that a user stands in, and under which name. */
export interface UserOrigin {
  readonly file: string;
  readonly name: string;
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
