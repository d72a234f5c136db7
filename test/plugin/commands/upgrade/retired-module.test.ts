/** `upgrade` where the cluster has a module at the end of its life: nothing begins, used or not. */
import { withValue } from "../../../../plugin/domain/base/values";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { aPlayedWorld } from "../../../support/played-operator";
import { upgrade } from "../../../support/upgrade-runs";
import { worldOf } from "../../../support/upgrade-worlds";

/** An EC of before the release from which on it cannot have the module. */
const installed = async (...modules: readonly object[]): ReturnType<typeof upgrade> => {
  const change = (object: KubeObject): KubeObject => {
    if (object.kind === "Pod" || object.kind === "StatefulSet") {
      return JSON.parse(JSON.stringify(object).replaceAll("7.8.2-34", "7.4.2-54")) as KubeObject;
    }
    if (object.kind !== names.ec.kind) return object;
    const older = withValue(object, names.ecFields.versionTag, "7.4.2-54");
    return withValue(older, names.fields.statusModules, modules) as KubeObject;
  };
  const { objects } = await worldOf([{ name: "modules", change }]);
  return await upgrade(await aPlayedWorld({ objects }), ["--yes"]);
};
const search = { name: "search", displayName: "EngineSearch" };

test.each([
  ["by its name", { name: "graph" }],
  ["by the name that people read", { name: "mine", displayName: "ENGINEGRAPH" }],
])("installed, %s, and no database uses it: 3 before the first write", async (_, module) => {
  const { report, writes } = await installed(search, module);
  expect([report.exit.code, writes]).toEqual([3, []]);
  const errors = (report.findings ?? []).filter(({ severity }) => severity === "error");
  expect(errors).toMatchObject([
    {
      code: "MODULE-END-OF-LIFE",
      object: "EngineEnterpriseCluster/engine/ec",
      cause: expect.stringContaining("even if no database uses it") as string,
      fix: expect.stringContaining("modules list -o wide shows its uid") as string,
      command: expect.stringMatching(/^kubectl engine modules list --ec=ec -o wide/) as string,
    },
  ]);
});

test("another module is no reason to stop", async () => {
  const { report, writes } = await installed(search);
  expect(report.exit.code).toBe(0);
  expect(writes).not.toEqual([]);
});
