/** `upgrade-operator --chart`, typed over a cluster in memory with a helm that is played as a program. */
import { execFileSync, spawn } from "node:child_process";
import { readdirSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath, withValue } from "../../../../plugin/domain/base/values";
import type { Report } from "../../../../plugin/kernel/report";
import { aFolder } from "../../../support/a-folder";
import { type HelmAnswers, type PlayedHelm, playHelm } from "../../../support/played-helm";
import { type Scene as ProcessScene, stdinOf, typed } from "../../../support/program-world";
import { deployment } from "../../../support/releases/operator";
import { writeRelease } from "../../../support/releases/tree";
import { aScene, inPlace, ns } from "./scene";

const wanted = "8.0.2-2";
const imageAt = (version: string): string => `${names.images.operator}:${version}`;
const plain = (image = imageAt(wanted)): KubeObject =>
  deployment({ version: wanted, openshift: "false", image });
const marks = (release = "operator", namespace: string = ns): Partial<KubeObject["metadata"]> => ({
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: {
    "meta.helm.sh/release-name": release,
    "meta.helm.sh/release-namespace": namespace,
  },
});
const marked = (object: KubeObject, by = marks()): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...by, labels: { ...object.metadata.labels, ...by.labels } },
});

interface Wish extends HelmAnswers {
  /** The operator's Deployment in the cluster; null: none. */
  readonly live?: KubeObject | null;
  readonly others?: readonly KubeObject[];
  /** Who has written them. */
  readonly manager?: string;
  readonly process?: ProcessScene;
  readonly env?: NodeJS.ProcessEnv;
}

interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly report: Report;
  readonly helm: PlayedHelm;
  readonly writes: number;
  readonly left: readonly string[];
}

const kubeconfig = {
  ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "u", user: { token: "t" } }],
};

async function run(words: readonly string[], wish: Wish = {}): Promise<Typed> {
  const folder = aFolder("by-helm");
  const scene = await aScene();
  const { live = marked(plain()), others = [] } = wish;
  for (const object of [...(live === null ? [] : [live]), ...others]) {
    await scene.cluster.create(inPlace(object), { fieldManager: wish.manager ?? "kubectl-edit" });
  }
  const helm = playHelm(folder, "7.22.0-7", { objects: [plain()], ...wish });
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  const config = join(folder, "config");
  writeFileSync(config, JSON.stringify(kubeconfig));
  const before = scene.controlPlane.state;
  const saved = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  const { code, out, err } = await typed(words, {
    connect: () => Promise.resolve(scene.cluster),
    clock: scene.clock,
    ...wish.process,
    env: {
      ...{ PATH: process.env["PATH"], ENGINE_HELM: helm.file, ENGINE_HOME: join(folder, "home") },
      ...{ KUBECONFIG: config, ...wish.env },
    },
  }).finally(() => {
    if (saved === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = saved;
  });
  const isDocument = out.startsWith("{");
  return {
    ...{ code, out, err, helm },
    report: (isDocument ? JSON.parse(out) : {}) as Report,
    writes: scene.controlPlane.state === before ? 0 : 1,
    left: readdirSync(temporary),
  };
}

const chart = ["--chart", "oci://registry.example.test/charts/op", "--version", wanted];
const byChart = ["upgrade-operator", ...chart, "--release-name", "operator", "-n", ns, "--yes"];
const json = ["-o", "json"];

/** A file whose content can be read once. */
function aPipe(content: string | Buffer): string {
  const folder = aFolder("pipe");
  const [path, source] = [join(folder, "pipe"), join(folder, "source")] as const;
  writeFileSync(source, content);
  execFileSync("mkfifo", [path]);
  spawn("/bin/sh", ["-c", 'cat "$1" > "$2"', "sh", source, path]).unref();
  return path;
}

describe("what is named on the command line is read once", () => {
  // both renders of the plan and the upgrade
  const thrice = (...each: readonly string[]): readonly string[] => [...each, ...each, ...each];

  test("values from a pipe: the dry run and the real upgrade read the same", async () => {
    const { code, helm, left } = await run([...byChart, "--values", aPipe("memory: 2GB\n")]);
    expect([code, helm.given("values")]).toEqual([0, thrice("memory: 2GB\n")]);
    expect([helm.upgrades().length, left]).toEqual([1, []]);
  });

  test("values from stdin", async () => {
    const { code, helm } = await run([...byChart, "--values", "-"], {
      process: { stdin: stdinOf("memory: 2GB\n") },
    });
    expect([code, helm.given("values")]).toEqual([0, thrice("memory: 2GB\n")]);
  });

  test("several files, in their order, a pipe among them", async () => {
    const words = ["--values", aPipe("memory: 2GB\n"), "--values", "-"];
    const stdin = stdinOf("memory: 3GB\n");
    const { code, helm } = await run([...byChart, ...words], { process: { stdin } });
    const each = thrice("memory: 2GB\n", "memory: 3GB\n");
    expect([code, helm.given("values")]).toEqual([0, each]);
    expect(helm.upgrades()).toEqual([expect.stringMatching(/--values .*-0\..*--values .*-1\./)]);
  });

  test.each([
    ["stdin twice", ["--values", "-", "--values", "-"], "--values: stdin can be read once"],
    ["no file at all", ["--values", "x.yaml", "--values", ""], "--values: needs a value"],
  ])("%s is refused before helm is called", async (_, words, says) => {
    const { code, err, helm, writes } = await run([...byChart, ...words]);
    expect([code, helm.calls(), writes]).toEqual([2, [], 0]);
    expect(err).toContain(says);
  });

  test("a kubeconfig from a pipe, with a certificate authority from another one", async () => {
    const words = [...byChart, "--kubeconfig", aPipe(JSON.stringify(kubeconfig))];
    const { code, helm } = await run([...words, "--certificate-authority", aPipe("the CA")]);
    const ca = Buffer.from("the CA").toString("base64");
    expect([code, new Set(helm.given("kubeconfig")).size]).toEqual([0, 1]);
    expect(JSON.parse(helm.given("kubeconfig")[0] ?? "")).toMatchObject({
      clusters: [{ cluster: { "certificate-authority-data": ca } }],
      users: [{ user: { token: "t" } }],
    });
  });

  test("all that cannot be read is told at once, before helm is called", async () => {
    const words = [...byChart, "--values", "no-values", "--kubeconfig", "no-config"];
    for (const each of [words, ["upgrade", ...words.slice(1)]]) {
      const { code, err, helm, writes } = await run(each);
      expect([code, helm.calls(), writes]).toEqual([2, [], 0]);
      expect(err).toContain("no such file: no-values");
      expect(err).toMatch(/no such file: \S*no-config/);
    }
  });

  test("a release archive from a pipe, for the plan and the run of a rehearsal", async () => {
    const tree = writeRelease(aFolder("release"), wanted);
    const archive = aPipe(execFileSync("tar", ["cz", "-C", tree, "."]));
    const words = ["rehearse", "upgrade-operator", "-n", ns, "--release", archive];
    const { code, out } = await run(words);
    expect([code, out]).toEqual([0, expect.stringContaining("the rehearsal ended as expected")]);
  });

  test("values by an address, and a chart from a pipe, are refused before helm is called", async () => {
    const url = await run([...byChart, "--values", "https://example.test/values.yaml"]);
    expect([url.code, url.helm.calls(), url.err]).toEqual([
      2,
      [],
      expect.stringContaining("--values -"),
    ]);
    const words = byChart.map((word) => (word.startsWith("oci:") ? "/dev/null" : word));
    const piped = await run(words);
    expect([piped.code, piped.helm.calls(), piped.err]).toEqual([
      2,
      [],
      expect.stringContaining("/dev/null is a pipe or a device"),
    ]);
  });
});

describe("helm's own flags reach helm, in the render and in the upgrade", () => {
  test("as they were typed, those of one name in their order", async () => {
    const words = [
      ...["--set", "a=1", "--set", "a=2,b=x", "--set-string", "c=3", "--set-json", 'd={"e":[1]}'],
      ...["--reuse-values", "--skip-crds", "--plain-http", "--chart-insecure-skip-tls-verify"],
      ...["--repo", "https://charts.example.test", "--repository-cache", "cache"],
      ...["--post-renderer", "patcher", "--post-renderer-args=--add", "--post-renderer-args", "x"],
    ];
    const { code, helm } = await run([...byChart, ...words]);
    expect([code, helm.upgrades().length]).toEqual([0, 1]);
    const typed =
      '--set a=1 --set a=2,b=x --set-string c=3 --set-json d={"e":[1]} --reuse-values --post-renderer patcher --post-renderer-args --add --post-renderer-args x --skip-crds --repo https://charts.example.test --plain-http --insecure-skip-tls-verify --repository-cache cache ';
    const upgrades = helm.calls().filter((call) => call.startsWith("upgrade "));
    // two renders, and the upgrade
    expect(upgrades).toHaveLength(3);
    for (const call of upgrades) {
      expect(call).toContain(typed);
      expect(call).not.toContain("--reset");
    }
  });

  test.each(["reset-values", "reset-then-reuse-values"])("--%s", async (flag) => {
    const { helm } = await run([...byChart, `--${flag}`]);
    expect(helm.upgrades()).toEqual([expect.stringContaining(` --${flag} `)]);
    expect(helm.upgrades()[0]?.match(/--re(set|use)/g)).toHaveLength(1);
  });

  test("files are read once, from pipes too", async () => {
    const words = [
      ...["--set-file", `tls\\.key=${aPipe("KEY")}`, "--set-file", "b=-", "--ca-file", aPipe("CA")],
      ...["--registry-config", aPipe("{}"), "--repository-config", aPipe("repositories: []\n")],
    ];
    const { code, helm, left } = await run([...byChart, ...words], {
      process: { stdin: stdinOf("from stdin") },
    });
    expect([code, left]).toEqual([0, []]);
    const read = (["set-file", "ca-file", "registry-config", "repository-config"] as const).map(
      (flag) => helm.given(flag),
    );
    const thrice = (...texts: readonly string[]): readonly string[] => [
      ...texts,
      ...texts,
      ...texts,
    ];
    // what says where the chart is goes with the look at its crds/ folder as well
    const source = (text: string): readonly string[] => [...thrice(text), text];
    expect(read).toEqual([
      thrice("KEY", "from stdin"),
      source("CA"),
      source("{}"),
      source("repositories: []\n"),
    ]);
    expect(helm.upgrades()).toEqual([expect.stringMatching(/ --set-file tls\\.key=\/\S+ /)]);
  });

  test.each([
    ["two ways to keep values", ["--reuse-values", "--reset-values"], "give one of the two"],
    [
      "three of them",
      ["--reuse-values", "--reset-values", "--reset-then-reuse-values"],
      "give one of the three",
    ],
    ["no key", ["--set-file", "x.yaml"], "--set-file: is not KEY=FILE"],
    ["two keys in one", ["--set-file", "a=x,b=y"], "--set-file: is not KEY=FILE"],
    ["no value", ["--set", ""], "--set: needs a value"],
    ["stdin twice", ["--set-file", "a=-", "--values", "-"], "stdin can be read once"],
    ["no file", ["--set-file", "a=none"], "no such file: none"],
    ["an address", ["--set-file", "a=https://example.test/x"], "--set-file KEY=-"],
    ["arguments of nothing", ["--post-renderer-args", "x"], "goes with --post-renderer"],
  ])("%s: refused before helm is called", async (_, words, says) => {
    const { code, err, helm, writes } = await run([...byChart, ...words]);
    expect([code, helm.calls(), writes]).toEqual([2, [], 0]);
    expect(err).toContain(says);
  });

  test("what a key calls secret is neither in the plan nor in what helm's failure quotes", async () => {
    const secret = "correct-horse";
    const words = [
      "--set",
      `image.x=1,auth.password=${secret}`,
      "--set-json",
      `d={"token":"${secret}"}`,
    ];
    const set = [...words, "--set-string", `api.key=${secret}`];
    for (const each of [byChart, ["upgrade", ...byChart.slice(1)], ["diff", ...byChart]]) {
      const dry = await run([...each, ...set, "--dry-run=server", ...json]);
      expect([dry.out.includes(secret), dry.err.includes(secret)]).toEqual([false, false]);
      expect(dry.helm.calls().join(" ")).toContain(secret);
    }
    const planned = await run([...byChart, ...set, "--dry-run=server", ...json]);
    expect(planned.out).toContain("auth.password=…");
    const failed = await run([...byChart, ...set, ...json], { fails: `cannot set ${secret}` });
    expect([failed.code, failed.helm.upgrades(), failed.writes]).toEqual([1, [], 0]);
    expect(failed.report.exit.reason).toContain("cannot set …");
  });
});

describe("helm's JSON is found among other lines of its stdout", () => {
  const pulled = "Pulled: registry.example.test/charts/op:8.0.2-2\nDigest: sha256:00\n";
  test.each<[string, Wish]>([
    ["before it", { before: pulled }],
    ["behind it", { behind: pulled }],
    ["before it, in brackets", { before: "[WARNING] old API\n{odd}\n" }],
    ["before it, as a log in JSON", { before: '{"level":"warn","msg":"[{"}\n' }],
  ])("%s", async (_, wish) => {
    const { code, helm } = await run(byChart, wish);
    expect([code, helm.upgrades().length]).toEqual([0, 1]);
  });

  test.each([
    ["Error: x\u001b[31m token=abc.def\nmore\n", "its output begins with: Error: x token=…"],
    ["", "it printed nothing"],
    ['{"name":"operator","manifest":"kind: Secret', "is cut off"],
  ])(
    "without it the end quotes the first line of %j, and advises no repetition",
    async (...row) => {
      const [instead, says] = row;
      const { code, out, helm, writes } = await run([...byChart, ...json], { instead });
      const { exit } = JSON.parse(out) as Report;
      expect([code, helm.upgrades(), writes]).toEqual([1, [], 0]);
      expect(exit.reason).toContain(says);
      expect(exit.reason).not.toMatch(/abc\.def|more|kind: Secret|\p{Cc}/u);
      expect(exit.next).not.toMatch(/again/);
    },
  );
});

describe("marks of a release that helm does not know lead to a way out, not to each other", () => {
  const ways = [
    "sh.helm.release.v1.operator.vN",
    `helm install operator`,
    "--take-ownership",
    `kubectl annotate deployment ${names.operator.deployment} --namespace=engine meta.helm.sh/release-name- meta.helm.sh/release-namespace-`,
    `kubectl label deployment ${names.operator.deployment} --namespace=engine app.kubernetes.io/managed-by-`,
  ];
  const expectWays = (fix = ""): void => {
    for (const way of ways) expect(fix).toContain(way);
  };

  test("by chart", async () => {
    const { code, report, helm, writes } = await run([...byChart, ...json], { knowsNone: true });
    expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
    expect(report.findings).toMatchObject([{ code: "OPERATOR-CHART-LOST" }]);
    expectWays(report.findings?.[0]?.fix);
    expect(report.findings?.[0]?.fix).not.toContain("--release-name operator");
  });

  const release = writeRelease(aFolder("release"), wanted);
  const byBundle = ["upgrade-operator", "--release", release, "-n", ns, "--yes", ...json];
  const record = {
    ...{ apiVersion: "v1", kind: "Secret", type: "helm.sh/release.v1" },
    metadata: {
      name: "sh.helm.release.v1.operator.v3",
      labels: { owner: "helm", name: "operator", status: "deployed" },
    },
  };

  test("by bundle, where no Secret holds its record", async () => {
    const account = {
      ...{ apiVersion: "v1", kind: "ServiceAccount" },
      metadata: { name: names.operator.serviceAccount },
    };
    const { code, report, helm, writes } = await run(byBundle, { others: [marked(account)] });
    expect([code, helm.calls(), writes]).toEqual([5, [], 0]);
    expect(report.findings).toMatchObject([{ code: "OPERATOR-CHART-LOST" }]);
    expectWays(report.findings?.[0]?.fix);
    expect(report.findings?.[0]?.fix).toContain("kubectl annotate serviceaccount ");
    expect(report.findings?.[0]?.fix).not.toContain("upgrade-operator --chart");
  });

  test("by bundle, where a Secret holds its record, the chart is the way", async () => {
    const { code, report, writes } = await run(byBundle, { others: [record] });
    expect([code, writes]).toEqual([5, 0]);
    expect(report.findings).toMatchObject([{ code: "OPERATOR-OWNED" }]);
    expect(report.findings?.[0]?.fix).toContain("--release-name operator");
    expect(report.findings?.[0]?.fix).not.toContain("kubectl annotate");
  });

  const bothWays =
    /--release-name operator.*; else see whether helm finds the release, .*: helm status operator --namespace=engine; else /;
  const kept = { ...record, kind: "ConfigMap", type: undefined };
  test.each<[string, string, readonly KubeObject[], string, RegExp]>([
    ["secrets", "secrets", [], "OPERATOR-CHART-LOST", /backup of namespace engine \(Secrets /],
    ["ConfigMaps, none", "configmap", [], "OPERATOR-CHART-LOST", /\(ConfigMaps sh\.helm/],
    ["ConfigMaps, one", "configmaps", [kept], "OPERATOR-OWNED", /--release-name operator[^;]*$/],
    [
      "ConfigMaps, a Secret",
      "configmap",
      [record],
      "OPERATOR-CHART-LOST",
      /^set HELM_DRIVER=secret,/,
    ],
    ["a database", "sql", [record], "OPERATOR-OWNED", bothWays],
    ["what is not known", "other", [], "OPERATOR-OWNED", bothWays],
  ])("by bundle, with HELM_DRIVER for %s", async (...[, driver, others, found, fix]) => {
    const env = { HELM_DRIVER: driver };
    const { code, report, writes } = await run(byBundle, { others, env });
    expect([code, writes]).toEqual([5, 0]);
    expect(report.findings).toMatchObject([{ code: found }]);
    expect(report.findings?.[0]?.fix).toMatch(fix);
  });

  test("by bundle, what was looked for is said", async () => {
    const { report } = await run(byBundle);
    expect(report.findings?.[0]?.cause).toContain(
      "no Secrets with owner=helm,name=operator are in namespace engine",
    );
  });

  test("by bundle, where the Secrets may not be listed, both ways are told, each for its case", async () => {
    const forbidden = new ApiError("forbidden", { status: 403 });
    const { code, report, writes } = await run(byBundle, {
      process: {
        connect: async () => {
          const { cluster } = await aScene();
          await cluster.create(inPlace(marked(plain())));
          return Object.create(cluster, {
            list: {
              value: (...args: Parameters<typeof cluster.list>) =>
                args[0].plural === "secrets" ? Promise.reject(forbidden) : cluster.list(...args),
            },
          }) as typeof cluster;
        },
      },
    });
    expect([code, writes]).toEqual([5, 0]);
    const fix = report.findings?.[0]?.fix;
    expect(fix).toMatch(
      /--release-name operator.*; else see whether helm finds the release, .*: helm status operator --namespace=engine; else /,
    );
    expectWays(fix);
  });

  test.each<[string, Wish, readonly string[]]>([
    [
      "of another name that helm knows",
      { live: marked(plain(), marks("other")), knowsNone: true },
      ["sh.helm.release.v1.other.vN", "helm install other"],
    ],
    [
      "of another namespace",
      { live: marked(plain(), marks("operator", "elsewhere")), knowsNone: true },
      ["helm install operator", "--namespace=elsewhere"],
    ],
    ["of none, with no operator", { live: null, knowsNone: true }, ["helm install operator"]],
  ])("marks %s", async (_, wish, fixes) => {
    const { code, report, helm, writes } = await run([...byChart, ...json], wish);
    expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
    for (const fix of fixes) expect(report.findings?.[0]?.fix).toContain(fix);
  });

  const removal = (status: string): string =>
    `kubectl delete secret -l owner=helm,name=operator,status=${status}`;
  test.each<[string, readonly string[], readonly string[] | undefined]>([
    [
      "pending-install",
      [removal("pending-install"), "helm install operator", "helm uninstall"],
      ["pending-install"],
    ],
    ["pending-upgrade", ["helm rollback operator 2"], undefined],
    ["pending-upgrade", [removal("pending-upgrade"), "run again"], ["failed", "pending-upgrade"]],
    ["pending-upgrade", ["helm install operator"], ["pending-upgrade"]],
    ["pending-rollback", ["helm rollback operator 2"], undefined],
    [
      "uninstalling",
      [removal("uninstalling"), "helm uninstall operator"],
      ["failed", "uninstalling"],
    ],
    ["uninstalled", ["helm rollback operator 3"], undefined],
  ])("a release that is %s has lines that fit its state", async (status, fixes, history) => {
    const wish = { status, ...(history && { history }) };
    const { code, report, helm, writes } = await run([...byChart, ...json], wish);
    expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
    expect(report.findings).toMatchObject([{ code: "OPERATOR-CHART-PENDING" }]);
    for (const fix of fixes) expect(report.findings?.[0]?.fix).toContain(fix);
    expect(report.findings?.[0]?.fix).not.toMatch(/rollback operator(?! \d)/);
  });

  test("a state that no list of helm has is found by the history", async () => {
    const wish: Wish = { knowsNone: true, history: ["superseded", "unknown"] };
    const { code, report, helm, writes } = await run([...byChart, ...json], wish);
    expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
    expect(report.findings?.[0]?.cause).toContain("in state unknown");
    expect(report.findings?.[0]?.fix).toContain("helm rollback operator 1");
  });

  test.each([
    ["configmap", "kubectl delete configmap -l owner=helm,name=operator,status="],
    ["sql", "the database of HELM_DRIVER_SQL_CONNECTION_STRING"],
  ])("with HELM_DRIVER=%s the lines are about its records", async (driver, fix) => {
    const wish = { status: "pending-install", history: ["pending-install"] };
    const env = { HELM_DRIVER: driver };
    const pending = await run([...byChart, ...json], { ...wish, env });
    const lost = await run([...byChart, ...json], { knowsNone: true, env });
    for (const { code, helm, writes } of [pending, lost]) {
      expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
    }
    expect(pending.report.findings?.[0]?.fix).toContain(fix);
    expect(lost.report.findings).toMatchObject([{ code: "OPERATOR-CHART-LOST" }]);
    for (const { report } of [pending, lost]) {
      expect(report.findings?.[0]?.fix).not.toMatch(/ secrets? -l/);
    }
  });

  test.each(["memory", "odd"])(
    "HELM_DRIVER=%s is refused before helm is called",
    async (driver) => {
      const { code, err, helm, writes } = await run(byChart, { env: { HELM_DRIVER: driver } });
      expect([code, helm.calls(), writes]).toEqual([2, [], 0]);
      expect(err).toContain(`HELM_DRIVER is ${driver}`);
    },
  );

  test("a release that helm knows takes objects without marks over, and is not installed anew", async () => {
    const wish = { live: plain() };
    const { code, report, helm, writes } = await run([...byChart, ...json], wish);
    expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
    expect(report.findings).toMatchObject([{ code: "OPERATOR-NOT-CHART" }]);
    expect(report.findings?.[0]?.fix).toMatch(/helm upgrade operator oci:.* --take-ownership/);
    expect(report.findings?.[0]?.fix).not.toContain("helm install");
    const pending = await run([...byChart, ...json], { ...wish, status: "pending-upgrade" });
    expect([pending.code, pending.helm.upgrades(), pending.writes]).toEqual([5, [], 0]);
    expect(pending.report.findings).toMatchObject([{ code: "OPERATOR-CHART-PENDING" }]);
  });

  test.each(["failed", "superseded"])("a release that is %s is upgraded", async (status) => {
    const { code, helm } = await run(byChart, { status });
    expect([code, helm.upgrades().length]).toEqual([0, 1]);
  });
});

describe("local changes of the operator's Deployment stop the chart as they stop the bundle", () => {
  const pod = ["spec", "template", "spec"];
  const image = `mirror.example.net/${imageAt(wanted)}`;
  const containers = (object: KubeObject): readonly KubeObject[] =>
    getPath(object, [...pod, "containers"]) as readonly KubeObject[];
  const withVariable = (object: KubeObject): KubeObject => {
    const [first, ...others] = containers(object);
    const env = [...(first?.["env"] as readonly object[]), { name: "HTTPS_PROXY", value: "x:3" }];
    return withValue(object, [...pod, "containers"], [{ ...first, env }, ...others]) as KubeObject;
  };
  const changes: readonly (readonly [string, KubeObject, string])[] = [
    ...(
      [
        ["imagePullSecrets", [{ name: "pull" }]],
        ["nodeSelector", { pool: "infra" }],
        ["tolerations", [{ key: "infra", operator: "Exists" }]],
        ["affinity", { podAntiAffinity: {} }],
        ["priorityClassName", "system-cluster-critical"],
      ] as const
    ).map(
      ([key, value]) =>
        [
          key,
          withValue(marked(plain()), [...pod, key], value) as KubeObject,
          `.spec.template.spec.${key}`,
        ] as const,
    ),
    [
      "a variable",
      withVariable(marked(plain())),
      `.spec.template.spec.containers[name="${names.operator.container}"].env[name="HTTPS_PROXY"]`,
    ],
  ];

  test.each(changes)("%s", async (_, live, field) => {
    for (const words of [byChart, [...byChart, "--dry-run=client"], ["diff", ...byChart]]) {
      const { code, report, helm, writes } = await run([...words, ...json], { live });
      expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
      expect(report.findings).toMatchObject([{ code: "OPERATOR-LOCAL-CHANGE", field }]);
      expect(report.findings?.[0]?.fix).toContain(`--take-fields '${field}'`);
    }
    const taken = await run([...byChart, "--take-fields", field], { live });
    expect([taken.code, taken.helm.upgrades().length]).toEqual([0, 1]);
  });

  test("a registry", async () => {
    const live = marked(plain(image));
    const { code, report, helm, writes } = await run([...byChart, ...json], { live });
    expect([code, helm.upgrades(), writes]).toEqual([3, [], 0]);
    expect(report.findings?.map((one) => one.code)).toContain("OPERATOR-REGISTRY");
    expect(report.findings?.[0]?.fix).toMatch(/--values.*--take-fields \.image/);
    expect(report.findings?.[0]?.fix).not.toContain("--image-registry");
  });

  test("what the chart adds is no local change, nor is what it has as well", async () => {
    const rendered = withValue(plain(), [...pod, "nodeSelector"], { pool: "infra", os: "linux" });
    const live = withValue(marked(plain()), [...pod, "nodeSelector"], { pool: "infra" });
    const { code } = await run(byChart, {
      live: live as KubeObject,
      objects: [rendered as KubeObject],
    });
    expect(code).toBe(0);
  });

  test("the diff has the fields as hunks, and ends with 1", async () => {
    const live = withValue(marked(plain()), [...pod, "nodeSelector"], { pool: "infra" });
    const take = ["--take-fields", ".spec.template.spec.nodeSelector"];
    const { code, out, helm, writes } = await run(["diff", ...byChart, ...take], {
      live: live as KubeObject,
    });
    expect([code, helm.upgrades(), writes]).toEqual([1, [], 0]);
    expect(out).toMatch(/^-\s+pool: infra$/m);
    expect(out).toContain("# Release/engine/operator: chart oci://registry.example.test");
  });

  test("a diff without a difference of the Deployment names what it did not compare", async () => {
    const { code, out } = await run(["diff", ...byChart]);
    expect([code, out]).toEqual([1, expect.stringMatching(/^# Release\/engine\/operator: chart /)]);
  });
});

test("what helm itself has set of the environment is the chart's to change, and is named", async () => {
  const env = [{ name: "OLD_FLAG", value: "true" }];
  const path = ["spec", "template", "spec", "containers"];
  const [first, ...others] = getPath(plain(), path) as readonly { readonly env: object[] }[];
  const before = [{ ...first, env: [...(first?.env ?? []), ...env] }, ...others];
  const live = withValue(marked(plain()), path, before) as KubeObject;
  const { code, err, helm } = await run(byChart, { live, manager: "helm" });
  expect([code, helm.upgrades().length]).toEqual([0, 1]);
  expect(err).toContain('env[name="OLD_FLAG"]');
});

describe("a render in which the operator's Deployment cannot be compared stops before helm writes", () => {
  const path = ["spec", "template", "spec", "nodeSelector"];
  const live = withValue(marked(plain()), path, { pool: "infra" }) as KubeObject;
  const rendering = (manifest?: string): string =>
    JSON.stringify({ name: "operator", config: {}, hooks: [], manifest });
  const text = JSON.stringify(plain());
  const at = (metadata: object): string =>
    JSON.stringify({ ...plain(), metadata: { ...plain().metadata, ...metadata } });
  const odd = "---\n# Source: op/templates/odd.yaml\n: : bad [\n";
  const name = names.operator.deployment;

  test.each<[string, string, readonly string[]]>([
    ["nothing", "", ["holds no objects", "would delete", "--dry-run=server"]],
    [
      "another kind alone",
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}",
      ["holds ConfigMap/x", "would delete"],
    ],
    ["another name", at({ name: "other" }), ["holds Deployment/other", "would delete"]],
    ["another namespace", at({ namespace: "elsewhere" }), ["in namespace elsewhere"]],
    ["the Deployment twice", `${text}\n---\n${text}`, ["2 times"]],
    ["what cannot be read alone", odd, ["document 1 (op/templates/odd.yaml)", "cannot be read"]],
    [
      "what cannot be read beside it",
      `---\n${text}\n${odd}`,
      ["document 2 (op/templates/odd.yaml)"],
    ],
  ])("%s", async (_, manifest, says) => {
    for (const words of [byChart, [...byChart, "--dry-run=server"], ["diff", ...byChart]]) {
      const wish = { live, instead: rendering(manifest) };
      const { code, report, helm, writes } = await run([...words, ...json], wish);
      expect([code, helm.upgrades(), writes]).toEqual([5, [], 0]);
      expect(report.findings).toMatchObject([
        { code: "OPERATOR-CHART-UNCOMPARED", object: `Deployment/${ns}/${name}` },
      ]);
      const [{ cause, fix } = { cause: "", fix: "" }] = report.findings ?? [];
      for (const part of says) expect(`${cause} ${fix}`).toContain(part);
      expect(fix).toContain("helm upgrade operator oci://");
    }
  });

  test("where there is no operator, none would come", async () => {
    const wish = { live: null, instead: rendering("") };
    const { code, report, helm } = await run([...byChart, ...json], wish);
    expect([code, helm.upgrades()]).toEqual([5, []]);
    expect(report.findings?.[0]?.cause).toContain("would bring no operator");
  });

  test("a release without its manifest is helm's failure", async () => {
    const { code, report, helm, writes } = await run([...byChart, ...json], {
      live,
      instead: rendering(),
    });
    expect([code, helm.upgrades(), writes]).toEqual([1, [], 0]);
    expect(report.exit.reason).toContain("printed a release without its manifest");
  });

  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [plain()] });
  test.each([
    ["a List", list],
    ["a List in a List", `{apiVersion: v1, kind: List, items: [${list}]}`],
    ["a key that is there twice, of which helm takes the last", `${text}\n---\na: 1\na: 2\n`],
  ])("%s is compared", async (_, manifest) => {
    const wish = { live, instead: rendering(manifest) };
    const { code, report, helm } = await run([...byChart, ...json], wish);
    expect([code, helm.upgrades()]).toEqual([5, []]);
    expect(report.findings).toMatchObject([{ code: "OPERATOR-LOCAL-CHANGE" }]);
    const taken = await run([...byChart, "--take-fields", `.${path.join(".")}`], wish);
    expect([taken.code, taken.helm.upgrades().length]).toEqual([0, 1]);
  });
});

describe("a pair that each render makes again", () => {
  const { webhook } = names;
  const pair = (cert: string): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: webhook.secret } },
    data: { [webhook.secretCert]: btoa(cert), [webhook.secretKey]: btoa(`key of ${cert}`) },
  });
  const configuration = (cert: string): KubeObject => ({
    ...{ apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" },
    metadata: { name: webhook.configuration },
    webhooks: [
      {
        ...{ name: webhook.entry, admissionReviewVersions: ["v1"], sideEffects: "None" },
        clientConfig: { service: { name: webhook.service, namespace: ns }, caBundle: btoa(cert) },
      },
    ],
  });
  const stored = (cert: string): readonly KubeObject[] => [
    marked({ ...pair(cert), metadata: { name: webhook.secret, namespace: ns } }),
    marked(configuration(cert)),
  ];
  const rendered = (cert: string): readonly KubeObject[] => [
    plain(),
    pair(cert),
    configuration(cert),
  ];

  test.each<[string, Wish]>([
    ["with each render", { objects: rendered("one"), again: rendered("two") }],
    ["as its values say", { objects: rendered("one") }],
  ])("%s is announced, and no value of it is shown", async (_, wish) => {
    const live = { others: stored("live"), manager: "helm" };
    const words = ["diff", ...byChart, ...json, "--dry-run=server"];
    const { code, out, err, report, helm, writes } = await run(words, { ...live, ...wish });
    expect([code, helm.upgrades(), writes]).toEqual([1, [], 0]);
    const renews = (report.findings ?? []).filter((one) => one.code === "OPERATOR-CHART-RENEWS");
    expect(renews.map(({ object }) => object)).toEqual([
      `Secret/${ns}/${webhook.secret}`,
      `ValidatingWebhookConfiguration/${webhook.configuration}`,
    ]);
    for (const { cause } of renews) expect(cause).toContain("edits of databases fail until");
    for (const value of ["one", "two", "live"].flatMap((cert) => [cert, `key of ${cert}`])) {
      expect(`${out}${err}`).not.toContain(btoa(value));
    }
  });

  test("with --dry-run=client that no lookup is evaluated is said", async () => {
    const wish = { objects: rendered("one"), again: rendered("two"), others: stored("live") };
    const { code, out, err, helm, writes } = await run([...byChart, "--dry-run=client"], {
      ...wish,
      manager: "operator",
    });
    expect([code, helm.upgrades(), writes]).toEqual([0, [], 0]);
    expect(err).toContain("helm evaluates no lookup");
    expect(out).toContain("unless the chart looks up what is there");
  });
});

test("the diff has every object that helm writes or deletes, and its hooks", async () => {
  const map = (name: string, a: string): KubeObject => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: ns }, data: { a } },
  });
  const job = {
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "crds" } },
    spec: { template: { spec: { containers: [{ name: "c", image: "hub/x:1" }] } } },
  };
  const { code, out, helm, writes } = await run(["diff", ...byChart], {
    manager: "helm",
    others: [map("both", "1"), map("gone", "1")],
    deployed: [plain(), map("both", "1"), map("gone", "1")],
    objects: [plain(), map("both", "2"), map("new", "1")],
    hooks: [{ events: ["pre-upgrade"], weight: 1, manifest: JSON.stringify(job) }],
  });
  expect([code, helm.upgrades(), writes]).toEqual([1, [], 0]);
  for (const name of ["both", "gone", "new"]) {
    expect(out).toContain(`diff -u -N LIVE/v1.ConfigMap.${ns}.${name}`);
  }
  expect(out).toContain(`# Job/${ns}/crds: hook before the upgrade, weight 1; runs hub/x:1`);
});
