/**
 * The login of a user with the auth provider `oidc`, as client-go's plugin of that name does it: the
 * ID token is the credential until 10 s before its end; then the refresh token buys the next one, and
 * both are written back into the kubeconfig.
 */
import { resolve } from "node:path";
import type * as OpenId from "openid-client";
import {
  EngineError,
  InputError,
  PermissionError,
  UnavailableError,
  UsageError,
} from "../../domain/base/errors";
import { conceal, publicText, publicValue } from "../../domain/base/redact";
import { asString, getOwn, parseJson } from "../../domain/base/values";
import { NoAnswer, oneLine } from "../http/answer";
import { type Server, explainSilence } from "../http/failures";
import { fetchOver } from "../http/fetch";
import { joinPems, readableRoots, systemRoots } from "../http/trust";
import { verifyPeer } from "../http/tunnel";
import {
  bearer,
  type Credential,
  type CredentialContext,
  type CredentialSource,
  type Issued,
  KeptCredential,
} from "./credentials";
import { readPem } from "./pem";
import { loadKubeconfig } from "./kubeconfig";
import type { OidcTokens } from "./kubeconfig-tokens";

/** A token counts as expired so long before it is: clocks differ (golang.org/x/oauth2). */
const expiryDeltaMs = 10_000;
const dialMs = 30_000;
/** Characters of an answer; ID tokens with many groups have some thousand. */
const answerBytes = 4 * 1024 * 1024;
const wellKnown = "/.well-known/openid-configuration";
const loginAgain = "log in again with the tool that made the kubeconfig";

/** What became of tokens in this process: a refresh token may be good for one use only. */
const renewals = new Map<string, Promise<OidcTokens>>();

/** The library marks plain http as deprecated for it to stand out; kubectl allows it. */
type OidcClient = Omit<typeof OpenId, "allowInsecureRequests"> & {
  readonly allowInsecureRequests: (config: OpenId.Configuration) => void;
};

/** Renews when needed; a 401 of the API server is no reason to, as in kubectl. */
export class OidcLogin implements CredentialSource {
  private readonly kept: KeptCredential;
  private readonly ended = new AbortController();
  private readonly config: OidcConfig;
  private tokens: OidcTokens;
  /** What the kubeconfig held when it was last looked at. */
  private written: OidcTokens;

  constructor(private readonly site: CredentialContext) {
    this.config = readOidcConfig(site);
    this.tokens = this.written = readTokens(site.target.user.authProvider);
    this.kept = new KeptCredential(() => this.ask(), site.clock);
  }

  get(): Promise<Credential> {
    return this.kept.get();
  }

  refused(): boolean {
    return false;
  }

  close(): void {
    this.ended.abort(new Error("the connection was closed"));
  }

  private async ask(): Promise<Issued> {
    this.tokens = await this.good(this.newest());
    const { idToken = "" } = this.tokens;
    return {
      credential: { authorization: bearer(idToken) },
      expires: this.readEnd(idToken) - expiryDeltaMs,
    };
  }

  /** Another process may have renewed the login since, and used the refresh token up. */
  private newest(): OidcTokens {
    const { origin } = this.site.target.user;
    const found = origin === undefined ? undefined : readAgain(origin.file, origin.name);
    if (found === undefined || renewalKey(found) === renewalKey(this.written)) return this.tokens;
    this.written = found;
    return found;
  }

  private async good(tokens: OidcTokens): Promise<OidcTokens> {
    const { idToken } = tokens;
    const { clock } = this.site;
    if (idToken !== undefined && clock.now() + expiryDeltaMs < this.readEnd(idToken)) return tokens;
    const known = renewals.get(renewalKey(tokens));
    if (known !== undefined) return this.good(await known);
    const renewing = this.renew(tokens);
    renewals.set(renewalKey(tokens), renewing);
    try {
      return await renewing;
    } catch (error) {
      renewals.delete(renewalKey(tokens));
      throw error;
    }
  }

  private readEnd(idToken: string): number {
    const parts = idToken.split(".");
    const claims = parseJson(Buffer.from(parts[1] ?? "", "base64url").toString("utf8"));
    if (parts.length === 3 && claims !== undefined) {
      const end = getOwn(claims, "exp");
      return typeof end === "number" ? end * 1000 : 0;
    }
    throw new PermissionError(`the id-token of ${this.site.target.userName} is no JWT`, {
      hint: loginAgain,
    });
  }

  private async renew(tokens: OidcTokens): Promise<OidcTokens> {
    const { userName } = this.site.target;
    if (tokens.refreshToken === undefined) {
      throw new PermissionError(
        `the OIDC login of ${userName} has no valid id-token, and no refresh-token to get one with`,
        { hint: loginAgain },
      );
    }
    const renewed = await this.exchange({ ...tokens, refreshToken: tokens.refreshToken });
    await this.keep(tokens, renewed);
    return renewed;
  }

  /** One exchange with the identity provider: where it gives tokens, then a new one. */
  private async exchange(
    tokens: OidcTokens & { readonly refreshToken: string },
  ): Promise<OidcTokens> {
    const { refreshToken } = tokens;
    const { issuer } = this.config;
    const exchanged = new Exchanged(this.site, this.config, this.ended.signal);
    if (issuer.protocol === "http:") {
      const { target, warn } = this.site;
      warn(
        `the OIDC login of ${target.userName} is renewed without TLS: ${publicValue(issuer.href)}`,
      );
    }
    try {
      const client = await import("openid-client");
      const found = await exchanged.discover(client);
      const answer = await exchanged.refresh(client, found, refreshToken);
      if (answer.id_token === undefined) throw noIdToken(issuer);
      return {
        idToken: answer.id_token,
        refreshToken: asString(answer.refresh_token) ?? refreshToken,
      };
    } catch (error) {
      if (error instanceof EngineError) throw error;
      throw exchanged.failure(error, [refreshToken, tokens.idToken ?? ""]);
    }
  }

  /** The login is good for this run even where it cannot be kept for the next one. */
  private async keep(old: OidcTokens, renewed: OidcTokens): Promise<void> {
    const { target, clock, warn } = this.site;
    const { origin } = target.user;
    if (origin === undefined) return;
    try {
      const { keepTokens } = await import("./kubeconfig-tokens.ts");
      await keepTokens(origin, { old, renewed }, clock);
      this.written = renewed;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const lost = old.refreshToken !== renewed.refreshToken;
      const next = lost ? `; ${loginAgain} after this run` : "";
      warn(`the renewed OIDC login of ${target.userName} is not kept: ${error.message}${next}`);
    }
  }
}

function noIdToken(issuer: URL): PermissionError {
  return new PermissionError(
    `the identity provider ${publicValue(issuer.href)} renewed the login without an id_token`,
    {
      hint: 'log in again with the scope "openid"; some providers give no id_token on renewal, for which an exec credential plugin is needed',
    },
  );
}

function renewalKey({ idToken = "", refreshToken = "" }: OidcTokens): string {
  return `${refreshToken}\n${idToken}`;
}

function readTokens(authProvider: unknown): OidcTokens {
  const config = getOwn(authProvider, "config");
  return {
    idToken: asString(getOwn(config, "id-token")),
    refreshToken: asString(getOwn(config, "refresh-token")),
  };
}

/** What cannot be read any more has nothing newer. */
function readAgain(file: string, name: string): OidcTokens | undefined {
  try {
    const user = loadKubeconfig(file, {}).users.get(name);
    return user?.authProvider === undefined ? undefined : readTokens(user.authProvider);
  } catch {
    return undefined;
  }
}

/** The provider's settings, as kubectl names them. */
interface OidcConfig {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly caFile: string | undefined;
  readonly caData: string | undefined;
}

function readOidcConfig({ target: { user, userName } }: CredentialContext): OidcConfig {
  const config = getOwn(user.authProvider, "config");
  const text = (key: string): string | undefined => asString(getOwn(config, key));
  const [issuer = "", clientId = ""] = [text("idp-issuer-url"), text("client-id")];
  const caFile = text("idp-certificate-authority");
  const problems = [issuerProblem(issuer), clientId === "" ? "has no client-id" : undefined].filter(
    (problem) => problem !== undefined,
  );
  if (problems.length > 0) {
    throw new InputError(problems.map((problem) => `the OIDC login of ${userName} ${problem}`));
  }
  return {
    issuer: new URL(issuer),
    clientId,
    clientSecret: text("client-secret"),
    // as in kubectl: relative to the folder that the command runs in
    caFile: caFile === undefined ? undefined : resolve(caFile),
    caData: text("idp-certificate-authority-data"),
  };
}

/** As in kubectl, http is taken too: a provider may be reached over a tunnel or on loopback. */
function issuerProblem(issuer: string): string | undefined {
  if (issuer === "") return "has no idp-issuer-url";
  const isUrl = /^https?:\/\//i.test(issuer) && URL.canParse(issuer);
  return isUrl ? undefined : "has an idp-issuer-url that is no http or https URL";
}

/** A discovery and a renewal, and what the provider answered last. */
class Exchanged {
  private last: { readonly url: URL; readonly status: number } | undefined;
  private readonly fetch: ReturnType<typeof fetchOver>;

  constructor(
    private readonly site: CredentialContext,
    private readonly config: OidcConfig,
    signal: AbortSignal,
  ) {
    const { env, clock, timeoutMs, warn } = site;
    const whose = `the certificate authority of the identity provider of ${site.target.userName}`;
    const ca = readPem(config.caData, config.caFile, whose);
    const limits = { dialMs: Math.min(dialMs, timeoutMs), answerMs: timeoutMs, answerBytes };
    const own = ca === undefined ? undefined : readableRoots(ca, whose, warn);
    const roots = systemRoots(env, warn);
    const tls = verifyPeer(own ?? roots);
    const proxyRoots = joinPems(roots, own);
    const fetched = fetchOver({ tls, proxyRoots, env, clock, limits, signal });
    this.fetch = async (url, wanted) => {
      const response = await fetched(url, wanted);
      this.last = { url: new URL(url), status: response.status };
      return response;
    };
  }

  /** The whole address is given: kubectl does not compare how the provider spells its own one. */
  discover(client: OidcClient): Promise<OpenId.Configuration> {
    const { issuer, clientId } = this.config;
    const known = new URL(`${issuer.href.replace(/\/$/, "")}${wellKnown}`);
    return client.discovery(known, clientId, undefined, client.None(), {
      [client.customFetch]: this.fetch,
      execute: [client.allowInsecureRequests],
    });
  }

  /** The client's secret goes into the header, and where that is refused into the body, as in kubectl. */
  async refresh(client: OidcClient, found: OpenId.Configuration, refreshToken: string) {
    const { clientId, clientSecret } = this.config;
    const server = found.serverMetadata();
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const inBody =
      clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret);
    const as = (auth: ReturnType<OidcClient["None"]>) => {
      const configured = new client.Configuration(server, clientId, undefined, auth);
      configured[client.customFetch] = this.fetch;
      client.allowInsecureRequests(configured);
      return client.refreshTokenGrant(configured, refreshToken);
    };
    if (clientSecret === undefined) return as(inBody);
    if (!methods.includes("client_secret_basic") && methods.includes("client_secret_post")) {
      return as(inBody);
    }
    return as(client.ClientSecretBasic(clientSecret)).catch((error: unknown) => {
      if (this.last?.status === 401 || getOwn(error, "error") === "invalid_client") {
        return as(inBody);
      }
      throw error;
    });
  }

  /** Why there is no new token, without a cause: the library's errors hold answers with tokens. */
  failure(error: unknown, secrets: readonly string[]): EngineError {
    const { userName } = this.site.target;
    const silent = noAnswerIn(error);
    const address = publicValue(this.config.issuer.href);
    if (silent !== undefined) {
      const purpose = { subject: `renew the OIDC login of ${userName}`, writes: false };
      return explainSilence(silent, identityProvider(address, userName), purpose);
    }
    const why = this.describeError(error, secrets) ?? this.oddity(error);
    const message = `the identity provider ${address} did not renew the OIDC login of ${userName}: ${why}`;
    const { status = 0 } = this.last ?? {};
    if (status >= 500 || status === 429) {
      return new UnavailableError(message, { hint: "try again later" });
    }
    const isRefusal = getOwn(error, "error") !== undefined;
    const hint = isRefusal ? loginAgain : `check the idp-issuer-url of ${userName}`;
    return new PermissionError(message, { hint });
  }

  /** The code of OAuth with the provider's description. */
  private describeError(error: unknown, secrets: readonly string[]): string | undefined {
    const code = asString(getOwn(error, "error"));
    const description = asString(getOwn(error, "error_description"));
    if (code === undefined) return undefined;
    const said = description === undefined ? code : `${code} (${description})`;
    const known = [...secrets, this.config.clientSecret ?? ""];
    return oneLine(publicText(conceal(said, known)), 200);
  }

  private oddity(error: unknown): string {
    const { status = 0, url = this.config.issuer } = this.last ?? {};
    const code = asString(getOwn(error, "code")) ?? "it is none of OpenID Connect";
    return status === 200
      ? `its answer cannot be used: ${code}`
      : `${publicValue(url.href)} answered ${status}`;
  }
}

/** What a library has wrapped up. */
function noAnswerIn(error: unknown): NoAnswer | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof NoAnswer) return cause;
  }
  return undefined;
}

function identityProvider(address: string, userName: string): Server {
  return {
    title: "the identity provider",
    address,
    strangeIssuer: "no trusted authority has signed it",
    hints: {
      network: `check the network and the idp-issuer-url of ${userName}`,
      issuer: `name the CA that signed it as idp-certificate-authority of ${userName}, or in SSL_CERT_FILE`,
      otherName: `correct the idp-issuer-url of ${userName}`,
      certificate: "renew the provider's certificate, and check this machine's clock",
      outcome: loginAgain,
    },
  };
}
