/** A rehearsal on a copy of a live cluster: it only reads, and the real run then does the same. */
import { type AuditEvent, fits } from "./audit";
import { admissionSecret, type UnfitSecret, unfitSecrets } from "./certificate";
import { setEndpointsReady } from "./operator";
import { type PluginRun, type ReportDocument, runner, runPlugin } from "./plugin-run";
import { openSuite, type Suite } from "./suite";
import {
  brokenConfigurations,
  clear,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
} from "./swap-states";

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
    steps: steps.map(({ n, id, action, object, result, why }) => ({
      n,
      id,
      action,
      object,
      result,
      why,
    })),
    findings: findings.map(({ code, severity, object, field }) => ({
      code,
      severity,
      object,
      field,
    })),
    certificate: certificate && {
      secret: certificate.secret,
      notAfter: certificate.notAfter,
      san: certificate.san,
    },
    code: exit.code,
  };
}

const changesOf = (kind: keyof typeof brokenConfigurations) => brokenConfigurations[kind]();

interface Row {
  readonly name: string;
  readonly found: (suite: Suite) => Promise<unknown>;
  readonly code?: number;
  readonly args?: readonly string[];
}

const rows: readonly Row[] = [
  { name: "only old, healthy", found: ({ api, scene }) => putOldConfiguration(api, scene) },
  {
    name: "only old, broken: no CA",
    found: ({ api, scene }) => putOldConfiguration(api, scene, { changes: changesOf("no CA") }),
  },
  {
    name: "old and a right new one",
    found: async ({ api, scene }) => {
      await putOldConfiguration(api, scene);
      await putNewConfiguration(api, scene);
    },
  },
  {
    name: "old and an unfit new one",
    found: async ({ api, scene }) => {
      await putOldConfiguration(api, scene);
      await putNewConfiguration(api, scene, { changes: changesOf("the placeholder left") });
    },
  },
  {
    name: "only new, of a release with other rules",
    found: ({ api, scene }) =>
      putNewConfiguration(api, scene, {
        changes: { rule: { resources: ["engineenterprisedatabases"] } },
      }),
  },
  { name: "only new, up to date", found: ({ api, scene }) => putNewConfiguration(api, scene) },
  {
    name: "only new, held by another manager",
    found: ({ api, scene }) =>
      putNewConfiguration(api, scene, {
        manager: "terraform",
        changes: { entry: { failurePolicy: "Ignore" } },
      }),
    code: 5,
  },
  { name: "none", found: () => Promise.resolve() },
];

describe.each(rows)("$name", ({ found, code = 0, args = [] }) => {
  test("the real run does step by step what the rehearsal on its copy did", async () => {
    const { api, scene, controlPlane } = suite;
    await clear(api, scene);
    await found(suite);
    await settle(api, scene);
    const before = await readBack(controlPlane);

    const { run, report } = await rehearse([...swap, ...args]);
    expect(run.writes).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);

    const real = await runSwap(controlPlane, args);
    expect(comparable(report)).toEqual(comparable(real.report));
    expect(real.report.exit.code).toBe(code);
    expect(run.code).toBe(code);
  });
});

describe("what blocks the real run blocks the rehearsal", () => {
  const namespace = "engine";
  beforeAll(async () => {
    const { api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
  });
  afterEach(async () => {
    await setEndpointsReady(suite.api, namespace, true);
    await suite.api.replace(admissionSecret(namespace, suite.scene.pair));
  });

  const both = async (args: readonly string[] = swap): Promise<void> => {
    const { run, report } = await rehearse(args);
    expect(run.code).toBe(3);
    const real = await runSwap(suite.controlPlane);
    expect(comparable(report)).toEqual(comparable(real.report));
    expect(real.report.exit.code).toBe(3);
  };

  test("no ready endpoint", async () => {
    await setEndpointsReady(suite.api, namespace, false);
    await both();
  });

  test.each(Object.keys(unfitSecrets) as readonly UnfitSecret[])("a secret: %s", async (kind) => {
    await suite.api.replace(unfitSecrets[kind](namespace));
    await both();
  });
});

test("diff ends with 1 before the swap and with 0 after it, and writes nothing", async () => {
  const { api, scene, controlPlane } = suite;
  await clear(api, scene);
  await putOldConfiguration(api, scene);
  await settle(api, scene);
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
  const { api, scene, controlPlane } = suite;
  await clear(api, scene);
  await putOldConfiguration(api, scene);
  await settle(api, scene);
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
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "swap-reader" } };

  beforeAll(async () => {
    const { api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
    const reads = (apiGroup: string, ...resources: readonly string[]): object => ({
      apiGroups: [apiGroup],
      resources,
      verbs: ["get", "list"],
    });
    await api.apply({
      ...role,
      kind: "ClusterRole",
      rules: [
        reads("", "namespaces", "secrets", "services"),
        reads("discovery.k8s.io", "endpointslices"),
        reads("apps", "deployments"),
        reads("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
      ],
    });
    await api.apply({
      ...role,
      kind: "ClusterRoleBinding",
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "swap-reader" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: reader }],
    });
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
