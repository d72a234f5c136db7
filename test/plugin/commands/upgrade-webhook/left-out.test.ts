/** Whom the entry leaves out: a run says so, whatever its proof has shown in the namespace of the probe. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";
import { aDatabase, aNamespace } from "../../../support/builders";
import { codesOf, isWrite, Scene } from "./scene";

const { edb } = defaultNames;
const code = "WEBHOOK-SELECTOR-MISSES";
const orders = `${edb.kind}/engine/orders`;
const unmarked = {
  objectSelector: { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] },
};
const unnamed = {
  matchConditions: [{ name: "no-orders", expression: "object.metadata.name != 'orders'" }],
};

function sceneOf(entry: ValidatingWebhook, labels: Record<string, string> = {}): Scene {
  const scene = new Scene({ new: { entry } });
  scene.world.put(aDatabase("engine", "orders", { labels }));
  return scene;
}

const listed = ({ cluster }: Scene): boolean =>
  cluster.calls.some(({ verb, target }) => verb === "list" && target.startsWith(edb.kind));

test.each<[string, ValidatingWebhook, Record<string, string>, string]>([
  ["a database by its label", unmarked, { skip: "1" }, `it leaves out ${orders}`],
  [
    "what a condition asks for",
    unnamed,
    {},
    "no-orders asks for names, namespaces or labels: look whether edits of orders are to go unjudged",
  ],
])("%s is told with the plan and at the end", async (_, entry, labels, says) => {
  const scene = sceneOf(entry, labels);
  const { exit, ...report } = await scene.run();
  expect(exit.code).toBe(0);
  expect(exit.reason.endsWith(`; ${says}`)).toBe(true);
  const [found] = (report.findings ?? []).filter((one) => one.code === code);
  expect(found).toMatchObject({ severity: "warning" });
});

test.each<[string, ValidatingWebhook, Record<string, string>]>([
  ["selectors that select every database", unmarked, {}],
  ["no selectors", {}, { skip: "1" }],
])("of %s nothing is told", async (_, entry, labels) => {
  const scene = sceneOf(entry, labels);
  const report = await scene.run();
  expect(report.exit).toEqual({ code: 0, reason: "already up to date, nothing was written" });
  expect(codesOf(report)).not.toContain(code);
  // the lists are read where an entry may leave out anything
  expect(listed(scene)).toBe("objectSelector" in entry);
});

test("a namespace with databases that is left out is named once a write was proven", async () => {
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "engine" } };
  const scene = new Scene({ new: { caBundle: "eA==", entry: { namespaceSelector } } });
  const settings = { apiVersion: "v1", kind: "ConfigMap", data: { EDB_NAMESPACES: "shop" } };
  scene.world.put({
    ...settings,
    metadata: { name: defaultNames.configMap.name, namespace: "engine" },
  });
  scene.world.put(aNamespace("shop"));
  scene.world.put(aDatabase("shop", "carts"));
  const { exit } = await scene.run();
  expect(exit).toEqual({
    code: 0,
    reason: "the webhook configuration is in force; it leaves out Namespace/shop",
  });
  expect(scene.cluster.calls.some(isWrite("apply"))).toBe(true);
});

test("databases that may not be listed: whom it leaves out is said to be not seen", async () => {
  const scene = sceneOf(unmarked, { skip: "1" });
  const { before } = scene.cluster;
  scene.cluster.before = (call) => {
    before(call);
    if (call.verb === "list" && call.target.startsWith(edb.kind)) {
      throw new ApiError("databases is forbidden", { status: 403 });
    }
  };
  const { exit, findings = [] } = await scene.run();
  expect(exit.code).toBe(0);
  expect(exit.reason).toContain("; whom it leaves out was not seen: ");
  const [found] = findings.filter((one) => one.code === code);
  expect(found?.cause).toContain("not checked: ");
});

test("a condition that is never true is refused before any write, unless no proof is asked for", async () => {
  const matchConditions = [{ name: "off", expression: "false" }];
  const scene = sceneOf({ matchConditions });
  const report = await scene.run();
  expect([report.exit.code, codesOf(report)]).toEqual([
    3,
    expect.arrayContaining(["PROBE-NO-MATCH"]),
  ]);
  expect(scene.cluster.calls.filter(({ dryRun, verb }) => !dryRun && verb === "apply")).toEqual([]);
  const { exit } = await scene.run({ probe: false });
  expect(exit.reason).toContain("off is never true: no edit is checked");
});
