/** Certificates that a kubeconfig names: what the server's must fit, and the client's own pair. */
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { InputError } from "../../domain/errors";
import { fileProblem, readText } from "../files";
import type { ClientPair } from "../http/agents";
import { systemRoots, verified } from "../http/trust";
import type { UserEntry } from "./kubeconfig-entries";
import type { Target } from "./target";

/** TLS options that hold for every connection; throws InputError for what cannot be used. */
export function trustOf(
  { cluster, clusterName }: Target,
  env: NodeJS.ProcessEnv,
): ConnectionOptions {
  const ca = pem(cluster.caData, cluster.caFile, `the certificate authority of ${clusterName}`);
  if (ca !== undefined) usable({ ca }, `the certificate authority of ${clusterName}`);
  const names = cluster.tlsServerName === undefined ? [] : [cluster.tlsServerName];
  return {
    ...verified(ca ?? systemRoots(env), names),
    ...(cluster.insecure === true && { rejectUnauthorized: false }),
  };
}

/** The user's own client certificate and key, undefined when it has none. */
export function clientPairOf(user: UserEntry, userName: string): ClientPair | undefined {
  const cert = pem(user.certData, user.certFile, `the client certificate of ${userName}`);
  const key = pem(user.keyData, user.keyFile, `the client key of ${userName}`);
  if (cert === undefined || key === undefined) return undefined;
  usable({ cert, key }, `the client certificate and key of ${userName}`);
  return { cert, key };
}

function pem(data: string | undefined, file: string | undefined, what: string): string | undefined {
  const found = data === undefined ? fromFile(file, what) : Buffer.from(data, "base64").toString();
  if (found === undefined || found.includes("-----BEGIN ")) return found;
  throw new InputError(`${what} is not PEM${data === undefined ? ` (${file ?? ""})` : ""}`);
}

function fromFile(file: string | undefined, what: string): string | undefined {
  if (file === undefined) return undefined;
  const read = readText(file);
  if ("text" in read) return read.text;
  throw new InputError(`cannot read ${what}: ${fileProblem(file, read.failure)}`);
}

/** OpenSSL's complaint is told by its code alone. */
function usable(material: { ca?: string } | ClientPair, what: string): void {
  try {
    createSecureContext(material);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InputError(`cannot use ${what}${code === undefined ? "" : ` (${code})`}`);
  }
}
