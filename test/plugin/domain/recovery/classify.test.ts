import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import type { ApiFacts } from "../../../../plugin/domain/recovery/databases";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { aPod, aSet, anEc, threePods } from "../cluster/scene";
import { aBdb, aFrozenEc, aModule, anApi, anEdb, frozenFacts } from "./scene";

const crash = {
  containerStatuses: [
    { name: "x", restartCount: 9, state: { waiting: { reason: "ImagePullBackOff" } } },
  ],
};

type Row = readonly [
  title: string,
  objects: Parameters<typeof frozenFacts>[0],
  ec: KubeObject,
  api: ApiFacts | undefined,
  is: string,
  codes: readonly string[],
];

/** As definitions are before modules can be defined. */
const withoutPlace: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "engineenterpriseclusters.app.engine.com" },
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: {} } } }] },
};

const old = anEdb("orders", { engineVersion: "6.2" });
const rolling = { statefulSets: [aSet()] };

test.each<Row>([
  ["no upgrade", {}, anEc(), undefined, "standing", []],
  ["an old database before any upgrade", { edbs: [old] }, anEc(), undefined, "standing", []],
  ["no state told", {}, anEc({}, { state: undefined }), undefined, "standing", []],
  ["begun, nothing against it", {}, aFrozenEc(), undefined, "moving", []],
  ["begun, no StatefulSet", { statefulSets: [] }, aFrozenEc(), undefined, "moving", []],
  ["rolling", { ...rolling, pods: [aPod(2)] }, aFrozenEc(), undefined, "moving", []],
  [
    "rolled, not Running yet",
    { ...rolling, pods: threePods },
    aFrozenEc(),
    undefined,
    "moving",
    [],
  ],
  [
    "rolling with an old database",
    { ...rolling, edbs: [old] },
    aFrozenEc(),
    undefined,
    "moving",
    [],
  ],
  [
    "a pod that cannot start",
    { ...rolling, pods: [aPod(2, { ready: false, status: crash })] },
    aFrozenEc(),
    undefined,
    "frozen",
    ["POD-IMAGE"],
  ],
  [
    "a pod that cannot start, under an expired license",
    { ...rolling, pods: [aPod(2, { ready: false, status: crash })] },
    aFrozenEc({ licenseStatus: { licenseState: "Expired" } }),
    undefined,
    "frozen",
    ["POD-IMAGE", "CLUSTER-LICENSE"],
  ],
  ["an old database", { edbs: [old] }, aFrozenEc(), undefined, "frozen", ["CLUSTER-DATABASE-OLD"]],
  [
    "one that was raised already, its resource not",
    { edbs: [anEdb("orders", { engineVersion: "6.2" }, { version: "7.2.4" })] },
    aFrozenEc(),
    undefined,
    "frozen",
    [],
  ],
  [
    "old by the REST API alone",
    { edbs: [anEdb("orders")] },
    aFrozenEc(),
    anApi({ databases: [aBdb({ version: "6.2.18" })] }),
    "frozen",
    ["CLUSTER-DATABASE-OLD"],
  ],
  [
    "an old database without a resource",
    {},
    aFrozenEc(),
    anApi({ databases: [aBdb({ uid: 9, version: "6.0.1" })] }),
    "frozen",
    ["CLUSTER-DATABASE-OLD"],
  ],
  [
    "a version that the release does not bundle",
    { edbs: [anEdb("orders", { engineVersion: "8.6" })] },
    aFrozenEc(),
    undefined,
    "frozen",
    ["FREEZE-VERSION-UNBUNDLED"],
  ],
  [
    "a version of which nothing is published",
    { edbs: [anEdb("orders", { engineVersion: "8.6" })] },
    aFrozenEc({}, { engineEnterpriseImageSpec: { versionTag: "own" } }),
    undefined,
    "moving",
    [],
  ],
  [
    "a version that nobody tells",
    { edbs: [anEdb("orders", { engineVersion: undefined })] },
    aFrozenEc(),
    anApi({ databases: [aBdb({ version: undefined, engineVersion: undefined })] }),
    "moving",
    [],
  ],
  [
    "a module that nothing defines",
    { edbs: [anEdb("orders", { moduleList: [{ name: "rg" }] })] },
    aFrozenEc(),
    undefined,
    "frozen",
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "a module that is not installed",
    { edbs: [anEdb("orders")] },
    aFrozenEc(),
    anApi({ databases: [aBdb({ modules: [{ name: "rg", version: "1" }] })] }),
    "frozen",
    ["FREEZE-MODULE-ABSENT"],
  ],
  [
    "a module of which no build fits",
    { edbs: [anEdb("orders")] },
    aFrozenEc(),
    anApi({
      databases: [aBdb({ modules: [{ name: "rg", version: "1" }] })],
      modules: [aModule("rg", { compatibleEngineVersion: "7.2" })],
    }),
    "frozen",
    ["FREEZE-MODULE-UNFIT"],
  ],
  [
    "modules that are bundled or defined, under either name",
    { edbs: [anEdb("orders")] },
    aFrozenEc({}, { userDefinedModules: ["own", "rg", "hidden"].map((name) => ({ name })) }),
    anApi({
      databases: [
        aBdb({
          modules: ["rg", "Shown", "own", "search", "more"].map((name) => ({ name, version: "1" })),
        }),
      ],
      modules: [
        aModule("rg", { compatibleEngineVersion: "7.4" }),
        aModule("hidden", { displayName: "Shown" }),
        aModule("more", { bundled: true }),
      ],
    }),
    "moving",
    [],
  ],
  [
    "modules that are installed and not defined, as the REST API reports",
    { edbs: [anEdb("orders")] },
    aFrozenEc(),
    anApi({
      databases: [aBdb({ modules: [{ name: "rg", version: "1" }] })],
      modules: [aModule("rg", { compatibleEngineVersion: "7.4" })],
    }),
    "frozen",
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "the same, where definitions have no place for them yet",
    { edbs: [anEdb("orders")], definitions: [withoutPlace] },
    aFrozenEc(),
    anApi({
      databases: [aBdb({ modules: [{ name: "rg", version: "1" }] })],
      modules: [aModule("rg", { compatibleEngineVersion: "7.4" })],
    }),
    "moving",
    [],
  ],
  [
    "modules that are installed and not defined, as the EC tells",
    { edbs: [anEdb("orders", { moduleList: [{ name: "rg" }] })] },
    aFrozenEc({ modules: [{ name: "rg" }] }),
    undefined,
    "frozen",
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "a module of an old database: which build it needs is not known yet",
    { edbs: [anEdb("orders")] },
    aFrozenEc(),
    anApi({
      databases: [aBdb({ version: "6.2.1", modules: [{ name: "rg", version: "1" }] })],
      modules: [aModule("rg", { compatibleEngineVersion: "7.2" })],
    }),
    "frozen",
    ["CLUSTER-DATABASE-OLD", "CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "two databases of one module: one cause",
    { edbs: [anEdb("a", {}, { databaseUID: "1" }), anEdb("b", {}, { databaseUID: "2" })] },
    aFrozenEc(),
    anApi({
      databases: [1, 2].map((uid) => aBdb({ uid, modules: [{ name: "rg", version: "1" }] })),
    }),
    "frozen",
    ["FREEZE-MODULE-ABSENT"],
  ],
  [
    "digests, with an automatic upgrade",
    {},
    aFrozenEc(
      { state: "InvalidUpgrade" },
      {
        engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash: "sha256:ab" },
        upgradeSpec: { autoUpgradeEngineEnterprise: true },
      },
    ),
    undefined,
    "frozen",
    ["CLUSTER-DIGEST-PINNED"],
  ],
  [
    "digests, by hand",
    {},
    aFrozenEc(
      {},
      { engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash: "sha256:ab" } },
    ),
    undefined,
    "moving",
    [],
  ],
  [
    "a license that the REST API calls expired",
    {},
    aFrozenEc({ state: "InvalidUpgrade" }),
    anApi({ license: { expired: true, expirationDate: undefined, shardsLimit: 4 } }),
    "frozen",
    ["CLUSTER-LICENSE"],
  ],
  [
    "a license that both call invalid is named once",
    {},
    aFrozenEc({ state: "InvalidUpgrade", licenseStatus: { licenseState: "Expired" } }),
    anApi({ license: { expired: true, expirationDate: "2026-01-01", shardsLimit: 4 } }),
    "frozen",
    ["CLUSTER-LICENSE"],
  ],
  [
    "refused without a cause",
    {},
    aFrozenEc({ state: "InvalidUpgrade" }),
    undefined,
    "frozen",
    ["FREEZE-CAUSE-UNKNOWN"],
  ],
  ["an end", {}, aFrozenEc({ state: "Error" }), undefined, "frozen", ["CLUSTER-STATE"]],
  [
    "all of them at once",
    { edbs: [anEdb("orders", { engineVersion: "6.2", moduleList: [{ name: "rg" }] })] },
    aFrozenEc(
      { state: "InvalidUpgrade", licenseStatus: { licenseState: "Expired" } },
      {
        engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash: "sha256:ab" },
        autoUpgradeEngineEnterprise: true,
      },
    ),
    undefined,
    "frozen",
    [
      "CLUSTER-LICENSE",
      "CLUSTER-DIGEST-PINNED",
      "CLUSTER-DATABASE-OLD",
      "CLUSTER-MODULE-UNDEFINED",
    ],
  ],
])("%s", (...[, objects, ec, api, is, codes]) => {
  const freeze = classifyFreeze(frozenFacts(objects, ec), ec, api);
  expect(freeze.is).toBe(is);
  expect(freeze.causes.map(({ finding }) => finding.code)).toEqual(codes);
});

test("the day on which a license expired is told where it is known", () => {
  const ec = aFrozenEc({ state: "InvalidUpgrade" });
  const license = { expired: true, expirationDate: "2026-07-01", shardsLimit: 4 };
  const { causes } = classifyFreeze(frozenFacts({}, ec), ec, anApi({ license }));
  expect(causes[0]?.finding.cause).toBe(
    "the license has expired on 2026-07-01, as the REST API reports",
  );
});

test("databases of another EC are not judged", () => {
  const ec = aFrozenEc();
  const other = anEc({}, {}, { name: "other" });
  const edb = anEdb("orders", { engineVersion: "6.2", engineEnterpriseCluster: { name: "other" } });
  const facts = frozenFacts({ ecs: [ec, other], edbs: [edb] });
  expect(classifyFreeze(facts, ec).is).toBe("moving");
});
