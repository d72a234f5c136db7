import { clusterCodes } from "../../../../plugin/domain/cluster/codes";
import { holdersOf, patchOf } from "../../../../plugin/domain/cluster/edits";
import { type ClusterRequest, ownedBy, planCluster } from "../../../../plugin/domain/cluster/plan";
import type { FactKey } from "../../../../plugin/domain/facts";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { aDatabase, anEc, anOperator, aPod, aSet, factsOf, newTag, oldTag } from "./scene";

type Scene = Partial<Record<FactKey, readonly KubeObject[]>>;

const request: ClusterRequest = {
  name: "ec",
  tag: newTag,
  auto: false,
  version: "v1",
  skip: [],
};
const old = { tag: oldTag };
const before: Scene = {
  ecs: [anEc()],
  deployments: [anOperator()],
  statefulSets: [aSet(oldTag)],
  pods: [aPod(0, old), aPod(1, old), aPod(2, old)],
};

function plan(scene: Scene = {}, wish: Partial<ClusterRequest> = {}, asked = true) {
  const { tag, ...rest } = { ...request, ...wish };
  const found = planCluster(
    factsOf({ ...before, ...scene }),
    asked && tag !== undefined ? { ...rest, tag } : rest,
  );
  if (found === undefined) throw new Error("no EC");
  return found;
}
const codesOf = (found: ReturnType<typeof plan>): readonly string[] =>
  [...found.blocks, ...found.warnings].map(({ code }) => code);

test("a fit EC gets the tag, and nothing stands against it", () => {
  const found = plan();
  expect(patchOf(found.edits)).toEqual({
    spec: { engineEnterpriseImageSpec: { versionTag: newTag } },
  });
  expect(codesOf(found)).toEqual([]);
  expect(found).toMatchObject({
    restarting: false,
    wanted: { tag: newTag, stateBefore: "Running" },
  });
});

test("an EC that is not there has no plan", () => {
  expect(planCluster(factsOf(before), { ...request, name: "other" })).toBeUndefined();
});

test("an EC whose spec is up to date is not held up by anything", () => {
  const ecs = [
    anEc(
      { engineEnterpriseImageSpec: { versionTag: newTag, imagePullPolicy: "Always" } },
      { state: "Error" },
    ),
  ];
  const found = plan({ ecs, deployments: [] });
  expect([found.edits, codesOf(found)]).toEqual([[], []]);
  expect(found.wanted).toEqual({ tag: newTag });
});

test("auto wants what the operator brings, in any of its images", () => {
  const found = plan({}, { auto: true, repository: "m/e", imagePullPolicy: "Always" }, false);
  expect(found.wanted).toEqual({
    tag: newTag,
    repository: "m/e",
    imagePullPolicy: "Always",
    sameRelease: true,
    stateBefore: "Running",
  });
});

const digest = { digestHash: "sha256:ab" };
const automatic = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };
const rg = { moduleList: [{ name: "rg" }] };
const defined = { userDefinedModules: [{ name: "rg" }] };
const withImage = (fields: object) => ({
  engineEnterpriseImageSpec: { versionTag: oldTag, imagePullPolicy: "Always", ...fields },
});
// 8.0.2-2 supports no user-defined modules at all
const later: Scene = { deployments: [anOperator("8.0.6-8")] };
const to806 = { tag: "8.0.6-54" };
const noField: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "engineenterpriseclusters.app.engine.com" },
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: {} } } }] },
};

test.each<[string, Scene, Partial<ClusterRequest>, readonly string[]]>([
  [
    "an EC that goes",
    { ecs: [anEc({}, {}, { deletionTimestamp: "x" })] },
    {},
    ["CLUSTER-DELETING"],
  ],
  ["another upgrade", { ecs: [anEc({}, { state: "Upgrade" })] }, {}, ["CLUSTER-BUSY"]],
  [
    "another upgrade of the operator's own image",
    { ecs: [anEc({ engineEnterpriseImageSpec: undefined }, { state: "Upgrade" })] },
    {},
    ["CLUSTER-BUSY"],
  ],
  ["an unfit state", { ecs: [anEc({}, { state: "Error" })] }, {}, ["CLUSTER-STATE"]],
  ["no state", { ecs: [anEc({}, { state: undefined })] }, {}, ["CLUSTER-STATE"]],
  [
    "a spec that is not accepted",
    { ecs: [anEc({}, { specStatus: "Invalid" })] },
    {},
    ["CLUSTER-SPEC-INVALID"],
  ],
  ["no operator", { deployments: [] }, {}, ["CLUSTER-OPERATOR-ABSENT"]],
  [
    "a tag below the spec's",
    { deployments: [] },
    { tag: "7.8.2-34" },
    ["CLUSTER-OPERATOR-ABSENT", "CLUSTER-TARGET-LOWER"],
  ],
  [
    "a tag below what runs",
    { ecs: [anEc({ engineEnterpriseImageSpec: undefined })], pods: [aPod(0, { tag: "8.0.6-54" })] },
    {},
    ["CLUSTER-TARGET-LOWER"],
  ],
  [
    "a license",
    { ecs: [anEc({}, { licenseStatus: { licenseState: "Expired" } })] },
    {},
    ["CLUSTER-LICENSE"],
  ],
  [
    "a database that is too old",
    { edbs: [aDatabase("a", { engineVersion: "6.2" })] },
    {},
    ["CLUSTER-DATABASE-OLD"],
  ],
  [
    "an unknown module",
    { ...later, edbs: [aDatabase("a", rg)] },
    to806,
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  ["a digest beside the tag", { ecs: [anEc(withImage(digest))] }, {}, ["CLUSTER-DIGEST-PINNED"]],
  [
    "a digest with auto",
    { ecs: [anEc({ bootstrapperImageSpec: digest })] },
    { auto: true },
    ["CLUSTER-DIGEST-PINNED"],
  ],
  [
    "a user-defined module with auto",
    { ...later, ecs: [anEc(defined)], edbs: [aDatabase("a", rg)] },
    { ...to806, auto: true },
    ["CLUSTER-AUTO-USER-MODULES"],
  ],
  [
    "an untold license",
    { ecs: [anEc({}, { licenseStatus: undefined })] },
    {},
    ["CLUSTER-LICENSE-UNKNOWN"],
  ],
  [
    "a license that is past its end",
    {
      ecs: [
        anEc(
          {},
          { licenseStatus: { licenseState: "Valid", expirationDate: "2026-01-01T00:00:00Z" } },
        ),
      ],
    },
    {},
    ["LICENSE-EXPIRED"],
  ],
  [
    "an untold version",
    { edbs: [aDatabase("a", { engineVersion: undefined })] },
    {},
    ["CLUSTER-DATABASE-UNKNOWN"],
  ],
  ["an untold operator", { deployments: [anOperator("x")] }, {}, ["OPERATOR-VERSION-UNKNOWN"]],
  ["no field for auto", { definitions: [noField] }, { auto: true }, ["CLUSTER-AUTO-FIELD-ABSENT"]],
])("blocked by %s", (_title, ...[scene, wish, codes]) => {
  const found = plan(scene, wish);
  expect(found.blocks.map(({ code }) => code)).toEqual(codes);
});

test.each<[string, Scene, Partial<ClusterRequest>, readonly string[]]>([
  ["auto that stays on", { ecs: [anEc(automatic)] }, {}, ["CLUSTER-AUTO-ON"]],
  [
    "spellings of auto that differ",
    { ecs: [anEc({ ...automatic, autoUpgradeEngineEnterprise: false })] },
    {},
    ["CLUSTER-AUTO-CONFLICTING", "CLUSTER-AUTO-ON"],
  ],
])("warned of %s", (_title, ...[scene, wish, codes]) => {
  const found = plan(scene, wish);
  expect(codesOf(found)).toEqual(codes);
  expect(found.warnings).toHaveLength(codes.length);
});

test("what a release does not report is not held against it", () => {
  expect(codesOf(plan({ ecs: [anEc({}, { specStatus: undefined })] }))).toEqual([]);
});

test("auto of an operator that is not known wants no tag, and does not begin", () => {
  const found = plan({ deployments: [anOperator("x")] }, { auto: true }, false);
  expect(found.wanted.tag).toBeUndefined();
  expect(found.blocks.map(({ code }) => code)).toEqual([
    "CLUSTER-AUTO-TARGET-UNKNOWN",
    "OPERATOR-VERSION-UNKNOWN",
  ]);
});

test.each<[string, Scene]>([
  ["this EC, and is accepted", { ecs: [anEc({}, { licenseStatus: undefined })] }],
  ["another EC", { ecs: [anEc(), anEc({}, { licenseStatus: undefined }, { name: "other" })] }],
])("a finding that is on %s does not block", (_, scene) => {
  const skip = [{ code: "CLUSTER-LICENSE-UNKNOWN", object: "EngineEnterpriseCluster/engine/ec" }];
  expect(plan(scene, { skip }).blocks).toEqual([]);
});

test("a finding of the EC's own state is accepted as well", () => {
  const skip = [{ code: "CLUSTER-STATE" }];
  const { blocks, warnings } = plan({ ecs: [anEc({}, { state: "Error" })] }, { skip });
  expect([blocks, warnings]).toEqual([[], [expect.objectContaining({ accepted: true })]]);
});

test("what may not be read is not claimed: the permission is missing", () => {
  const facts = factsOf(before, { unread: new Map([["edbs", "forbidden"]]) });
  const { missing } = planCluster(facts, request) ?? {};
  expect(missing?.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
    "list engineenterprisedatabases",
  ]);
});

test("several prerequisites are named at once", () => {
  const ecs = [anEc({}, { licenseStatus: { licenseState: "No" }, specStatus: "Invalid" })];
  const edbs = [aDatabase("a", { engineVersion: "6.2" })];
  expect(codesOf(plan({ ecs, edbs, deployments: [anOperator("8.0.6-8", 0)] }))).toEqual([
    "CLUSTER-SPEC-INVALID",
    "OPERATOR-NOT-READY",
    "CLUSTER-TARGET-NOT-MANAGED",
    "CLUSTER-LICENSE",
    "CLUSTER-DATABASE-OLD",
  ]);
});

test("databases before 7.2 hold up upgrades to 7.8.2 and later alone", () => {
  const edbs = [aDatabase("a", { engineVersion: "6.2" })];
  const spec = withImage({ versionTag: "7.4.2-1" });
  const to = (tag: string): readonly string[] =>
    codesOf(plan({ ecs: [anEc(spec)], edbs, deployments: [anOperator("x")], pods: [] }, { tag }));
  expect(to("7.8.1-9")).not.toContain("CLUSTER-DATABASE-OLD");
  expect(to("7.8.2-34")).toContain("CLUSTER-DATABASE-OLD");
  expect(codesOf(plan({ edbs }, { auto: true }, false))).toContain("CLUSTER-DATABASE-OLD");
});

test("InvalidUpgrade is no hindrance by itself: the change may be its cure", () => {
  const found = plan({ ecs: [anEc({}, { state: "InvalidUpgrade", specStatus: "Invalid" })] });
  expect(codesOf(found)).toEqual([]);
  expect(found.wanted.stateBefore).toBe("InvalidUpgrade");
});

test("a rolling restart is waited for, and no hindrance", () => {
  const found = plan({ ecs: [anEc({}, { state: "RunningRollingUpdate" })] });
  expect([found.restarting, codesOf(found)]).toEqual([true, []]);
});

test("auto is switched off beside the tag where databases use user-defined modules", () => {
  const scene = { ...later, ecs: [anEc({ ...defined, ...automatic })] };
  const found = plan({ ...scene, edbs: [aDatabase("a", rg)] }, to806);
  expect(patchOf(found.edits)).toEqual({
    spec: {
      engineEnterpriseImageSpec: { versionTag: to806.tag },
      upgradeSpec: { autoUpgradeEngineEnterprise: false },
    },
  });
  expect(codesOf(found)).toEqual([]);
});

test("auto is no reason to look at the digest of the tag", () => {
  const ecs = [anEc(withImage({ ...digest, versionTag: newTag }))];
  expect(codesOf(plan({ ecs }, { imagePullPolicy: "Never" }))).toEqual([]);
});

describe("the manifest that was applied last", () => {
  const key = "kubectl.kubernetes.io/last-applied-configuration";
  const applied = (text: string): KubeObject => anEc({}, {}, { annotations: { [key]: text } });
  test.each([
    ["holds the old tag", JSON.stringify(anEc()), ["CLUSTER-MANIFEST-OLD"]],
    ["says nothing of it", JSON.stringify({ spec: {} }), []],
    ["has the new tag", JSON.stringify(anEc(withImage({ versionTag: newTag }))), []],
    ["cannot be read", "{", []],
  ])("%s", (_title, text, codes) => {
    expect(codesOf(plan({ ecs: [applied(text)] }))).toEqual(codes);
  });
});

describe("what is someone else's", () => {
  const field = ".spec.engineEnterpriseImageSpec.versionTag";
  const held = (manager: string): KubeObject =>
    anEc(
      {},
      {},
      {
        managedFields: [
          {
            manager,
            fieldsV1: { "f:spec": { "f:engineEnterpriseImageSpec": { "f:versionTag": {} } } },
          },
        ],
      },
    );

  test("a field is told with its manager", () => {
    expect(holdersOf(held("argocd-controller"), plan().edits)).toMatchObject([
      { field, message: 'conflict with "argocd-controller"' },
    ]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["Helm", { labels: { "app.kubernetes.io/managed-by": "Helm" } }, "helm upgrade"],
    ["Argo CD", { labels: { "argocd.argoproj.io/instance": "x" } }, "repository"],
    ["OLM", { labels: { "olm.owner": "x" } }, "made it from"],
  ])("an EC of %s is changed by its own way", (owner, metadata, way) => {
    expect(ownedBy(anEc({}, {}, metadata))).toMatchObject([
      {
        code: "CLUSTER-OWNED",
        cause: expect.stringContaining(owner) as string,
        fix: expect.stringContaining(way) as string,
      },
    ]);
  });
});

test("every code is explained once", () => {
  const codes = clusterCodes.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});
