/** A rehearsal on a copy of a live cluster: it only reads, and the real run then does the same. */
import { type AuditEvent, fits } from "./audit";
import { admissionSecret, unfitSecrets } from "./certificate";
import { rightsOf } from "./managed-namespaces";
import { setEndpointsReady } from "./operator";
import { type PluginRun, type ReportDocument, runner, runPlugin } from "./plugin-run";
import { openSuite, type Suite } from "./suite";
import { brokenConfigurations, everyKind, type Found, lay, readBack, runSwap } from "./swap-states";

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
  afterEach(async () => {
    await setEndpointsReady(suite.api, namespace, true);
    await suite.api.replace(admissionSecret(namespace, suite.scene.pair));
  });

  test.each<[string, () => Promise<unknown>]>([
    ["no ready endpoint", () => setEndpointsReady(suite.api, namespace, false)],
    ["an unfit secret", () => suite.api.replace(unfitSecrets["another private key"](namespace))],
  ])("%s", async (_name, spoil) => {
    await spoil();
    const { run, report } = await rehearse();
    const real = await runSwap(suite.controlPlane);
    expect(comparable(report)).toEqual(comparable(real.report));
    expect([run.code, real.report.exit.code]).toEqual([3, 3]);
  });
});

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
