import type { ApiNode } from "../../../../plugin/domain/rest-api/records";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import type { ApiFacts } from "../../../../plugin/domain/recovery/databases";
import { outOfLineAhead } from "../../../../plugin/domain/recovery/line";
import { planRecovery, type RecoveryWish } from "../../../../plugin/commands/recover/plan";
import { type Procedure, listProcedure } from "../../../../plugin/commands/recover/by-hand";
import { anEc } from "../../domain/engine-cluster/scene";
import { aClaim } from "../../../support/claims";
import { aBdb, aFrozenEc, aModule, anApi, anEdb, frozenFacts } from "../../domain/recovery/scene";

interface Scene {
  readonly ec?: KubeObject;
  readonly edbs?: readonly KubeObject[];
  readonly api?: ApiFacts;
}

function plan(scene: Scene, wish: Partial<RecoveryWish> = {}) {
  const { ec = aFrozenEc(), edbs = [], api } = scene;
  const facts = frozenFacts({ edbs }, ec);
  const freeze = classifyFreeze(facts, ec, { api });
  return planRecovery({ facts, ec, freeze, api }, { dropDigests: false, ...wish });
}

const old = { edbs: [anEdb("orders", { engineVersion: "6.2" })] };
const to72 = { engineVersion: "7.2" };
const node = (...supportedVersions: readonly string[]): ApiNode => ({
  ...{ uid: 1, softwareVersion: "7.22.0-7" },
  supportedVersions,
});
const using = aBdb({ modules: [{ name: "rg", version: "1" }] });
const tooOld = aBdb({ version: "6.2.1" });
const moduleless = { edbs: [anEdb("orders")], api: anApi({ databases: [using] }) };
const pinned = aFrozenEc(
  { state: "InvalidUpgrade" },
  {
    engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash: "sha256:ab" },
    bootstrapperImageSpec: { digestHash: "sha256:ab" },
    autoUpgradeEngineEnterprise: true,
  },
);

test("a database is upgraded to what is given, also one without a resource", () => {
  const { upgrades, problems, blocks } = plan(old, to72);
  expect(upgrades).toMatchObject([{ uid: 1, version: "7.2" }]);
  expect([problems, blocks]).toEqual([[], []]);
  const api = anApi({ databases: [{ ...tooOld, uid: 9 }] });
  expect(plan({ api }, to72).upgrades).toMatchObject([{ uid: 9 }]);
});

test("a node that is down is named, and stops nothing: a roll takes its nodes away", () => {
  const nodes = [{ ...node("7.2"), status: "down" }];
  const { blocks, warnings } = plan({ ...old, api: anApi({ databases: [tooOld], nodes }) }, to72);
  expect([blocks, warnings]).toMatchObject([
    [],
    [{ code: "REST-NODE-AWAY", severity: "warning", object: "EngineEnterpriseCluster/engine/ec" }],
  ]);
});

test("a module that is missing is installed by a command of its own, first", () => {
  const both = { ...old, api: anApi({ databases: [{ ...using, version: "6.2.1" }] }) };
  for (const found of [plan(moduleless), plan(both, to72), plan(both)]) {
    expect(found.blocks.map(({ code }) => code)).toEqual(["FREEZE-MODULE-ABSENT"]);
  }
  expect(plan(moduleless).blocks[0]?.fix).toContain("modules install FILE");
});

const label = "EngineEnterpriseDatabase/engine/orders";
const digest = (part: string) =>
  `--drop-digests: spec.${part}.digestHash pins an image; give the flag to remove it`;

test.each<[string, Scene, Partial<RecoveryWish>, readonly string[]]>([
  ["no version", old, {}, [`--engine-version: give the version for ${label}`]],
  [
    "no version, and the nodes tell theirs; old and odd ones are left out",
    { ...old, api: anApi({ databases: [tooOld], nodes: [node("6.2", "x", "7.2")] }) },
    {},
    [`--engine-version: give the version for ${label}; the nodes can run 7.2`],
  ],
  [
    "a version that not all nodes can run",
    { ...old, api: anApi({ databases: [tooOld], nodes: [node("7.2", "7.4"), node("7.2")] }) },
    { engineVersion: "7.4" },
    ["--engine-version: the nodes cannot run 7.4, but 7.2"],
  ],
  [
    "a version that is no higher",
    { edbs: [anEdb("orders", { engineVersion: "8.6" })] },
    { engineVersion: "8.2" },
    [`--engine-version: ${label} runs 8.6 already`],
  ],
  [
    "digests",
    { ec: pinned },
    {},
    [digest("engineEnterpriseImageSpec"), digest("bootstrapperImageSpec")],
  ],
])("a problem of the flags: %s", (_title, ...[scene, wish, problems]) => {
  const found = plan(scene, wish);
  expect(found.problems).toEqual(problems);
  expect(found.upgrades).toEqual([]);
});

const refused = { state: "InvalidUpgrade" };
const known = (defined: readonly object[]): Scene => ({
  edbs: [anEdb("orders", { engineVersion: "6.2", modulesList: [{ name: "rg" }] })],
  api: anApi({ databases: [tooOld], modules: [aModule("rg", { displayName: "EngineGears" })] }),
  ec: aFrozenEc({}, { userDefinedModules: defined }),
});

test.each<[string, Scene, Partial<RecoveryWish>, readonly string[]]>([
  [
    "a number that nobody tells",
    { edbs: [anEdb("orders", { engineVersion: "6.2" }, { databaseUID: undefined })] },
    to72,
    ["DATABASE-UID-UNKNOWN"],
  ],
  [
    "data that nothing keeps",
    { edbs: [anEdb("orders", { engineVersion: "6.2", replication: false })] },
    to72,
    ["DATABASE-VOLATILE"],
  ],
  [
    "nothing, where the module is defined by its other name",
    known([{ name: "EngineGears" }]),
    to72,
    [],
  ],
  [
    "a minor release, under the policy of the REST API",
    { ...old, api: anApi({ databases: [tooOld], policy: { engine_upgrade_policy: "major" } }) },
    { engineVersion: "7.4" },
    ["DATABASE-EDIT-REFUSED"],
  ],
  ["a module that is installed and not defined", known([]), to72, ["DATABASE-EDIT-REFUSED"]],
])("a block that no flag fixes: %s", (_title, ...[scene, wish, codes]) => {
  expect(plan(scene, wish).blocks.map(({ code }) => code)).toEqual(codes);
});

test("a database whose EC is lost on the way is checked without it", () => {
  const ec = aFrozenEc();
  const facts = frozenFacts(old, ec);
  const freeze = classifyFreeze(facts, ec);
  const lookup = { is: "missing", lookedIn: ["engine"] } as const;
  const causes = freeze.causes.map((cause) =>
    cause.is === "database" && cause.database.target !== undefined
      ? {
          ...cause,
          database: { ...cause.database, target: { ...cause.database.target, lookup } },
        }
      : cause,
  );
  const lost = { facts, ec, freeze: { ...freeze, causes }, api: undefined };
  const { blocks } = planRecovery(lost, { dropDigests: false, ...to72 });
  expect(blocks.map(({ code }) => code)).toEqual(["DATABASE-CLUSTER-UNKNOWN"]);
});

test("no image is changed while volumes are being expanded", () => {
  const claims = [aClaim("engine-enterprise-storage-ec-1", { request: "60Gi", capacity: "40Gi" })];
  const facts = frozenFacts({ claims }, pinned);
  const freeze = classifyFreeze(facts, pinned);
  const planning = { facts, ec: pinned, freeze, api: undefined };
  const { blocks, digests } = planRecovery(planning, { dropDigests: true });
  expect(blocks.map(({ code }) => code)).toContain("CLUSTER-RESIZING");
  expect(digests).toEqual([]);
});

const access = {
  base: "https://ec.engine.svc.cluster.local:9443",
  insecure: false,
  secret: { name: "ec", namespace: "engine" },
};

function lines({ ec = aFrozenEc(), edbs = [], api }: Scene, more: Partial<Procedure> = {}) {
  const facts = frozenFacts({ edbs }, ec);
  const freeze = classifyFreeze(facts, ec, { api });
  const { databases } = freeze;
  const raised = new Set(databases.map((one) => one.label));
  const ahead = { engineVersion: more.wish?.engineVersion, raised };
  const steps = listProcedure({
    ...{ names, ec, freeze, access, asked: api !== undefined },
    apart: outOfLineAhead(facts, { databases, api }, ahead),
    wish: { dropDigests: false },
    install: ["kubectl", "engine", "modules", "install", "FILE"],
    again: ["kubectl", "engine", "recover", "--apply"],
    ...more,
  });
  return steps.flatMap(({ commands, says }) => [
    says,
    ...commands.map((pipeline) => pipeline.map((words) => words.join(" ")).join(" | ")),
  ]);
}

test.each<[string, Scene, Partial<Procedure>, readonly (string | RegExp)[]]>([
  [
    "a module, whose number in the list is open",
    moduleless,
    { access: { ...access, insecure: true } },
    [
      /--fail-with-body --insecure .*\/v1\/modules$/,
      "kubectl engine modules install FILE",
      "update the resources to match, so that the operator does not undo it; the version numbers in its list of rg of EngineEnterpriseDatabase/engine/orders too",
    ],
  ],
  [
    "a license is put in from a file",
    { ec: aFrozenEc({ ...refused, licenseStatus: { licenseState: "Expired" } }) },
    {},
    [/-X PUT .*--data @LICENSE_FILE .*\/v1\/license$/],
  ],
  [
    "a resource that is apart is brought in line, also when the EC is Running again",
    {
      ec: anEc(),
      edbs: old.edbs,
      api: anApi({ databases: [aBdb({ version: "7.2.4" })] }),
    },
    {},
    [/kubectl patch .* orders -n engine --type=merge -p \{"spec":\{"engineVersion":"7.2"\}\}$/],
  ],
  [
    "each digest is dropped by a patch of the EC",
    { ec: pinned },
    {},
    [
      /-p \{"spec":\{"engineEnterpriseImageSpec":\{"digestHash":null\}\}\}$/,
      /-p \{"spec":\{"bootstrapperImageSpec":\{"digestHash":null\}\}\}$/,
    ],
  ],
  [
    "a number that nobody knows is left to be filled in",
    { edbs: [anEdb("orders", { engineVersion: "6.2" }, { databaseUID: undefined })] },
    {},
    [/\/v1\/bdbs\/UID\/upgrade/],
  ],
])("the procedure: %s", (_title, ...[scene, more, wanted]) => {
  const all = lines(scene, more);
  for (const one of wanted) {
    expect(all).toContainEqual(typeof one === "string" ? one : expect.stringMatching(one));
  }
  for (const line of all.filter((words) => words.includes("curl"))) {
    // the credentials go from the Secret to curl's standard input
    expect(line).toMatch(
      /^kubectl get secret ec -n engine --output=go-template=.* \| curl --config - /,
    );
    expect(line).not.toContain("--user");
  }
});

test.each<[string, Scene, boolean]>([
  ["a database that is too old", old, true],
  [
    "a license, after which it goes on",
    { ec: aFrozenEc({ ...refused, licenseStatus: { licenseState: "Expired" } }) },
    true,
  ],
  ["digests", { ec: pinned }, true],
  ["a state that only a person ends", { ec: aFrozenEc({ state: "Error" }) }, false],
])(
  "the procedure ends with the command of this tool where that does something: %s",
  (_, scene, does) => {
    expect(lines(scene).includes("kubectl engine recover --apply")).toBe(does);
  },
);

test("nothing is to be done where nothing is frozen", () => {
  expect(lines({ ec: anEc() })).toEqual([]);
});

test.each<[string, readonly KubeObject[]]>([
  ["without a resource", []],
  ["with a channel", [anEdb("orders", { engineVersion: "major" }, { version: "6.2.1" })]],
  ["without a version in it", [anEdb("orders", { engineVersion: undefined })]],
  [
    "that is an instance",
    [anEdb("orders", { engineVersion: "6.2" }, { activeActive: { name: "x" } })],
  ],
])("a database %s needs no edit", (_title, edbs) => {
  const all = lines({ edbs, api: anApi({ databases: [tooOld] }) }).join("\n");
  expect(all).toContain("/v1/bdbs/1/upgrade");
  expect(all).not.toContain("kubectl patch");
});
