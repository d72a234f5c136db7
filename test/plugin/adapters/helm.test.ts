/** Helm as a child process: found, spoken to, and never given a secret among its words. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { inspect } from "node:util";
import { findHelm, HelmProgram } from "../../../plugin/adapters/helm";
import { renderHelmKubeconfig, writePrivateFiles } from "../../../plugin/adapters/helm-files";
import { HandClock } from "../../support/manual-clock";
import { aFolder } from "../../support/a-folder";

let folder = "";
beforeEach(() => {
  folder = aFolder("helm");
});

/** A program that writes down its words and environment, and does as the script says. */
function aHelm(script: string): string {
  const file = join(folder, "helm");
  const log = join(folder, "log");
  writeFileSync(file, `#!/bin/sh\necho "$*" >> ${log}\nenv >> ${log}\n${script}\n`, {
    mode: 0o700,
  });
  return file;
}

const clock = new HandClock();
const told: (readonly [string, number?])[] = [];
const program = (script: string, signal = new AbortController().signal): HelmProgram =>
  new HelmProgram({
    executable: aHelm(script),
    env: { PATH: process.env["PATH"], HELM_KUBETOKEN: "secret", HELM_NAMESPACE: "other" },
    kubeconfig: "the-config",
    namespace: "engine",
    timeoutMs: 1500,
    clock,
    signal,
    onSlow: (...one) => told.push(one),
  });
const log = (): string => readFileSync(join(folder, "log"), "utf8");

describe("helm is found", () => {
  test("by ENGINE_HELM, else on the PATH", async () => {
    const file = aHelm("");
    expect(await findHelm({ ENGINE_HELM: file })).toBe(file);
    const path = [join(folder, "none"), folder].join(delimiter);
    expect(await findHelm({ PATH: path })).toBe(file);
  });

  test("on Windows by its extension", async () => {
    const file = join(folder, "helm.EXE");
    writeFileSync(file, "", { mode: 0o700 });
    writeFileSync(join(folder, "helm.cmd"), "", { mode: 0o700 });
    for (const env of [{ PATHEXT: ".CMD;.EXE" }, { PATHEXT: ".exe;.EXE" }]) {
      expect(await findHelm({ PATH: folder, ...env }, "win32")).toBe(file);
    }
    await expect(findHelm({ PATH: folder }, "linux")).rejects.toMatchObject({ code: "USAGE" });
  });

  test.each([[{ ENGINE_HELM: "no-such-helm" }], [{ PATH: "" }], [{}]])(
    "or the way to get it is told: %j",
    async (env) => {
      await expect(findHelm(env)).rejects.toMatchObject({
        code: "USAGE",
        hint: expect.stringContaining("install helm 3.14") as string,
      });
    },
  );
});

test.each([
  ["v3.14.0", true],
  ["v4.0.1", true],
  ["v3.13.3", false],
  ["odd", false],
])("version %s is new enough: %s", async (version, is) => {
  const asked = program(`echo ${version}`).requireVersion();
  if (is) await expect(asked).resolves.toBeUndefined();
  else await expect(asked).rejects.toMatchObject({ code: "USAGE" });
});

test.each([
  [
    '[{"name":"op","chart":"c-1","status":"deployed"}]',
    { name: "op", chart: "c-1", status: "deployed" },
  ],
  ['[{"name":"op"}]', { name: "op", chart: "", status: "", revisions: [] }],
  ['[{"name":"opp"}]', undefined],
  [
    '[{"name":"opp","chart":"c-2","status":"failed","revision":3},{"name":"op","chart":"c-1","status":"deployed"}]',
    {
      ...{ name: "op", chart: "c-1", status: "deployed" },
      beside: [{ name: "opp", chart: "c-2", status: "failed", revision: "3" }],
    },
  ],
  ["null", undefined],
])("a list of %s has %j", async (printed, found) => {
  expect(await program(`echo '${printed}'`).find("op")).toEqual(found);
});

test("of a release that is not deployed the revisions are read, in their order", async () => {
  const list = '[{"name":"op","chart":"c-1","status":"pending-upgrade","revision":"2"}]';
  const history =
    '[{"revision":2,"status":"pending-upgrade"},{"revision":1,"status":"deployed","chart":"c-1"},{}]';
  const answer = (said: string) => `case "$1" in list) echo '${list}';; *) ${said};; esac`;
  const found = { name: "op", chart: "c-1", status: "pending-upgrade", revision: "2" };
  const revisions = [
    { revision: 1, status: "deployed", chart: "c-1" },
    { revision: 2, status: "pending-upgrade" },
  ];
  expect(await program(answer(`echo '${history}'`)).find("op")).toEqual({ ...found, revisions });
  expect(await program(answer("exit 1")).find("op")).toEqual(found);
});

test("a release that no list has may have a history; absence is said by helm alone", async () => {
  const answer = (said: string) => `case "$1" in list) echo '[]';; *) ${said};; esac`;
  const history = answer(`echo '[{"revision":4,"status":"unknown"}]'`);
  const found = {
    ...{ name: "op", chart: "", status: "unknown", revision: "4" },
    revisions: [{ revision: 4, status: "unknown" }],
  };
  expect(await program(history).find("op")).toEqual(found);
  const others = history.replace("[]", '[{"name":"opp"}]');
  const beside = [{ name: "opp", chart: "", status: "" }];
  expect(await program(others).find("op")).toEqual({ ...found, beside });
  const none = answer("echo 'Error: release: not found' >&2; exit 1");
  expect(await program(none).find("op")).toBeUndefined();
  await expect(program(answer("echo denied >&2; exit 1")).find("op")).rejects.toThrow("denied");
});

test("the values given so far are read; none are none", async () => {
  expect(await program(`echo '{"a":1}'`).values("op")).toEqual({ a: 1 });
  expect(await program("echo null").values("op")).toEqual({});
  await expect(program(`echo '{"name":"op"}'`).render(upgrade, "client")).rejects.toThrow(
    "without its manifest",
  );
  await expect(program("echo odd").values("op")).rejects.toThrow("printed no JSON");
});

const upgrade = {
  name: "op",
  chart: "./c",
  version: "1.0.0",
  sets: ["a=true"],
  values: [],
  given: [],
};

test("an upgrade is never forced, and goes to the cluster of the kubeconfig alone", async () => {
  await program("").upgrade(upgrade);
  const [words] = log().split("\n");
  expect(words).toBe(
    "upgrade op ./c --version 1.0.0 --reset-then-reuse-values --set a=true --timeout 2s --namespace engine --kubeconfig the-config",
  );
  expect(log()).not.toMatch(/HELM_KUBETOKEN|HELM_NAMESPACE|=secret|=other/);
});

test.each(["client", "server"] as const)("a dry run of the %s renders the chart", async (mode) => {
  const manifest = "---\\nkind: A\\n---\\n  odd: [\\n---\\nkind: B\\n";
  const said = `{"manifest":"${manifest}","config":{"a":{"b":"1"}}}`;
  expect(await program(`printf '%s' '${said}'`).render(upgrade, mode)).toEqual({
    objects: [{ kind: "A" }, { kind: "B" }],
    unread: [expect.stringContaining("document 2 of what helm renders cannot be read: ")],
    hooked: [],
    values: { a: { b: "1" } },
  });
  expect(log()).toContain(`--dry-run=${mode} --hide-notes --output json`);
});

test("definitions of hooks are those of an upgrade, and what its ConfigMaps hold", async () => {
  const definition = (name: string) =>
    `kind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
  const map = `kind: ConfigMap\ndata:\n  a: |\n    ${definition("held").replaceAll("\n", "\n    ")}\n  b: "["\n`;
  const hook = (manifest: string, ...events: readonly string[]) => ({ manifest, events });
  const said = (...hooks: readonly object[]) =>
    `printf '%s' '${JSON.stringify({ manifest: "", hooks })}'`;
  const namesOf = async (...hooks: readonly object[]) => {
    const { hooked = [] } = await program(said(...hooks)).render(upgrade, "client");
    return hooked.map(({ metadata }) => metadata.name);
  };
  expect(await namesOf(hook(definition("new"), "pre-install"))).toEqual([]);
  expect(await namesOf(hook(definition("own"), "pre-upgrade"), hook(map, "post-upgrade"))).toEqual([
    "own",
    "held",
  ]);
});

test("definitions of the crds/ folder are those that helm shows, whatever it prints before", async () => {
  const definition = "kind: CustomResourceDefinition\nmetadata: {name: kept}\n";
  const shown = `Pulled: registry.example.test/c\n---\n${definition}---\nkind: ConfigMap\n`;
  const folder = await program(`printf '%s' '${shown}'`).folderDefinitions(upgrade);
  expect(folder.map(({ metadata }) => metadata.name)).toEqual(["kept"]);
  expect(log()).toContain("show crds ./c --version 1.0.0");
});

test("an empty manifest holds nothing; none, and no JSON, are helm's failure", async () => {
  expect(await program(`echo '{"manifest":""}'`).render(upgrade, "client")).toEqual({
    objects: [],
    unread: [],
    hooked: [],
    values: {},
  });
  await expect(program("echo odd").render(upgrade, "client")).rejects.toThrow("printed no JSON");
});

test("hooks are rendered with their events, weights and policies", async () => {
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a" } };
  const hooks = [
    {
      ...{ events: ["pre-upgrade"], weight: -5, delete_policies: ["hook-succeeded"] },
      manifest: JSON.stringify(job),
    },
    { events: ["test"], manifest: JSON.stringify(job) },
    { events: ["pre-upgrade"] },
  ];
  const said = JSON.stringify({ manifest: "", hooks, apply_method: "ssa" });
  const script = `case $1 in show) ;; *) printf '%s' '${said}';; esac`;
  expect(await program(script).render(upgrade, "client")).toMatchObject({
    hooks: [
      { events: ["pre-upgrade"], weight: -5, deletePolicies: ["hook-succeeded"], object: job },
      { events: ["test"], weight: 0, deletePolicies: [], object: job },
    ],
    appliesOnServer: true,
  });
});

describe("the manifest of a release is that of its deployed revision", () => {
  const script = (status: string, history: readonly object[]): string => {
    const listed = JSON.stringify([{ name: "op", chart: "c-1", status }]);
    return `case $1 in list) echo '${listed}';; history) echo '${JSON.stringify(history)}';; *) echo 'kind: A';; esac`;
  };
  test.each<[string, string, readonly object[], string]>([
    ["deployed", "deployed", [], "get manifest op --namespace"],
    [
      "failed after one that is deployed",
      "failed",
      [
        { revision: 2, status: "deployed" },
        { revision: 3, status: "failed" },
      ],
      "get manifest op --revision 2 --namespace",
    ],
    ["failed at first", "failed", [{ revision: 1, status: "failed" }], "get manifest op --namesp"],
  ])("%s", async (_, status, history, words) => {
    const helm = program(script(status, history));
    const release = await helm.find("op");
    expect(await helm.manifest(release ?? { name: "op", chart: "", status: "" })).toEqual({
      objects: [{ kind: "A" }],
      unread: [],
    });
    expect(log()).toContain(words);
  });
});

test("a rollback goes to the revision before", async () => {
  await program("").rollback("op");
  expect(log()).toContain("rollback op --timeout 2s --namespace engine");
});

test.each([
  ["echo no such chart >&2; exit 1", "helm upgrade op failed: no such chart"],
  ["exit 1", "helm upgrade op failed: it said nothing"],
])("a failure has helm's words: %s", async (script, message) => {
  await expect(program(script).upgrade(upgrade)).rejects.toMatchObject({
    code: "HELM-FAILED",
    message,
  });
});

test.each([
  [
    'create: failed to create: Secret "sh.helm.release.v1.op.v2" is invalid: data: Too long: must have at most 1048576 bytes',
    "too large to be kept",
  ],
  ["etcdserver: request is too large", "too large to be kept"],
  [
    "another operation (install/upgrade/rollback) is in progress",
    "no other helm changes the release",
  ],
])("what would come again each time is not to be repeated: %s", async (said, hint) => {
  const failure = program(`echo '${said}' >&2; exit 1`).upgrade(upgrade);
  const error = (await failure.catch((thrown: unknown) => thrown)) as { hint?: string };
  expect(error.hint).toContain(hint);
  expect(error.hint).not.toContain("run again");
});

test("of many words the last lines are told, on one line, without colors and credentials", async () => {
  const lines = [
    "for n in $(seq 2000); do echo walking $n; done >&2",
    "printf '\\033[31mError: UPGRADE FAILED\\033[0m\\n' >&2",
    "echo 'GET https://me:pw1@registry.example/v2/x?sig=s1: token=abc.def denied' >&2",
    "echo 'Authorization: Bearer s3cr3t-bearer-value' >&2; exit 1",
  ];
  const failure = program(lines.join("; ")).upgrade(upgrade);
  const { message } = (await failure.catch((thrown: unknown) => thrown)) as Error;
  expect(message).toMatch(/^helm upgrade op failed: .*walking 2000 Error: UPGRADE FAILED GET /);
  expect(message.length).toBeLessThan(1_100);
  expect(message).not.toMatch(/\p{Cc}|walking 1990|pw1|s1|abc\.def|s3cr3t/u);
});

test.each<[string, string]>([
  ["a value of before", "hunter22"],
  ["a value of the file", "correct-horse"],
  ["a value in base64", "Y29ycmVjdC1ob3JzZQ=="],
  ["a key", "MIIEvQIBADANBg"],
  ["a Secret's data", "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQUR"],
])("a failure that quotes %s is told without it", async (_, quoted) => {
  const values = join(folder, "values.yaml");
  writeFileSync(values, "auth:\n  rootPassword: correct-horse\nreplicas: 2\n");
  const text =
    quoted === "MIIEvQIBADANBg"
      ? `-----BEGIN PRIVATE KEY-----\\n${quoted}\\n-----END PRIVATE KEY-----`
      : quoted;
  const script = `case "$1" in get) echo '{"db":{"password":"hunter22"}}';; *) printf '%s' 'cannot patch "x" with ${text}: denied' >&2; exit 1;; esac`;
  const failure = program(script).upgrade({ ...upgrade, values: [values] });
  const error = await failure.catch((thrown: unknown) => thrown);
  expect(inspect(error, { depth: 9 })).not.toContain(quoted);
  expect(error).toMatchObject({
    message: 'helm upgrade op failed: cannot patch "x" with …: denied',
  });
});

test("an interrupt ends helm, and is the reason of the end", async () => {
  const stop = new AbortController();
  const running = program("exec sleep 60", stop.signal).upgrade(upgrade);
  stop.abort(new Error("interrupted"));
  await expect(running).rejects.toThrow("interrupted");
});

test.each<[string, number, (helm: HelmProgram) => Promise<unknown>]>([
  ["helm list", 90_000, (helm) => helm.find("op")],
  ["helm upgrade", 91_500, (helm) => helm.upgrade(upgrade)],
])("%s that does not end is ended after %d ms, by its own pid", async (words, ms, act) => {
  // the shell becomes the program: the signal meets what was started
  const started = join(folder, "started");
  const asked = act(program(`touch ${started}; exec sleep 1000`));
  const end = asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  while (!existsSync(started)) await new Promise(setImmediate);
  clock.pass(ms);
  expect(await end).toMatchObject({
    exitCode: 69,
    message: expect.stringContaining(`${words} `) as string,
    hint: expect.stringContaining("helm history") as string,
  });
  const shown = expect.stringContaining(words) as string;
  expect(told.splice(0)).toEqual([[shown, Math.floor(ms / 1000)], [shown]]);
  expect(clock.waits).toEqual([]);
});

test("the connection of the command line becomes a file of one's own, and goes again", async () => {
  const config = renderHelmKubeconfig(
    { server: "https://127.0.0.1:1", token: "secret", asUid: "7", as: "jane", asGroup: ["g"] },
    { HOME: folder },
  );
  const { path, remove } = await writePrivateFiles({ config });
  expect(statSync(path("config")).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path("config"), "utf8"))).toMatchObject({
    clusters: [{ cluster: { server: "https://127.0.0.1:1/" } }],
    users: [{ user: { token: "secret", as: "jane", "as-uid": "7", "as-groups": ["g"] } }],
  });
  remove();
  expect(existsSync(path("config"))).toBe(false);
});

test("files that cannot be written leave no folder behind", async () => {
  const before = readdirSync(tmpdir());
  await expect(writePrivateFiles({ "no/such/folder": "" })).rejects.toThrow("ENOENT");
  expect(readdirSync(tmpdir()).filter((name) => !before.includes(name))).toEqual([]);
});

describe("a kubeconfig for helm", () => {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const render = (cluster: object, user: object): unknown => {
    const config = {
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1", ...cluster } }],
      users: [{ name: "u", user }],
    };
    return JSON.parse(renderHelmKubeconfig({ kubeconfig: file("kc", JSON.stringify(config)) }, {}));
  };
  const of = (text: string): string => Buffer.from(text).toString("base64");

  test("has certificates and keys as data, and a token's file by its path", () => {
    const tokenFile = file("token", "t");
    const user = {
      "client-certificate": file("cert", "C"),
      "client-key": file("key", "K"),
      tokenFile,
    };
    const data = { "client-certificate-data": of("C"), "client-key-data": of("K"), tokenFile };
    expect(render({ "certificate-authority": file("ca", "A") }, user)).toMatchObject({
      clusters: [{ cluster: { "certificate-authority-data": of("A") } }],
      users: [{ user: data }],
    });
  });

  test("keeps data that stands beside a file", () => {
    const cluster = { "certificate-authority": "none", "certificate-authority-data": of("D") };
    expect(render(cluster, {})).toMatchObject({
      clusters: [{ cluster: { "certificate-authority-data": of("D") } }],
    });
  });

  test("has a token that a pipe gave, as often as it is made", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    spawn("/bin/sh", ["-c", 'echo t0 > "$1"', "sh", pipe]).unref();
    const made = [render({}, { tokenFile: pipe }), render({}, { tokenFile: pipe })];
    expect(made).toMatchObject([
      { users: [{ user: { token: "t0" } }] },
      { users: [{ user: { token: "t0" } }] },
    ]);
    expect(JSON.stringify(made)).not.toContain("tokenFile");
  });

  test("names every file that cannot be read", () => {
    const user = { "client-certificate": "no-cert", "client-key": "no-key" };
    expect(() => render({ "certificate-authority": "no-ca" }, user)).toThrow(
      /no-ca; .*no-cert; .*no-key/,
    );
  });
});
