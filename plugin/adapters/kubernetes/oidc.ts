/** OpenID Connect tokens: client-node's work, loaded for users that have such a login only. */
import type { OpenIDConnectAuth } from "@kubernetes/client-node/dist/oidc_auth.js";
import type { RequestOptions } from "node:https";
import { PermissionError } from "../../domain/errors";
import { own, text } from "../../domain/values";
import { deadline } from "../../run/ports";
import type { CredentialSource, Site } from "./credential";
import { type Issued, KeptCredential } from "./kept";
import type { ClientPair } from "../http/agents";

/** The source for a user with an auth-provider; kubectl knows none but OIDC any more. */
export function oidcSource(site: Site, pair: ClientPair | undefined): CredentialSource {
  const { user, userName } = site.target;
  const name = text(own(user.authProvider, "name")) ?? "";
  if (name !== "oidc") {
    throw new PermissionError(`the auth provider "${name}" of ${userName} is not supported`, {
      hint: "give the user an exec credential plugin instead, as kubectl wants it too",
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
    const authorization = text(own(options.headers, "Authorization"));
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
