/** Data that an upgrade would lose: one gate for every way, before any write (S83). */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath, withValue } from "../../../../plugin/domain/base/values";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type { UpgradeDatabaseOptions } from "../../../../plugin/commands/upgrade-database/read";
import { aScene, codesOf, edbLabel, patchLine, type RunWish, type Scene } from "./scene";

const sessions = edbLabel("sessions");
const atRisk = { replication: false, persistence: "disabled" };

async function aVolatile(spec: object = atRisk): Promise<Scene> {
  const scene = await aScene(open);
  await scene.edit("sessions", { spec });
  return scene;
}

/** The definitions keep whatever is in a spec: an older one may, too. */
const open = {
  objects: (all: readonly KubeObject[]) =>
    all.map((object) =>
      object.kind === "CustomResourceDefinition"
        ? (JSON.parse(JSON.stringify(object), (key, value: unknown) =>
            key === "openAPIV3Schema"
              ? { type: "object", "x-kubernetes-preserve-unknown-fields": true }
              : value,
          ) as KubeObject)
        : object,
    ),
};

test.each<[string, object]>([
  ["neither is asked for", { replication: null }],
  ["both are off", atRisk],
  ["a text in place of a boolean", { replication: "true" }],
  ["a persistence that is not known", { replication: false, persistence: "sometimes" }],
])("a database that nothing keeps is refused before the write: %s", async (_title, spec) => {
  const scene = await aVolatile(spec);
  for (const dryRun of ["client", "server", "none"] as const) {
    const report = await scene.run({ dryRun });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VOLATILE"]]);
    expect(report.findings?.[0]).toMatchObject({ severity: "error", object: sessions });
  }
  expect(scene.sent).toEqual([]);
});

test("one of many stops all of them before the first write", async () => {
  const scene = await aVolatile();
  const report = await scene.run({ databases: ["shop/orders", "shop/sessions"] });
  expect([report.exit.code, codesOf(report)[0]]).toEqual([3, "DATABASE-VOLATILE"]);
  expect(scene.sent).toEqual([]);
});

test.each<[string, Partial<UpgradeDatabaseOptions>, string]>([
  ["its name", { skip: [{ code: "DATABASE-VOLATILE", object: sessions }] }, "DATABASE-VOLATILE"],
  [
    "its name, by the older code",
    { skip: [{ code: "DATABASE-DATA-AT-RISK", object: sessions }] },
    "DATABASE-VOLATILE",
  ],
  ["the flag for all", { request: { mayDiscardData: true } }, "DATABASE-DATA-MAY-GO"],
])("the loss is accepted by %s, and that is repeated safely", async (_title, options, code) => {
  const scene = await aVolatile();
  const report = await scene.run(options);
  expect([report.exit.code, codesOf(report)]).toEqual([0, [code]]);
  expect(report.findings?.find((one) => one.code === code)?.severity).toBe("warning");
  expect(scene.sent).toEqual([patchLine("sessions")]);
  const again = await scene.run(options);
  expect([again.exit.code, scene.sent.length]).toEqual([0, 1]);
});

test("the name of another database accepts nothing for this one", async () => {
  const scene = await aVolatile();
  await scene.edit("orders", { spec: atRisk });
  const skip = [{ code: "DATABASE-DATA-AT-RISK", object: sessions }];
  const report = await scene.run({ databases: ["shop/orders", "shop/sessions"], skip });
  const errors = report.findings?.filter(({ severity }) => severity === "error");
  expect([report.exit.code, errors?.map(({ object }) => object)]).toEqual([
    3,
    [edbLabel("orders")],
  ]);
  expect(scene.sent).toEqual([]);
});

test("a name whose data is kept is a mistake: 2", async () => {
  const scene = await aScene();
  const skip = [{ code: "DATABASE-DATA-AT-RISK", object: sessions }];
  const report = await scene.run({ skip });
  expect([report.exit.code, scene.sent]).toEqual([2, []]);
});

test.each<[string, object, object]>([
  ["the version is asked for already", { ...atRisk, engineVersion: "7.2" }, { version: "7.2" }],
  [
    "the version runs, and the spec says none",
    { ...atRisk, engineVersion: null },
    { version: "7.2" },
  ],
])("what has nothing to restart is not refused: %s", async (_title, spec, wish: RunWish) => {
  const scene = await aVolatile(spec);
  const report = await scene.run(wish);
  expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
});

test("persistence alone keeps the data", async () => {
  const scene = await aVolatile({ replication: false, persistence: "aofAlways" });
  expect([(await scene.run()).exit.code, scene.sent]).toEqual([0, [patchLine("sessions")]]);
});

test("what is left out for its state keeps its data, and the others are upgraded: 6", async () => {
  const scene = await aScene({
    objects: (all) =>
      all.map((object) =>
        object.metadata.name === "sessions" && object.kind === names.edb.kind
          ? (withValue(
              withValue(object, ["status", "status"], "creation-failed"),
              ["spec", "replication"],
              false,
            ) as KubeObject)
          : object,
      ),
  });
  const report = await scene.run({ databases: ["shop/orders", "shop/sessions"] });
  expect([report.exit.code, report.exit.leftOut]).toEqual([6, [sessions]]);
  expect(scene.sent).toEqual([patchLine("orders")]);
});

test("an active-active database asks for it in its global configurations: 3, nothing is written", async () => {
  const eaadb = names.eaadb.kind;
  const scene = await aScene({
    objects: (all) =>
      all.map((object) =>
        object.kind === eaadb
          ? (withValue(
              object,
              ["spec", "globalConfigurations", "replication"],
              false,
            ) as KubeObject)
          : object,
      ),
  });
  const object = `${eaadb}/engine/carts`;
  const vouched = [{ code: "DATABASE-PARTICIPANT-UNSEEN", object }];
  const report = await scene.run({ databases: ["carts"], skip: vouched });
  const errors = report.findings?.filter(({ severity }) => severity === "error");
  expect([report.exit.code, errors]).toMatchObject([3, [{ code: "DATABASE-VOLATILE", object }]]);
  expect(scene.sent).toEqual([]);
});

test("a replica that is switched off between the plan and the write stops it: 3", async () => {
  const scene = await aScene();
  const planned = await scene.plan();
  expect(planned.writes).toHaveLength(1);
  await scene.edit("sessions", { spec: atRisk });
  expect((await scene.run()).exit.code).toBe(3);
  expect(getPath(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("7.2");
});
