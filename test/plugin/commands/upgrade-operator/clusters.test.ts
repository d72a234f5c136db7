import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { buildPatch } from "../../../../plugin/domain/kube/edits";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  type ClusterPatch,
  clusterPatches,
  isSamePatch,
  judgeClusterImages,
} from "../../../../plugin/commands/upgrade-operator/clusters";
import { isAutoUpgraded } from "../../../../plugin/domain/engine-cluster/fields";

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

const plain = { platform: "kubernetes", definitions: [] } as const;

const imageSpec = { properties: { repository: {}, versionTag: {} } };
/** The definition of clusters with these fields below spec, in two versions. */
const aDefinition = (properties: object): KubeObject => {
  const openAPIV3Schema = { properties: { spec: { properties } } };
  const version = { schema: { openAPIV3Schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "x" },
    spec: { names: { kind: names.ec.kind }, versions: [version, version] },
  };
};

test("on OpenShift each image is the one that the names have there", () => {
  const openshiftImages = {
    ...names.openshiftImages,
    operator: ["registry.public/engine/rhel-operator", "older"],
    cluster: ["registry.public/engine/rhel-engine"],
  };
  const wish = { registry: "mirror", pullSecret: undefined };
  const patches = (platform: "openshift" | "kubernetes"): unknown =>
    clusterPatches(
      [tagged],
      { ...wish, contents: { ...plain, platform } },
      {
        ...names,
        openshiftImages,
      },
    ).map(({ edits }) => edits.map(({ to }) => to));
  expect(patches("openshift")).toEqual([
    [
      "mirror/engine/rhel-engine",
      "mirror/engine/rhel-operator",
      `mirror/${names.images.controller}`,
      `mirror/${names.images.callHome}`,
    ],
  ]);
  expect(patches("kubernetes")).toEqual([
    (["cluster", "operator", "controller", "callHome"] as const).map(
      (part) => `mirror/${names.images[part]}`,
    ),
  ]);
});

test("an image that the release's definition lacks is left; one that no name tells is said", () => {
  const definitions = [
    aDefinition({
      bootstrapperImageSpec: imageSpec,
      sidecar: { properties: { image: imageSpec, nodes: {} } },
    }),
  ];
  const wish = { registry: "mirror", pullSecret: undefined, contents: { ...plain, definitions } };
  const [patch] = clusterPatches([tagged], wish, names);
  expect(buildPatch(patch?.edits ?? [])).toEqual({
    spec: { bootstrapperImageSpec: { repository: `mirror/${names.images.operator}` } },
  });
  const moved = { engineEnterpriseImageSpec: { versionTag: "1" } };
  const there = anEc({ ...moved, sidecar: { image: { repository: "mirror/sidecar" } } });
  expect(judgeClusterImages([tagged, there], wish, names)).toMatchObject([
    {
      code: "OPERATOR-IMAGE-LEFT",
      object: `${names.ec.kind}/engine/ec`,
      field: "spec.sidecar.image.repository",
    },
  ]);
});

test("every image spec follows the registry; the cluster's own where it names one", () => {
  const wish = { registry: "mirror", pullSecret: undefined, contents: plain };
  const others = {
    bootstrapperImageSpec: { repository: `mirror/${names.images.operator}` },
    engineEnterpriseServicesRiggerImageSpec: { repository: `mirror/${names.images.controller}` },
    usageMeter: {
      callHomeClient: { imageSpec: { repository: `mirror/${names.images.callHome}` } },
    },
  };
  const [one, two] = clusterPatches([tagged, anEc({})], wish, names);
  const engineEnterpriseImageSpec = { repository: `mirror/${names.images.cluster}` };
  expect(buildPatch(one?.edits ?? [])).toEqual({ spec: { engineEnterpriseImageSpec, ...others } });
  expect(buildPatch(two?.edits ?? [])).toEqual({ spec: others });
  expect(clusterPatches([anEc(others)], wish, names)).toEqual([]);
  expect(judgeClusterImages([tagged, anEc({})], wish, names)).toMatchObject([
    { code: "OPERATOR-CLUSTER-IMAGE", fix: expect.stringContaining("mirror/") as string },
  ]);
});

test.each<[string, object, boolean]>([
  ["a repository without a tag", { repository: "engine/engine" }, true],
  ["a repository and an empty tag", { repository: "engine/engine", versionTag: "" }, true],
  ["a pull policy alone", { imagePullPolicy: "Always" }, false],
  ["an empty tag alone", { versionTag: "" }, false],
])("an image spec of %s", (_, engineEnterpriseImageSpec, follows) => {
  const wish = { registry: "mirror", pullSecret: undefined, contents: plain };
  const cluster = anEc({ engineEnterpriseImageSpec });
  const paths = clusterPatches([cluster], wish, names).flatMap(({ edits }) =>
    edits.map(({ path }) => path.join(".")),
  );
  expect(paths.includes(names.ecFields.repository.join("."))).toBe(follows);
  const told = judgeClusterImages([cluster], wish, names).map(({ code }) => code);
  expect(told).toEqual(follows ? [] : ["OPERATOR-CLUSTER-IMAGE"]);
});

test("what is in the registry already keeps its path", () => {
  const cluster = anEc({
    engineEnterpriseImageSpec: { versionTag: "1", repository: "mirror/other/nodes" },
    bootstrapperImageSpec: { repository: "mirrors/engine/operator" },
  });
  const wish = { registry: "mirror/", pullSecret: undefined, contents: plain };
  const patches = clusterPatches([cluster], wish, names);
  expect(patches.flatMap(({ edits }) => edits.map(({ to }) => to))).toEqual(
    (["operator", "controller", "callHome"] as const).map((part) => `mirror/${names.images[part]}`),
  );
});

test("a pull secret is added once", () => {
  const wish = { registry: undefined, pullSecret: "key", contents: plain };
  const [patch] = clusterPatches([anEc({ pullSecrets: [{ name: "own" }] })], wish, names);
  expect(patch?.edits).toEqual([
    {
      path: ["spec", "pullSecrets"],
      from: [{ name: "own" }],
      to: [{ name: "own" }, { name: "key" }],
    },
  ]);
  expect(clusterPatches([anEc({ pullSecrets: [{ name: "key" }] })], wish, names)).toEqual([]);
  expect(judgeClusterImages([anEc({})], wish, names)).toEqual([]);
});

test.each([
  [{ upgradeSpec: { autoUpgradeEngineEnterprise: true } }, true],
  [{ autoUpgradeEngineEnterprise: true }, true],
  [{ autoUpgradeEngineEnterprise: false }, false],
  [{}, false],
])("%j upgrades itself: %s", (spec, is) => {
  expect(isAutoUpgraded(anEc(spec), names)).toBe(is);
});

test.each([
  ["the same", anEc({}), true],
  ["pull secrets of others", anEc({ pullSecrets: [{ name: "more" }] }), true],
  [
    "one field done already",
    anEc({ bootstrapperImageSpec: { repository: "mirror/engine/operator" } }),
    true,
  ],
  ["another value to remove", anEc({ bootstrapperImageSpec: { repository: "theirs" } }), false],
  ["a field that was not planned", tagged, false],
  ["another cluster of that name", { ...anEc({}), metadata: { name: "ec", uid: "new" } }, false],
] as const)("a later patch over %s writes what was planned: %s", (_, cluster, is) => {
  const wish = { registry: "mirror", pullSecret: "key", contents: plain };
  const [planned, later] = clusterPatches([anEc({}), cluster], wish, names);
  expect(planned !== undefined && later !== undefined).toBe(true);
  expect(isSamePatch(later as ClusterPatch, planned as ClusterPatch, names)).toBe(is);
});
