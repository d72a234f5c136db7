import { parseDocuments } from "../../../../plugin/adapters/yaml";
import type { Access } from "../../../../plugin/run/ports";
import { ApiError } from "../../../../plugin/domain/errors";
import { expectGolden } from "../../../support/golden";
import { aDatabase } from "../../../support/builders";
import { isWrite, Scene, type Start } from "./scene";

const configurations = "validatingwebhookconfigurations";

function lacking(...verbs: readonly string[]): (access: Access) => boolean {
  return ({ verb, resource }) => verbs.includes(`${verb} ${resource}`);
}

describe("a permission that the plan needs is missing: 4, and nothing is written", () => {
  test.each<[string, Start, readonly string[]]>([
    ["to patch, where the new one is absent", { old: true }, [`patch ${configurations}`]],
    ["to create, where the new one is absent", { old: true }, [`create ${configurations}`]],
    ["to delete the old one", { old: true }, [`delete ${configurations}`]],
    ["to patch a live one", { new: { caBundle: "" } }, [`patch ${configurations}`]],
    ["to put the old one back", { old: true, new: true }, [`create ${configurations}`]],
    ["to read the Secret", { old: true }, ["get secrets"]],
    ["to list the configurations", { old: true }, [`list ${configurations}`]],
    ["to send the probe", { old: true }, ["create engineenterprisedatabases"]],
    [
      "to send the probe of another kind",
      { old: true },
      ["create engineenterpriseactiveactivedatabases"],
    ],
  ])("%s", async (_title, start, verbs) => {
    const scene = new Scene(start);
    scene.cluster.lacks = lacking(...verbs);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 4, next: expect.any(String) as string });
    expect(scene.cluster.written).toEqual([]);
    for (const verb of verbs) {
      expect(report.permissions?.missing.some((line) => line.startsWith(verb))).toBe(true);
    }
  });

  test("the roles to ask for hold everything, the writes that would come later included", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.lacks = lacking("get secrets", `delete ${configurations}`);
    const report = await scene.run();
    expectGolden("upgrade-webhook/permission.json", report);
    const roles = parseDocuments(report.permissions?.manifest ?? "", "manifest");
    expect(roles.map((role) => (role as { kind: string }).kind).sort()).toEqual([
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
    ]);
  });
});

describe("a permission that the plan does not need is not asked for:", () => {
  test.each<[string, Start, string]>([
    ["to write anything, where all is as wanted", { new: true }, "patch create delete update"],
    ["to create, where a live one is repaired", { new: { caBundle: "" } }, "create delete"],
  ])("%s", async (_title, start, verbs) => {
    const scene = new Scene(start);
    scene.cluster.lacks = ({ verb, resource }) =>
      resource === configurations && verbs.split(" ").includes(verb);
    expect((await scene.run()).exit.code).toBe(0);
  });

  test("to send a probe, with --no-probe", async () => {
    const scene = new Scene({ old: true });
    scene.cluster.lacks = ({ resource }) => resource.startsWith("engineenterprise");
    expect((await scene.run({ probe: false })).exit.code).toBe(0);
  });
});

test("every permission is asked for before the first write", async () => {
  const scene = new Scene({ old: true });
  await scene.run();
  const { calls } = scene.cluster;
  const firstWrite = calls.findIndex((call) => isWrite("apply")(call) || isWrite("delete")(call));
  expect(calls.findLastIndex(({ verb }) => verb === "can")).toBeLessThan(firstWrite);
});

test("a refusal in spite of the answer ends with 4 as well", async () => {
  const scene = new Scene({ old: true });
  scene.onCall(isWrite("apply"), () => {
    throw new ApiError("is forbidden", { status: 403 });
  });
  const report = await scene.run();
  expect(report.exit.code).toBe(4);
  expect(scene.live()).toBeUndefined();
});

test("a stored database as the probe needs no more than reading and updating it", async () => {
  const scene = new Scene({ new: true });
  scene.cluster.put(aDatabase("engine", "db1"));
  scene.cluster.schema = ({ metadata }) =>
    metadata.name === "db1" ? undefined : "spec.memorySize: Required value";
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
});
