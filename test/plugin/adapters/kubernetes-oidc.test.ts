import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect as dial, type Socket } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { load } from "js-yaml";
import { systemClock } from "../../../plugin/adapters/clock";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import type { ConnectOptions } from "../../../plugin/adapters/kubernetes/target";
import { InputError, PermissionError, UnavailableError } from "../../../plugin/domain/base/errors";
import { getPath } from "../../../plugin/domain/base/values";
import { type Clock, type KubeClient, requestDeadlineMs } from "../../../plugin/ports/kubernetes";
import {
  aConfigMap as object,
  aConfigMapRef as ref,
  type FakeApiServer,
  startFakeApiServer,
  status,
} from "../../support/api-server";
import { type Folder, kubeconfig, temporaryFolder } from "../../support/api-server-kubeconfigs";
import { HandClock } from "../../support/manual-clock";
import { type OidcIssuer, oidcUser, startOidcIssuer } from "../../support/oidc-issuer";
import { certify, type Pair } from "../../support/tls";

let authority: Pair;
let server: FakeApiServer;
let issuer: OidcIssuer;
let folder: Folder;
let refuses = false;
const clusters: KubeClient[] = [];
const usualManner = { announced: undefined, instead: undefined, withoutIdToken: false } as const;

beforeAll(async () => {
  authority = certify({ commonName: "corporate" });
  const pair = certify(
    { commonName: "idp", ips: ["127.0.0.1"], dns: ["idp.engine.test"] },
    authority,
  );
  server = await startFakeApiServer(() =>
    refuses ? status(401, "Unauthorized") : { body: object },
  );
  issuer = await startOidcIssuer({ pair });
  // the first import has jest rewrite the library, which takes its time
  await import("openid-client");
}, 60_000);

afterAll(() => Promise.all([server.close(), issuer.close()]));

beforeEach(() => {
  refuses = false;
  folder = temporaryFolder();
  folder.write("corporate.pem", authority.cert);
  Object.assign(issuer.manner, usualManner, { clientAuth: "basic", rotates: true, lifetime: 3600 });
  Object.assign(issuer.manner, {
    refusal: { error: "invalid_grant", error_description: "the session is not active" },
  });
});

afterEach(() => {
  for (const cluster of clusters.splice(0)) cluster.close();
  folder.remove();
});

const ownCa = (): object => ({ "idp-certificate-authority": join(folder.dir, "corporate.pem") });
const kept = (file: string, key: string): unknown => {
  const [user] = (load(readFileSync(file, "utf8")) as { users: unknown[] }).users;
  return getPath(user, ["user", "auth-provider", "config", key]);
};

interface Reading {
  readonly user?: object;
  readonly file?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly options?: ConnectOptions;
}

async function reading({ user, file, env = {}, options = {} }: Reading): Promise<KubeClient> {
  const config = file ?? folder.write("config", kubeconfig({ server: server.url }, user));
  const cluster = await connect({ kubeconfig: config }, env, options);
  clusters.push(cluster);
  return cluster;
}

/** The token that one read by this user was sent with. */
async function tokenAfter(what: Reading): Promise<string | undefined> {
  const before = server.requests.length;
  await (await reading(what)).get(ref);
  return server.requests[before]?.headers["authorization"]?.replace("Bearer ", "");
}

async function failureOf(what: Reading): Promise<Error> {
  const secrets = [issuer.clientSecret, issuer.refreshToken()];
  const before = server.requests.length;
  const failure = await reading(what)
    .then((cluster) => cluster.get(ref))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (!(failure instanceof Error)) throw new Error("it did not fail");
  expect(server.requests).toHaveLength(before);
  for (const secret of secrets) expect(inspect(failure, { depth: 10 })).not.toContain(secret);
  return failure;
}

const claimsOf = (token = ""): { readonly exp: number } =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as never;

describe("a token that is good", () => {
  test("is used, and nobody is asked", async () => {
    const asked = issuer.paths.length;
    const idToken = issuer.idToken(60);
    expect(await tokenAfter({ user: oidcUser(issuer, { "id-token": idToken }) })).toBe(idToken);
    expect(issuer.paths).toHaveLength(asked);
  });

  test("is not renewed where the API server refuses it, as in kubectl", async () => {
    refuses = true;
    const [asked, before] = [issuer.paths.length, server.requests.length];
    const cluster = await reading({ user: oidcUser(issuer, { "id-token": issuer.idToken(60) }) });
    await expect(cluster.get(ref)).rejects.toMatchObject({ exitCode: 4 });
    expect(server.requests).toHaveLength(before + 1);
    expect(issuer.paths).toHaveLength(asked);
  });
});

describe("a token that has expired is renewed", () => {
  test.each<[string, object, (config: object) => object]>([
    ["with the secret in the header", {}, (config) => config],
    [
      "with the secret in the body",
      { clientAuth: "post", announced: ["client_secret_post"] },
      (config) => config,
    ],
    [
      "with the secret in the body where the header is refused",
      { clientAuth: "post" },
      (config) => config,
    ],
    ["without a secret", { clientAuth: "none" }, (config) => ({ ...config, "client-secret": "" })],
    ["where there was none", {}, (config) => ({ ...config, "id-token": undefined })],
    ["10 s before its end", {}, (config) => ({ ...config, "id-token": issuer.idToken(8) })],
    ["where the refresh token stays", { rotates: false }, (config) => config],
    [
      "with a slash behind the issuer",
      {},
      (config) => ({ ...config, "idp-issuer-url": `${issuer.url}/` }),
    ],
  ])("%s", async (_, manner, change) => {
    Object.assign(issuer.manner, manner);
    const before = issuer.refreshToken();
    const user = oidcUser(issuer, change(ownCa()));
    const token = await tokenAfter({ user });
    expect(claimsOf(token).exp * 1000).toBeGreaterThan(Date.now() + 3_000_000);
    const file = join(folder.dir, "config");
    expect(kept(file, "id-token")).toBe(token);
    expect(kept(file, "refresh-token")).toBe(issuer.refreshToken());
    expect(issuer.refreshToken() === before).toBe(!issuer.manner.rotates);
    expect(issuer.renewals.at(-1)?.form["refresh_token"]).toBe(before);
    expect(issuer.renewals.at(-1)?.userAgent).toBe("kubectl-engine");
  });

  test("by a provider whose CA stands in the kubeconfig, or in SSL_CERT_FILE", async () => {
    const data = { "idp-certificate-authority-data": btoa(authority.cert) };
    expect(await tokenAfter({ user: oidcUser(issuer, data) })).toBeDefined();
    const env = { SSL_CERT_FILE: join(folder.dir, "corporate.pem") };
    expect(await tokenAfter({ user: oidcUser(issuer), env })).toBeDefined();
  });

  test("once for all requests that wait for it, and for a second connection", async () => {
    const asked = issuer.renewals.length;
    const file = folder.write(
      "config",
      kubeconfig({ server: server.url }, oidcUser(issuer, ownCa())),
    );
    chmodSync(file, 0o400);
    folder.write("config.lock", "");
    const warnings: string[] = [];
    const warn = (text: string): unknown => warnings.push(text);
    const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
    const one = await reading({ file, options: { warn, clock } });
    const other = await reading({ file, options: { warn, clock } });
    await Promise.all([one, other, one].map((cluster) => cluster.get(ref)));
    expect(issuer.renewals).toHaveLength(asked + 1);
    expect(warnings).toEqual([
      `the renewed OIDC login of user "me" is not kept: cannot write the kubeconfig ${file}: ${file}.lock is there: remove it when no other command is writing the file; log in again with the tool that made the kubeconfig after this run`,
    ]);
  });

  test("again when the next one has expired, by the tokens that somebody has written since", async () => {
    let time = Date.now();
    const clock = { now: () => time, sleep: () => Promise.resolve() };
    const cluster = await reading({ user: oidcUser(issuer, ownCa()), options: { clock } });
    await cluster.get(ref);
    time += 3_595_000;
    const before = issuer.renewals.length;
    const idToken = issuer.idToken(9_000);
    const user = oidcUser(issuer, { "id-token": idToken, ...ownCa() });
    folder.write("config", kubeconfig({ server: server.url }, user));
    await cluster.get(ref);
    expect(server.requests.at(-1)?.headers["authorization"]).toBe(`Bearer ${idToken}`);
    expect(issuer.renewals).toHaveLength(before);
  });

  test("through the proxy of the environment, not through that of the API server", async () => {
    const asked: string[] = [];
    const open = new Set<Socket>();
    const proxy = createServer().on("connect", (request, client: Socket) => {
      asked.push(request.url ?? "");
      const there = dial(issuer.port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        client.pipe(there).pipe(client);
      });
      for (const socket of [client, there]) open.add(socket.on("error", () => undefined));
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, "127.0.0.1", resolve);
    });
    const { port } = proxy.address() as AddressInfo;
    const named = issuer.url.replace("127.0.0.1", "idp.engine.test");
    const user = oidcUser(issuer, { "idp-issuer-url": named, ...ownCa() });
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
    // the provider says that its tokens are asked for at 127.0.0.1: no proxy leads there
    expect(await tokenAfter({ user, env })).toBeDefined();
    expect(asked).toEqual([`idp.engine.test:${issuer.port}`]);
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
});

test("a provider without TLS is taken, as kubectl takes it, and said", async () => {
  const plain = await startOidcIssuer();
  const warnings: string[] = [];
  try {
    const options = { warn: (text: string) => void warnings.push(text) };
    const token = await tokenAfter({ user: oidcUser(plain, {}), options });
    expect(claimsOf(token).exp * 1000).toBeGreaterThan(Date.now());
    expect(kept(join(folder.dir, "config"), "refresh-token")).toBe(plain.refreshToken());
    expect(warnings).toEqual([expect.stringContaining(`renewed without TLS: ${plain.url}`)]);
  } finally {
    await plain.close();
  }
});

test.each(["ftp://127.0.0.1/realm", "127.0.0.1/realm"])("%s is no issuer", async (issuerUrl) => {
  const failure = await failureOf({ user: oidcUser(issuer, { "idp-issuer-url": issuerUrl }) });
  expect(failure).toBeInstanceOf(InputError);
  expect(failure.message).toContain("no http or https URL");
});

describe("a token that cannot be renewed", () => {
  const renewing = (): object => oidcUser(issuer, ownCa());

  /** The kubeconfig's refresh token is used up by another run. */
  async function usedUp(): Promise<object> {
    const user = renewing();
    const config = getPath(user, ["auth-provider", "config"]) as object;
    await tokenAfter({ user });
    const expired = { ...config, "id-token": issuer.idToken(-1) };
    return { "auth-provider": { name: "oidc", config: expired } };
  }

  test("a session that has ended; the kubeconfig stays", async () => {
    const user = await usedUp();
    expect(await failureOf({ user })).toMatchObject({
      exitCode: 4,
      message: `the identity provider ${issuer.url} did not renew the OIDC login of user "me": invalid_grant (the session is not active)`,
      hint: "log in again with the tool that made the kubeconfig",
    });
    const file = readFileSync(join(folder.dir, "config"), "utf8");
    expect(JSON.parse(file)).toEqual(kubeconfig({ server: server.url }, user));
  });

  test("an answer that quotes the refresh token", async () => {
    const user = await usedUp();
    const token = String(getPath(user, ["auth-provider", "config", "refresh-token"]));
    const description = `no session for ${token}`;
    issuer.manner.refusal = { error: "invalid_grant", error_description: description };
    const failure = await failureOf({ user });
    expect(failure.message).toContain("invalid_grant (no session for …)");
    expect(inspect(failure, { depth: 10 })).not.toContain(token);
  });

  test.each<[string, object, object]>([
    [
      "a provider that has a failure",
      { instead: { status: 500, body: {} } },
      {
        exitCode: 69,
        message: expect.stringContaining("answered 500") as unknown,
        hint: "try again later",
      },
    ],
    [
      "an address that is no provider's",
      { instead: { status: 404, body: {} } },
      {
        exitCode: 4,
        message: expect.stringContaining(
          "/.well-known/openid-configuration answered 404",
        ) as unknown,
        hint: 'check the idp-issuer-url of user "me"',
      },
    ],
    [
      "a page that is no discovery document",
      { instead: { status: 200, body: [] } },
      { exitCode: 4, message: expect.stringContaining("its answer cannot be used") as unknown },
    ],
    [
      "a provider that gives no ID token",
      { withoutIdToken: true },
      { exitCode: 4, message: expect.stringContaining("without an id_token") as unknown },
    ],
  ])("%s", async (_, manner, expected) => {
    Object.assign(issuer.manner, manner);
    expect(await failureOf({ user: renewing() })).toMatchObject(expected);
  });

  test("a provider that does not answer", async () => {
    issuer.manner.instead = "hang";
    const hand = new HandClock();
    const clock: Clock = { ...systemClock, alarm: (ms, ring) => hand.alarm(ms, ring) };
    const arrival = issuer.arrival();
    const failing = failureOf({ user: renewing(), options: { clock } });
    await arrival;
    hand.pass(requestDeadlineMs);
    const failure = await failing;
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure.message).toMatch(
      /^no answer to renew the OIDC login of user "me" from the identity provider https:\S+\/realm: no answer within the request timeout$/,
    );
  });

  test("a provider that is away", async () => {
    const user = oidcUser(issuer, { "idp-issuer-url": "https://127.0.0.1:1/realm" });
    const failure = await failureOf({ user });
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure.message).toContain(
      "cannot reach the identity provider https://127.0.0.1:1/realm",
    );
  });

  test("a provider whose certificate nobody trusts", async () => {
    const failure = await failureOf({ user: oidcUser(issuer) });
    expect(failure).toMatchObject({
      exitCode: 69,
      hint: 'name the CA that signed it as idp-certificate-authority of user "me", or in SSL_CERT_FILE',
    });
  });

  test.each<[string, object, object]>([
    [
      "without an issuer and a client",
      { "idp-issuer-url": undefined, "client-id": "" },
      {
        problems: [
          'the OIDC login of user "me" has no idp-issuer-url',
          'the OIDC login of user "me" has no client-id',
        ],
      },
    ],
    ["whose issuer is no URL", { "idp-issuer-url": "idp" }, { exitCode: 2 }],
    ["whose CA is missing", { "idp-certificate-authority": "/nowhere.pem" }, { exitCode: 2 }],
    [
      "whose token is no JWT",
      { "id-token": "word" },
      { exitCode: 4, message: 'the id-token of user "me" is no JWT' },
    ],
    [
      "without a refresh token",
      { "refresh-token": undefined },
      {
        exitCode: 4,
        message:
          'the OIDC login of user "me" has no valid id-token, and no refresh-token to get one with',
      },
    ],
  ])("a login %s", async (_, config, expected) => {
    const failure = await failureOf({ user: oidcUser(issuer, config) });
    expect(failure).toBeInstanceOf(
      "exitCode" in expected && expected.exitCode === 4 ? PermissionError : InputError,
    );
    expect(failure).toMatchObject(expected);
  });

  test("a run that ends does not wait for the provider", async () => {
    issuer.manner.instead = "hang";
    const cluster = await reading({ user: renewing() });
    const arrival = issuer.arrival();
    const waiting = cluster.get(ref);
    await arrival;
    cluster.close();
    await expect(waiting).rejects.toThrow();
  });
});

describe("what is written", () => {
  test("two values, the mode and a link stay, and no lock and no other file is left", async () => {
    const { config } = (
      oidcUser(issuer, ownCa()) as never as { "auth-provider": { config: Record<string, string> } }
    )["auth-provider"];
    const text = [
      "# the team's own, do not sort",
      "apiVersion: v1",
      "kind: Config",
      "x-place: &place {cluster: here, user: me}   # shared",
      "contexts:",
      "- {name: here, context: *place}",
      "current-context: here",
      `clusters: [{name: here, cluster: {server: "${server.url}"}}]`,
      "users:",
      "  - name: me",
      "    user:",
      "      auth-provider:",
      "        name: oidc",
      "        config:",
      `          idp-issuer-url: ${issuer.url}`,
      `          client-id: ${issuer.clientId} # as registered`,
      `          client-secret: '${issuer.clientSecret}'`,
      `          id-token: ${config["id-token"] ?? ""} # expires`,
      `          idp-certificate-authority: ${config["idp-certificate-authority"] ?? ""}`,
      `          refresh-token: "${config["refresh-token"] ?? ""}"`,
      "",
    ].join("\r\n");
    const file = folder.write("real", text);
    chmodSync(file, 0o640);
    const link = join(folder.dir, "link");
    symlinkSync(file, link);
    const other = folder.write("other", "apiVersion: v1\nkind: Config\n# untouched\n");
    const cluster = await connect({}, { KUBECONFIG: `${other}:${link}` }, {});
    clusters.push(cluster);
    await cluster.get(ref);
    const expected = text
      .replace(
        config["id-token"] ?? "",
        server.requests.at(-1)?.headers["authorization"]?.slice(7) ?? "",
      )
      .replace(config["refresh-token"] ?? "", issuer.refreshToken());
    expect(readFileSync(file, "utf8")).toBe(expected);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(other, "utf8")).toBe("apiVersion: v1\nkind: Config\n# untouched\n");
    expect(readdirSync(folder.dir).sort()).toEqual(["corporate.pem", "link", "other", "real"]);
  });

  test.each<[string, (text: string) => Buffer]>([
    ["UTF-16, little end first", (text) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16, big end first", (text) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
    ["UTF-8 with a mark", (text) => Buffer.from(`\uFEFF${text}`)],
  ])("the encoding stays: %s", async (_, encoded) => {
    const config = kubeconfig({ server: server.url }, oidcUser(issuer, ownCa()));
    const file = join(folder.dir, "encoded");
    writeFileSync(file, encoded(JSON.stringify(config)));
    const token = await tokenAfter({ file });
    const expected = kubeconfig(
      { server: server.url },
      oidcUser(issuer, { ...ownCa(), "id-token": token }),
    );
    expect(readFileSync(file)).toEqual(encoded(JSON.stringify(expected)));
  });
});
