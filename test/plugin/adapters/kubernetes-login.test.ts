import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import type { ConnectionFlags, ConnectOptions } from "../../../plugin/adapters/kubernetes/target";
import { PermissionError, UsageError } from "../../../plugin/domain/base/errors";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import {
  type FakeApiServer,
  type Handler,
  type Received,
  startFakeApiServer,
  status,
  aConfigMapRef as ref,
  aConfigMap as object,
} from "../../support/api-server";
import { certify, type Pair } from "../../support/tls";
import { type Folder, kubeconfig, temporaryFolder } from "../../support/api-server-kubeconfigs";

const secret = "s3cr3t";

let authority: Pair;
let serving: Pair;
let folder: Folder;
let server: FakeApiServer;
let handler: Handler;
const clusters: KubeClient[] = [];

beforeAll(async () => {
  authority = certify({ commonName: "authority" });
  serving = certify({ commonName: "server", ips: ["127.0.0.1"] }, authority);
  server = await startFakeApiServer((request) => handler(request), serving);
});

afterAll(() => server.close());

beforeEach(() => {
  handler = () => ({ body: object });
  folder = temporaryFolder();
  folder.write("ca.pem", authority.cert);
});

afterEach(() => {
  for (const cluster of clusters.splice(0)) cluster.close();
  folder.remove();
});

interface Login {
  readonly user?: object;
  readonly cluster?: object;
  readonly flags?: ConnectionFlags;
  readonly options?: ConnectOptions;
}

async function loggedIn({
  user = {},
  cluster = {},
  flags = {},
  options = {},
}: Login): Promise<KubeClient> {
  const place = { server: server.url, "certificate-authority": "ca.pem", ...cluster };
  const file = folder.write("config", kubeconfig(place, user));
  const env = { PATH: process.env["PATH"], INHERITED: "yes" };
  const connected = await connect({ kubeconfig: file, ...flags }, env, options);
  clusters.push(connected);
  return connected;
}

/** The requests of one read by this user. */
async function seenAfter(login: Login): Promise<Received> {
  const before = server.requests.length;
  await (await loggedIn(login)).get(ref);
  const request = server.requests[before];
  if (request === undefined) throw new Error("nothing arrived");
  return request;
}

async function failureOf(login: Login): Promise<Error> {
  const failure = await loggedIn(login)
    .then((cluster) => cluster.get(ref))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (!(failure instanceof Error)) throw new Error("it did not fail");
  expect(inspect(failure, { depth: 10 })).not.toContain(secret);
  return failure;
}

describe("static logins", () => {
  test.each<[string, object, string | undefined]>([
    ["nobody", {}, undefined],
    ["a token", { token: "t" }, "Bearer t"],
    ["a password", { username: "u", password: "ü" }, `Basic ${btoa("u:\u00c3\u00bc")}`],
    ["a token file before a token", { tokenFile: "token", token: "t" }, "Bearer filed"],
    ["a token where the file is missing", { tokenFile: "missing", token: "t" }, "Bearer t"],
  ])("%s", async (_, user, authorization) => {
    folder.write("token", "filed\n");
    const { headers } = await seenAfter({ user });
    expect(headers["authorization"]).toBe(authorization);
  });

  test.each(["data", "files", "flags"])("a client certificate from %s", async (from) => {
    const { cert, key } = certify({ commonName: "jane" }, authority);
    const [certFile, keyFile] = [folder.write("c.pem", cert), folder.write("k.pem", key)];
    const data = { "client-certificate-data": btoa(cert), "client-key-data": btoa(key) };
    const files = { "client-certificate": "c.pem", "client-key": "k.pem" };
    const request = await seenAfter({
      user: from === "data" ? data : from === "files" ? files : { token: "t" },
      flags: from === "flags" ? { clientCertificate: certFile, clientKey: keyFile } : {},
    });
    expect(request.client).toBe("jane");
    expect(request.headers["authorization"]).toBeUndefined();
  });

  describe.each(["kubeconfig", "flags"])("files of the %s that are renewed", (from) => {
    const files = { "client-certificate": "c.pem", "client-key": "k.pem" };
    const connected = (): Promise<KubeClient> => {
      const flags = {
        clientCertificate: join(folder.dir, "c.pem"),
        clientKey: join(folder.dir, "k.pem"),
        certificateAuthority: join(folder.dir, "ca.pem"),
      };
      return loggedIn(from === "flags" ? { flags } : { user: files });
    };
    const write = (commonName: string, parts: readonly string[] = ["cert", "key"]): void => {
      const { cert, key } = certify({ commonName }, authority);
      if (parts.includes("cert")) folder.write("c.pem", cert);
      if (parts.includes("key")) folder.write("k.pem", key);
    };
    const seenFrom = (first: number): readonly (string | undefined)[] =>
      server.requests.slice(first).map(({ client }) => client);

    test("a client certificate: the next request comes with the new one", async () => {
      write("one");
      const cluster = await connected();
      const before = server.requests.length;
      await cluster.get(ref);
      write("two");
      await cluster.get(ref);
      expect(seenFrom(before)).toEqual(["one", "two"]);
    });

    test("a client certificate that is renewed while the old one is refused: asked once more", async () => {
      write("one");
      const cluster = await connected();
      const before = server.requests.length;
      handler = ({ client }) => {
        write("two");
        return client === "two" ? { body: object } : status(401, "Unauthorized");
      };
      await cluster.get(ref);
      expect(seenFrom(before)).toEqual(["one", "two"]);
    });

    test("a certificate that is refused and was not renewed is asked for once", async () => {
      write("one");
      handler = () => status(401, "Unauthorized");
      const cluster = await connected();
      const before = server.requests.length;
      await expect(cluster.get(ref)).rejects.toMatchObject({ exitCode: 4 });
      expect(seenFrom(before)).toEqual(["one"]);
    });

    test("half of a pair: the last good one stays until the other half is there", async () => {
      write("one");
      const cluster = await connected();
      const before = server.requests.length;
      const { cert, key } = certify({ commonName: "two" }, certify({ commonName: "other" }));
      folder.write("c.pem", cert);
      await cluster.get(ref);
      folder.write("k.pem", key);
      await cluster.get(ref);
      folder.write("k.pem", "no key");
      await cluster.get(ref);
      expect(seenFrom(before)).toEqual(["one", "two", "two"]);
    });

    test("a request in flight comes to its end with the old certificate", async () => {
      write("one");
      const cluster = await connected();
      const before = server.requests.length;
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      handler = ({ client }) =>
        client === "one" ? { body: object, after: held } : { body: object };
      const arrived = server.arrival();
      const reading = cluster.get(ref);
      await arrived;
      write("two");
      await cluster.get(ref);
      release();
      await expect(reading).resolves.toMatchObject({ kind: "ConfigMap" });
      expect(seenFrom(before)).toEqual(["one", "two"]);
    });

    test("a certificate authority: new connections are held to the new one", async () => {
      write("one");
      const cluster = await connected();
      await cluster.get(ref);
      folder.write("ca.pem", certify({ commonName: "another" }).cert);
      await expect(cluster.get(ref)).rejects.toMatchObject({ exitCode: 69 });
      folder.write("ca.pem", authority.cert);
      await cluster.get(ref);
    });
  });

  test("a token file that is renewed while the old token is refused: asked once more", async () => {
    folder.write("token", "one");
    const before = server.requests.length;
    handler = () => {
      folder.write("token", "two");
      return server.requests.length - before === 1 ? status(401, "Unauthorized") : { body: object };
    };
    await (await loggedIn({ user: { tokenFile: "token" } })).get(ref);
    expect(server.requests.slice(before).map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer one",
      "Bearer two",
    ]);
  });

  test("a token file is read again for each request", async () => {
    folder.write("token", "one");
    const cluster = await loggedIn({ user: { tokenFile: "token" } });
    const before = server.requests.length;
    await cluster.get(ref);
    folder.write("token", "two");
    await cluster.get(ref);
    const seen = server.requests.slice(before).map(({ headers }) => headers["authorization"]);
    expect(seen).toEqual(["Bearer one", "Bearer two"]);
  });

  test.each([
    ["missing", "no such file"],
    ["empty", "the file is empty"],
  ])("a token file that is %s", async (name, why) => {
    folder.write("empty", " \n");
    const failure = await failureOf({ user: { tokenFile: name } });
    expect(failure).toBeInstanceOf(PermissionError);
    expect(failure.message).toBe(
      `cannot read the token of user "me": ${why}: ${join(folder.dir, name)}`,
    );
  });

  test("a token that no header can carry is not shown", async () => {
    const failure = await failureOf({ flags: { token: `${secret}\n` } });
    expect(failure).toBeInstanceOf(UsageError);
    expect(failure.message).toBe("the bearer token holds characters that no header can carry");
  });

  test("a refused login of the kubeconfig is named by its user", async () => {
    handler = () => status(401, "Unauthorized", { message: secret });
    const failure = await failureOf({ user: { token: secret } });
    expect(failure).toMatchObject({
      exitCode: 4,
      message: `the API server ${server.url} does not accept the credentials of user "me" (401)`,
      hint: "log in again, or choose another login with --context, --user or --token",
    });
  });
});

describe("impersonation", () => {
  const headersOf = ({ rawHeaders }: Received): readonly string[][] =>
    rawHeaders.flatMap((name, at) =>
      at % 2 === 0 && name.startsWith("Impersonate") ? [[name, rawHeaders[at + 1] ?? ""]] : [],
    );

  test("by flags", async () => {
    const flags = { as: "jane", asUid: "7", asGroup: ["a", "b,c"] };
    expect(headersOf(await seenAfter({ user: { as: "boss", "as-uid": "1" }, flags }))).toEqual([
      ["Impersonate-User", "jane"],
      ["Impersonate-Uid", "7"],
      ["Impersonate-Group", "a"],
      ["Impersonate-Group", "b,c"],
    ]);
  });

  test("by the kubeconfig, extras included, in UTF-8", async () => {
    const user = {
      as: "jürgen",
      "as-uid": "7",
      "as-groups": ["a", "", 7],
      "as-user-extra": { "Acme.io/Team": ["x", "y"], none: "odd" },
    };
    expect(headersOf(await seenAfter({ user }))).toEqual([
      ["Impersonate-User", Buffer.from("jürgen").toString("latin1")],
      ["Impersonate-Uid", "7"],
      ["Impersonate-Group", "a"],
      ["Impersonate-Extra-acme.io%2Fteam", "x"],
      ["Impersonate-Extra-acme.io%2Fteam", "y"],
    ]);
  });

  test("with control characters is wrong usage", async () => {
    expect(await failureOf({ flags: { as: "a\r\nb" } })).toMatchObject({
      exitCode: 2,
      message: "a user, uid or group to impersonate holds control characters",
    });
  });
});

describe("exec credential plugins", () => {
  const v1 = "client.authentication.k8s.io/v1";

  /** A plugin that keeps how it was called, and prints what the expression says. */
  const plugin = (output: string, spec: object = {}): object => {
    folder.write(
      "login",
      `#!/usr/bin/env node
const { appendFileSync } = require("node:fs");
const call = { info: process.env.KUBERNETES_EXEC_INFO, args: process.argv.slice(2) };
call.inherited = process.env.INHERITED;
call.given = process.env.GIVEN;
appendFileSync(${JSON.stringify(join(folder.dir, "calls"))}, JSON.stringify(call) + "\\n");
const count = require("node:fs").readFileSync(${JSON.stringify(join(folder.dir, "calls"))}, "utf8").split("\\n").length - 1;
${output}
`,
    );
    chmodSync(join(folder.dir, "login"), 0o755);
    return { exec: { apiVersion: v1, command: "./login", interactiveMode: "Never", ...spec } };
  };

  const prints = (given: string, more = ""): string =>
    `console.log(JSON.stringify({ apiVersion: "${v1}", kind: "ExecCredential", status: ${given} })); ${more}`;

  const calls = (): readonly Record<string, unknown>[] =>
    readFileSync(join(folder.dir, "calls"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test("gives a token, once for many requests", async () => {
    const cluster = await loggedIn({ user: plugin(prints('{ token: "t" + count }')) });
    const before = server.requests.length;
    await Promise.all([cluster.get(ref), cluster.get(ref)]);
    await cluster.get(ref);
    const seen = server.requests.slice(before).map(({ headers }) => headers["authorization"]);
    expect(seen).toEqual(["Bearer t1", "Bearer t1", "Bearer t1"]);
    expect(calls()).toHaveLength(1);
  });

  test("gives a client certificate", async () => {
    const pair = certify({ commonName: "jane" }, authority);
    const given = JSON.stringify({ clientCertificateData: pair.cert, clientKeyData: pair.key });
    const request = await seenAfter({ user: plugin(prints(given)) });
    expect(request.client).toBe("jane");
    expect(request.headers["authorization"]).toBeUndefined();
  });

  test("is called with its arguments, environment and what it asks for", async () => {
    const config = { audience: "a" };
    const user = plugin(prints('{ token: "t" }'), {
      args: ["get-token", "--id", 7],
      env: [{ name: "GIVEN", value: "too" }],
      provideClusterInfo: true,
    });
    const cluster = {
      "tls-server-name": "127.0.0.1",
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: config }],
    };
    await seenAfter({ user, cluster });
    const [call] = calls();
    expect(call).toMatchObject({
      args: ["get-token", "--id", "7"],
      inherited: "yes",
      given: "too",
    });
    expect(JSON.parse(String(call?.["info"]))).toEqual({
      apiVersion: v1,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: server.url,
          "tls-server-name": "127.0.0.1",
          "certificate-authority-data": btoa(authority.cert),
          config,
        },
      },
    });
  });

  test("is told of a cluster without verification, behind a proxy", async () => {
    const user = plugin("process.exit(1)", { provideClusterInfo: true });
    const cluster = {
      "certificate-authority": "",
      "insecure-skip-tls-verify": true,
      "proxy-url": "http://127.0.0.1:1",
    };
    await failureOf({ user, cluster });
    expect(JSON.parse(String(calls()[0]?.["info"]))).toMatchObject({
      spec: {
        cluster: {
          server: server.url,
          "insecure-skip-tls-verify": true,
          "proxy-url": "http://127.0.0.1:1",
        },
      },
    });
  });

  test("is not told of the cluster unless it asks", async () => {
    await seenAfter({ user: plugin(prints('{ token: "t" }')) });
    expect(JSON.parse(String(calls()[0]?.["info"]))).toEqual({
      apiVersion: v1,
      kind: "ExecCredential",
      spec: { interactive: false },
    });
  });

  test("gets no terminal of its own where nobody is to be asked", async () => {
    const opened =
      'try { require("node:fs").openSync("/dev/tty", "r+"); } catch { opened = "no"; }';
    const token = `let opened = "yes"; ${opened} ${prints("{ token: opened + process.ppid }")}`;
    const session = 'require("node:fs").readFileSync("/proc/self/stat", "utf8").split(" ")[5]';
    const own = `const own = ${session} === String(process.pid); ${prints('{ token: "own-" + own }')}`;
    const { headers } = await seenAfter({ user: plugin(own), options: { silent: true } });
    expect(headers["authorization"]).toBe("Bearer own-true");
    const refused = await seenAfter({ user: plugin(token), options: { silent: true } });
    expect(refused.headers["authorization"]).toMatch(/^Bearer no/);
  });

  test("is asked again when the credential has expired", async () => {
    let now = 0;
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const user = plugin(
      prints('{ token: "t" + count, expirationTimestamp: "1970-01-01T00:01:00Z" }'),
    );
    const cluster = await loggedIn({ user, options: { clock } });
    await cluster.get(ref);
    now = 59_000;
    await cluster.get(ref);
    now = 60_000;
    await cluster.get(ref);
    const seen = server.requests.slice(-3).map(({ headers }) => headers["authorization"]);
    expect(seen).toEqual(["Bearer t1", "Bearer t1", "Bearer t2"]);
  });

  test("is asked once more after a 401, for writes as well", async () => {
    handler = ({ headers }) =>
      headers["authorization"] === "Bearer t2" ? { body: object } : status(401, "Unauthorized");
    const cluster = await loggedIn({ user: plugin(prints('{ token: "t" + count }')) });
    await expect(cluster.patch(ref, {}, { type: "merge" })).resolves.toEqual(object);
  });

  test("a renewed certificate gets new connections", async () => {
    const pairs = ["one", "two"].map((commonName) => certify({ commonName }, authority));
    folder.write(
      "pairs.json",
      pairs.map(({ cert, key }) => ({ clientCertificateData: cert, clientKeyData: key })),
    );
    handler = ({ client }) => (client === "two" ? { body: object } : status(401, "Unauthorized"));
    const pair = `require(${JSON.stringify(join(folder.dir, "pairs.json"))})[count - 1]`;
    const cluster = await loggedIn({ user: plugin(prints(pair)) });
    await expect(cluster.get(ref)).resolves.toEqual(object);
  });

  test("two refusals are enough", async () => {
    handler = () => status(401, "Unauthorized");
    const failure = await failureOf({ user: plugin(prints('{ token: "t" }')) });
    expect(failure).toMatchObject({ exitCode: 4 });
    expect(calls()).toHaveLength(2);
  });

  const rows: readonly (readonly [string, string, object, string])[] = [
    [
      "ends with a code",
      `console.log("${secret}"); process.exitCode = 3`,
      {},
      "ended with exit code 3",
    ],
    [
      "prints too much",
      `process.stdout.write("${secret}".repeat(1e6)); setInterval(() => {}, 1e6)`,
      {},
      "ended with SIGTERM",
    ],
    ["prints no JSON", `console.log("${secret}")`, {}, "printed no ExecCredential"],
    [
      "prints other JSON",
      `console.log(JSON.stringify({ token: "${secret}" }))`,
      {},
      "printed no ExecCredential",
    ],
    [
      "speaks another version",
      prints(`{ token: "${secret}" }`),
      { apiVersion: "client.authentication.k8s.io/v1beta1" },
      "answered in client.authentication.k8s.io/v1, but the kubeconfig asks for client.authentication.k8s.io/v1beta1",
    ],
    ["gives nothing", prints("{}"), {}, "gave no credential"],
    [
      "gives a certificate alone",
      prints(`{ token: "${secret}", clientCertificateData: "c" }`),
      {},
      "gave a certificate without its key",
    ],
    [
      "gives a key alone",
      prints('{ clientKeyData: "k" }'),
      {},
      "gave a key without its certificate",
    ],
    ["needs a terminal", prints("{}"), { interactiveMode: "Always" }, "needs a terminal"],
  ];
  test.each(rows)("a plugin that %s is a missing permission", async (...[, output, spec, how]) => {
    const failure = await failureOf({ user: plugin(output, spec) });
    const command = join(folder.dir, "login");
    expect(failure).toBeInstanceOf(PermissionError);
    expect(failure).toMatchObject({
      exitCode: 4,
      message: `the exec credential plugin ${command} of user "me" ${how}`,
      hint: `run ${command} by hand to see why`,
    });
  });

  test.each<[string, object, string, string]>([
    [
      "is missing",
      { command: "engine-no-such-login" },
      "was not found",
      "run engine-no-such-login by hand to see why",
    ],
    [
      "is missing and says how to get it",
      { command: "engine-no-such-login", installHint: "get it" },
      "was not found",
      "get it",
    ],
    ["cannot be run", { command: "./ca.pem" }, "could not be run (EACCES)", ""],
    ["has no command", { command: "" }, "has no command", ""],
  ])("a plugin that %s", async (...[, spec, how, hint]) => {
    const failure = await failureOf({ user: { exec: { apiVersion: v1, ...spec } } });
    expect(failure.message.endsWith(how)).toBe(true);
    expect(failure).toMatchObject({ exitCode: 4, hint: expect.stringContaining(hint) as unknown });
  });

  test("a certificate and key of a plugin that are none", async () => {
    const status = '{ clientCertificateData: "c", clientKeyData: "k" }';
    const failure = await failureOf({ user: plugin(prints(status)) });
    expect(failure.message).toMatch(/gave a certificate and key that cannot be used \(ERR_\w+\)$/);
  });

  test.each([
    ["YAML", `apiVersion: ${v1}\\nkind: ExecCredential\\nstatus:\\n  token: tok # short\\n`],
    [
      "YAML behind dashes",
      `---\\nkind: ExecCredential\\napiVersion: ${v1}\\nstatus: {token: tok}\\n`,
    ],
  ])("may answer in %s", async (_, text) => {
    const request = await seenAfter({ user: plugin(`process.stdout.write("${text}")`) });
    expect(request.headers["authorization"]).toBe("Bearer tok");
  });

  test.each(["client.authentication.k8s.io/v1alpha1", "v1", undefined])(
    "of the apiVersion %s is not run",
    async (apiVersion) => {
      const failure = await failureOf({ user: plugin(prints('{ token: "t" }'), { apiVersion }) });
      expect(failure).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(
          "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1 is needed",
        ) as unknown,
      });
      expect(existsSync(join(folder.dir, "calls"))).toBe(false);
    },
  );

  test.each<[string, ConnectOptions]>([
    ["a silent run", { silent: true }],
    ["a run whose output is a document", { isDocument: true }],
  ])("what it says of its failure is in the error of %s", async (_, options) => {
    const jwt = "eyJhbGciOiJub25lIn0.eyJleHAiOjF9.c2ln";
    const lines = [
      ...Array.from({ length: 400 }, (_each, at) => `line ${at}`),
      "\\u001b[31mERROR\\u001b[0m: the session has expired; run 'corpcli login' again",
      `asked https://jane:${secret}@sts.test/x?code=1 with Bearer abcdefgh12, password=${secret}`,
      `token ${jwt} refused, ${secret}-printed`,
    ];
    const output = `console.log("${secret}-printed"); process.exitCode = 1; process.stderr.write(${JSON.stringify(lines.join("\n")).replaceAll("\\\\u", "\\u")})`;
    const failure = await failureOf({ user: plugin(output), options });
    expect(failure.message).toContain("ended with exit code 1: line 393 line 394");
    expect(failure.message).toContain("ERROR: the session has expired; run 'corpcli login' again");
    expect(failure.message).toContain("asked https://sts.test/x?… with Bearer … password=…");
    expect(failure.message).toMatch(/token … refused, …$/);
    expect(failure.message.length).toBeLessThan(1200);
  });

  describe("whose end is its exit: what it has started lives on", () => {
    const pid = (): string => join(folder.dir, "inner");
    /** Starts a program that outlives it, with these of its streams. */
    const leaves = (stdio: readonly string[], code: string): string => `
const inner = require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(code)}, String(process.pid)], { stdio: ${JSON.stringify(stdio)} });
require("node:fs").writeFileSync(${JSON.stringify(pid())}, String(inner.pid));
inner.unref();
`;
    const lasts = "setInterval(() => undefined, 1e6)";
    afterEach(() => {
      process.kill(Number(readFileSync(pid(), "utf8")), "SIGKILL");
    });

    test.each([
      ["stderr", ["ignore", "ignore", "inherit"]],
      ["stdout", ["ignore", "inherit", "ignore"]],
      ["both", ["ignore", "inherit", "inherit"]],
    ])("and holds its %s open", async (_, stdio) => {
      const long = prints('{ token: "t", more: "m".repeat(200000) }');
      const user = plugin(`${leaves(stdio, lasts)}${long}`);
      const { headers } = await seenAfter({ user, options: { silent: true } });
      expect(headers["authorization"]).toBe("Bearer t");
    });

    test("and a failure is told with its last words", async () => {
      const output = `${leaves(["ignore", "inherit", "inherit"], lasts)}console.error("no session"); process.exitCode = 3;`;
      const failure = await failureOf({ user: plugin(output), options: { silent: true } });
      expect(failure.message).toMatch(/ended with exit code 3: no session$/);
    });

    test("and prints the credential for it", async () => {
      const code = `let told = false;
setInterval(() => { if (told || String(process.ppid) === process.argv[1]) return; told = true; ${prints('{ token: "late" }')} }, 5);`;
      const user = plugin(leaves(["ignore", "inherit", "inherit"], code));
      const { headers } = await seenAfter({ user, options: { silent: true } });
      expect(headers["authorization"]).toBe("Bearer late");
    });
  });

  describe("in one run", () => {
    const refuse: Handler = () => status(401, "Unauthorized");
    const failures = async (cluster: KubeClient, times: number): Promise<unknown[]> => {
      const reads = Array.from({ length: times }, () => cluster.get(ref));
      const ends = await Promise.allSettled(reads);
      return ends.map((end) => (end.status === "rejected" ? (end.reason as unknown) : end.value));
    };

    test.each([
      ["the same one", '{ token: "t" }'],
      ["another one", '{ token: "t" + count }'],
    ])("a refused token is renewed once, whatever comes: it is %s", async (_, given) => {
      handler = refuse;
      const cluster = await loggedIn({ user: plugin(prints(given)) });
      const ends = [...(await failures(cluster, 8)), ...(await failures(cluster, 8))];
      expect(calls()).toHaveLength(2);
      for (const end of ends) {
        expect(end).toMatchObject({
          exitCode: 4,
          message: expect.stringContaining("(401)") as unknown,
        });
      }
    });

    test("a plugin that fails is run once, over all connections", async () => {
      const user = plugin("process.exit(1)");
      const ends = await failures(await loggedIn({ user }), 4);
      ends.push(...(await failures(await loggedIn({ user }), 4)));
      expect(calls()).toHaveLength(1);
      expect(ends[0]).toMatchObject({ exitCode: 4 });
      expect(new Set(ends).size).toBe(1);
    });

    test("a plugin that fails at the renewal is not run again", async () => {
      handler = refuse;
      const user = plugin(`if (count > 1) process.exit(1); ${prints('{ token: "t" }')}`);
      const cluster = await loggedIn({ user });
      await failures(cluster, 4);
      await failures(cluster, 4);
      expect(calls()).toHaveLength(2);
    });

    test("a renewal that fails after a token has worked is tried again: a rollback must not end for it", async () => {
      handler = () => ({ body: object });
      const fails = "if (count === 2) process.exit(1);";
      const cluster = await loggedIn({
        user: plugin(`${fails} ${prints('{ token: "t" + count }')}`),
      });
      expect(await failures(cluster, 1)).toEqual([object]);
      handler = ({ headers }) =>
        headers["authorization"] === "Bearer t1" ? status(401, "Unauthorized") : { body: object };
      expect(await failures(cluster, 1)).toMatchObject([{ exitCode: 4 }]);
      expect(await failures(cluster, 1)).toEqual([object]);
      expect(calls()).toHaveLength(3);
    });

    test("a token that has worked is renewed each time that it has expired", async () => {
      let good = 1;
      handler = ({ headers }) =>
        headers["authorization"] === `Bearer t${good}`
          ? { body: object }
          : status(401, "Unauthorized");
      const cluster = await loggedIn({ user: plugin(prints('{ token: "t" + count }')) });
      for (good = 1; good <= 4; good += 1) {
        expect(await failures(cluster, 4)).toEqual([object, object, object, object]);
      }
      expect(calls()).toHaveLength(4);
    });
  });

  test("waiting for a plugin ends with the signal's reason, and close ends the plugin", async () => {
    const cluster = await loggedIn({ user: plugin("setInterval(() => undefined, 1000)") });
    const controller = new AbortController();
    const reason = new Error("stop");
    const reading = cluster.get(ref, { signal: controller.signal });
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    const waiting = cluster.get(ref);
    cluster.close();
    await expect(waiting).rejects.toMatchObject({
      message: expect.stringContaining("ended with SIGTERM") as unknown,
    });
  });
});

describe("auth providers", () => {
  test.each([
    ["gcp", { name: "gcp", config: { "access-token": secret } }],
    ["", {}],
  ])("the provider %j is not supported", async (name, provider) => {
    expect(await failureOf({ user: { "auth-provider": provider } })).toMatchObject({
      exitCode: 4,
      message: `the auth provider "${name}" of user "me" is not supported`,
    });
  });
});
