import {
  MissingPermissionsError,
  missingPermissions,
} from "../../../../plugin/run/engine/permissions";
import type { Permission } from "../../../../plugin/domain/permissions";
import { FakeCluster } from "../../../support/fake-cluster";
import { ManualClock } from "../../../support/manual-clock";

const permissions: readonly Permission[] = [
  { verb: "get", group: "", resource: "secrets", namespace: "engine", name: "x", why: "to look" },
  { verb: "list", group: "apps", resource: "deployments", why: "to look" },
];

test("all permissions are asked for, each as it is", async () => {
  const cluster = new FakeCluster(new ManualClock());
  expect(await missingPermissions(cluster, permissions)).toEqual([]);
  expect(cluster.calls.map(({ object }) => object)).toEqual([
    { verb: "get", group: "", resource: "secrets", namespace: "engine", name: "x" },
    { verb: "list", group: "apps", resource: "deployments" },
  ]);
});

test.each<[string, readonly string[]]>([
  ["one", ["list"]],
  ["all", ["get", "list"]],
])("%s that is denied is missing, in the order asked", async (_title, verbs) => {
  const cluster = new FakeCluster(new ManualClock());
  cluster.lacks = ({ verb }) => verbs.includes(verb);
  const missing = await missingPermissions(cluster, permissions);
  expect(missing.map(({ verb }) => verb)).toEqual(verbs);
});

test("no permission is asked for without need", async () => {
  const cluster = new FakeCluster(new ManualClock());
  expect(await missingPermissions(cluster, [])).toEqual([]);
  expect(cluster.calls).toEqual([]);
});

test("the error names every missing one, and ends with 4", () => {
  const error = new MissingPermissionsError(permissions);
  expect(error).toMatchObject({ exitCode: 4, code: "PERMISSION-MISSING", missing: permissions });
  expect(error.message).toContain(`get secrets "x" in namespace engine`);
  expect(error.message).toContain("list deployments.apps");
  expect(error.hint).toContain("roles");
});
