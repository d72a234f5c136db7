/** The connection of the command line as a kubeconfig for another program: no secret in its words. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getOwn } from "../domain/values";
import type { ConnectionFlags } from "./kubernetes/flags";
import { loadKubeconfig } from "./kubernetes/kubeconfig";
import type { ClusterEntry, UserEntry } from "./kubernetes/kubeconfig-file";
import { chooseTarget, podAccount, serviceAccountDir } from "./kubernetes/target";
import { temporaryFolder } from "./temporary";

/** A kubeconfig that exists until it is removed. */
export interface TemporaryKubeconfig {
  readonly path: string;
  readonly remove: () => void;
}

/** Writes what flags, environment and kubeconfig lead to; nobody else can read it. */
export async function temporaryKubeconfig(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv,
): Promise<TemporaryKubeconfig> {
  const pod = flags.kubeconfig === undefined ? podAccount(env, serviceAccountDir) : undefined;
  const { cluster, user, base } = chooseTarget(loadKubeconfig(flags.kubeconfig, env), flags, pod);
  const name = "target";
  const content = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { ...written(cluster, clusterKeys), server: base.href } }],
    users: [{ name, user: written(user, userKeys) }],
  };
  const { path: folder, remove } = temporaryFolder();
  const path = join(folder, "config");
  try {
    await writeFile(path, JSON.stringify(content), { mode: 0o600 });
  } catch (error) {
    remove();
    throw error;
  }
  return { path, remove };
}

const clusterKeys: Readonly<Partial<Record<keyof ClusterEntry, string>>> = {
  caFile: "certificate-authority",
  caData: "certificate-authority-data",
  insecure: "insecure-skip-tls-verify",
  tlsServerName: "tls-server-name",
  proxyUrl: "proxy-url",
  disableCompression: "disable-compression",
};

const userKeys: Readonly<Partial<Record<keyof UserEntry, string>>> = {
  token: "token",
  tokenFile: "tokenFile",
  username: "username",
  password: "password",
  certFile: "client-certificate",
  certData: "client-certificate-data",
  keyFile: "client-key",
  keyData: "client-key-data",
  exec: "exec",
  authProvider: "auth-provider",
  as: "as",
  asUid: "as-uid",
  asGroups: "as-groups",
  asExtra: "as-user-extra",
};

function written<T extends object>(
  entry: T,
  keys: Readonly<Partial<Record<keyof T, string>>>,
): Readonly<Record<string, unknown>> {
  const known = Object.entries<string>(keys as Readonly<Record<string, string>>);
  return Object.fromEntries(
    known.flatMap(([key, name]) => {
      const value = getOwn(entry, key);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
