/** The configuration that a pod finds in its own file system and environment. */
import { existsSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { text } from "../../domain/values";
import { readText } from "../files";
import type { PodAccount } from "./target";

/** Where the service account is mounted in every pod. */
export const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The pod's own account, undefined outside a pod. */
export function podAccount(env: NodeJS.ProcessEnv, dir: string): PodAccount | undefined {
  const host = text(env["KUBERNETES_SERVICE_HOST"]);
  const port = text(env["KUBERNETES_SERVICE_PORT"]);
  const tokenFile = join(dir, "token");
  if (host === undefined || port === undefined || !existsSync(tokenFile)) return undefined;
  const caFile = join(dir, "ca.crt");
  const namespace = readText(join(dir, "namespace"));
  return {
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      ...(existsSync(caFile) && { caFile }),
    },
    user: { tokenFile },
    namespace: "text" in namespace ? text(namespace.text.trim()) : undefined,
  };
}
