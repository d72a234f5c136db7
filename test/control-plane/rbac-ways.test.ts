/** `reapply-rbac` where the operator finds its namespaces by label, and the way back from it, on a real API server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { asArray, getOwn } from "../../plugin/domain/base/values";
import type { ControlPlane } from "./control-plane";
import {
  documentedWay,
  labelBinding,
  labelRole,
  namespaceNamed,
  namespaceNames,
  oldBinding,
  oldRole,
  openManaged,
  operatorMay,
  operatorNamespace,
  seedNamespaces,
  settings,
  untilOperatorMay,
} from "./managed-namespaces";
import type { KubeObject } from "./api";
import { IndependentReader, ownersOf } from "./independent-reader";
import { type PluginRun, runPlugin } from "./plugin-run";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await openManaged({ version: "8.0.20-23" });
});
afterAll(() => controlPlane.stop());

function reapply(args: readonly string[] = []): Promise<PluginRun> {
  return runPlugin(controlPlane, ["reapply-rbac", ...args], { namespace: operatorNamespace });
}

const results = ({ report }: PluginRun): readonly string[] =>
  (report.namespaces ?? []).map(({ name, result }) => `${name} ${result}`);

const findings = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).map(({ code, object = "" }) => `${code} ${object}`).sort();

const findsNamespaces = { verb: "watch", group: "", resource: "namespaces" };

describe.each<{ selector: string; marks: Record<string, string>; prefix: string }>([
  { selector: "engine-by-key", marks: { "engine-by-key": "" }, prefix: "key" },
  { selector: "engine-by=value", marks: { "engine-by": "value" }, prefix: "value" },
])("told $selector", ({ selector, marks, prefix }) => {
  const [one, two, not] = [`${prefix}-1`, `${prefix}-2`, `${prefix}-not`];

  test("the labeled namespaces and the cluster-wide pair are made, and then up to date", async () => {
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
    expect(await operatorMay(controlPlane.api, findsNamespaces)).toBe(true);
    await expectIndependently(one);
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
    await untilOperatorMay(api, findsNamespaces, false);
    await api.remove(oldRole(one));
    await api.remove(oldBinding(one));
  });
});

/** Rules whose lists are in order: releases list the same verbs otherwise. */
function inOrder(rules: readonly unknown[]): readonly unknown[] {
  return rules.map((rule) =>
    ["apiGroups", "resources", "verbs"].map((key) => asArray(getOwn(rule, key)).toSorted()),
  );
}

/** The pair of a namespace as client-node reads it. */
async function expectIndependently(namespace: string): Promise<void> {
  const { consumerRole, consumerBinding } = names.rbac;
  const reader = new IndependentReader(controlPlane);
  const role = await reader.role(namespace, consumerRole);
  const file = join(__dirname, "../../manifests/rbac/role.yaml");
  const shipped = load(readFileSync(file, "utf8"));
  expect(inOrder(role.rules ?? [])).toEqual(inOrder(asArray(getOwn(shipped, "rules"))));
  expect(ownersOf(role.metadata?.managedFields, "rules")).toEqual([`${names.fieldManager} Apply`]);
  const { roleRef, subjects } = await reader.binding(namespace, consumerBinding);
  expect(roleRef).toEqual({
    apiGroup: "rbac.authorization.k8s.io",
    kind: "Role",
    name: consumerRole,
  });
  expect(subjects).toContainEqual({
    kind: "ServiceAccount",
    name: names.operator.serviceAccount,
    namespace: operatorNamespace,
  });
}

test("a bare key warns of a namespace that gives the label a value", async () => {
  const { api } = controlPlane;
  await api.create(namespaceNamed("valued", { "engine-bare": "yes" }));
  await api.apply(settings({ EDB_NAMESPACES_LABEL: "engine-bare" }));
  const run = await reapply();
  expect([run.code, results(run)]).toEqual([0, ["(cluster) created", "valued created"]]);
  expect(findings(run)).toEqual(["RBAC-LABEL-VALUE Namespace/valued"]);
});

/** What `reapply-rbac` replaces or deletes comes back by the commands that it prints. */
describe("put back by what is printed:", () => {
  const shared = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "shared" };

  /** What is stored of each pair, as far as it gives access. */
  async function accessIn(places: readonly string[]): Promise<readonly unknown[]> {
    const objects = places.flatMap((place) => [oldRole(place), oldBinding(place)]);
    return await Promise.all(
      objects.map(async (object) => {
        const stored: KubeObject | undefined = await controlPlane.api.read(object);
        return ["rules", "roleRef", "subjects"].map((part) => getOwn(stored, part));
      }),
    );
  }

  async function putBack({ report }: PluginRun): Promise<readonly string[]> {
    const commands = (report.backups ?? []).map(({ command }) => command);
    for (const command of commands) {
      const [, ...words] = command.split(" ");
      const { code, stderr } = await controlPlane.kubectl(words);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr });
    }
    return commands.map((command) => command.split(" -f ")[0] ?? "");
  }

  test.each([
    {
      name: "few roles, one by one",
      count: 2,
      prepare: () => Promise.resolve(),
      commands: ["kubectl replace", "kubectl replace"],
    },
    {
      name: "many roles, by one command for their folder",
      count: 8,
      prepare: () => Promise.resolve(),
      commands: ["kubectl replace"],
    },
    {
      name: "a binding that was recreated for another role",
      count: 1,
      prepare: async ([place = ""]: readonly string[]) => {
        await controlPlane.api.replace(oldBinding(place, shared), documentedWay);
      },
      commands: ["kubectl replace --force", "kubectl replace"],
    },
  ])("$name", async ({ count, prepare, commands }) => {
    const places = namespaceNames(count, 100 * (count + 1));
    await seedNamespaces(controlPlane.api, places);
    await prepare(places);
    await controlPlane.api.apply(settings({ EDB_NAMESPACES: places.join(",") }));
    const before = await accessIn(places);
    const run = await reapply(["--yes"]);
    expect(run.code).toBe(0);
    expect(await accessIn(places)).not.toEqual(before);
    expect(await putBack(run)).toEqual(commands);
    expect(await accessIn(places)).toEqual(before);
  });

  test("what --prune deleted", async () => {
    const [kept = "", left = ""] = namespaceNames(2, 2000);
    await seedNamespaces(controlPlane.api, [kept, left]);
    await controlPlane.api.apply(settings({ EDB_NAMESPACES: kept }));
    const before = await accessIn([left]);
    const run = await reapply(["--prune", "--yes"]);
    expect(run.code).toBe(0);
    expect(await controlPlane.api.read(oldRole(left))).toBeUndefined();
    const verbs = await putBack(run);
    expect(verbs).toContain("kubectl create");
    expect(await accessIn([left])).toEqual(before);
  });
});
