import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import { fileProblem } from "../../../plugin/adapters/files";
import {
  chooseTarget,
  type ConnectionFlags,
  podAccount,
  type ServerTarget,
} from "../../../plugin/adapters/kubernetes/target";
import { loadKubeconfig } from "../../../plugin/adapters/kubernetes/kubeconfig";
import { UsageError } from "../../../plugin/domain/base/errors";
import { certify } from "../../support/tls";
import { type Folder, kubeconfig, temporaryFolder } from "../../support/api-server-kubeconfigs";

let folder: Folder;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => {
  folder.remove();
});

function targetOf(flags: ConnectionFlags, env: NodeJS.ProcessEnv = {}): ServerTarget {
  return chooseTarget(loadKubeconfig(flags.kubeconfig, env), flags, podAccount(env, folder.dir));
}

async function problemsOf(
  flags: ConnectionFlags,
  env: NodeJS.ProcessEnv = {},
): Promise<Pick<UsageError, "problems" | "hint" | "exitCode">> {
  const failure = await connect(flags, env, { serviceAccountDir: folder.dir }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof UsageError)) throw new Error(`no UsageError but ${String(failure)}`);
  const { problems, hint, exitCode } = failure;
  return { problems, hint, exitCode };
}

const server = "https://one.test:6443";

describe("several files", () => {
  const named = (name: string, address: string, token: string): object => ({
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [{ name, cluster: { server: address } }],
    users: [{ name, user: { token } }],
  });

  test("are merged, the first word winning whole entry by whole entry", () => {
    const first = folder.write("one", {
      ...named("a", "https://a1.test", "t1"),
      users: [{ name: "a", user: { username: "u" } }],
    });
    const second = folder.write("two", {
      ...named("a", "https://a2.test", "t2"),
      "current-context": "a",
    });
    const third = folder.write("three", {
      ...named("b", "https://b.test", "t3"),
      "current-context": "b",
    });
    const missing = join(folder.dir, "missing");
    const KUBECONFIG = [missing, "", first, second, first, third].join(delimiter);
    const merged = loadKubeconfig(undefined, { KUBECONFIG, HOME: folder.dir });
    expect(merged.files).toEqual([missing, first, second, third]);
    expect(merged.currentContext).toBe("a");
    expect([...merged.contexts.keys()].sort()).toEqual(["a", "b"]);
    expect(merged.clusters.get("a")).toEqual({ server: "https://a1.test" });
    expect(merged.users.get("a")).toEqual({ username: "u" });
    expect(merged.users.get("b")).toEqual({ token: "t3" });
  });

  test("problems of all of them are named at once", async () => {
    const one = folder.write("one", "a: [\ntoken: s3cr3t");
    const two = folder.write("two", { kind: "Pod" });
    const KUBECONFIG = [one, two, folder.dir].join(delimiter);
    expect(await problemsOf({}, { KUBECONFIG })).toEqual({
      exitCode: 2,
      hint: "fix that file, or give another one, then run again",
      problems: [
        expect.stringMatching(
          /^the kubeconfig \S+one cannot be read: [^(]+ \(line [23], column \d+\)$/,
        ),
        `the kubeconfig ${two} is not a Config but a Pod`,
        `kubeconfig: is a folder, not a file: ${folder.dir}`,
      ],
    });
  });
});

describe("the YAML of kubectl", () => {
  const context = (fields: string): string => `x: &x {cluster: b, namespace: shop}
clusters: [{name: a, cluster: {server: "https://a.test"}}, {name: b, cluster: {server: "https://b.test"}}]
contexts: [{name: r, context: {${fields}}}]
current-context: r
`;

  // as kubectl config view reads them
  test.each<[string, string, readonly string[]]>([
    ["a merge key", context("<<: *x"), ['cluster "b"', "shop"]],
    ["a key after it", context("<<: *x, cluster: a"), ['cluster "a"', "shop"]],
    ["a key before it", context("cluster: a, <<: *x"), ['cluster "b"', "shop"]],
    ["the last one of two keys", context("cluster: a, cluster: b"), ['cluster "b"', "default"]],
    [
      "the first document",
      `# mine\n---\n${context("cluster: a")}---\n${context("cluster: b")}`,
      ['cluster "a"', "default"],
    ],
    ["what follows it unread", `${context("cluster: a")}---\n[`, ['cluster "a"', "default"]],
    ["a tag passed over", context("cluster: !corp a"), ['cluster "a"', "default"]],
  ])("%s", (_, text, target) => {
    const file = folder.write("config", text);
    const { clusterName, namespace } = targetOf({ kubeconfig: file });
    expect([clusterName, namespace]).toEqual(target);
  });

  test.each<["UTF-16LE" | "UTF-16BE" | "UTF-8"]>([["UTF-16LE"], ["UTF-16BE"], ["UTF-8"]])(
    "in %s with its mark",
    (encoding) => {
      const text = `\uFEFF${context("<<: *x")}`;
      const wide = Buffer.from(text, "utf16le");
      const file = join(folder.dir, "config");
      const bytes = { "UTF-16LE": wide, "UTF-16BE": Buffer.from(wide).swap16(), "UTF-8": text };
      writeFileSync(file, bytes[encoding]);
      expect(targetOf({ kubeconfig: file })).toMatchObject({ namespace: "shop" });
    },
  );

  test("a first document that is empty holds no context", () => {
    const file = folder.write("config", `---\n---\n${context("cluster: a")}`);
    expect(loadKubeconfig(file, {}).contexts.size).toBe(0);
  });
});

describe("one file", () => {
  test.each([
    ["a list", "- a"],
    ["text", "just text"],
    ["a number", "7"],
  ])("of %s is no Config", async (_, content) => {
    const file = folder.write("config", content);
    const { problems } = await problemsOf({ kubeconfig: file });
    expect(problems).toEqual([`the kubeconfig ${file} is not a Config`]);
  });

  test("a missing one that was named by flag is wrong usage", async () => {
    const file = join(folder.dir, "missing");
    expect((await problemsOf({ kubeconfig: file })).problems).toEqual([
      `kubeconfig: no such file: ${file}`,
    ]);
  });

  test("with values of wrong types names each, and quotes none", async () => {
    const file = folder.write("config", {
      kind: "Config",
      clusters: [{ name: "c", cluster: { server: ["s3cr3t"], "insecure-skip-tls-verify": "yes" } }],
      users: [
        { name: "u", user: { token: 7, exec: "s3cr3t" } },
        { name: "u", user: {} },
        { user: {} },
        "odd",
      ],
      contexts: "none",
    });
    const { problems } = await problemsOf({ kubeconfig: file });
    expect(problems).toEqual(
      [
        'has a value that is not text at server of the cluster "c"',
        'has a value that is not true or false at insecure-skip-tls-verify of the cluster "c"',
        'has a value that is not text at token of the user "u"',
        'has a value that is not a mapping at exec of the user "u"',
        'names the user "u" twice',
        "has an entry without a name in users",
        "has an entry without a name in users",
      ].map((problem) => `the kubeconfig ${file} ${problem}`),
    );
  });

  test("in the home folder is the default", () => {
    const home = folder.dir;
    expect(loadKubeconfig(undefined, { HOME: home }).files).toEqual([join(home, ".kube/config")]);
    expect(loadKubeconfig(undefined, { USERPROFILE: home }).files).toEqual([]);
    expect(loadKubeconfig(undefined, {}).files).toEqual([]);
  });

  test("has paths relative to itself; a bare command stays one", () => {
    const file = folder.write(
      "config",
      kubeconfig(
        { server, "certificate-authority": "ca.pem" },
        {
          "client-certificate": "c.pem",
          "client-key": "/abs/k.pem",
          tokenFile: "token",
          exec: { command: "./bin/login" },
        },
      ),
    );
    const { clusters, users } = loadKubeconfig(file, {});
    expect(clusters.get("here")?.caFile).toBe(join(folder.dir, "ca.pem"));
    expect(users.get("me")).toEqual({
      certFile: join(folder.dir, "c.pem"),
      keyFile: "/abs/k.pem",
      tokenFile: join(folder.dir, "token"),
      exec: { command: join(folder.dir, "bin/login") },
    });
    const bare = folder.write("bare", kubeconfig({ server }, { exec: { command: "aws" } }));
    expect(loadKubeconfig(bare, {}).users.get("me")?.exec).toEqual({ command: "aws" });
  });

  test("may be empty", () => {
    expect(loadKubeconfig(folder.write("config", ""), {}).clusters.size).toBe(0);
  });
});

describe("what is chosen", () => {
  const write = (): string =>
    folder.write("config", {
      kind: "Config",
      "current-context": "one",
      contexts: [
        { name: "one", context: { cluster: "c1", user: "u1", namespace: "n1" } },
        { name: "two", context: { cluster: "c2", user: "u2" } },
      ],
      clusters: [
        {
          name: "c1",
          cluster: {
            server,
            "certificate-authority-data": "Q0E=",
            "tls-server-name": "expected",
            "proxy-url": "http://p.test",
            "disable-compression": true,
          },
        },
        { name: "c2", cluster: { server: "https://two.test/" } },
        { name: "none", cluster: {} },
      ],
      users: [
        { name: "u1", user: { token: "t1", as: "boss", "as-groups": ["g"] } },
        { name: "u2", user: {} },
      ],
    });

  const rows: readonly (readonly [string, ConnectionFlags, object])[] = [
    [
      "the current context",
      {},
      {
        namespace: "n1",
        clusterName: 'cluster "c1"',
        userName: 'user "u1"',
        user: { token: "t1", as: "boss", asGroups: ["g"] },
      },
    ],
    ["another context", { context: "two" }, { namespace: "default", userName: 'user "u2"' }],
    ["another cluster", { cluster: "c2" }, { namespace: "n1", userName: 'user "u1"' }],
    ["another user", { user: "u2" }, { clusterName: 'cluster "c1"', user: {} }],
    ["another namespace", { namespace: "n9" }, { namespace: "n9" }],
    [
      "another server, which ends the expected name",
      { server: "https://x.test" },
      {
        clusterName: "--server",
        cluster: expect.not.objectContaining({ tlsServerName: "expected" }) as object,
      },
    ],
    ["an expected name", { tlsServerName: "n" }, { cluster: { tlsServerName: "n" } }],
    [
      "an authority, which replaces the one of the kubeconfig",
      { certificateAuthority: "/ca" },
      {
        cluster: {
          server,
          caFile: "/ca",
          tlsServerName: "expected",
          proxyUrl: "http://p.test",
          disableCompression: true,
        },
      },
    ],
    [
      "no verification, which replaces the authority",
      { insecureSkipTlsVerify: true },
      {
        cluster: {
          server,
          insecure: true,
          tlsServerName: "expected",
          proxyUrl: "http://p.test",
          disableCompression: true,
        },
      },
    ],
    [
      "a token, which replaces the user's own login but not the impersonation",
      { token: "t9" },
      { userName: "the command line", user: { token: "t9", as: "boss", asGroups: ["g"] } },
    ],
    [
      "a client certificate, which replaces the token",
      { clientCertificate: "/c", clientKey: "/k" },
      { user: { certFile: "/c", keyFile: "/k", as: "boss", asGroups: ["g"] } },
    ],
    [
      "an impersonation, which replaces the whole of the other",
      { as: "me", asUid: "1" },
      { user: { token: "t1", as: "me", asUid: "1", asGroups: undefined } },
    ],
  ];
  test.each(rows)("%s", (_, flags, expected) => {
    expect(targetOf({ kubeconfig: write(), ...flags })).toMatchObject(expected);
  });

  test("all that does not exist is named at once", async () => {
    const flags = { kubeconfig: write(), context: "x", cluster: "y", user: "z" };
    expect((await problemsOf(flags)).problems).toEqual([
      'there is no context "x" in the kubeconfig: it names one, two',
      'there is no cluster "y" in the kubeconfig: it names c1, c2, none',
      'there is no user "z" in the kubeconfig: it names u1, u2',
    ]);
  });

  test("only the first of many names are shown", async () => {
    const contexts = Array.from({ length: 12 }, (_, n) => ({ name: `c${n}`, context: {} }));
    const file = folder.write("config", { contexts });
    expect((await problemsOf({ kubeconfig: file, context: "x" })).problems).toEqual([
      'there is no context "x" in the kubeconfig: it names c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more',
    ]);
    const empty = folder.write("empty", "{}");
    expect((await problemsOf({ kubeconfig: empty, user: "x" })).problems).toEqual([
      'there is no user "x" in the kubeconfig: it names none',
    ]);
  });

  test("no current context", async () => {
    const file = folder.write("config", {
      contexts: [{ name: "a", context: { cluster: "c" } }],
      clusters: [{ name: "c", cluster: { server } }],
    });
    expect(await problemsOf({ kubeconfig: file })).toEqual({
      exitCode: 2,
      problems: [`no context is chosen in the kubeconfig ${file}`],
      hint: "choose one with --context (a)",
    });
  });

  test("a cluster without an address", async () => {
    const file = write();
    expect(await problemsOf({ kubeconfig: file, cluster: "none" })).toMatchObject({
      problems: [`the context leads to no server address in the kubeconfig ${file}`],
      hint: "correct the kubeconfig, or give --server",
    });
  });

  test("no configuration at all", async () => {
    expect(await problemsOf({}, { HOME: folder.dir })).toEqual({
      exitCode: 2,
      problems: [
        `no configuration for a cluster was found (looked for ${folder.dir}/.kube/config)`,
      ],
      hint: "set KUBECONFIG, or give --kubeconfig or --server",
    });
    expect((await problemsOf({})).problems).toEqual([
      "no configuration for a cluster was found (looked for no file)",
    ]);
  });

  test.each<[string, string, ConnectionFlags]>([
    ["http://one.test:8080", "one.test:8080", {}],
    ["https://one.test:6443", "one.test:6443", { insecureSkipTlsVerify: true }],
    ["https://one.test", "https://login:s3cr3t@one.test/?q#h", {}],
    ["https://[::1]:6443", "https://[::1]:6443", {}],
  ])("the address %s is read from %s", async (expected, address, flags) => {
    const cluster = await connect({ server: address, ...flags }, {});
    expect(cluster.server).toBe(expected);
  });

  test.each(["ftp://one.test", "https://", "http://a b", "/var/run/x.sock"])(
    "the address %s is none",
    async (address) => {
      expect((await problemsOf({ server: address })).problems).toEqual([
        "the server address of --server is not an http or https URL",
      ]);
    },
  );

  test("what contradicts itself is named at once", async () => {
    const flags: ConnectionFlags = {
      server: "ftp://x",
      certificateAuthority: "/ca",
      insecureSkipTlsVerify: true,
      clientKey: "/k",
      asGroup: ["g"],
    };
    expect((await problemsOf(flags)).problems).toEqual([
      "the server address of --server is not an http or https URL",
      "a certificate authority and insecure-skip-tls-verify contradict each other",
      "a client certificate and its key are needed together",
      "--as-uid and --as-group need --as",
    ]);
    const { problems } = await problemsOf({ server, asUid: "1" });
    expect(problems).toEqual(["--as-uid and --as-group need --as"]);
  });
});

describe("in a pod", () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

  test("the service account is used when nothing else is configured", () => {
    folder.write("token", "t");
    folder.write("ca.crt", "ca");
    folder.write("namespace", "pod-ns\n");
    expect(targetOf({}, env)).toMatchObject({
      base: new URL("https://10.0.0.1:443"),
      namespace: "pod-ns",
      userName: "the pod's service account",
      clusterName: "the pod's own cluster",
      cluster: { caFile: join(folder.dir, "ca.crt") },
      user: { tokenFile: join(folder.dir, "token") },
    });
  });

  test("an IPv6 address gets brackets, and the namespace may be missing", () => {
    folder.write("token", "t");
    const target = targetOf({}, { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" });
    expect(target.base.href).toBe("https://[fd00::1]/");
    expect(target.namespace).toBe("default");
  });

  test("a kubeconfig wins, and gets the pod's namespace where it names none", () => {
    folder.write("token", "t");
    folder.write("namespace", "pod-ns");
    const KUBECONFIG = folder.write("config", kubeconfig({ server }));
    const target = targetOf({}, { ...env, KUBECONFIG });
    expect(target).toMatchObject({ base: new URL(server), namespace: "pod-ns" });
  });

  test.each<[string, NodeJS.ProcessEnv]>([
    ["host", { KUBERNETES_SERVICE_PORT: "443" }],
    ["port", { KUBERNETES_SERVICE_HOST: "10.0.0.1" }],
    ["token", env],
  ])("without the %s there is no pod", (missing, incomplete) => {
    if (missing !== "token") folder.write("token", "t");
    expect(podAccount(incomplete, folder.dir)).toBeUndefined();
  });

  test("--kubeconfig leaves the pod out", async () => {
    folder.write("token", "t");
    const file = folder.write("config", "{}");
    expect((await problemsOf({ kubeconfig: file }, env)).problems).toEqual([
      `no configuration for a cluster was found (looked for ${file})`,
    ]);
  });
});

describe("what the file system says", () => {
  test.each([
    ["EACCES", "permission denied: f"],
    ["ENOTDIR", "part of the path is not a folder: f"],
    ["EMFILE", "cannot be read (EMFILE): f"],
    [undefined, "cannot be read: f"],
  ])("%s is told in words", (code, words) => {
    expect(fileProblem("f", { code })).toBe(words);
  });
});

describe("certificates that cannot be used", () => {
  test.each<[string, object, object, string]>([
    [
      "a missing authority",
      { "certificate-authority": "no.pem" },
      {},
      'cannot read the certificate authority of cluster "here": no such file: DIR/no.pem',
    ],
    [
      "an authority that is not a PEM",
      { "certificate-authority-data": "czNjcjN0" },
      {},
      'the certificate authority of cluster "here" is not PEM',
    ],
    [
      "a client certificate file that is not a PEM",
      {},
      { "client-certificate": "odd.pem", "client-key": "odd.pem" },
      'the client certificate of user "me" is not PEM (DIR/odd.pem)',
    ],
    [
      "a key of another certificate",
      {},
      { "client-certificate": "one.pem", "client-key": "other.key" },
      'cannot use the client certificate and key of user "me" (ERR_OSSL_X509_KEY_VALUES_MISMATCH)',
    ],
  ])("%s", async (...[, cluster, user, problem]) => {
    folder.write("odd.pem", "s3cr3t");
    folder.write("one.pem", certify({ commonName: "one" }).cert);
    folder.write("other.key", certify({ commonName: "other" }).key);
    const file = folder.write("config", kubeconfig({ server, ...cluster }, user));
    expect((await problemsOf({ kubeconfig: file })).problems).toEqual([
      problem.replace("DIR", folder.dir),
    ]);
  });

  test("the machine's own list of authorities may be missing", async () => {
    const file = folder.write("config", kubeconfig({ server }));
    const env = { SSL_CERT_FILE: join(folder.dir, "missing") };
    await expect(connect({ kubeconfig: file }, env)).resolves.toBeDefined();
    writeFileSync(env.SSL_CERT_FILE, certify({ commonName: "ca" }).cert);
    await expect(connect({ kubeconfig: file }, env)).resolves.toBeDefined();
  });
});
