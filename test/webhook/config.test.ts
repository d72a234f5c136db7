import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../plugin/domain/base/errors";
import { defaultNames } from "../../plugin/domain/names/names";
import { type Check, parseConfig } from "../../webhook/config";
import { settings } from "../../webhook/settings";

const least = { ENGINE_WEBHOOK_TLS_DIR: "/tls" };
const deny = { version: "deny", policy: "deny", modules: "deny" };
const defaults = {
  host: undefined,
  port: 8443,
  metricsPort: 8080,
  tlsDir: "/tls",
  role: "both",
  ownCert: false,
  clusters: { from: "api" },
  operatorNamespace: "engine",
  rules: { reading: "target", allowLatest: undefined, rules: deny, names: defaultNames },
  bypassGroups: [],
  bypassMostMs: 86_400_000,
  clientCa: undefined,
  clientSubjects: [],
  maxBody: 8 * 1024 * 1024,
  maxInFlight: 128,
  drainMs: 15_000,
  endWithStdin: false,
  logLevel: "info",
  unknown: [],
};

function problemsOf(env: Record<string, string>, checks: readonly Check[] = []) {
  try {
    parseConfig(env, checks);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error.problems;
  }
}

test("only the TLS folder has no default", () => {
  expect(parseConfig(least)).toEqual(defaults);
});

test("an empty variable counts as unset", () => {
  const empty = { ENGINE_WEBHOOK_PORT: "", ENGINE_NAMES: "", ENGINE_WEBHOOK_RULES: "" };
  expect(parseConfig({ ...least, ...empty })).toEqual(defaults);
});

test.each<[string, string, object]>([
  ["ENGINE_WEBHOOK_HOST", "127.0.0.1", { host: "127.0.0.1" }],
  ["ENGINE_WEBHOOK_PORT", "443", { port: 443 }],
  ["ENGINE_WEBHOOK_METRICS_PORT", "0", { metricsPort: 0 }],
  ["ENGINE_WEBHOOK_ROLE", "serve", { role: "serve" }],
  ["ENGINE_WEBHOOK_OWN_CERT", "true", { ownCert: true }],
  ["ENGINE_WEBHOOK_CLUSTERS", "file:/ecs.yaml", { clusters: { from: "file", path: "/ecs.yaml" } }],
  ["ENGINE_WEBHOOK_CLUSTERS", "api", {}],
  ["ENGINE_NAMESPACE", "databases", { operatorNamespace: "databases" }],
  ["ENGINE_WEBHOOK_POLICY_READING", "step", { rules: { ...defaults.rules, reading: "step" } }],
  ["ENGINE_WEBHOOK_POLICY_READING", "target", {}],
  ["ENGINE_WEBHOOK_ALLOW_LATEST", "true", { rules: { ...defaults.rules, allowLatest: true } }],
  ["ENGINE_WEBHOOK_ALLOW_LATEST", "false", { rules: { ...defaults.rules, allowLatest: false } }],
  [
    "ENGINE_WEBHOOK_RULES",
    "version=warn, policy=off",
    { rules: { ...defaults.rules, rules: { version: "warn", policy: "off", modules: "deny" } } },
  ],
  ["ENGINE_WEBHOOK_BYPASS_GROUPS", "a, system:b", { bypassGroups: ["a", "system:b"] }],
  ["ENGINE_WEBHOOK_BYPASS_MAX", "2h", { bypassMostMs: 7_200_000 }],
  ["ENGINE_WEBHOOK_CLIENT_CA", "/etc/ca.pem", { clientCa: "/etc/ca.pem" }],
  ["ENGINE_WEBHOOK_MAX_BODY", "512Ki", { maxBody: 512 * 1024 }],
  ["ENGINE_WEBHOOK_MAX_BODY", "1048576", { maxBody: 1_048_576 }],
  ["ENGINE_WEBHOOK_MAX_IN_FLIGHT", "7", { maxInFlight: 7 }],
  ["ENGINE_WEBHOOK_DRAIN", "500ms", { drainMs: 500 }],
  ["ENGINE_WEBHOOK_DRAIN", "0", { drainMs: 0 }],
  ["ENGINE_WEBHOOK_DRAIN", "15", { drainMs: 15_000 }],
  ["ENGINE_WEBHOOK_END_WITH_STDIN", "true", { endWithStdin: true }],
  ["LOG_LEVEL", "debug", { logLevel: "debug" }],
])("%s may be %s", (name, value, change) => {
  expect(parseConfig({ ...least, [name]: value })).toEqual({ ...defaults, ...change });
});

test("certificates may be asked for under given names alone", () => {
  const callers = {
    ENGINE_WEBHOOK_CLIENT_CA: "/etc/ca.pem",
    ENGINE_WEBHOOK_CLIENT_SUBJECTS: "kube-apiserver",
  };
  const change = { clientCa: "/etc/ca.pem", clientSubjects: ["kube-apiserver"] };
  expect(parseConfig({ ...least, ...callers })).toEqual({ ...defaults, ...change });
});

const listOfRules = "a list such as version=deny,policy=warn,modules=off, each rule at most once";
test.each<[string, string, string]>([
  ["ENGINE_WEBHOOK_PORT", "tcp://10.0.0.1:443", "a port from 0 to 65535"],
  ["ENGINE_WEBHOOK_PORT", "65536", "a port from 0 to 65535"],
  ["ENGINE_WEBHOOK_METRICS_PORT", "-1", "a port from 0 to 65535"],
  ["ENGINE_WEBHOOK_CLUSTERS", "file:", "api or file:PATH"],
  ["ENGINE_WEBHOOK_CLUSTERS", "http://x", "api or file:PATH"],
  ["ENGINE_NAMESPACE", "No Name", "the name of a namespace"],
  ["ENGINE_WEBHOOK_POLICY_READING", "both", "target or step"],
  ["ENGINE_WEBHOOK_ALLOW_LATEST", "yes", "true or false"],
  ["ENGINE_WEBHOOK_MAX_BODY", "0", "a size such as 8Mi, at most 64Mi"],
  ["ENGINE_WEBHOOK_MAX_BODY", "1Gi", "a size such as 8Mi, at most 64Mi"],
  ["ENGINE_WEBHOOK_MAX_BODY", "8MB", "a size such as 8Mi, at most 64Mi"],
  ["ENGINE_WEBHOOK_MAX_IN_FLIGHT", "0", "a whole number from 1"],
  ["ENGINE_WEBHOOK_DRAIN", "soon", "a duration such as 500ms, 15s or 2m"],
  ["ENGINE_WEBHOOK_ROLE", "Renew", "serve, renew or both"],
  ["ENGINE_WEBHOOK_OWN_CERT", "yes", "true or false"],
  ["ENGINE_WEBHOOK_BYPASS_GROUPS", "a,,b", "a list as a,b, without empty parts"],
  ...[
    "version",
    "version=maybe",
    "color=deny",
    "version=deny,version=off",
    "constructor=deny",
    "version=deny,",
  ].map((value): [string, string, string] => ["ENGINE_WEBHOOK_RULES", value, listOfRules]),
  ["LOG_LEVEL", "loud", "one of silent, fatal, error, warn, info, debug, trace"],
])("%s: %s is refused", (name, value, form) => {
  expect(problemsOf({ ...least, [name]: value })).toEqual([`${name}: "${value}" is not ${form}`]);
});

test("a process that only serves renews nothing, and one that only renews needs no folder", () => {
  const own = { ENGINE_WEBHOOK_OWN_CERT: "true" };
  const serve = { ...least, ...own, ENGINE_WEBHOOK_ROLE: "serve" };
  expect(parseConfig(serve)).toEqual({ ...defaults, role: "serve" });
  expect(parseConfig({ ...own, ENGINE_WEBHOOK_ROLE: "renew" })).toEqual({
    ...defaults,
    role: "renew",
    ownCert: true,
    tlsDir: "",
  });
});

test.each([
  [
    "ENGINE_WEBHOOK_ROLE",
    "renew",
    "renew needs ENGINE_WEBHOOK_OWN_CERT=true, or nothing is renewed",
  ],
  [
    "ENGINE_WEBHOOK_CLIENT_SUBJECTS",
    "kube-apiserver",
    "needs ENGINE_WEBHOOK_CLIENT_CA: without it no client certificate is asked for",
  ],
])("%s=%s alone is refused", (name, value, problem) => {
  expect(problemsOf({ ...least, [name]: value })).toEqual([`${name}: ${problem}`]);
});

test("a setting that there is none of is named", () => {
  const config = parseConfig({
    ...least,
    ENGINE_WEBHOOK_RULE: "x",
    ENGINE_WEBHOOK_A: "",
    PATH: "/",
  });
  expect(config.unknown).toEqual(["ENGINE_WEBHOOK_A", "ENGINE_WEBHOOK_RULE"]);
});

test("both ports may not be one, unless any will do", () => {
  const both = (port: string) => ({
    ...least,
    ENGINE_WEBHOOK_PORT: port,
    ENGINE_WEBHOOK_METRICS_PORT: port,
  });
  expect(problemsOf(both("9000"))).toEqual([
    "ENGINE_WEBHOOK_METRICS_PORT: 9000 is ENGINE_WEBHOOK_PORT too, choose another",
  ]);
  expect(problemsOf(both("0"))).toEqual([]);
});

test("a client CA without a plain port would leave probes none", () => {
  const env = { ...least, ENGINE_WEBHOOK_CLIENT_CA: "/etc/ca.pem" };
  expect(problemsOf({ ...env, ENGINE_WEBHOOK_METRICS_PORT: "0" })).toEqual([
    "ENGINE_WEBHOOK_METRICS_PORT: 0 leaves probes no port: with ENGINE_WEBHOOK_CLIENT_CA the other one requires a certificate",
  ]);
  expect(problemsOf(env)).toEqual([]);
});

test("all problems are named at once, also of what the settings name", () => {
  const checks = [
    { name: "ENGINE_WEBHOOK_TLS_DIR", problem: () => "never asked" },
    { name: "ENGINE_WEBHOOK_CLUSTERS", problem: () => "cannot be read" },
    { name: "ENGINE_NAMESPACE", problem: () => undefined },
    { name: "ENGINE_WEBHOOK_DRAIN", needs: ["ENGINE_NAMES"], problem: () => "never asked" },
  ];
  const env = {
    ENGINE_WEBHOOK_PORT: "x",
    ENGINE_NAMES: "y",
    ENGINE_WEBHOOK_OWN_CERT: "x",
    ENGINE_WEBHOOK_ROLE: "z",
  };
  expect(problemsOf(env, checks)).toEqual([
    "ENGINE_NAMES: y: cannot be used: ENOENT: no such file or directory, open 'y'",
    'ENGINE_WEBHOOK_ROLE: "z" is not serve, renew or both',
    'ENGINE_WEBHOOK_OWN_CERT: "x" is not true or false',
    'ENGINE_WEBHOOK_PORT: "x" is not a port from 0 to 65535',
    "ENGINE_WEBHOOK_TLS_DIR: not set, it has to be the folder with cert and privateKey",
    "ENGINE_WEBHOOK_CLUSTERS: cannot be read",
  ]);
});

describe("ENGINE_NAMES", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "names-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const file = (text: string): string => {
    const path = join(folder, "names.yaml");
    writeFileSync(path, text);
    return path;
  };

  test("replaces the names that the rules use, and the namespace taken for the operator's", () => {
    const path = file("operator: { namespace: acme }\nwebhook: { path: /judge }\n");
    const config = parseConfig({ ...least, ENGINE_NAMES: path });
    expect(config.operatorNamespace).toBe("acme");
    expect(config.rules.names).toEqual({
      ...defaultNames,
      operator: { ...defaultNames.operator, namespace: "acme" },
      webhook: { ...defaultNames.webhook, path: "/judge" },
    });
  });

  test("an empty file changes nothing, and ENGINE_NAMESPACE wins", () => {
    const env = { ...least, ENGINE_NAMES: file(""), ENGINE_NAMESPACE: "mine" };
    expect(parseConfig(env)).toEqual({ ...defaults, operatorNamespace: "mine" });
  });

  test("the folder's items are called as the names have them", () => {
    const path = file("webhook: { secretCert: crt }");
    expect(problemsOf({ ENGINE_NAMES: path })).toEqual([
      "ENGINE_WEBHOOK_TLS_DIR: not set, it has to be the folder with crt and privateKey",
    ]);
  });

  test.each<[string, string, readonly string[]]>([
    [
      "a typo and a clash",
      "webhook: { secrt: x, secretKey: cert }",
      [
        "webhook.secrt: unknown key (did you mean webhook.secret?)",
        'webhook.secretCert and webhook.secretKey are both "cert": the private key would be published as the certificate',
      ],
    ],
    ["two documents", "a: 1\n---\nb: 1", ["holds 2 documents where one is expected"]],
    [
      "no YAML",
      "a: [1",
      ["cannot be read: unexpected end of the stream within a flow collection (line 2, column 1)"],
    ],
  ])("%s: every problem is named at start", (_title, text, problems) => {
    const path = file(text);
    expect(problemsOf({ ...least, ENGINE_NAMES: path })).toEqual(
      problems.map((problem) => `ENGINE_NAMES: ${path}: ${problem}`),
    );
  });
});

const inWords = /^(all|by|none|nobody|required|the) ?/;
test.each(
  Object.entries(settings).flatMap(([name, [unset]]) =>
    inWords.test(unset) ? [] : [{ name, unset }],
  ),
)("$name is $unset where it is not set", ({ name, unset }) => {
  expect(parseConfig({ ...least, [name]: unset })).toEqual(parseConfig(least));
});

test("every variable that is described is read", () => {
  const unset = Object.keys(settings).map((name): [string, string] => [name, ""]);
  const { unknown } = parseConfig({ ...Object.fromEntries(unset), ...least });
  expect(unknown).toEqual([]);
});
