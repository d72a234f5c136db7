/** Who we are to the API server: one source per way of logging in. */
import { PermissionError } from "../../domain/errors";
import { text } from "../../domain/values";
import { bearer, type Credential, type CredentialSource, type Site } from "./credential";
import { ExecPlugin } from "./exec-plugin";
import { fileProblem, readText } from "../files";
import type { ClientPair } from "../http/agents";
import { oidcSource } from "./oidc";
import { clientPairOf } from "./trust";

/** The user's source; reads certificates at once, runs plugins at the first request. */
export function credentialSource(site: Site): CredentialSource {
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
function tokenFile({ target }: Site, pair: ClientPair | undefined): CredentialSource {
  const { user, userName } = target;
  const get = (): Credential => {
    const file = user.tokenFile ?? "";
    const read = readText(file);
    const token = "text" in read ? text(read.text.trim()) : user.token;
    if (token !== undefined) return { authorization: bearer(token), pair };
    const problem = "text" in read ? `the file is empty: ${file}` : fileProblem(file, read.failure);
    throw new PermissionError(`cannot read the token of ${userName}: ${problem}`);
  };
  return { ...constant({}), get: () => Promise.resolve().then(get) };
}
