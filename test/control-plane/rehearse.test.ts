/** A rehearsal on a live cluster only reads it, and foretells the run that is made afterwards. */
import type { AuditEvent } from "./audit";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import type { ReportDocument } from "./report";
import { openSuite, type Suite } from "./suite";
import { clear, readBack, runSwap, settle } from "./swap-checks";
import { brokenConfigurations, putNewConfiguration, putOldConfiguration } from "./swap-states";
import type { User } from "./users";

/** May read what the swap reads, and write nothing. */
const reader: User = { name: "reader" };

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite({ users: [reader] });
});
afterAll(() => suite.close());

interface Rehearsed {
  readonly title: string;
  readonly report: ReportDocument;
}

/** The rehearsal of the swap on the live cluster, and every request of it that is no read. */
async function rehearse(
  args: readonly string[] = [],
  user = runner.name,
): Promise<PluginRun & { stages: readonly Rehearsed[]; others: readonly string[] }> {
  const { controlPlane } = suite;
  const mark = await controlPlane.auditMark();
  const words = ["rehearse", "--from", "control-plane", "upgrade-webhook", ...args];
  const run = await runPlugin(controlPlane, words, { user });
  const events = await controlPlane.auditEvents(mark);
  const own = events.filter((event) => event.user.username === user);
  expect(own.length).toBeGreaterThan(10);
  const { details } = run.report as unknown as { details: { stages: readonly Rehearsed[] } };
  return { ...run, stages: details.stages, others: own.filter((one) => !isRead(one)).map(line) };
}

/** The questions about oneself are asked with a POST, and store nothing. */
function isRead({ verb, objectRef }: AuditEvent): boolean {
  const questions = ["selfsubjectaccessreviews", "selfsubjectreviews"];
  return ["get", "list"].includes(verb) || questions.includes(objectRef?.resource ?? "");
}

function line({ verb, requestURI }: AuditEvent): string {
  return `${verb} ${requestURI}`;
}

/** What two runs have to have in common; times, counts and a stand-in's fingerprint are their own. */
function told({ steps = [], findings = [], probes = [], permissions, exit }: ReportDocument) {
  return {
    steps: steps.map(({ id, action, object, result, why }) => ({
      id,
      action,
      object,
      result,
      why,
    })),
    // where two webhooks refuse, a real API server names whichever was faster
    probes: probes.map(({ phase }) => phase),
    findings,
    missing: permissions?.missing,
    exit: { code: exit.code, reason: exit.reason },
  };
}

test.each<[string, () => Promise<unknown>, string[]]>([
  ["only the old one", () => putOldConfiguration(suite.api, suite.scene), []],
  [
    "the old and a right new one",
    async () => {
      await putOldConfiguration(suite.api, suite.scene);
      await putNewConfiguration(suite.api, suite.scene);
    },
    [],
  ],
  [
    "a new one without a CA",
    () => putNewConfiguration(suite.api, suite.scene, { changes: brokenConfigurations["no CA"]() }),
    [],
  ],
  [
    "a new one that somebody else owns",
    () =>
      putNewConfiguration(suite.api, suite.scene, {
        changes: { entry: { failurePolicy: "Ignore" } },
        manager: "gitops",
      }),
    [],
  ],
  ["none", () => Promise.resolve(), []],
])(
  "%s: nothing but reads is sent, and the real run afterwards tells the same",
  async (_, put, args) => {
    const { api, scene, controlPlane } = suite;
    await clear(api, scene);
    await put();
    await settle(api, scene);
    const before = await readBack(controlPlane);

    const rehearsal = await rehearse(args);
    expect(rehearsal.others).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);

    const real = await runSwap(controlPlane, args);
    const run = rehearsal.stages.find(({ title }) => title === "the run");
    expect(run && told(run.report)).toEqual(told(real.report));
    expect(rehearsal.report.exit.code).toBe(real.code);

    if (real.code !== 0) return;
    const again = rehearsal.stages.find(({ title }) => title === "the same command again");
    const second = await runSwap(controlPlane, args);
    if (again !== undefined) expect(told(again.report)).toEqual(told(second.report));
  },
);

test("the person's own permissions count: what is missing is what the real run misses", async () => {
  const { api, scene, controlPlane } = suite;
  await clear(api, scene);
  await putOldConfiguration(api, scene);
  await settle(api, scene);
  const rule = (apiGroups: readonly string[], resources: readonly string[]) => ({
    apiGroups,
    resources,
    verbs: ["get", "list"],
  });
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "reader" } };
  await api.apply({
    ...role,
    kind: "ClusterRole",
    rules: [
      rule([""], ["namespaces", "secrets", "services"]),
      rule(["discovery.k8s.io"], ["endpointslices"]),
      rule(["apps"], ["deployments"]),
      rule(["admissionregistration.k8s.io"], ["validatingwebhookconfigurations"]),
    ],
  });
  await api.apply({
    ...role,
    kind: "ClusterRoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: reader.name }],
  });

  const rehearsal = await rehearse([], reader.name);
  expect(rehearsal.others).toEqual([]);
  const real = await runPlugin(controlPlane, ["upgrade-webhook", "--yes"], { user: reader.name });
  expect(real.code).toBe(4);
  const run = rehearsal.stages.find(({ title }) => title === "the run");
  expect(run && told(run.report)).toEqual(told(real.report));
});
