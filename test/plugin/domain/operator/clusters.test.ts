import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  clusterPatches,
  judgeClusterImages,
  upgradesItself,
} from "../../../../plugin/domain/operator/clusters";

const anEc = (spec: object): KubeObject => ({
  apiVersion: `${names.group}/v1`,
  kind: names.ec.kind,
  metadata: { name: "ec", namespace: "engine" },
  spec,
});
const tagged = anEc({
  engineEnterpriseImageSpec: { versionTag: "1" },
  bootstrapperImageSpec: "odd",
});

test("every image spec follows the registry; the cluster's own where it names a tag", () => {
  const wish = { registry: "mirror", pullSecret: undefined };
  const others = {
    bootstrapperImageSpec: { repository: `mirror/${names.images.operator}` },
    engineEnterpriseServicesRiggerImageSpec: { repository: `mirror/${names.images.controller}` },
  };
  const [one, two] = clusterPatches([tagged, anEc({})], wish, names);
  const engineEnterpriseImageSpec = { repository: `mirror/${names.images.cluster}` };
  expect(one?.body).toEqual({ spec: { engineEnterpriseImageSpec, ...others } });
  expect(two?.body).toEqual({ spec: others });
  expect(clusterPatches([anEc(others)], wish, names)).toEqual([]);
  expect(judgeClusterImages([tagged, anEc({})], wish, names)).toMatchObject([
    { code: "OPERATOR-CLUSTER-IMAGE", fix: expect.stringContaining("mirror/") as string },
  ]);
});

test("a pull secret is added once", () => {
  const wish = { registry: undefined, pullSecret: "key" };
  const [patch] = clusterPatches([anEc({ pullSecrets: [{ name: "own" }] })], wish, names);
  expect(patch).toMatchObject({
    fields: ["spec.pullSecrets"],
    body: { spec: { pullSecrets: [{ name: "own" }, { name: "key" }] } },
  });
  expect(clusterPatches([anEc({ pullSecrets: [{ name: "key" }] })], wish, names)).toEqual([]);
  expect(judgeClusterImages([anEc({})], wish, names)).toEqual([]);
});

test.each([
  [{ upgradeSpec: { autoUpgradeEngineEnterprise: true } }, true],
  [{ autoUpgradeEngineEnterprise: true }, true],
  [{ autoUpgradeEngineEnterprise: false }, false],
  [{}, false],
])("%j upgrades itself: %s", (spec, is) => {
  expect(upgradesItself(anEc(spec), names)).toBe(is);
});
