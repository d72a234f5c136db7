/** What the certificate of a server has to fit. */
import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { readText } from "../files";

/**
 * Options of connections that are verified: said, for else NODE_TLS_REJECT_UNAUTHORIZED decides.
 * Without a CA Node's own list counts; without names the certificate is for the host.
 */
export function verified(ca?: string, names: readonly string[] = []): ConnectionOptions {
  return { ...(ca !== undefined && { ca }), rejectUnauthorized: true, ...forOneOf(names) };
}

/** Any of these names will do for the certificate; one that can be SNI is asked for as such. */
function forOneOf(names: readonly string[]): ConnectionOptions {
  const [first, ...others] = names;
  if (first === undefined) return {};
  if (others.length === 0 && isIP(first) === 0) return { servername: first };
  return {
    checkServerIdentity: (_host, certificate) => {
      const problems = names.map((name) => checkServerIdentity(name, certificate));
      return problems.includes(undefined) ? undefined : problems[0];
    },
  };
}

const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** What this machine trusts, as kubectl does without a CA; Node's own list is another. */
export function systemRoots(env: NodeJS.ProcessEnv): string | undefined {
  const named = env["SSL_CERT_FILE"] ?? "";
  for (const file of named === "" ? bundles : [named]) {
    const read = readText(file);
    if ("text" in read) return read.text;
  }
  return undefined;
}
