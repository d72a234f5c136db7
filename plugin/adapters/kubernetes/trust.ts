/** Certificates of a connection: what the server's must fit, and the client's own pair. */
import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions, createSecureContext } from "node:tls";
import { InputError } from "../../domain/errors";
import { fileProblem, readText } from "../files";
import type { ClusterEntry, UserEntry } from "./kubeconfig-entries";
import type { Target } from "./target";

/** A client certificate with its key, as PEM. */
export interface ClientPair {
  readonly cert: string;
  readonly key: string;
}

/** TLS options that hold for every connection; throws InputError for what cannot be used. */
export function trustOf(
  { cluster, clusterName }: Target,
  env: NodeJS.ProcessEnv,
): ConnectionOptions {
  const ca = pem(cluster.caData, cluster.caFile, `the certificate authority of ${clusterName}`);
  const roots = ca ?? systemRoots(env);
  if (ca !== undefined) usable({ ca }, `the certificate authority of ${clusterName}`);
  return {
    ...(roots !== undefined && { ca: roots }),
    // said either way: what is not said is decided by NODE_TLS_REJECT_UNAUTHORIZED
    rejectUnauthorized: cluster.insecure !== true,
    ...expectedName(cluster),
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

/** Node takes a name to expect as SNI, which an address cannot be. */
function expectedName({ tlsServerName: name }: ClusterEntry): ConnectionOptions {
  if (name === undefined) return {};
  if (isIP(name) === 0) return { servername: name };
  return { checkServerIdentity: (_host, cert) => checkServerIdentity(name, cert) };
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

const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Without a CA of the cluster's own kubectl trusts what the machine trusts; Node's list is another. */
function systemRoots(env: NodeJS.ProcessEnv): string | undefined {
  const named = env["SSL_CERT_FILE"] ?? "";
  for (const file of named === "" ? bundles : [named]) {
    const read = readText(file);
    if ("text" in read) return read.text;
  }
  return undefined;
}
