import type { ApiNode } from "../../../../plugin/domain/api/records";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import type { ApiFacts } from "../../../../plugin/domain/recovery/databases";
import {
  planRecovery,
  type RecoveryWish,
  supported,
} from "../../../../plugin/domain/recovery/plan";
import { aBdb, aFrozenEc, aModule, anApi, anEdb, frozenFacts } from "./scene";

interface Scene {
  readonly ec?: KubeObject;
  readonly edbs?: readonly KubeObject[];
  readonly api?: ApiFacts;
}

function plan(scene: Scene, wish: Partial<RecoveryWish> = {}) {
  const { ec = aFrozenEc(), edbs = [], api } = scene;
  const facts = frozenFacts({ edbs }, ec);
  const freeze = classifyFreeze(facts, ec, api);
  return planRecovery({ facts, ec, freeze, api }, { modules: [], dropDigests: false, ...wish });
}

const old = { edbs: [anEdb("orders", { engineVersion: "6.2" })] };
const node = (...supportedVersions: readonly string[]): ApiNode => ({
  ...{ uid: 1, softwareVersion: "7.22.0-7" },
  supportedVersions,
});
const using = aBdb({ modules: [{ name: "rg", version: "1" }] });
const moduleless = { edbs: [anEdb("orders")], api: anApi({ databases: [using] }) };

test("a database that is too old is upgraded to what is given", () => {
  const { upgrades, problems, blocks } = plan(old, { engineVersion: "7.2" });
  expect(upgrades).toMatchObject([{ uid: 1, version: "7.2" }]);
  expect([problems, blocks]).toEqual([[], []]);
});

test("a database without a resource is upgraded too", () => {
  const api = anApi({ databases: [aBdb({ uid: 9, version: "6.2.1" })] });
  expect(plan({ api }, { engineVersion: "7.2" }).upgrades).toMatchObject([{ uid: 9 }]);
});

test("a module is installed from the archive that has either of its names", () => {
  const byName = aModule("rg");
  const byDisplayName = aModule("other", { displayName: "rg" });
  expect(plan(moduleless, { modules: [byName] }).installs).toEqual([byName]);
  expect(plan(moduleless, { modules: [byDisplayName] }).installs).toEqual([byDisplayName]);
});

test("a module of a database that is raised has to fit the new version", () => {
  const api = anApi({ databases: [{ ...using, version: "6.2.1" }] });
  const scene = { edbs: [anEdb("orders", { engineVersion: "6.2" })], api };
  const modules = [aModule("rg", { compatibleEngineVersion: "7.4" })];
  expect(plan(scene, { modules, engineVersion: "7.4" }).installs).toEqual(modules);
  expect(plan(scene, { modules, engineVersion: "7.2" }).blocks).toMatchObject([
    { code: "FREEZE-MODULE-UNFIT" },
  ]);
});

test("digests are dropped when that is asked for", () => {
  const ec = aFrozenEc(
    { state: "InvalidUpgrade" },
    {
      engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash: "sha256:ab" },
      autoUpgradeEngineEnterprise: true,
    },
  );
  const path = ["spec", "engineEnterpriseImageSpec", "digestHash"];
  expect(plan({ ec }, { dropDigests: true }).digests).toEqual([
    { path, from: "sha256:ab", to: null },
  ]);
  expect(plan({ ec }).problems).toEqual([
    "--drop-digests: spec.engineEnterpriseImageSpec.digestHash pins an image; give the flag to remove it",
  ]);
});

const label = "EngineEnterpriseDatabase/engine/orders";

test.each<[string, Scene, Partial<RecoveryWish>, readonly string[]]>([
  ["no version", old, {}, [`--engine-version: give the version for ${label}`]],
  [
    "no version, and the nodes tell theirs",
    {
      ...old,
      api: anApi({ databases: [aBdb({ version: "6.2.1" })], nodes: [node("6.2", "7.2")] }),
    },
    {},
    [`--engine-version: give the version for ${label}; the nodes can run 7.2`],
  ],
  [
    "a version that not all nodes can run",
    {
      ...old,
      api: anApi({
        databases: [aBdb({ version: "6.2.1" })],
        nodes: [node("7.2", "7.4"), node("7.2")],
      }),
    },
    { engineVersion: "7.4" },
    ["--engine-version: the nodes cannot run 7.4, but 7.2"],
  ],
  [
    "a version that is no higher",
    { edbs: [anEdb("orders", { engineVersion: "8.6" })] },
    { engineVersion: "8.2" },
    [`--engine-version: ${label} runs 8.6 already`],
  ],
  ["no archive", moduleless, {}, [`--module: give the archive of rg, which ${label} use`]],
  [
    "an archive that nobody lacks",
    { api: anApi() },
    { modules: [aModule("rg")] },
    ["--module: no database lacks the module rg"],
  ],
  [
    "an archive that is installed already is none",
    { api: anApi({ modules: [aModule("rg")] }) },
    { modules: [aModule("rg")] },
    [],
  ],
  ["an archive that cannot be judged is none", {}, { modules: [aModule("rg")] }, []],
])("a problem of the flags: %s", (...[, scene, wish, problems]) => {
  const found = plan(scene, wish);
  expect(found.problems).toEqual(problems);
  expect([found.upgrades, found.installs]).toEqual([[], []]);
});

test.each<[string, Scene, Partial<RecoveryWish>, readonly string[]]>([
  [
    "the license",
    { ec: aFrozenEc({ state: "InvalidUpgrade", licenseStatus: { licenseState: "Expired" } }) },
    {},
    ["CLUSTER-LICENSE"],
  ],
  ["no known cause", { ec: aFrozenEc({ state: "InvalidUpgrade" }) }, {}, ["FREEZE-CAUSE-UNKNOWN"]],
  [
    "a number that nobody tells",
    { edbs: [anEdb("orders", { engineVersion: "6.2" }, { databaseUID: undefined })] },
    { engineVersion: "7.2" },
    ["DATABASE-UID-UNKNOWN"],
  ],
  [
    "data that nothing keeps",
    { edbs: [anEdb("orders", { engineVersion: "6.2", replication: false })] },
    { engineVersion: "7.2" },
    ["DATABASE-DATA-AT-RISK"],
  ],
  [
    "an edit that the rules would refuse",
    {
      ec: aFrozenEc({}, { engineUpgradePolicy: "major" }),
      edbs: [anEdb("orders", { engineVersion: "6.2" })],
    },
    { engineVersion: "7.4" },
    ["DATABASE-EDIT-REFUSED"],
  ],
])("a block that no flag fixes: %s", (...[, scene, wish, codes]) => {
  expect(plan(scene, wish).blocks.map(({ code }) => code)).toEqual(codes);
});

test("a database whose EC is lost on the way is judged without it", () => {
  const ec = aFrozenEc();
  const facts = frozenFacts(old, ec);
  const freeze = classifyFreeze(facts, ec);
  const causes = freeze.causes.map((cause) => {
    if (cause.is !== "database" || cause.database.target === undefined) return cause;
    const lookup = { is: "missing", lookedIn: ["engine"] } as const;
    const target = { ...cause.database.target, lookup };
    return { ...cause, database: { ...cause.database, target } };
  });
  const lost = { facts, ec, freeze: { ...freeze, causes }, api: undefined };
  const wish = { modules: [], dropDigests: false, engineVersion: "7.2" };
  expect(planRecovery(lost, wish).blocks).toMatchObject([{ code: "DATABASE-CLUSTER-UNKNOWN" }]);
});

test.each<[string, readonly object[], readonly string[]]>([
  ["defined by the other name that the REST API tells", [{ name: "EngineGears" }], []],
  ["not defined", [], ["DATABASE-EDIT-REFUSED"]],
])("the rules know the modules that are installed by then: %s", (_title, defined, codes) => {
  const edbs = [anEdb("orders", { engineVersion: "6.2", modulesList: [{ name: "rg" }] })];
  const api = anApi({
    databases: [aBdb({ version: "6.2.1" })],
    modules: [aModule("rg", { displayName: "EngineGears" })],
  });
  const ec = aFrozenEc({}, { userDefinedModules: defined });
  const { blocks } = plan({ edbs, api, ec }, { engineVersion: "7.2" });
  expect(blocks.map(({ code }) => code)).toEqual(codes);
});

test.each<[string, ApiFacts | undefined, readonly string[]]>([
  ["nobody told", undefined, []],
  ["the nodes were not served", anApi(), []],
  ["old ones and odd ones are left out", anApi({ nodes: [node("6.2", "x", "7.2")] }), ["7.2"]],
])("what the nodes can run: %s", (_title, api, versions) => {
  expect(supported({ api })).toEqual(versions);
});
