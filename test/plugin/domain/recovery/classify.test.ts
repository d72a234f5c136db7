import type { ApiDatabase, InstalledModule } from "../../../../plugin/domain/rest-api/records";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import { eventEvidence, logEvidence } from "../../../../plugin/domain/recovery/evidence";
import { databasesOfCluster, otherRecord } from "../../../../plugin/domain/recovery/databases";
import { modulesApart, outOfLine } from "../../../../plugin/domain/recovery/line";
import { aPod, aSet, anEc } from "../engine-cluster/scene";
import { anEaadb } from "../database/scene";
import { aClaim } from "../../../support/claims";
import { aBdb, aFrozenEc, aModule, anApi, anEdb, frozenFacts } from "./scene";

interface Scene {
  readonly ec?: KubeObject;
  /** Of the EC. */
  readonly status?: object;
  readonly spec?: object;
  readonly edbs?: readonly KubeObject[];
  readonly objects?: Parameters<typeof frozenFacts>[0];
  /** Where any is there, the REST API was asked. */
  readonly bdbs?: readonly Partial<ApiDatabase>[];
  readonly modules?: readonly InstalledModule[];
  readonly license?: Parameters<typeof anApi>[0];
}

function sceneOf({ status, spec, edbs = [], objects, bdbs, modules, license, ...rest }: Scene) {
  const { ec = aFrozenEc({ ...status }, { ...spec }) } = rest;
  const asked = bdbs ?? modules ?? license;
  const databases = (bdbs ?? []).map((bdb) => aBdb(bdb));
  const api = asked && anApi({ databases, modules: modules ?? [], ...license });
  return { ec, facts: frozenFacts({ edbs, ...objects }, ec), api };
}

const inWaiting = { waiting: { reason: "ImagePullBackOff" } };
const crash = { containerStatuses: [{ name: "x", restartCount: 9, state: inWaiting }] };
const stuck = { statefulSets: [aSet()], pods: [aPod(2, { ready: false, status: crash })] };

const withoutPlace: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "engineenterpriseclusters.app.engine.com" },
  spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: {} } } }] },
};
const plain = [anEdb("orders")];
const old = [anEdb("orders", { engineVersion: "6.2" })];
const at86 = [anEdb("orders", { engineVersion: "8.6" })];
const using = (...names: readonly string[]) => ({
  modules: names.map((name) => ({ name, version: "1" })),
});
const builtFor = (compatibleEngineVersion: string) => [aModule("rg", { compatibleEngineVersion })];
const refused = { state: "InvalidUpgrade" };
const expired = { licenseStatus: { licenseState: "Expired" } };
const apiExpired = (expirationDate?: string) => ({
  license: { expired: true, expirationDate, shardsLimit: 4 },
});
const pinned = {
  engineEnterpriseImageSpec: { versionTag: "8.0.2-17", digestHash: "sha256:ab" },
};
const auto = { autoUpgradeEngineEnterprise: true };

test.each<[string, Scene, "moving" | "standing" | "frozen", readonly string[]]>([
  ["no state told", { ec: anEc({}, { state: undefined }) }, "standing", []],
  [
    "all pods renewed, and the EC does not say so yet",
    { objects: { statefulSets: [aSet()], pods: [0, 1, 2].map((ordinal) => aPod(ordinal)) } },
    "moving",
    [],
  ],
  ["rolling with an old database", { edbs: old, objects: { ...stuck, pods: [] } }, "moving", []],
  [
    "the same under an expired license",
    { objects: stuck, status: expired },
    "frozen",
    ["CLUSTER-LICENSE", "POD-IMAGE"],
  ],
  [
    "one that was raised already, its resource not",
    { edbs: [anEdb("orders", { engineVersion: "6.2" }, { version: "7.2.4" })] },
    "frozen",
    [],
  ],
  [
    "an old database without a resource",
    { bdbs: [{ uid: 9, version: "6.0.1" }] },
    "frozen",
    ["CLUSTER-DATABASE-OLD"],
  ],
  [
    "a version that the release does not bundle",
    { edbs: at86 },
    "frozen",
    ["FREEZE-VERSION-UNBUNDLED"],
  ],
  [
    "a version of which nothing is published",
    { edbs: at86, spec: { engineEnterpriseImageSpec: { versionTag: "own" } } },
    "moving",
    [],
  ],
  [
    "a version that nobody tells",
    {
      edbs: [anEdb("orders", { engineVersion: undefined })],
      bdbs: [{ version: undefined, engineVersion: undefined }],
    },
    "moving",
    [],
  ],
  [
    "a database of another EC",
    {
      edbs: [anEdb("x", { engineVersion: "6.2", engineEnterpriseCluster: { name: "other" } })],
      objects: { ecs: [aFrozenEc(), anEc({}, {}, { name: "other" })] },
    },
    "moving",
    [],
  ],
  [
    "a module of two databases that is not installed",
    {
      edbs: ["1", "2"].map((databaseUID) => anEdb(`x${databaseUID}`, {}, { databaseUID })),
      bdbs: [1, 2].map((uid) => ({ uid, ...using("rg") })),
    },
    "frozen",
    ["FREEZE-MODULE-ABSENT"],
  ],
  [
    "a module at the end of its life, which no database uses, and pods before that release",
    {
      status: { modules: [{ name: "graph" }] },
      objects: { pods: [aPod(0, { tag: "7.4.6-22" }), aPod(1)] },
    },
    "frozen",
    ["MODULE-END-OF-LIFE"],
  ],
  [
    "the same where all pods are beyond that release",
    {
      status: { modules: [{ name: "graph" }] },
      objects: { pods: [aPod(0, { tag: "7.22.0-28" })] },
    },
    "moving",
    [],
  ],
  [
    "the same in an upgrade to a release before it",
    {
      status: { modules: [{ name: "graph" }] },
      spec: { engineEnterpriseImageSpec: { versionTag: "7.4.6-22" } },
      objects: { pods: [aPod(0, { tag: "7.2.4-138" })] },
    },
    "moving",
    [],
  ],
  [
    "a module at the end of its life that a database uses, beside another",
    { edbs: [anEdb("orders", { modulesList: [{ name: "graph" }, { name: "other" }] })] },
    "frozen",
    ["MODULE-END-OF-LIFE", "CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "the same by the REST API, where the EC asks for no tag",
    {
      edbs: plain,
      bdbs: [using("graph", "other")],
      modules: [aModule("graph")],
      status: refused,
      spec: { engineEnterpriseImageSpec: undefined },
    },
    "frozen",
    ["MODULE-END-OF-LIFE", "FREEZE-MODULE-ABSENT"],
  ],
  [
    "a module of which no build fits",
    { edbs: plain, bdbs: [using("rg")], modules: builtFor("7.2") },
    "frozen",
    ["FREEZE-MODULE-UNFIT"],
  ],
  [
    "modules that are bundled or defined, under either name",
    {
      spec: { userDefinedModules: ["own", "rg", "hidden"].map((name) => ({ name })) },
      edbs: plain,
      bdbs: [using("rg", "Shown", "own", "search", "more")],
      modules: [
        ...builtFor("7.4"),
        aModule("own"),
        aModule("hidden", { displayName: "Shown" }),
        aModule("more", { bundled: true }),
      ],
    },
    "moving",
    [],
  ],
  [
    "a module that is defined and not installed",
    {
      spec: { userDefinedModules: [{ name: "rg" }] },
      edbs: plain,
      bdbs: [using("rg")],
      modules: [aModule("other")],
    },
    "frozen",
    ["FREEZE-MODULE-ABSENT"],
  ],
  [
    "modules that are installed and not defined, as the REST API reports",
    { edbs: plain, bdbs: [using("rg")], modules: builtFor("7.4") },
    "frozen",
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "the same, where definitions have no place for them yet",
    {
      edbs: plain,
      objects: { definitions: [withoutPlace] },
      bdbs: [using("rg")],
      modules: builtFor("7.4"),
    },
    "moving",
    [],
  ],
  [
    "modules that are installed and not defined, as the EC tells",
    {
      status: { modules: [{ name: "rg" }] },
      edbs: [anEdb("orders", { moduleList: [{ name: "rg" }] })],
    },
    "frozen",
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "a bundled module under a name that the EC does not publish",
    {
      status: { modules: [{ name: "search", displayName: "EngineSearch 2" }] },
      edbs: [anEdb("orders", { moduleList: [{ name: "EngineSearch" }] })],
    },
    "frozen",
    ["CLUSTER-MODULE-UNDEFINED"],
  ],
  [
    "a name that may be of a bundled module, where the EC publishes none",
    { edbs: [anEdb("orders", { moduleList: [{ name: "EngineSearch" }] })] },
    "moving",
    [],
  ],
  [
    "a module of an old database: which build it needs is not known yet",
    { edbs: plain, bdbs: [{ version: "6.2.1", ...using("rg") }], modules: builtFor("7.2") },
    "frozen",
    ["CLUSTER-DATABASE-OLD", "CLUSTER-MODULE-UNDEFINED"],
  ],
  ["digests, by hand", { spec: pinned }, "moving", []],
  [
    "a license that the REST API calls expired",
    { status: refused, license: apiExpired() },
    "frozen",
    ["CLUSTER-LICENSE"],
  ],
  ["refused without a cause", { status: refused }, "frozen", ["CLUSTER-INVALID-UPGRADE"]],
  ["an end", { status: { state: "Error" } }, "frozen", ["CLUSTER-STATE"]],
  [
    "a pod that is not ready, and a license that the REST API alone tells of",
    { objects: stuck, license: apiExpired("2026-01-01T00:00:00Z") },
    "frozen",
    ["CLUSTER-LICENSE", "POD-IMAGE"],
  ],
  [
    "all of them at once",
    {
      edbs: [anEdb("orders", { engineVersion: "6.2", moduleList: [{ name: "rg" }] })],
      status: { ...refused, ...expired },
      spec: { ...pinned, ...auto },
    },
    "frozen",
    [
      "CLUSTER-LICENSE",
      "CLUSTER-DIGEST-PINNED",
      "CLUSTER-DATABASE-OLD",
      "CLUSTER-MODULE-UNDEFINED",
    ],
  ],
])("%s", (_title, ...[scene, is, codes]) => {
  const { ec, facts, api } = sceneOf(scene);
  const freeze = classifyFreeze(facts, ec, { api });
  expect(freeze.is).toBe(is);
  expect(freeze.causes.map(({ finding }) => finding.code)).toEqual(codes);
});

const small = { request: "60Gi", capacity: "40Gi" };
const resizing = [aClaim("engine-enterprise-storage-ec-1", small)];
const unexpandable = [
  aClaim("engine-enterprise-storage-ec-1", {
    ...{ ...small, conditions: { ControllerResizeError: "no space" } },
  }),
];

test.each<[string, Scene, "moving" | "standing" | "frozen", boolean]>([
  [
    "the StatefulSet is absent meanwhile",
    { objects: { claims: resizing, statefulSets: [] } },
    "moving",
    true,
  ],
  [
    "no upgrade is under way",
    { ec: anEc(), objects: { claims: resizing, statefulSets: [] } },
    "moving",
    true,
  ],
  ["something else has frozen it", { edbs: old, objects: { claims: resizing } }, "frozen", false],
])("volumes are being expanded: %s", (_title, ...[scene, is, saysIt]) => {
  const { ec, facts, api } = sceneOf(scene);
  const freeze = classifyFreeze(facts, ec, { api });
  expect(freeze.is).toBe(is);
  expect(freeze.says.includes("its volumes are being expanded")).toBe(saysIt);
  expect(freeze.says).not.toContain("nothing that keeps it there");
  expect(freeze.warnings).toMatchObject([{ code: "CLUSTER-RESIZING", severity: "warning" }]);
});

test.each<[string, Scene]>([
  ["an upgrade is under way", {}],
  ["no upgrade is under way", { ec: anEc() }],
])("nothing continues where a volume cannot be expanded: %s", (_title, scene) => {
  const objects = { claims: unexpandable, statefulSets: [] };
  const { ec, facts } = sceneOf({ ...scene, objects });
  const freeze = classifyFreeze(facts, ec);
  expect(freeze).toMatchObject({ is: "frozen", warnings: [] });
  expect(freeze.causes.map(({ finding }) => finding.code)).toEqual(["CLUSTER-RESIZING"]);
});

test("a volume that cannot be expanded is told where pods may not be read", () => {
  const { ec, facts } = sceneOf({ objects: { claims: unexpandable } });
  const unread = new Map([["pods", "forbidden"] as const]);
  const freeze = classifyFreeze({ ...facts, unread }, ec);
  expect(freeze.is).toBe("frozen");
  expect(freeze.says).toContain("a volume cannot be expanded");
  expect(freeze.causes.map(({ finding }) => finding.code)).toEqual(["CLUSTER-RESIZING"]);
});

test("an EC in state Error whose pods may not be read is told by its state", () => {
  const { ec, facts } = sceneOf({ status: { state: "Error" } });
  const unread = new Map([["pods", "forbidden"] as const]);
  expect(classifyFreeze({ ...facts, unread }, ec).causes).toMatchObject([
    { is: "other", finding: { code: "CLUSTER-STATE", cause: "its state is Error" } },
  ]);
});

test("the day on which a license expired is told where it is known", () => {
  const { ec, facts, api } = sceneOf({ status: refused, license: apiExpired("2026-07-01") });
  expect(classifyFreeze(facts, ec, { api }).causes[0]?.finding.cause).toBe(
    "the license has expired on 2026-07-01, as the REST API reports",
  );
});

describe("a database as it runs", () => {
  const of = (scene: Scene) => {
    const { ec, facts, api } = sceneOf(scene);
    return databasesOfCluster(facts, ec, api);
  };

  test("what runs is the REST API's word, then the status, then the spec", () => {
    const told = [anEdb("orders", { engineVersion: "7.2" }, { version: "7.4.1" })];
    const runs = (scene: Scene) => of(scene)[0]?.runs;
    expect(runs({ edbs: told, bdbs: [{ version: "8.0.1" }] })).toEqual({ major: 8, minor: 0 });
    expect(runs({ edbs: told })).toEqual({ major: 7, minor: 4 });
    expect(runs({ edbs: [anEdb("x", { engineVersion: "7.2" })] })).toEqual({ major: 7, minor: 2 });
  });

  test("those that the REST API alone knows are there too, and have no resource to edit", () => {
    const scene = {
      edbs: plain,
      bdbs: [{}, { uid: 2, name: "more" }, { uid: 3, name: undefined }],
    };
    const all = of(scene);
    expect(all.map(({ label, uid }) => [label, uid])).toEqual([
      ["EngineEnterpriseDatabase/engine/orders", 1],
      ["database 2 (more)", 2],
      // a number by itself is called by nobody
      ["database 3", undefined],
    ]);
    const { facts, api } = sceneOf(scene);
    expect(outOfLine(facts, all, api)).toEqual({ apart: [], warnings: [] });
    expect(modulesApart(facts, all.slice(1), anApi())).toEqual([]);
  });

  test("a number that is another record's is a mismatch, and neither record is called", () => {
    const scene = { edbs: plain, bdbs: [{ name: "billing" }, { uid: 7 }, { uid: 8, name: "x" }] };
    expect(of(scene).map(({ label, uid }) => [label, uid])).toEqual([
      ["EngineEnterpriseDatabase/engine/orders", undefined],
      ["database 1 (billing)", undefined],
      ["database 7 (orders)", undefined],
      ["database 8 (x)", 8],
    ]);
    const { facts, ec, api } = sceneOf(scene);
    const { mismatches } = classifyFreeze(facts, ec, { api });
    expect(mismatches).toMatchObject([
      { code: "DATABASE-UID-MISMATCH", object: "EngineEnterpriseDatabase/engine/orders" },
    ]);
  });

  test("a record is looked at again before it is called", () => {
    const scene = { edbs: plain, bdbs: [{}, { uid: 2, name: "more" }] };
    const [known, apart, other] = of(scene);
    const { facts } = sceneOf(scene);
    const now = (database: typeof known, name: string | undefined, uid: number) =>
      database && otherRecord(facts, database, aBdb({ name, uid }))?.code;
    const alone = known?.target && { ...known, target: { ...known.target, ec: undefined } };
    expect(now(alone, "orders", 1)).toBeUndefined();
    expect([now(known, "orders", 1), now(apart, "more", 2)]).toEqual([undefined, undefined]);
    expect(now(known, "billing", 1)).toBe("DATABASE-UID-MISMATCH");
    expect(now(apart, "billing", 2)).toBe("DATABASE-UID-MISMATCH");
    expect(known && otherRecord(facts, known, undefined)?.code).toBe("DATABASE-UID-UNKNOWN");
    expect(other).toBeUndefined();
  });

  test("data that nothing keeps is told by either", () => {
    const fields = { replication: false, dataPersistence: "disabled" };
    const lost = { replication: false, persistence: "disabled" };
    expect(of({ edbs: plain, bdbs: [fields] })[0]?.keeping).toEqual(lost);
    expect(of({ edbs: plain, bdbs: [{}] })[0]?.keeping).toMatchObject({ replication: true });
    expect(of({ edbs: [anEdb("x", { replication: false })] })[0]?.keeping).toEqual(lost);
  });
});

describe("a resource that asks for less than what runs", () => {
  const lineOf = (scene: Scene) => {
    const { ec, facts, api } = sceneOf(scene);
    return outOfLine(facts, databasesOfCluster(facts, ec, api), api);
  };
  const editsOf = (scene: Scene) =>
    lineOf(scene).apart.flatMap(({ edits }) => edits.map(({ path, to }) => [path.join("."), to]));

  test.each<[string, string | undefined, string | undefined, string | undefined]>([
    ["a lower number follows", "6.2", "7.2.4", "7.2"],
    ["a channel stays", "major", "7.2.4", undefined],
    ["an absent one stays", undefined, "7.2.4", undefined],
    ["what runs is not known", "6.2", undefined, undefined],
  ])("%s", (_title, ...[engineVersion, version, to]) => {
    const bdbs = [{ version, engineVersion: undefined }];
    expect(editsOf({ edbs: [anEdb("orders", { engineVersion })], bdbs })).toEqual(
      to === undefined ? [] : [["spec.engineVersion", to]],
    );
  });

  const build = (version: string | undefined, compatibleEngineVersion?: string) =>
    aModule("rg", { version, compatibleEngineVersion, uid: version });

  test.each<[string, object, string | undefined, readonly InstalledModule[], string | undefined]>([
    ["of an installed build stays", { version: "1" }, "1", [build("1")], undefined],
    ["follows what the database uses", { version: "0" }, "1", [build("1"), build("2")], "1"],
    [
      "follows the newest that fits",
      { version: "0" },
      undefined,
      [build("9"), build(undefined), build("10"), build("11", "8.0")],
      "10",
    ],
    ["stays where nothing fits", { version: "0" }, undefined, [build("11", "8.0")], undefined],
    ["stays where no version is told", { version: "0" }, undefined, [build(undefined)], undefined],
    ["that is absent stays absent", {}, undefined, [build("2")], undefined],
    [
      "of a bundled one stays",
      { name: "search", version: "0" },
      undefined,
      [aModule("search")],
      undefined,
    ],
  ])("the number of a module %s", (_title, ...[entry, used, modules, to]) => {
    const listed = { name: "rg", ...entry };
    const edbs = [anEdb("orders", { modulesList: [listed, "odd", {}] })];
    const bdbs = [{ modules: [{ name: "rg", version: used }] }];
    expect(editsOf({ edbs, bdbs, modules })).toEqual(
      to === undefined ? [] : [["spec.modulesList", [{ ...listed, version: to }, "odd", {}]]],
    );
  });

  test("an instance of an active-active database is told, not edited", () => {
    const eaadbs = [anEaadb({ status: { linkedEdbs: ["orders"] } })];
    const edbs = [anEdb("orders", { engineVersion: "6.2" }, { version: "7.2.4" })];
    const { apart, warnings } = lineOf({ edbs, objects: { eaadbs } });
    expect([apart, warnings.map(({ code }) => code)]).toEqual([[], ["FREEZE-DATABASE-APART"]]);
    expect(warnings[0]?.cause).toContain("EngineEnterpriseActiveActiveDatabase/engine/carts");
  });

  const rg = (version?: string) => ({ name: "rg", version });

  type Listed = readonly { readonly name: string; readonly version?: string | undefined }[];

  test.each<[string, Listed, ReturnType<typeof aBdb>["modules"], readonly string[]]>([
    ["the same build", [rg("1.2.6")], [rg("1.2.6")], []],
    ["the same by the display name", [{ ...rg("1.2.6"), name: "EngineGears" }], [rg("1.2.6")], []],
    ["no number in the list", [{ name: "rg" }], [rg("1.2.6")], []],
    ["no number of the database", [rg("1.2.6")], [rg()], []],
    ["bundled ones", [{ name: "search", version: "1" }], [{ name: "graph", version: "2" }], []],
    [
      "another build",
      [rg("1.2.5")],
      [rg("1.2.6")],
      ["it lists rg 1.2.5, and the database uses rg 1.2.6"],
    ],
    ["one that is only listed", [rg()], [], ["it lists rg, which the database does not use"]],
    ["one that is not", [], [rg("1.2.6")], ["the database uses rg 1.2.6, which it does not list"]],
  ])("modules beside the list: %s", (_title, ...[modulesList, used, says]) => {
    const installed = [
      aModule("rg", { displayName: "EngineGears", version: "1.2.6" }),
      aModule("graph", { bundled: true, version: "2.0.0" }),
    ];
    const edbs = [anEdb("orders", { modulesList: [...modulesList, { version: "nameless" }] })];
    const { ec, facts, api } = sceneOf({ edbs, bdbs: [{ modules: used }], modules: installed });
    const found = modulesApart(facts, databasesOfCluster(facts, ec, api), api ?? anApi());
    expect(found.map(({ cause }) => cause)).toEqual(says);
  });
});

describe("evidence", () => {
  const ec = aFrozenEc();
  const edb = anEdb("orders");
  const line = (fields: object): string =>
    JSON.stringify({
      ...{ level: "error", ts: "2026-08-01T10:00:00Z", logger: "x", msg: "Upgrade Error" },
      ...{ error: "it is stuck", Namespace: "engine", Name: "ec" },
      ...fields,
    });

  test.each<[string, string, readonly string[]]>([
    ["an error about a database", line({ Name: "orders" }), ["Upgrade Error: it is stuck"]],
    ["one without an error", line({ error: undefined }), ["Upgrade Error"]],
    ["one of another namespace", line({ Namespace: "other" }), []],
    ["what is no JSON", "panic: runtime error", []],
    ["the same text twice", `${line({})}\n${line({ ts: "x" })}`, ["Upgrade Error: it is stuck"]],
    ["a long one", line({ msg: "x".repeat(600), error: "" }), ["x".repeat(500)]],
    [
      "more than the newest few",
      ["1", "2", "3", "4", "5", "6", "2"].map((error) => line({ msg: "", error })).join("\n"),
      ["3", "4", "5", "6", "2"],
    ],
  ])("of the log: %s", (_title, log, says) => {
    expect(logEvidence(log, [ec, edb]).map((one) => one.says)).toEqual(says);
  });

  const event = (fields: object, involved: object = {}): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Event", metadata: { name: "e", namespace: "engine" } },
    ...{ type: "Warning", reason: "Frozen", message: "it is stalled" },
    involvedObject: { kind: ec.kind, namespace: "engine", name: "ec", ...involved },
    ...fields,
  });

  test.each<[string, KubeObject, readonly string[]]>([
    ["about a database", event({}, { kind: edb.kind, name: "orders" }), ["Frozen: it is stalled"]],
    ["about its pod", event({}, { kind: "Pod", name: "ec-2" }), ["Frozen: it is stalled"]],
    ["without a message", event({ message: undefined }), ["Frozen"]],
    ["about another pod", event({}, { kind: "Pod", name: "ec-two" }), []],
    ["about another kind", event({}, { kind: "Job", name: "ec-2" }), []],
    ["of another namespace", event({}, { kind: "Pod", name: "ec-2", namespace: "x" }), []],
    ["about nothing", event({ involvedObject: undefined }), []],
    ["that is no warning", event({ type: "Normal" }), []],
  ])("of an event %s", (_title, one, says) => {
    const facts = frozenFacts({ events: [one] }, ec);
    expect(eventEvidence(facts, ec, [edb]).map((found) => found.says)).toEqual(says);
  });

  test("events are shown in the order of their times, whichever field tells it", () => {
    const events = [
      event({ message: "third", lastTimestamp: "2026-08-01T10:00:02Z" }),
      event({ message: "second", eventTime: "2026-08-01T10:00:01Z" }),
      event({ message: "first" }),
    ];
    const facts = frozenFacts({ events }, ec);
    expect(eventEvidence(facts, ec, []).map(({ at, says }) => [at, says])).toEqual([
      [undefined, "Frozen: first"],
      ["2026-08-01T10:00:01Z", "Frozen: second"],
      ["2026-08-01T10:00:02Z", "Frozen: third"],
    ]);
  });
});
