/** A small OpenID Connect provider on loopback: discovery, keys, and renewal of logins. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Pair } from "./tls";

/** How the provider behaves; a test may change it at any time. */
export interface IssuerManner {
  /** How a client has to show its secret; none: it has no secret. */
  clientAuth: "basic" | "post" | "none";
  /** What discovery says of it; absent: nothing. */
  announced: readonly string[] | undefined;
  /** A refresh token is good for one use. */
  rotates: boolean;
  withoutIdToken: boolean;
  /** Seconds that an ID token is good for. */
  lifetime: number;
  /** Every request gets this answer. */
  instead: { readonly status: number; readonly body?: unknown } | "hang" | undefined;
  /** What a refused renewal says. */
  refusal: object;
  groups: readonly string[];
}

/** A request for tokens as it arrived. */
export interface TokenRequest {
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
}

export interface OidcIssuer {
  readonly url: string;
  readonly port: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly manner: IssuerManner;
  readonly paths: readonly string[];
  readonly renewals: readonly TokenRequest[];
  /** The refresh token that is good now. */
  readonly refreshToken: () => string;
  /** An ID token that ends so many seconds from now. */
  readonly idToken: (seconds: number) => string;
  readonly arrival: () => Promise<void>;
  close(): Promise<void>;
}

interface IssuerParts {
  /** Absent: plain http. */
  readonly pair?: Pair;
  /** Under which name it is reached; absent: 127.0.0.1. */
  readonly host?: string;
  readonly user?: string;
}

const usual: IssuerManner = {
  ...{ clientAuth: "basic", announced: undefined, rotates: true, withoutIdToken: false },
  ...{ lifetime: 3600, instead: undefined, groups: [] },
  refusal: { error: "invalid_grant", error_description: "the session is not active" },
};

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const clientId = "kubectl";
// characters that a header carries only when they are encoded
const clientSecret = "cl1ent:s3cr+t/%";

/** Starts on loopback. */
export async function startOidcIssuer(parts: IssuerParts = {}): Promise<OidcIssuer> {
  const { pair, host = "127.0.0.1", user = "jane@example.com" } = parts;
  const manner = { ...usual };
  const paths: string[] = [];
  const renewals: TokenRequest[] = [];
  const waiting: (() => void)[] = [];
  let refreshToken = randomBytes(24).toString("base64url");
  let url = "";

  const idToken = (seconds: number): string => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + seconds, jti: randomBytes(6).toString("hex") };
    const whose = { iss: url, aud: clientId, sub: user, email: user, groups: manner.groups };
    const head = `${encode({ alg: "RS256", kid: "one" })}.${encode({ ...whose, ...times })}`;
    return `${head}.${sign("RSA-SHA256", Buffer.from(head), privateKey).toString("base64url")}`;
  };
  const discovery = (): object => ({
    issuer: url,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    authorization_endpoint: `${url}/authorize`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    ...(manner.announced && { token_endpoint_auth_methods_supported: manner.announced }),
  });
  const isClient = ({ form, authorization }: TokenRequest): boolean => {
    const given = [clientId, clientSecret].map((part) => encodeURIComponent(part)).join(":");
    if (manner.clientAuth === "basic") return authorization === `Basic ${btoa(given)}`;
    const secret = manner.clientAuth === "post" ? clientSecret : undefined;
    const { client_id, client_secret } = form;
    return authorization === undefined && client_id === clientId && client_secret === secret;
  };
  const renewed = (request: TokenRequest): readonly [number, object] => {
    renewals.push(request);
    const { form } = request;
    if (!isClient(request)) return [401, { error: "invalid_client" }];
    const isGood = form["grant_type"] === "refresh_token" && form["refresh_token"] === refreshToken;
    if (!isGood) return [400, manner.refusal];
    if (manner.rotates) refreshToken = randomBytes(24).toString("base64url");
    return [
      200,
      {
        ...{ access_token: "opaque", token_type: "Bearer", expires_in: manner.lifetime },
        ...(manner.rotates && { refresh_token: refreshToken }),
        ...(!manner.withoutIdToken && { id_token: idToken(manner.lifetime) }),
      },
    ];
  };
  const answerTo = (path: string, request: TokenRequest): readonly [number, unknown] => {
    if (typeof manner.instead === "object") return [manner.instead.status, manner.instead.body];
    if (path === "/realm/.well-known/openid-configuration") return [200, discovery()];
    const key = publicKey.export({ format: "jwk" });
    const named = { ...key, kid: "one", use: "sig", alg: "RS256" };
    if (path === "/realm/keys") return [200, { keys: [named] }];
    if (path === "/realm/token") return renewed(request);
    return [404, {}];
  };
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const path = message.url ?? "";
      paths.push(path);
      waiting.splice(0).forEach((tell) => {
        tell();
      });
      if (manner.instead === "hang") return;
      const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
      const { authorization, "user-agent": userAgent } = message.headers;
      const request = { form: Object.fromEntries(form), authorization, userAgent };
      const [status, body] = answerTo(path, request);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  };
  const server =
    pair === undefined
      ? createHttp(listener)
      : createHttps({ key: pair.key, cert: pair.cert }, listener);
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket.on("close", () => open.delete(socket)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  url = `${pair === undefined ? "http" : "https"}://${host}:${port}/realm`;
  return {
    ...{ url, port, clientId, clientSecret, manner, paths, renewals, idToken },
    refreshToken: () => refreshToken,
    arrival: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}

/** The settings of a user of this provider in a kubeconfig. */
export function oidcUser(issuer: OidcIssuer, config: object = {}): object {
  const usualConfig = {
    "idp-issuer-url": issuer.url,
    "client-id": issuer.clientId,
    "client-secret": issuer.clientSecret,
    "id-token": issuer.idToken(-60),
    "refresh-token": issuer.refreshToken(),
  };
  return { "auth-provider": { name: "oidc", config: { ...usualConfig, ...config } } };
}
