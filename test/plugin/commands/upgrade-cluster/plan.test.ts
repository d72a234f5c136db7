import { defaultNames } from "../../../../plugin/domain/names/names";
import { listDatabases } from "../../../../plugin/domain/engine-cluster/causes";
import { clusterCodes } from "../../../../plugin/domain/engine-cluster/findings";
import {
  listHolders,
  holds,
  buildPatch,
  renderEdits,
  buildReverse,
} from "../../../../plugin/domain/kube/edits";
import {
  operatorFindings,
  withOperator,
  findOwnership,
} from "../../../../plugin/domain/engine-cluster/operator";
import {
  listOffEdits,
  type ClusterRequest,
  planCluster,
} from "../../../../plugin/commands/upgrade-cluster/plan";
import type { FactKey } from "../../../../plugin/domain/facts/facts";
import type { CustomResourceDefinition, SchemaProps } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  aDatabase,
  anEc,
  anOperator,
  aPod,
  aSet,
  factsOf,
  newTag,
  oldTag,
} from "../../domain/engine-cluster/scene";

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

function plan(scene: Scene = {}, wish: Partial<ClusterRequest> = {}) {
  const found = planCluster(factsOf({ ...before, ...scene }), { ...request, ...wish });
  if (found === undefined) throw new Error("no EC");
  return found;
}
const codesOf = (found: ReturnType<typeof plan>): readonly string[] =>
  [...found.blocks, ...found.warnings].map(({ code }) => code);

test("a fit EC gets the tag, and nothing stands against it", () => {
  const found = plan();
  expect(codesOf(found)).toEqual([]);
  expect(found).toMatchObject({
    restarting: false,
    wanted: { tag: newTag, stateBefore: "Running" },
  });
});

test("databases that are busy, and those that follow the EC, are named before its write, and none of another EC", () => {
  const of = (name: string, spec: object, status: object = {}): KubeObject => ({
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseDatabase",
    metadata: { name, namespace: "shop", uid: name },
    spec: {
      replication: true,
      engineEnterpriseCluster: { name: "ec", namespace: "engine" },
      ...spec,
    },
    status: { status: "active", version: "7.4.0", ...status },
  });
  const far = { engineEnterpriseCluster: { name: "other", namespace: "engine" } };
  const edbs = [
    of("loading", { engineVersion: "7.4" }, { status: "import-pending" }),
    of("follow", { engineVersion: "latest" }),
    of("far", { engineVersion: "latest", ...far }, { status: "pending" }),
  ];
  const ecs = [anEc(), anEc({}, {}, { name: "other", uid: "other-uid" })];
  const found = plan({ ecs, edbs });
  expect(found.blocks).toEqual([]);
  expect(found.warnings.map(({ code, object }) => [code, object])).toEqual([
    ["DATABASE-NOT-ACTIVE", "EngineEnterpriseDatabase/shop/loading"],
    ["DATABASE-CHANNEL", "EngineEnterpriseDatabase/shop/follow"],
  ]);
  expect(found.warnings[1]?.cause).toContain(`with ${newTag} it may go from 7.4 to 8.2`);
  // the operator alone decides which release it becomes
  const auto = { tag: undefined, auto: true };
  expect(codesOf(plan({ ecs: [anEc()], edbs }, auto))).toContain("DATABASE-CHANNEL");
  // it is automatic already: nothing is written, and it rolls all the same
  const rolled = plan({ ecs: [anEc(automatic)], edbs }, auto);
  expect([rolled.edits, codesOf(rolled)]).toEqual([[], ["DATABASE-CHANNEL"]]);
  expect(plan({ ecs: [anEc()], edbs }, { tag: oldTag }).warnings).toEqual([]);
});

const digest = { digestHash: "sha256:ab" };
const automatic = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };
const rg = { moduleList: [{ name: "rg" }] };
const defined = { userDefinedModules: [{ name: "rg" }] };
const withImage = (fields: object) => ({
  engineEnterpriseImageSpec: { versionTag: oldTag, imagePullPolicy: "Always", ...fields },
});
const bare = anEc({ engineEnterpriseImageSpec: undefined });
// 8.0.2-2 supports no user-defined modules at all
const later: Scene = { deployments: [anOperator("8.0.6-8")] };
const to806 = { tag: "8.0.6-54" };
const inSchema = (spec: SchemaProps): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "engineenterpriseclusters.app.engine.com" },
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: { spec } } } }] },
});
const automaticSchema = { properties: { autoUpgradeEngineEnterprise: { type: "boolean" } } };
const direct = inSchema({ properties: { autoUpgradeEngineEnterprise: { type: "boolean" } } });

const holding = inSchema({
  properties: { userDefinedModules: { type: "array" }, upgradeSpec: automaticSchema },
});
const withoutList = inSchema({ properties: { upgradeSpec: automaticSchema } });
const withoutAuto = inSchema({ properties: { userDefinedModules: { type: "array" } } });
const installed = { modules: [{ name: "rg" }, { name: "gears" }] };
const uses: Scene = {
  ...later,
  ecs: [anEc({}, installed)],
  edbs: [aDatabase("a", rg), aDatabase("b", { moduleList: [{ name: "gears" }] })],
  definitions: [withoutList],
};

test.each<[string, Scene, Partial<ClusterRequest>, string | undefined]>([
  ["no change of the definition", uses, to806, undefined],
  ["the same definition", uses, { ...to806, definitionAhead: withoutList }, undefined],
  [
    "a definition with a place for modules, with one command for all of them",
    uses,
    { ...to806, definitionAhead: holding },
    "kubectl engine modules define rg gears --source rg=URL --source gears=URL --ec ec -n engine",
  ],
  [
    "a definition without the automatic upgrade that is asked for",
    { definitions: [holding] },
    { auto: true, definitionAhead: withoutAuto },
    "upgrade the operator with its definitions first, or give the tag with --target",
  ],
  [
    "nothing, where something stands against it today",
    { ...uses, ecs: [anEc({}, { ...installed, state: "Error" })] },
    { ...to806, definitionAhead: holding },
    undefined,
  ],
])("what will stand against it by then: %s", (_, ...[scene, wish, type]) => {
  expect(plan(scene, wish).pauses?.type).toBe(type);
});

const image = (fields: object): object => ({ spec: { engineEnterpriseImageSpec: fields } });

test.each<[string, Scene, Partial<ClusterRequest>, object]>([
  ["the tag alone", {}, {}, image({ versionTag: newTag })],
  ["nothing, where it is up to date", {}, { tag: oldTag }, {}],
  [
    "the pull policy too, where there is no image spec",
    { ecs: [bare] },
    {},
    image({ versionTag: newTag, imagePullPolicy: "IfNotPresent" }),
  ],
  [
    "policy and repository, where they are asked for",
    {},
    { tag: oldTag, imagePullPolicy: "Always", repository: "mirror/engine" },
    image({ imagePullPolicy: "Always", repository: "mirror/engine" }),
  ],
  ["auto, without an image spec", { ecs: [bare] }, { auto: true }, { spec: automatic }],
  [
    "auto with a repository needs a policy",
    { ecs: [bare] },
    { auto: true, repository: "mirror/engine" },
    {
      spec: {
        ...automatic,
        engineEnterpriseImageSpec: { repository: "mirror/engine", imagePullPolicy: "IfNotPresent" },
      },
    },
  ],
  [
    "auto directly under spec, where the definition has it there",
    { definitions: [direct] },
    { auto: true },
    { spec: { autoUpgradeEngineEnterprise: true } },
  ],
  ["nothing, where auto is on", { ecs: [anEc(automatic)] }, { auto: true }, {}],
  [
    "auto off beside the tag, wherever it is on",
    {
      ...later,
      ecs: [anEc({ ...automatic, ...defined, autoUpgradeEngineEnterprise: false })],
      edbs: [aDatabase("a", rg)],
    },
    to806,
    {
      spec: {
        engineEnterpriseImageSpec: { versionTag: to806.tag },
        upgradeSpec: { autoUpgradeEngineEnterprise: false },
      },
    },
  ],
])("writes %s", (_title, ...[scene, wish, body]) => {
  expect(buildPatch(plan(scene, wish).edits)).toEqual(body);
});

test("edits are undone by the old values, held when every value is there, and shown with both", () => {
  const { edits } = plan({ ecs: [bare] });
  expect(buildReverse(edits)).toEqual(image({ versionTag: null, imagePullPolicy: null }));
  const done = { versionTag: newTag, imagePullPolicy: "IfNotPresent" };
  expect(
    [bare, undefined, anEc({ engineEnterpriseImageSpec: done })].map((ec) => holds(ec, edits)),
  ).toEqual([false, false, true]);
  expect(renderEdits([...edits, { path: ["spec", "x"], from: false, to: true }])).toBe(
    `versionTag absent -> ${newTag}, imagePullPolicy absent -> IfNotPresent, x false -> true`,
  );
  const gone = [{ path: ["spec", "x"], from: 1, to: null }];
  expect([holds(anEc(), gone), holds(anEc({ x: 1 }), gone)]).toEqual([true, false]);
});

test("fields of one name are told apart by their paths", () => {
  const edits = [
    { path: ["spec", "one", "tag"], from: "", to: "2" },
    { path: ["spec", "two", "inner", "tag"], from: undefined, to: "2" },
    { path: ["spec", "own"], from: 1, to: 2 },
  ];
  expect(renderEdits(edits)).toBe('one.tag "" -> 2, two.inner.tag absent -> 2, own 1 -> 2');
});

const rigger = (spec: object) => ({ engineEnterpriseServicesRiggerImageSpec: spec });

test.each<[string, object, Partial<ClusterRequest>, object | undefined, readonly string[]]>([
  ["of the operator that managed the tag", { versionTag: "7.22.0-7" }, {}, moved(), []],
  [
    "of the operator before",
    { versionTag: "v7.9.1-3" },
    { operatorBefore: "7.9.1-3" },
    moved(),
    [],
  ],
  ["of another release", { versionTag: "7.9.1-3" }, {}, undefined, ["CLUSTER-HELPER-IMAGES"]],
  ["of no release", { versionTag: "edge" }, {}, undefined, ["CLUSTER-HELPER-IMAGES"]],
  ["of the new operator", { versionTag: "8.0.2-2" }, {}, undefined, []],
  [
    "pinned by digest",
    { versionTag: "7.22.0-7", digestHash: "sha256:1" },
    {},
    undefined,
    ["CLUSTER-HELPER-IMAGES"],
  ],
])("a helper's tag %s", (...[, spec, wish, edits, codes]) => {
  const found = plan({ ecs: [anEc(rigger(spec))] }, wish);
  const patched = buildPatch(found.edits) as { spec: Record<string, unknown> };
  const key = "engineEnterpriseServicesRiggerImageSpec";
  expect([patched.spec[key], codesOf(found)]).toEqual([edits, codes]);
});

test("with an operator of an unknown release no helper is moved or held against the EC", () => {
  const found = plan({
    ecs: [anEc(rigger({ versionTag: "7.22.0-7" }))],
    deployments: [anOperator("edge")],
  });
  expect(JSON.stringify(buildPatch(found.edits))).not.toContain("Rigger");
  expect(codesOf(found)).not.toContain("CLUSTER-HELPER-IMAGES");
});

function moved(): object {
  return { versionTag: "8.0.2-2" };
}

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
  const found = plan(
    {},
    {
      auto: true,
      tag: undefined,
      repository: "m/e",
      imagePullPolicy: "Always",
    },
  );
  expect(found.wanted).toEqual({
    tag: newTag,
    repository: "m/e",
    imagePullPolicy: "Always",
    sameRelease: true,
    stateBefore: "Running",
  });
});

const stale = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "lock", namespace: "engine" },
  spec: {
    holderIdentity: "engine-enterprise-operator-5c8f7d9b66-q8wzr",
    renewTime: "2026-08-01T01:00:00.000000Z",
  },
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
  ["no operator", { deployments: [] }, {}, ["OPERATOR-ABSENT"]],
  [
    "an operator that another pod keeps from acting",
    { leases: [stale] },
    {},
    ["OPERATOR-NOT-ACTING"],
  ],
  [
    "an operator that does not run, under a lease that is stale",
    { leases: [stale], deployments: [anOperator("8.0.2-2", 0)] },
    {},
    ["OPERATOR-NOT-READY"],
  ],
  [
    "a tag below the spec's",
    { deployments: [] },
    { tag: "7.8.2-34" },
    ["OPERATOR-ABSENT", "CLUSTER-TARGET-LOWER"],
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
  [
    "a module at the end of its life, which no database uses, below the boundary",
    {
      ecs: [
        anEc(withImage({ versionTag: "7.4.6-22" }), {
          modules: [{ name: "graph", displayName: "EngineGraph" }],
        }),
      ],
    },
    {},
    ["MODULE-END-OF-LIFE"],
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
  [
    "no field for auto",
    { definitions: [inSchema({ properties: { nodes: {} } })] },
    { auto: true },
    ["CLUSTER-AUTO-FIELD-ABSENT"],
  ],
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
  const found = plan({ deployments: [anOperator("x")] }, { auto: true, tag: undefined });
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
  expect(codesOf(plan({ edbs }, { auto: true, tag: undefined }))).toContain("CLUSTER-DATABASE-OLD");
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

test.each<[string, object, readonly string[]]>([
  ["the field itself", { manager: "argo", fieldsV1: { "f:versionTag": {} } }, ["argo"]],
  ["the whole that it is in", { manager: "argo", fieldsV1: {} }, ["argo"]],
  ["a nameless manager", { fieldsV1: { "f:versionTag": {} } }, [""]],
  ["another field", { manager: "argo", fieldsV1: { "f:repository": {} } }, []],
  ["the parent alone", { manager: "argo", fieldsV1: { ".": {} } }, []],
  ["the status", { manager: "op", subresource: "status", fieldsV1: { "f:versionTag": {} } }, []],
  ["the object", { manager: "op", subresource: "", fieldsV1: { "f:versionTag": {} } }, ["op"]],
  ["nothing", { manager: "argo" }, []],
])("who holds a field is told by managedFields: %s", (_title, entry, managers) => {
  const held = Object.fromEntries(
    Object.entries(entry).map(([key, value]) =>
      key === "fieldsV1"
        ? [key, { "f:spec": { "f:engineEnterpriseImageSpec": value as object } }]
        : [key, value as unknown],
    ),
  );
  const ec = anEc({}, {}, { managedFields: [held] });
  expect(listHolders(ec, plan().edits)).toEqual(
    managers.map((manager) => ({
      reason: "FieldManagerConflict",
      field: ".spec.engineEnterpriseImageSpec.versionTag",
      message: `conflict with "${manager}"`,
    })),
  );
  expect(listHolders(anEc(), plan().edits)).toEqual([]);
});

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ["Helm", { labels: { "app.kubernetes.io/managed-by": "Helm" } }, "helm upgrade"],
  ["Argo CD", { labels: { "argocd.argoproj.io/instance": "x" } }, "repository"],
  ["OLM", { labels: { "olm.owner": "x" } }, "made it from"],
])("an EC of %s is changed by its own way", (owner, metadata, way) => {
  expect(findOwnership(anEc({}, {}, metadata), { names: defaultNames })).toMatchObject([
    {
      code: "CLUSTER-OWNED",
      cause: expect.stringContaining(owner) as string,
      fix: expect.stringContaining(way) as string,
    },
  ]);
});

test.each<[string, string | undefined, Partial<ClusterRequest>, readonly string[]]>([
  ["its small image", undefined, { tag: `v${newTag}.minimal` }, []],
  ["auto, and it is known what it brings", undefined, { auto: true, tag: undefined }, []],
  ["what is not a tag", undefined, { tag: "latest" }, ["CLUSTER-TARGET-NOT-MANAGED"]],
  ["another than auto brings", undefined, { auto: true, ...to806 }, ["CLUSTER-TARGET-NOT-MANAGED"]],
  ["a later line, of no known pair", "7.8.2-6", {}, ["CLUSTER-TARGET-NOT-MANAGED"]],
  ["its own line by a higher build", "8.0.2-9", { tag: "8.0.2-99" }, ["CLUSTER-OPERATOR-UNKNOWN"]],
  ["a pair that is not known", "8.9.0-1", {}, ["CLUSTER-OPERATOR-UNKNOWN"]],
  ["an operator without a release", "x", {}, ["CLUSTER-OPERATOR-UNKNOWN"]],
  [
    "auto, and it is not known what comes",
    "8.9.0-1",
    { auto: true, tag: undefined },
    ["CLUSTER-AUTO-TARGET-UNKNOWN"],
  ],
  ["auto, unknown, and a tag to expect", "8.9.0-1", { auto: true }, ["CLUSTER-OPERATOR-UNKNOWN"]],
])("the operator is asked for %s", (_title, ...[tag, wish, codes]) => {
  const facts = factsOf({ deployments: [anOperator(tag)] });
  const found = operatorFindings(facts, anEc(), { ...request, ...wish });
  expect(found.map(({ code }) => code)).toEqual(codes);
});

test("an operator that was not read is not called absent", () => {
  const facts = factsOf({}, { unread: new Map([["deployments", "forbidden"]]) });
  expect(operatorFindings(facts, anEc(), request)).toEqual([]);
});

test("an operator that counts as upgraded is of that release and ready; others stay", () => {
  const other = { ...anOperator(), metadata: { name: "other", namespace: "engine" } };
  const facts = factsOf({ deployments: [other, anOperator("7.4.2-2", 0)] });
  const ahead = withOperator(facts, "8.0.2-2");
  expect(operatorFindings(ahead, anEc(), request)).toEqual([]);
  expect(ahead.objects.deployments[0]).toBe(other);
  expect(operatorFindings(facts, anEc(), request)).toHaveLength(1);
});

const both = { ...automatic, autoUpgradeEngineEnterprise: true };
const using = (name: string): KubeObject => aDatabase("orders", { moduleList: [{ name }] });
const nested = "spec.upgradeSpec.autoUpgradeEngineEnterprise";

test.each<[string, KubeObject, readonly KubeObject[], readonly string[]]>([
  [
    "a defined module in use",
    anEc({ ...both, ...defined }),
    [using("rg")],
    [nested, "spec.autoUpgradeEngineEnterprise"],
  ],
  ["one that nothing defines", anEc(automatic), [using("rg")], [nested]],
  [
    "one that is installed and not defined",
    anEc(automatic, { modules: [{ name: "rg", displayName: "EngineGears" }] }),
    [using("EngineGears")],
    [nested],
  ],
  ["bundled modules alone: nothing", anEc(automatic), [using("search")], []],
  ["a defined module that nothing uses: nothing", anEc({ ...automatic, ...defined }), [], []],
  ["it is off: nothing", anEc(defined), [using("rg")], []],
])("auto-off writes: %s", (...[, ec, edbs, expected]) => {
  const edits = listOffEdits(factsOf({ ecs: [ec], edbs }), ec);
  expect(edits.map(({ path }) => path.join("."))).toEqual(expected);
  expect(edits.every(({ from, to }) => from === true && to === false)).toBe(true);
});

test("databases belong by reference, else to the only EC; those of another type do not count", () => {
  const named = (name: string, ec?: string, namespace = "engine"): KubeObject => ({
    ...aDatabase(name, ec === undefined ? {} : { engineEnterpriseCluster: { name: ec } }),
    metadata: { name, namespace },
  });
  const other = anEc({}, {}, { name: "other" });
  const there = anEc({}, {}, { namespace: "shop" });
  const edbs = [
    named("mine", "ec"),
    named("theirs", "other"),
    named("nobodys", "gone"),
    named("silent"),
    named("there", "ec", "shop"),
    aDatabase("cache", { type: "memcached" }),
  ];
  const of = (...ecs: readonly KubeObject[]): readonly string[] =>
    listDatabases(factsOf({ ecs, edbs }), anEc()).map(({ label }) =>
      String(label.split("/").at(-1)),
    );
  expect(of(anEc(), other, there)).toEqual(["mine"]);
  expect(of(anEc())).toEqual(["mine", "silent", "there"]);
});

test("every code is explained once", () => {
  const codes = clusterCodes.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

const tagged = (versionTag: string, state = "Running"): Scene => ({
  ecs: [anEc({ engineEnterpriseImageSpec: { versionTag } }, { state })],
});

test.each<[string, Scene]>([
  ["it is corrected", tagged("8.0.6-8")],
  ["it is corrected while its upgrade is under way", tagged("8.0.6-8", "Upgrade")],
])("a release of the operator is the tag of the cluster: %s", (_, scene) => {
  expect(plan(scene).blocks).toEqual([]);
});

const typed = "8.0.2-71";
const waits = (reason: string, message: string, restartCount = 0): object => ({
  ready: false,
  status: {
    containerStatuses: [
      {
        ...{ name: "engine-enterprise-node", ready: false, restartCount },
        state: { waiting: { reason, message } },
      },
    ],
  },
});
const unknownTag = { tag: typed, ...waits("ErrImagePull", "manifest unknown") };
/** Another tag is being rolled out, and these are its pods. */
const rolling = (...pods: readonly KubeObject[]): Scene => ({
  ecs: [anEc({ engineEnterpriseImageSpec: { versionTag: typed } }, { state: "Upgrade" })],
  statefulSets: [aSet(typed, {}, { readyReplicas: 2 })],
  pods,
});
const isUnderWay = ["CLUSTER-BUSY", "CLUSTER-TARGET-LOWER"];

test.each<[string, Scene, readonly string[]]>([
  ["its first pod cannot pull it", rolling(aPod(0, old), aPod(1, old), aPod(2, unknownTag)), []],
  [
    "its first pod may yet pull it",
    rolling(
      aPod(0, old),
      aPod(1, old),
      aPod(2, { tag: typed, ...waits("ErrImagePull", "toomanyrequests") }),
    ),
    isUnderWay,
  ],
  [
    "its first pod runs and crashes",
    rolling(
      aPod(0, old),
      aPod(1, old),
      aPod(2, { tag: typed, ...waits("CrashLoopBackOff", "back-off") }),
    ),
    isUnderWay,
  ],
  [
    "its first pod has run it, and cannot pull it any more",
    rolling(
      aPod(0, old),
      aPod(1, old),
      aPod(2, { tag: typed, ...waits("ErrImagePull", "manifest unknown", 1) }),
    ),
    isUnderWay,
  ],
  [
    "a second pod has it: the first one has run it",
    rolling(aPod(0, old), aPod(1, unknownTag), aPod(2, unknownTag)),
    isUnderWay,
  ],
  [
    "no other pod is ready",
    { ...rolling(aPod(2, unknownTag)), statefulSets: [aSet(typed, {}, { readyReplicas: 0 })] },
    isUnderWay,
  ],
  ["no pod has it", rolling(aPod(0, old), aPod(1, old), aPod(2, old)), isUnderWay],
  ["its StatefulSet is gone", { ...rolling(aPod(2, unknownTag)), statefulSets: [] }, isUnderWay],
])("a tag is set in place of one that is being rolled out: %s", (_, scene, codes) => {
  expect(codesOf(plan(scene)).filter((code) => isUnderWay.includes(code))).toEqual(codes);
});

const beforeKnown = "7.99.0-1";

test.each<[string, Partial<ClusterRequest>, readonly string[]]>([
  ["the operator's that was there before", { operatorBefore: beforeKnown }, []],
  ["of another operator", { operatorBefore: "7.98.0-1" }, ["CLUSTER-BUSY"]],
])("a tag is set in place of one that no pod has: %s", (_, wish, codes) => {
  expect(plan(tagged(beforeKnown, "Upgrade"), wish).blocks.map(({ code }) => code)).toEqual(codes);
});

test("of an operator whose cluster release is not known, the release notes name the tag", () => {
  const { blocks } = plan({ deployments: [anOperator("8.0.99-1")] }, { tag: "8.0.99-1" });
  expect(blocks.at(-1)?.fix).toBe(
    "give --target with the tag that the release notes of the operator name",
  );
});

test("a release of the operator is no target of the cluster", () => {
  expect(plan({}, { tag: "8.0.6-8" }).blocks.map(({ code }) => code)).toEqual([
    "CLUSTER-TARGET-NOT-MANAGED",
    "CLUSTER-TAG-OF-OPERATOR",
  ]);
});
