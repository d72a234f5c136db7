/** A secret in any flag of any command is nowhere in what the command prints, keeps or saves. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import { nameVariable } from "../../../plugin/cmdutil/flags";
import { standardFlags } from "../../../plugin/cmdutil/standard-flags";
import { entries } from "../../../plugin/cli/commands";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { exampleSource } from "../../../plugin/simulator/example";
import { testTime } from "../../support/manual-clock";
import { aPlayedWorld } from "../../support/played-operator";
import { type Ended, type Scene, typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";
import { aWebhookProgram } from "../../support/webhook-program";
import { aFolder } from "../../support/a-folder";

/** What must be found nowhere. */
const secret = "S3CR3T-9f1c";
/** Every place of an address that may hold one. */
const address = `https://user:${secret}@127.0.0.1:1/x.tar.gz?sig=${secret}#${secret}`;

let folder = "";
let release = "";
const webhook = aWebhookProgram();
let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  folder = aFolder("secrets");
  release = writeRelease(join(folder, "release"), "8.0.2-2");
  objects = [...(await exampleSource(names, testTime)).objects];
});
beforeEach(() => {
  rmSync(home(), { recursive: true, force: true });
});

const home = (): string => join(folder, "home");

/** A line of each command that gets as far as the cluster. */
const lines: Readonly<Record<string, () => readonly string[]>> = {
  check: () => [],
  upgrade: () => ["--release", release, "--no-probe"],
  "upgrade-webhook": () => ["--no-probe"],
  "reapply-rbac": () => [],
  "upgrade-operator": () => ["--release", release],
  "upgrade-cluster": () => ["ec", "--target", "8.0.2-17"],
  "upgrade-database": () => ["--all", "--engine-version", "7.4", "--may-discard-data"],
  "unbind-scc": () => [],
  rehearse: () => ["upgrade-webhook", "--no-probe", `--webhook=${webhook.file}`],
  diff: () => ["upgrade-webhook", "--no-probe"],
  "modules define": () => ["rg", "--source", "rg=https://127.0.0.1:1/rg.zip"],
  "modules install": () => [moduleFile()],
  status: () => [],
  recover: () => ["--apply"],
  "modules list": () => [],
  "modules in-use": () => [],
  "cert create": () => ["--replace"],
  "cert inspect": () => [],
  explain: () => ["SECRET-MISSING"],
  completion: () => ["bash"],
  version: () => [],
  options: () => [],
  policy: () => [],
  "advisories list": () => [],
  "advisories lint": () => [join(folder, "none.yaml")],
  "advisories test": () => [join(folder, "none.yaml")],
  validate: () => ["-f", join(folder, "none.yaml")],
  audit: () => [],
};

function moduleFile(): string {
  const file = join(folder, "module.zip");
  writeFileSync(file, "PK");
  return file;
}

const commands = entries.map(({ path }) => path);

test("every command has its line", () => {
  expect(Object.keys(lines).sort()).toEqual([...commands].sort());
});

async function run(line: readonly string[], scene: Scene = {}): Promise<Ended> {
  const env = { ENGINE_HOME: home(), HOME: folder, PATH: "", ...scene.env };
  return await typed(line, { ...scene, env });
}

async function runOnCluster(line: readonly string[], scene: Scene = {}): Promise<Ended> {
  const { cluster, clock } = await aPlayedWorld({ objects });
  return await run(line, { connect: () => Promise.resolve(cluster), clock, ...scene });
}

/** All that a run left behind, as text. */
function traces({ out, err }: Ended): string {
  return [out, err, ...filesOf(home())].join("\n");
}

function filesOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const found = readdirSync(path, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map((one) => `${one.name}\n${readFileSync(join(one.parentPath, one.name), "utf8")}`);
}

/** Those that lead to the cluster; the cluster in memory is reached whatever they say. */
const connectionWords: readonly string[] = [
  `--token=${secret}`,
  ...["server", "kubeconfig", "context", "cluster", "user", "certificate-authority"],
  ...["client-certificate", "client-key", "tls-server-name"],
].map((word) => (word.startsWith("--") ? word : `--${word}=${address}`));

/** Names of a person or group, which are no secrets, and are printed as they are. */
const identities = ["as", "as-uid", "as-group"];

const debug = ["-v=9", "--debug"];

/** A run that nobody confirms, a plan, a run to its end. */
const manners: readonly (readonly string[])[] = [["--no-input"], ["--dry-run=client"], ["--yes"]];

test.each(commands)(
  "%s reaches the cluster with secrets in every flag of the connection",
  async (path) => {
    for (const [index, output] of ["text", "jsonl", "json"].entries()) {
      const form = [...(manners[index] ?? []), `--output=${output}`, ...debug];
      const words = [...path.split(" "), ...(lines[path]?.() ?? []), ...connectionWords, ...form];
      const ended = await runOnCluster(words);
      expect([form, traces(ended).includes(secret)]).toEqual([form, false]);
    }
  },
);

test("the plan that upgrade saves has none of the secrets of its line", async () => {
  const file = join(folder, "plan.json");
  const words = ["upgrade", ...(lines["upgrade"]?.() ?? []), ...connectionWords, ...debug];
  const ended = await runOnCluster([...words, `--plan-out=${file}`]);
  expect([ended.code, ended.err]).toEqual([0, expect.any(String)]);
  const plan = readFileSync(file, "utf8");
  expect(plan).toContain("https://127.0.0.1:1/x.tar.gz?…");
  expect([plan, traces(ended)].join("\n")).not.toContain(secret);
});

/** What a command needs no cluster for, whose problems a line has. */
const shortLine = (path: string): readonly string[] =>
  path === "rehearse" ? ["explain"] : (lines[path]?.() ?? []);

test.each(commands)("an address in any flag of %s is printed without its secrets", async (path) => {
  const flags = entries.filter((entry) => entry.path === path).flatMap((entry) => entry.flags);
  const planted = [...standardFlags, ...flags].filter(({ name }) => !identities.includes(name));
  const words = [...path.split(" "), ...shortLine(path), ...debug];
  for (const { name } of planted) {
    const ended = await run([...words, `--${name}=${address}`]);
    expect([name, traces(ended).includes(secret)]).toEqual([name, false]);
  }
  const all = planted.map(({ name }) => `--${name}=${address}`);
  const together = await run([...words, ...all, "--output=json"]);
  const variables = planted.map((flag): [string, string] => [nameVariable(flag), address]);
  const fromEnvironment = await run(words, { env: Object.fromEntries(variables) });
  expect([together, fromEnvironment].map(traces).join("\n")).not.toContain(secret);
});

/** Flags that no command knows, with what a person meant for a value. */
const mistyped: readonly (readonly string[])[] = [
  ["--tokn", secret],
  [`--tokn=${secret}`],
  ["-tokn", secret],
  [`-p${secret}`],
  ["--tokn", secret, secret],
];

test.each(commands)("%s quotes a mistyped flag without what follows it", async (path) => {
  const words = path.split(" ");
  for (const typedWords of mistyped) {
    const orders = [
      [...typedWords, ...words],
      [...words, ...typedWords],
      [...words, ...(lines[path]?.() ?? []), ...typedWords],
      [...words.slice(0, 1), ...typedWords, ...words.slice(1)],
    ];
    for (const [index, line] of orders.entries()) {
      const output = index % 2 === 0 ? "text" : "json";
      const ended = await run([...line, `--output=${output}`, ...debug]);
      expect([line, ended.code, traces(ended).includes(secret)]).toEqual([line, 2, false]);
      expect(traces(ended)).toContain("unknown flag: -");
    }
  }
});

describe("the hint to confirm repeats the line, and the token is to be given again", () => {
  const line = [
    "upgrade-webhook",
    "--no-probe",
    "-n",
    "engine",
    "--token",
    secret,
    "-s",
    "https://host:6443",
  ];
  test("as a command", async () => {
    const { code, err } = await runOnCluster(line);
    const again = `upgrade-webhook --no-probe --namespace=engine '--token=…' --server=https://host:6443 --yes`;
    expect([code, err]).toEqual([2, expect.stringContaining(`run: kubectl engine ${again}`)]);
  });
  test("the command as it was printed ends before any request", async () => {
    const { code, err } = await run(["unbind-scc", "--token=…"]);
    expect([code, err]).toEqual([2, expect.stringContaining("--token: contains characters")]);
  });
});

/** A kubeconfig with a secret in each of its places; nothing listens at its addresses. */
function kubeconfig(user: object, cluster: object = {}): string {
  const file = join(folder, "kubeconfig");
  const content = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: address, ...cluster } }],
    users: [{ name: "u", user }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test.each<[string, object, object]>([
  ["a token", { token: secret }, {}],
  ["a password", { username: "user", password: secret }, {}],
  ["a proxy's login", {}, { "proxy-url": `http://user:${secret}@127.0.0.1:1` }],
  ["a socks proxy's login", {}, { "proxy-url": `socks5://user:${secret}@127.0.0.1:1` }],
  [
    "words of an exec plugin",
    {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "/nowhere/login",
        args: [`--password=${secret}`],
        env: [{ name: "PASSWORD", value: secret }],
        interactiveMode: "Never",
      },
    },
    {},
  ],
])("a connection that fails prints nothing of %s in the kubeconfig", async (_, user, cluster) => {
  const scene: Scene = {
    connect: ({ connection }, { onRequest } = {}) =>
      connect(connection, {}, { onRequest: ({ path }) => onRequest?.(path) }),
  };
  for (const output of ["text", "json"]) {
    const flags = [`--kubeconfig=${kubeconfig(user, cluster)}`, `--output=${output}`, ...debug];
    const ended = await run(["unbind-scc", ...flags], scene);
    expect(ended.code).not.toBe(0);
    expect(traces(ended)).not.toContain(secret);
  }
});
