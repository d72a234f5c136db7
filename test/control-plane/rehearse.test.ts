/** A rehearsal on a copy of a live cluster: it only reads, and the real run then does the same. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type AuditEvent, fits } from "./audit";
import { admissionSecret, fingerprint, unfitSecrets } from "./certificate";
import { rightsOf } from "./managed-namespaces";
import { operatorDeployment, setEndpointsReady, writeOperatorStatus } from "./operator";
import { type PluginRun, type ReportDocument, runner, runPlugin } from "./plugin-run";
import { expectStored, shownBy } from "./shown";
import { openSuite, type Suite } from "./suite";
import { brokenConfigurations, everyKind, type Found, lay, readBack, runSwap } from "./swap-states";
import { newConfigurationName, oldConfigurationName } from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());

/** As the harness names it in every kubeconfig. */
const context = "control-plane";
const swap = ["upgrade-webhook", "--yes"];

interface Rehearsal {
  readonly run: PluginRun;
  /** The stage that is the run itself. */
  readonly report: ReportDocument;
}

async function rehearse(args: readonly string[] = swap, user?: string): Promise<Rehearsal> {
  const words = ["rehearse", "--from", context, ...args];
  const run = await runPlugin(suite.controlPlane, words, { user });
  const { stages } = run.report.details as {
    readonly stages: readonly { readonly title: string; readonly report: ReportDocument }[];
  };
  const report = stages.find(({ title }) => title === "the run")?.report;
  if (report === undefined) throw new Error(`no run in ${run.stdout}`);
  return { run, report };
}

/** All that two runs on equal clusters have in common. */
function comparable({ steps = [], findings = [], exit, certificate }: ReportDocument): object {
  return {
    steps: steps.map(({ n, id, action, object, result, why }) => [
      n,
      id,
      action,
      object,
      result,
      why,
    ]),
    findings: findings.map(({ code, severity, object, field }) => [code, severity, object, field]),
    certificate: certificate && [certificate.secret, certificate.notAfter, certificate.san],
    code: exit.code,
  };
}

const changesOf = (kind: keyof typeof brokenConfigurations) => brokenConfigurations[kind]();

test.each<[string, Found, number]>([
  ["only old, healthy", { old: {} }, 0],
  ["only old, broken: no CA", { old: changesOf("no CA") }, 0],
  ["old and a right new one", { old: {}, current: {} }, 0],
  ["old and an unfit new one", { old: {}, current: changesOf("the placeholder left") }, 0],
  ["only new, of other rules", { current: { rule: { resources: everyKind.slice(0, 1) } } }, 0],
  [
    "only new, held by another manager",
    { manager: "terraform", current: { entry: { failurePolicy: "Ignore" } } },
    5,
  ],
  ["none", {}, 0],
])("%s: the real run does step by step what the rehearsal did", async (_name, found, code) => {
  const { controlPlane } = suite;
  await lay(suite, found);
  const before = await readBack(controlPlane);

  const { run, report } = await rehearse();
  expect([run.code, run.writes]).toEqual([code, []]);
  expect(await readBack(controlPlane)).toEqual(before);

  const real = await runSwap(controlPlane);
  expect(comparable(report)).toEqual(comparable(real.report));
  expect(real.report.exit.code).toBe(code);
});

describe("what blocks the real run blocks the rehearsal", () => {
  const namespace = "engine";
  beforeAll(async () => {
    await lay(suite, { old: {} });
  });
  /** No controller makes pods here, so that a copy has more of them unless none is wanted. */
  const scale = async (replicas: number): Promise<void> => {
    const deployment = operatorDeployment(namespace);
    await suite.api.apply({ ...deployment, spec: { ...(deployment["spec"] as object), replicas } });
    await setEndpointsReady(suite.api, namespace, replicas > 0);
    await writeOperatorStatus(suite.api, namespace, replicas > 0);
  };
  afterEach(async () => {
    await scale(1);
    await suite.api.replace(admissionSecret(namespace, suite.scene.pair));
  });

  test.each<[string, () => Promise<unknown>]>([
    ["no pod, and no ready endpoint", () => scale(0)],
    ["an unfit secret", () => suite.api.replace(unfitSecrets["another private key"](namespace))],
  ])("%s", async (_name, spoil) => {
    await spoil();
    const { run, report } = await rehearse();
    const real = await runSwap(suite.controlPlane);
    expect(comparable(report)).toEqual(comparable(real.report));
    expect([run.code, real.report.exit.code]).toEqual([3, 3]);
  });
});

test("diff shows what the swap then writes, and no certificate but as a fingerprint", async () => {
  const { controlPlane, api, scene } = suite;
  await lay(suite, { old: {} });
  const shown = await shownBy(controlPlane, swap);
  expect(shown.map(({ target, states }) => [target.name, Object.keys(states)])).toEqual([
    [newConfigurationName, ["merged"]],
    [oldConfigurationName, ["live"]],
  ]);
  const text = JSON.stringify(shown);
  expect(text).toContain(`certificate SHA-256 ${fingerprint(scene.pair.cert)}`);
  expect(text).not.toContain(scene.caBundle.slice(0, 40));
  await runSwap(controlPlane);
  await expectStored(api, shown);
});

test("the program of KUBECTL_EXTERNAL_DIFF is called as by kubectl diff, and nothing is left", async () => {
  const { controlPlane, scene } = suite;
  await lay(suite, { old: {} });
  const before = await readBack(controlPlane);
  const { dataDir } = controlPlane.site;
  const program = join(dataDir, "compare");
  const told = join(dataDir, "compared.json");
  writeFileSync(
    program,
    `#!${process.execPath}
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
const words = process.argv.slice(2);
const texts = (path) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(path + "/" + name, "utf8")]));
writeFileSync(${JSON.stringify(told)}, JSON.stringify({ words, sides: words.slice(0, 2).map(texts) }));
console.log("as the program shows it");
process.exitCode = 1;
`,
    { mode: 0o700 },
  );
  const env = { KUBECTL_EXTERNAL_DIFF: `${program} -u a/b  --color=never $(id)` };
  const compared = async (args: readonly string[], input = ""): Promise<Compared> => {
    const { code, stdout } = await controlPlane.kubectl(args, { env, input });
    expect([code, stdout.split("\n")[0]]).toEqual([1, "as the program shows it"]);
    return JSON.parse(readFileSync(told, "utf8")) as Compared;
  };
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "x" },
    data: { a: "b" },
  };
  const words = ({ words: [live = "", merged = "", ...rest] }: Compared): readonly string[] => [
    ...[live, merged].map((path) => basename(path).replace(/-\w+$/, "")),
    ...rest,
  ];
  const byKubectl = await compared(["diff", "-n", "engine", "-f", "-"], JSON.stringify(settings));
  const byEngine = await compared(["engine", "diff", ...swap, "-n", "engine"]);
  expect(words(byEngine)).toEqual(words(byKubectl));
  expect(words(byEngine)).toEqual(["LIVE", "MERGED", "-u", "--color=never"]);
  // of an object that is not there, the file is empty
  const created = (texts: Compared["sides"][number] = {}): readonly string[] =>
    Object.keys(texts).filter((name) => texts[name] === "");
  expect(byKubectl.sides.map(created)).toEqual([["v1.ConfigMap.engine.x"], []]);
  const kind = "admissionregistration.k8s.io.v1.ValidatingWebhookConfiguration.";
  expect(byEngine.sides.map(created)).toEqual([
    [`${kind}.${newConfigurationName}`],
    [`${kind}.${oldConfigurationName}`],
  ]);
  expect(JSON.stringify(byEngine.sides)).not.toContain(scene.caBundle.slice(0, 40));
  expect(byEngine.words.slice(0, 2).map((path) => existsSync(path))).toEqual([false, false]);
  expect(await readBack(controlPlane)).toEqual(before);
});

interface Compared {
  readonly words: readonly string[];
  readonly sides: readonly Readonly<Record<string, string>>[];
}

test("diff ends with 1 before the swap and with 0 after it, and writes nothing", async () => {
  const { controlPlane } = suite;
  await lay(suite, { old: {} });
  const before = await readBack(controlPlane);
  const differing = await runPlugin(controlPlane, ["diff", ...swap]);
  expect(differing.report.exit).toMatchObject({
    code: 1,
    reason: "differences exist: 2 writes would be made",
  });
  expect(differing.writes).toEqual([]);
  expect(await readBack(controlPlane)).toEqual(before);
  await runSwap(controlPlane);
  const same = await runPlugin(controlPlane, ["diff", ...swap]);
  expect(same.report.exit.code).toBe(0);
  expect(same.writes).toEqual([]);
});

test("the API server sees reads and access reviews, and no Secret but the webhook's own", async () => {
  const { controlPlane } = suite;
  await lay(suite, { old: {} });
  const mark = await controlPlane.auditMark();
  await rehearse();
  const events = (await controlPlane.auditEvents(mark)).filter((event) =>
    fits(event, { user: runner.name }),
  );
  expect(events.length).toBeGreaterThan(10);
  const others = events.filter(({ verb }) => !["get", "list", "watch"].includes(verb));
  expect([...new Set(others.map(asked))].sort()).toEqual([
    "create selfsubjectaccessreviews",
    "create selfsubjectreviews",
  ]);
  const secrets = events.filter(({ objectRef }) => objectRef?.resource === "secrets");
  expect([
    ...new Set(secrets.map((event) => `${event.verb} ${event.objectRef?.name ?? "all"}`)),
  ]).toEqual(["get admission-tls"]);
});

function asked({ verb, objectRef }: AuditEvent): string {
  return `${verb} ${objectRef?.resource ?? ""}`;
}

describe("someone who may not write", () => {
  const reader = "viewer";

  beforeAll(async () => {
    const { api } = suite;
    await lay(suite, { old: {} });
    const reads = (apiGroup: string, ...resources: readonly string[]): object => ({
      apiGroups: [apiGroup],
      resources,
      verbs: ["get", "list"],
    });
    const rights = rightsOf(reader, [
      reads("", "namespaces", "secrets", "services"),
      reads("discovery.k8s.io", "endpointslices"),
      reads("apps", "deployments"),
      reads("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    ]);
    for (const object of rights) await api.create(object);
  });
  test("what is missing is what the real run misses, and nothing but reads is sent", async () => {
    const { run: rehearsal, report } = await rehearse(swap, reader);
    const real = await runSwap(suite.controlPlane, [], { user: reader });
    expect(rehearsal.writes).toEqual([]);
    expect([rehearsal.code, real.code]).toEqual([4, 4]);
    expect(real.report.permissions?.missing).not.toEqual([]);
    expect(report.permissions).toEqual(real.report.permissions);
    expect(report.exit).toEqual(real.report.exit);
  });
});
