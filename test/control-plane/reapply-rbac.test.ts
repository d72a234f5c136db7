/** `kubectl engine reapply-rbac` on a real API server. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { ControlPlane } from "./control-plane";
import {
  documentedWay,
  namespaceNamed,
  namespaceNames,
  oldBinding,
  oldRules,
  oldRole,
  openManaged,
  operatorMay,
  operatorNamespace,
  rightsOf,
  seedNamespaces,
  settings,
  untilOperatorMay,
  widerRules,
} from "./managed-namespaces";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { type KubeObject, pathOf } from "./api";
import { expectStored, shownBy } from "./shown";
import { startWriteGate } from "./write-gate";

const all = namespaceNames(12);
const apiGroup = "rbac.authorization.k8s.io";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await openManaged({
    users: [{ name: "jane" }, { name: "joe" }],
    version: "8.0.20-23",
  });
  const { api } = controlPlane;
  await api.create(settings({ EDB_NAMESPACES: all.join(",") }));
  await seedNamespaces(api, all);
});
afterAll(() => controlPlane.stop());

function reapply(args: readonly string[] = [], user: string = runner.name): Promise<PluginRun> {
  return runPlugin(controlPlane, ["reapply-rbac", ...args], { namespace: operatorNamespace, user });
}

const may = (
  namespace: string,
  ...[verb, group, resource]: readonly [string, string, string]
): Promise<boolean> => operatorMay(controlPlane.api, { namespace, verb, group, resource });

const untilMayNot = (
  namespace: string,
  ...[verb, group, resource]: readonly [string, string, string]
): Promise<void> => untilOperatorMay(controlPlane.api, { namespace, verb, group, resource }, false);

const results = ({ report }: PluginRun): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (report.namespaces ?? []).map(({ name, result, findings = [] }) => [
      name,
      [result, ...new Set(findings.map(({ code }) => code))].join(" "),
    ]),
  );

test("expand, then contract, then nothing: what a person applied with kubectl is brought up to date", async () => {
  const [first = ""] = all;
  const dry = await reapply(["--mode=expand", "--dry-run=server"]);
  expect([dry.code, dry.writes]).toEqual([0, []]);
  const shown = await shownBy(controlPlane, ["reapply-rbac", "--mode=expand"], {
    namespace: operatorNamespace,
  });
  expect(shown).toHaveLength(all.length);
  const expanded = await reapply(["--mode=expand"]);
  await expectStored(controlPlane.api, shown);
  expect([expanded.code, expanded.writes.length]).toEqual([0, all.length]);
  expect(await may(first, "get", "", "endpoints")).toBe(true);
  expect(await may(first, "get", "discovery.k8s.io", "endpointslices")).toBe(true);
  const contracted = await reapply(["--mode=contract", "--yes"]);
  expect([contracted.code, contracted.writes.length]).toEqual([0, all.length]);
  await untilMayNot(first, "get", "", "endpoints");
  const again = await reapply();
  expect([again.code, again.writes]).toEqual([0, []]);
});

test("some namespaces fail by name and cause, the others are done, a re-run writes to those alone", async () => {
  const { api } = controlPlane;
  const [held = "", refused = "", ending = "", ...rest] = namespaceNames(6, 100);
  await seedNamespaces(api, [held, refused, ending, ...rest]);
  await api.apply(oldRole(held), "argocd");
  // no controller runs here: it stays as it is
  await api.remove(namespaceNamed(ending));
  const set = ["--namespaces", [held, refused, ending, "no-such", ...rest].join(",")];
  const run = await reapply(set);
  expect(run.code).toBe(6);
  expect(results(run)).toEqual({
    [held]: "failed FIELD-CONFLICT",
    [refused]: "changed",
    [ending]: "failed RBAC-NAMESPACE-TERMINATING",
    "no-such": "failed RBAC-NAMESPACE-ABSENT",
    ...Object.fromEntries(rest.map((name) => [name, "changed"])),
  });
  await api.create(namespaceNamed("no-such"));
  const again = await reapply([...set, "--take-fields=.rules"]);
  expect(again.code).toBe(6);
  // the held one is asked for without force first, and then taken; the new one needs both objects
  expect(again.writes).toEqual(Array.from({ length: 4 }, () => "patch edb-role"));
  expect(results(again)).toMatchObject({ [held]: "changed", "no-such": "created" });
});

test("a changed roleRef never leaves the operator without access", async () => {
  const { api } = controlPlane;
  const [place = ""] = namespaceNames(1, 200);
  await api.create(namespaceNamed(place));
  const shared = { apiGroup, kind: "ClusterRole", name: "shared-by-hand" };
  await api.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRole",
    metadata: { name: shared.name },
    rules: widerRules,
  });
  await api.create(oldBinding(place, shared), documentedWay);
  const question = { namespace: place, verb: "get", group: "", resource: "endpoints" };
  await untilOperatorMay(api, question);
  const answers: boolean[] = [];
  const ask = async (): Promise<void> => {
    answers.push(await operatorMay(api, question));
  };
  const stop = new AbortController();
  const watch = (async () => {
    while (!stop.signal.aborted) await ask();
  })();
  // a busy machine may leave no time to ask between two writes: before and after each it is asked
  const gate = await startWriteGate(controlPlane);
  gate.watch(async () => {
    await ask();
    return "pass";
  });
  const words = ["reapply-rbac", "--mode=expand", "--namespaces", place, "--yes"];
  const run = await runPlugin(controlPlane, words, {
    namespace: operatorNamespace,
    kubeconfig: gate.kubeconfig,
  });
  stop.abort();
  await watch;
  await gate.close();
  expect(run.code).toBe(0);
  expect(run.writes.length).toBeGreaterThan(1);
  expect(answers.length).toBeGreaterThan(2 * run.writes.length);
  expect(answers).not.toContain(false);
  const stored = await api.read(oldBinding(place));
  expect(stored).toMatchObject({ roleRef: { kind: "Role", name: "edb-role" } });
  const { body } = await api.send("GET", pathOf(oldBinding(place), "collection"));
  expect((body as { items: object[] }).items).toHaveLength(1);
});

test("one ClusterRole for all namespaces is extended and narrowed in its place, and no Roles are made", async () => {
  const { api } = controlPlane;
  const places = namespaceNames(3, 600);
  const [first = ""] = places;
  const metadata = { name: "all-databases" };
  const role: KubeObject = { apiVersion: `${apiGroup}/v1`, kind: "ClusterRole", metadata };
  const added = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] };
  await api.create({ ...role, rules: [...oldRules, added] }, documentedWay);
  const reference = { apiGroup, kind: "ClusterRole", name: metadata.name };
  for (const place of places) {
    await api.create(namespaceNamed(place));
    await api.create(oldBinding(place, reference), documentedWay);
  }
  const named = ["--namespaces", places.join(",")];
  const dry = await reapply([...named, "--dry-run=server"]);
  expect([dry.code, dry.writes]).toEqual([0, []]);
  const expanded = await reapply(named);
  expect({ code: expanded.code, results: results(expanded) }).toEqual({
    code: 0,
    results: {
      "(ClusterRole/all-databases)": "changed",
      ...Object.fromEntries(places.map((place) => [place, "unchanged"])),
    },
  });
  expect(expanded.writes).toEqual(["patch all-databases"]);
  expect(await may(first, "get", "discovery.k8s.io", "endpointslices")).toBe(true);
  expect(await may(first, "get", "", "endpoints")).toBe(true);
  const narrowed = await reapply([...named, "--mode=contract", "--yes"]);
  expect([narrowed.code, narrowed.writes.length]).toEqual([0, 1]);
  await untilMayNot(first, "get", "", "endpoints");
  expect(await may(first, "get", "apps", "deployments")).toBe(true);
  expect(await api.read(oldRole(first))).toBeUndefined();
  expect(await api.read(oldBinding(first))).toMatchObject({ roleRef: reference });
});

test("who may write roles but not give these rights learns rule by rule what is missing", async () => {
  const { api } = controlPlane;
  const reads = ["", "apps", names.group, apiGroup];
  const rights = rightsOf("jane", [
    { apiGroups: reads, resources: ["*"], verbs: ["get", "list"] },
    { apiGroups: [apiGroup], resources: ["*"], verbs: ["create", "patch"] },
    { apiGroups: ["authorization.k8s.io"], resources: ["*"], verbs: ["create"] },
  ]);
  for (const object of rights) await api.create(object);
  const [place = ""] = namespaceNames(1, 300);
  await seedNamespaces(api, [place]);
  const run = await reapply(["--namespaces", place], "jane");
  expect(run.code).toBe(4);
  expect(results(run)).toEqual({ [place]: "failed RBAC-ESCALATION" });
  const input = run.report.permissions?.manifest ?? "";
  expect((await controlPlane.kubectl(["apply", "-f", "-"], { input })).code).toBe(0);
  const again = await reapply(["--namespaces", place], "jane");
  expect([again.code, results(again)]).toEqual([0, { [place]: "changed" }]);
});

test("who may review access in the namespaces alone proves it by local reviews", async () => {
  const { api } = controlPlane;
  const reads = ["", "apps", names.group];
  const rights = rightsOf("joe", [
    { apiGroups: reads, resources: ["*"], verbs: ["get", "list"] },
    { apiGroups: [apiGroup], resources: ["*"], verbs: ["*"] },
  ]);
  const reviews = {
    apiGroups: ["authorization.k8s.io"],
    resources: ["localsubjectaccessreviews"],
    verbs: ["create"],
  };
  const metadata = { name: "joe-near" };
  for (const object of rights) await api.create(object);
  await api.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRole",
    metadata,
    rules: [reviews],
  });
  const [near = "", blind = ""] = namespaceNames(2, 400);
  await seedNamespaces(api, [near, blind]);
  await api.create({
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata: { ...metadata, namespace: near },
    roleRef: { apiGroup, kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup, kind: "User", name: "joe" }],
  });
  const mark = await controlPlane.auditMark();
  const run = await reapply(["--namespaces", `${near},${blind}`], "joe");
  expect([run.code, results(run)]).toEqual([
    0,
    { [near]: "changed", [blind]: "changed RBAC-UNPROVEN" },
  ]);
  expect(run.report.exit.reason).toContain("NOT PROVEN in 1");
  const events = await controlPlane.auditEvents(mark);
  const reviewed = events.flatMap(({ user, requestURI }) =>
    user.username === "joe" && /\/(local)?subjectaccessreviews/.test(requestURI)
      ? [requestURI.replace(/\?.*/, "")]
      : [],
  );
  const path = `/apis/authorization.k8s.io/v1/namespaces/${near}/localsubjectaccessreviews`;
  expect([...new Set(reviewed)]).toEqual([path]);
  const input = run.report.permissions?.manifest ?? "";
  expect((await controlPlane.kubectl(["apply", "-f", "-"], { input })).code).toBe(0);
  const again = await reapply(["--namespaces", `${near},${blind}`], "joe");
  expect([again.code, results(again)]).toEqual([0, { [near]: "unchanged", [blind]: "unchanged" }]);
});
