/** Who we are to the API server: one source per way of logging in. */
import { InputError, PermissionError } from "../../domain/errors";
import { getOwn, asString } from "../../domain/values";
import {
  bearer,
  type Credential,
  type CredentialSource,
  ExecPlugin,
  type Issued,
  KeptCredential,
  type CredentialContext,
} from "./exec-plugin";
import { fileProblem, readText } from "../files";
import type { ClientPair } from "../http/agents";
import type { OpenIDConnectAuth } from "@kubernetes/client-node/dist/oidc_auth.js";
import type { RequestOptions } from "node:https";
import { deadline } from "../../run/ports";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { systemRoots, verified } from "../http/tunnel";
import type { UserEntry } from "./kubeconfig";
import type { ServerTarget } from "./target";

/** The user's source; reads certificates at once, runs plugins at the first request. */
export function credentialSource(site: CredentialContext): CredentialSource {
  const { user, userName } = site.target;
  const pair = clientPairOf(user, userName);
  if (user.tokenFile !== undefined) return tokenFile(site, pair);
  if (user.token !== undefined) return constant({ authorization: bearer(user.token), pair });
  if (user.username !== undefined) {
    const login = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return constant({ authorization: `Basic ${login}`, pair });
  }
  if (user.exec !== undefined) return new ExecPlugin(site, user.exec, pair);
  if (user.authProvider !== undefined) return oidcSource(site, pair);
  return constant({ pair });
}

function constant(credential: Credential): CredentialSource {
  return { get: () => Promise.resolve(credential), refused: () => false, close: () => undefined };
}

/** Read for every request: the kubelet replaces the file while we run. */
function tokenFile({ target }: CredentialContext, pair: ClientPair | undefined): CredentialSource {
  const { user, userName } = target;
  const get = (): Credential => {
    const file = user.tokenFile ?? "";
    const read = readText(file);
    const token = "text" in read ? asString(read.text.trim()) : user.token;
    if (token !== undefined) return { authorization: bearer(token), pair };
    const problem = "text" in read ? `the file is empty: ${file}` : fileProblem(file, read.failure);
    throw new PermissionError(`cannot read the token of ${userName}: ${problem}`);
  };
  return { ...constant({}), get: () => Promise.resolve().then(get) };
}

/** The source for a user with an auth-provider; kubectl knows none but OIDC any more. */
export function oidcSource(
  site: CredentialContext,
  pair: ClientPair | undefined,
): CredentialSource {
  const { user, userName } = site.target;
  const name = asString(getOwn(user.authProvider, "name")) ?? "";
  if (name !== "oidc") {
    throw new PermissionError(`the auth provider "${name}" of ${userName} is not supported`, {
      hint: "give the user an exec credential plugin instead, as kubectl requires too",
    });
  }
  // client-node writes renewed tokens into the user that it is given.
  const login = { name: "user", authProvider: structuredClone(user.authProvider) };
  let auth: OpenIDConnectAuth | undefined;
  const ask = async (): Promise<Issued> => {
    const { OpenIDConnectAuth: Auth } = await import("@kubernetes/client-node/dist/oidc_auth.js");
    const options: RequestOptions = { headers: {} };
    // The reason stays untold: it can quote what the identity provider answered.
    const applied = (auth ??= new Auth()).applyAuthentication(login, options);
    await new Promise<void>((resolve) => {
      const inTime = deadline(site.clock, site.timeoutMs, resolve);
      applied
        .catch(() => undefined)
        .finally(() => {
          inTime();
          resolve();
        });
    });
    const authorization = asString(getOwn(options.headers, "Authorization"));
    if (authorization === undefined) {
      throw new PermissionError(`the OIDC login of ${userName} has no valid token`, {
        hint: "log in again with the tool that made the kubeconfig",
      });
    }
    return {
      credential: { authorization, pair },
      expires: Auth.expirationFromToken(authorization.replace(/^Bearer /, "")) * 1000,
    };
  };
  const kept = new KeptCredential(ask, site.clock);
  return { get: () => kept.get(), refused: () => false, close: () => undefined };
}

/** TLS options that hold for every connection; throws InputError for what cannot be used. */
export function trustOf(
  { cluster, clusterName }: ServerTarget,
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
