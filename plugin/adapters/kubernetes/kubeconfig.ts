/** Finding, reading and merging kubeconfig files as kubectl does. */
import { delimiter, dirname, join, resolve } from "node:path";
import { InputError } from "../../domain/errors";
import { type Json, getOwn } from "../../domain/values";
import { fileProblem, readText } from "../files";
import {
  type ClusterEntry,
  type Kubeconfig,
  parseKubeconfig,
  type UserEntry,
} from "./kubeconfig-file";

/** Reads --kubeconfig, else the list in KUBECONFIG, else the file in the home folder. */
export function loadKubeconfig(explicit: string | undefined, env: NodeJS.ProcessEnv): Kubeconfig {
  const files = explicit === undefined ? defaultFiles(env) : [resolve(explicit)];
  const problems: string[] = [];
  const parts = files.map((file) => readOne(file, explicit !== undefined, problems));
  if (problems.length > 0) throw new InputError(problems);
  return parts.reduce(merged, { ...nothing, files });
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
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  return home === "" ? [] : [join(home, ".kube", "config")];
}

/** A file of a list may be missing; one that was named by flag may not. */
function readOne(file: string, required: boolean, problems: string[]): Kubeconfig {
  const read = readText(file);
  if ("failure" in read) {
    const ignored = read.failure.code === "ENOENT" && !required;
    if (!ignored) problems.push(`kubeconfig: ${fileProblem(file, read.failure)}`);
    return nothing;
  }
  const parsed = parseKubeconfig(read.text);
  problems.push(...parsed.problems.map((problem) => `the kubeconfig ${file} ${problem}`));
  const dir = dirname(file);
  return {
    files: [file],
    currentContext: parsed.currentContext,
    clusters: mapped(parsed.clusters, (entry) => clusterIn(dir, entry)),
    users: mapped(parsed.users, (entry) => userIn(dir, entry)),
    contexts: parsed.contexts,
  };
}

function mapped<T>(entries: ReadonlyMap<string, T>, change: (entry: T) => T): Map<string, T> {
  return new Map([...entries].map(([name, entry]) => [name, change(entry)]));
}

/** What an earlier file says wins, whole entry by whole entry. */
function merged(first: Kubeconfig, second: Kubeconfig): Kubeconfig {
  return {
    files: first.files,
    currentContext: first.currentContext ?? second.currentContext,
    clusters: new Map([...second.clusters, ...first.clusters]),
    users: new Map([...second.users, ...first.users]),
    contexts: new Map([...second.contexts, ...first.contexts]),
  };
}

function clusterIn(dir: string, entry: ClusterEntry): ClusterEntry {
  return entry.caFile === undefined ? entry : { ...entry, caFile: resolve(dir, entry.caFile) };
}

function userIn(dir: string, entry: UserEntry): UserEntry {
  const { certFile, keyFile, tokenFile, exec } = entry;
  return {
    ...entry,
    ...(certFile !== undefined && { certFile: resolve(dir, certFile) }),
    ...(keyFile !== undefined && { keyFile: resolve(dir, keyFile) }),
    ...(tokenFile !== undefined && { tokenFile: resolve(dir, tokenFile) }),
    ...(exec !== undefined && { exec: execIn(dir, exec) }),
  };
}

/** A command with a slash lies beside the file; a bare one is looked for on PATH. */
function execIn(dir: string, exec: Json): Json {
  const command = getOwn(exec, "command");
  const relative = typeof command === "string" && /[\\/]/.test(command);
  return relative ? { ...exec, command: resolve(dir, command) } : exec;
}
