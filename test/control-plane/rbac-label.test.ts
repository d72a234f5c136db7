/** `reapply-rbac` where the operator finds its namespaces by label, on a real API server. */
import { defaultNames as names } from "../../plugin/domain/names";
import { at } from "../../plugin/domain/values";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { applyCrds } from "./crds";
import {
  cluster,
  labelBinding,
  labelRole,
  namespaceNamed,
  oldBinding,
  oldRole,
  operatorNamespace,
  settings,
} from "./managed-namespaces";
import { operatorDeployment } from "./operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  const { api } = controlPlane;
  await applyCrds(api);
  await api.create(namespaceNamed(operatorNamespace));
  await api.create(cluster());
  await api.create(operatorDeployment(operatorNamespace));
});
afterAll(() => controlPlane.stop());

function reapply(args: readonly string[] = []): Promise<PluginRun> {
  return runPlugin(controlPlane, ["reapply-rbac", ...args], { namespace: operatorNamespace });
}

const results = ({ report }: PluginRun): readonly string[] =>
  (report.namespaces ?? []).map(({ name, result }) => `${name} ${result}`);

const findings = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).map(({ code, object = "" }) => `${code} ${object}`).sort();

async function mayFindNamespaces(): Promise<boolean> {
  const spec = {
    user: `system:serviceaccount:${operatorNamespace}:${names.operator.serviceAccount}`,
    groups: ["system:authenticated"],
    resourceAttributes: { verb: "watch", group: "", resource: "namespaces" },
  };
  const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  const answer = await controlPlane.api.send("POST", path, { body });
  return at(answer.body, ["status", "allowed"]) === true;
}

describe.each<{ selector: string; marks: Record<string, string>; prefix: string }>([
  { selector: "engine-by-key", marks: { "engine-by-key": "" }, prefix: "key" },
  { selector: "engine-by=value", marks: { "engine-by": "value" }, prefix: "value" },
])("told $selector", ({ selector, marks, prefix }) => {
  const [one, two, not] = [`${prefix}-1`, `${prefix}-2`, `${prefix}-not`];

  test("the labelled namespaces and the cluster-wide pair are made, and then as wanted", async () => {
    const { api } = controlPlane;
    await api.create(namespaceNamed(one, marks));
    await api.create(namespaceNamed(two, marks));
    await api.create(namespaceNamed(not, { [`${prefix}-other`]: "" }));
    await api.apply(settings({ EDB_NAMESPACES_LABEL: selector }));
    const run = await reapply();
    expect([run.code, results(run)]).toEqual([
      0,
      ["(cluster) created", `${one} created`, `${two} created`],
    ]);
    expect(await api.read(labelRole())).toBeDefined();
    expect(await api.read(oldRole(not))).toBeUndefined();
    expect(await mayFindNamespaces()).toBe(true);
    const again = await reapply();
    expect([again.code, again.writes]).toEqual([0, []]);
  });

  test("and back to a list: the pair and what is left elsewhere are stale, and go with --prune", async () => {
    const { api } = controlPlane;
    await api.apply(settings({ EDB_NAMESPACES: one, EDB_NAMESPACES_LABEL: selector }));
    const run = await reapply();
    expect([run.code, results(run)]).toEqual([0, [`${one} unchanged`]]);
    const left = [
      `RBAC-STALE ClusterRoleBinding/${names.rbac.labelBinding}`,
      `RBAC-STALE RoleBinding/${two}/${names.rbac.consumerBinding}`,
    ];
    expect([findings(run), run.writes]).toEqual([left, []]);

    const pruned = await reapply(["--prune", "--yes"]);
    expect(pruned.code).toBe(0);
    for (const gone of [labelRole(), labelBinding(), oldRole(two), oldBinding(two)]) {
      expect(await api.read(gone)).toBeUndefined();
    }
    expect(await api.read(oldRole(one))).toBeDefined();
    expect(await mayFindNamespaces()).toBe(false);
    await api.remove(oldRole(one));
    await api.remove(oldBinding(one));
  });
});

test("a bare key warns of a namespace that gives the label a value", async () => {
  const { api } = controlPlane;
  await api.create(namespaceNamed("valued", { "engine-bare": "yes" }));
  await api.apply(settings({ EDB_NAMESPACES_LABEL: "engine-bare" }));
  const run = await reapply();
  expect([run.code, results(run)]).toEqual([0, ["(cluster) created", "valued created"]]);
  expect(findings(run)).toEqual(["RBAC-LABEL-VALUE Namespace/valued"]);
});
