/** After helm's upgrade the cluster is compared with what helm rendered, and the end says with how much of it. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { bundleOf } from "../../../support/releases/tree";
import { codesOf } from "../world";
import { type ChartWish, runChart } from "./chart-scene";
import { ns, type Scene } from "./scene";

const map = (name: string, data: object): KubeObject => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  data,
});
const [before, now] = [bundleOf("7.22.0-7"), bundleOf("8.0.2-2")];
const mapRef = (name: string) => ({ resource: kinds.configMap, name, namespace: ns });

async function remove({ cluster }: Scene, name: string): Promise<void> {
  const { uid = "" } = (await cluster.get(mapRef(name)))?.metadata ?? {};
  await cluster.delete(mapRef(name), { uid });
}

test("all that helm rendered is there", async () => {
  const { report } = await runChart();
  const all = now.length;
  expect(report.exit.reason).toMatch(
    new RegExp(`; ${all} of ${all} objects compared are as helm rendered them$`),
  );
  expect(codesOf(report)).toEqual([]);
});

test.each<[string, ChartWish, string]>([
  [
    "a field that somebody set meanwhile",
    {
      upgraded: async ({ cluster }) => {
        await cluster.patch(
          mapRef("m"),
          { data: { a: "other" } },
          { type: "merge", fieldManager: "x" },
        );
      },
    },
    "after helm's upgrade .data.a is not as helm rendered it",
  ],
  [
    "fields that were to go",
    {
      deployed: [...before, map("m", { a: "0", b: "1", c: "2" })],
      upgraded: async ({ cluster }) => {
        await cluster.patch(
          mapRef("m"),
          { data: { b: "1", c: "2" } },
          { type: "merge", fieldManager: "x" },
        );
      },
    },
    "after helm's upgrade .data.b, .data.c are not as helm rendered it",
  ],
  ["an object that is gone", { upgraded: (scene) => remove(scene, "m") }, "it does not exist"],
])("%s is told", async (_, wish, cause) => {
  const { report, upgrades } = await runChart({
    rendered: [...now, map("m", { a: "1" })],
    ...wish,
  });
  expect([report.exit.code, upgrades]).toEqual([0, ["8.0.2-2"]]);
  expect(report.findings).toMatchObject([
    {
      ...{ code: "OPERATOR-CHART-DIFFERS", object: `ConfigMap/${ns}/m`, severity: "warning" },
      cause: expect.stringContaining(cause) as string,
    },
  ]);
  const all = now.length + 1;
  expect(report.exit.reason).toContain(`; ${all - 1} of ${all} objects compared are as helm`);
});

test("an object that was to be deleted and is there is told; one that is kept by its policy is not looked at", async () => {
  const kept = {
    ...map("kept", {}),
    metadata: { name: "kept", annotations: { "helm.sh/resource-policy": "keep" } },
  };
  const { report } = await runChart({ deployed: [...before, map("gone", {}), kept] });
  expect(report.findings?.map(({ code, object }) => [code, object])).toEqual([
    ["OPERATOR-CHART-DELETES", `ConfigMap/${ns}/gone`],
    ["OPERATOR-CHART-DIFFERS", `ConfigMap/${ns}/gone`],
  ]);
  const done = await runChart({
    deployed: [...before, map("gone", {}), kept],
    upgraded: (scene) => remove(scene, "gone"),
  });
  expect(codesOf(done.report)).toEqual(["OPERATOR-CHART-DELETES"]);
});

test("values that are made again with each render are counted, not compared", async () => {
  const { report } = await runChart({
    rendered: [...now, map("m", { a: "1" })],
    again: [...now, map("m", { a: "2" })],
    upgraded: async ({ cluster }) => {
      await cluster.patch(
        mapRef("m"),
        { data: { a: "3" } },
        { type: "merge", fieldManager: "helm" },
      );
    },
  });
  expect(report.exit.reason).toContain(", 1 generated value not compared");
  expect(codesOf(report)).not.toContain("OPERATOR-CHART-DIFFERS");
});

test("what cannot be read any more is named", async () => {
  let isUpgraded = false;
  const connect = (cluster: KubeClient): KubeClient =>
    Object.create(cluster, {
      get: {
        value: (...args: Parameters<KubeClient["get"]>) =>
          isUpgraded && args[0].resource.plural === "configmaps"
            ? Promise.reject(new ApiError("forbidden", { status: 403 }))
            : cluster.get(...args),
      },
    }) as KubeClient;
  const { report } = await runChart({
    rendered: [...now, map("m", { a: "1" })],
    connect,
    upgraded: () => {
      isUpgraded = true;
      return Promise.resolve();
    },
  });
  expect(report.exit.reason).toContain(`${now.length} of ${now.length} objects compared`);
  expect(report.exit.reason).toContain(`, not read: ConfigMap/${ns}/m`);
});
