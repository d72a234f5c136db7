/** The files that helm is given: what this run has read, which nobody else can read. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../domain/base/errors";
import { omit } from "../domain/base/values";
import { fileProblem, isStreamed, readText, temporaryFolder } from "./files";
import {
  type ClusterEntry,
  clusterFields,
  loadKubeconfig,
  type UserEntry,
  userFields,
} from "./kubernetes/kubeconfig";
import {
  chooseTarget,
  type ConnectionFlags,
  podAccount,
  serviceAccountDir,
} from "./kubernetes/target";

/** Files of this run alone, which exist until they are removed, at the latest at its end. */
interface PrivateFiles {
  readonly path: (name: string) => string;
  readonly remove: () => void;
}

/** Writes files that nobody else can read. */
export async function writePrivateFiles(
  files: Readonly<Record<string, string>>,
): Promise<PrivateFiles> {
  const { path: folder, remove } = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  try {
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path(name), text, { mode: 0o600 });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { path, remove };
}

/**
 * The kubeconfig that flags, environment and kubeconfig lead to, with the certificates and keys that they name as data:
 * helm gets what this run has read. InputError with everything that cannot be read.
 */
export function renderHelmKubeconfig(flags: ConnectionFlags, env: NodeJS.ProcessEnv): string {
  const pod = flags.kubeconfig === undefined ? podAccount(env, serviceAccountDir) : undefined;
  const chosen = chooseTarget(loadKubeconfig(flags.kubeconfig, env), flags, pod);
  const problems: string[] = [];
  const read = (file: string): string => {
    const found = readText(file);
    if ("text" in found) return found.text;
    problems.push(fileProblem(file, found.failure));
    return "";
  };
  const cluster = withClusterData(chosen.cluster, read);
  const user = withUserData(chosen.user, read);
  if (problems.length > 0) throw new InputError(problems);
  const name = "target";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      { name, cluster: { ...writeEntry(cluster, clusterFields), server: chosen.base.href } },
    ],
    users: [{ name, user: { ...writeEntry(user, userFields), "as-groups": user.asGroups } }],
  });
}

type ReadFile = (file: string) => string;

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

function withClusterData({ caFile, ...cluster }: ClusterEntry, read: ReadFile): ClusterEntry {
  if (caFile === undefined || cluster.caData !== undefined) return cluster;
  return { ...cluster, caData: toBase64(read(caFile)) };
}

/** A token file stays a file, since the kubelet renews it; what a pipe gave is handed on as the token. */
function withUserData({ certFile, keyFile, ...user }: UserEntry, read: ReadFile): UserEntry {
  const { tokenFile, certData, keyData } = user;
  const token = tokenFile === undefined ? "" : read(tokenFile).trim();
  const isPiped = tokenFile !== undefined && isStreamed(tokenFile);
  return {
    ...(isPiped ? { ...omit(user, "tokenFile"), token } : user),
    ...(certFile !== undefined && certData === undefined && { certData: toBase64(read(certFile)) }),
    ...(keyFile !== undefined && keyData === undefined && { keyData: toBase64(read(keyFile)) }),
  };
}

/** The entry as a kubeconfig has it. */
function writeEntry<T extends object>(
  entry: T,
  fields: Readonly<Partial<Record<keyof T, readonly [name: string, type: string]>>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]: [string, unknown]) => {
      const name = fields[key as keyof T]?.[0];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}
