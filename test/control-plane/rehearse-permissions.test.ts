/** A rehearsal on a live cluster has the person's own permissions, asked of that cluster. */
import { type PluginRun, runPlugin } from "./plugin-run";
import type { ReportDocument } from "./report";
import { openSuite, type Suite } from "./suite";
import { clear, settle } from "./swap-checks";
import { putOldConfiguration } from "./swap-states";

const reader = "viewer";
const role = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "swap-reader" } };

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
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
afterAll(() => suite.close());

const asReader = (...args: readonly string[]): Promise<PluginRun> =>
  runPlugin(suite.controlPlane, [...args, "upgrade-webhook", "--yes"], { user: reader });

test("what is missing is what the real run misses, and nothing but reads is sent", async () => {
  const rehearsal = await asReader("rehearse", "--from", "control-plane");
  const { stages } = rehearsal.report.details as {
    readonly stages: readonly { readonly title: string; readonly report: ReportDocument }[];
  };
  const run = stages.find(({ title }) => title === "the run")?.report;

  const real = await asReader();

  expect(rehearsal.writes).toEqual([]);
  expect([rehearsal.code, real.code]).toEqual([4, 4]);
  expect(real.report.permissions?.missing).not.toEqual([]);
  expect(run?.permissions).toEqual(real.report.permissions);
  expect(run?.exit).toEqual(real.report.exit);
});
