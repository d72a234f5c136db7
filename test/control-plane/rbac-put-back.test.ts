/** What `reapply-rbac` replaces or deletes comes back by the commands that it prints, with real kubectl. */
import { own } from "../../plugin/domain/values";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { applyCrds } from "./crds";
import {
  cluster,
  documentedWay,
  namespaceNamed,
  namespaceNames,
  oldBinding,
  oldRole,
  operatorNamespace,
  seedNamespaces,
  settings,
} from "./managed-namespaces";
import type { KubeObject } from "./objects";
import { operatorDeployment } from "./operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";

const shared = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "shared" };

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

function reapply(args: readonly string[]): Promise<PluginRun> {
  return runPlugin(controlPlane, ["reapply-rbac", ...args], { namespace: operatorNamespace });
}

/** What is stored of each pair, as far as it gives access. */
async function accessIn(places: readonly string[]): Promise<readonly unknown[]> {
  const objects = places.flatMap((place) => [oldRole(place), oldBinding(place)]);
  return await Promise.all(
    objects.map(async (object) => {
      const stored: KubeObject | undefined = await controlPlane.api.read(object);
      return ["rules", "roleRef", "subjects"].map((part) => own(stored, part));
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
    name: "a binding that was made anew for another role",
    count: 1,
    prepare: async ([place = ""]: readonly string[]) => {
      await controlPlane.api.replace(oldBinding(place, shared), documentedWay);
    },
    commands: ["kubectl replace", "kubectl replace --force"],
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
