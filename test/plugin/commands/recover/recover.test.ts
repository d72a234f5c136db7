import { ApiError, UsageError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath, type Json } from "../../../../plugin/domain/base/values";
import { recover as recoverSpec } from "../../../../plugin/commands/recover/flags";
import type { RecoverDeps, RecoverOptions } from "../../../../plugin/commands/recover/read";
import {
  anyWish,
  aFrozenScene,
  codesOf,
  ecLabel,
  ecRef,
  type FrozenWish,
  oldLabel,
  oldRef,
  type Scene,
  stateOf,
  stepsOf,
} from "./scene";
import { VirtualClock } from "../../../../plugin/ports/virtual-clock";
import { anApiClient } from "../../../support/cluster-api-client";
import { testTime } from "../../../support/manual-clock";
import { product } from "../../../support/played-operator";

let scene: Scene | undefined;

afterEach(async () => {
  await scene?.api.close();
});

async function frozen(wish: FrozenWish): Promise<Scene> {
  scene = await aFrozenScene(wish);
  return scene;
}

const old: FrozenWish = { version: "6.2" };
const moduleless: FrozenWish = { modules: [{ name: "rg", version: "1.2.5" }] };
const digest = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
const pinned: FrozenWish = {
  ec: {
    engineEnterpriseImageSpec: { digestHash: digest, versionTag: "8.0.2-17" },
    upgradeSpec: { autoUpgradeEngineEnterprise: true },
  },
};
const calls = ({ api }: Scene) => api.calls.filter(({ method }) => method !== "GET");

/** As `modules install` leaves it. */
function installIn({ api }: Scene): void {
  const build = { uid: "rg-2", name: "rg", displayName: "EngineGears", version: "2.0.0" };
  api.store.modules.set(build.uid, { ...build, isBundled: false });
}

type Kind = readonly [
  title: string,
  wish: FrozenWish,
  options: Partial<RecoverOptions>,
  expected: {
    readonly codes: readonly string[];
    readonly log: string;
    readonly steps: readonly string[];
    /** The database continues using the old build, which the resource does not list any more. */
    readonly apart?: true;
  },
];

const kinds: readonly Kind[] = [
  [
    "a database that is too old",
    old,
    { engineVersion: "7.2" },
    {
      codes: ["CLUSTER-DATABASE-OLD"],
      log: "Upgrade Error: database shop/sessions runs the incompatible version 6.2",
      steps: [
        "recover.upgrade.3 changed",
        "recover.resume done",
        "recover.line.shop.sessions changed",
        "recover.confirm.shop.sessions done",
      ],
    },
  ],
  [
    "a module that is not installed",
    moduleless,
    {},
    {
      codes: ["FREEZE-MODULE-ABSENT"],
      log: "Upgrade Error: database shop/sessions uses the unsupported module rg",
      steps: [
        "recover.resume done",
        "recover.line.shop.sessions changed",
        "recover.confirm.shop.sessions done",
      ],
      apart: true,
    },
  ],
  [
    "images that are pinned by digest",
    pinned,
    { dropDigests: true },
    {
      codes: ["CLUSTER-DIGEST-PINNED"],
      log: "Upgrade Error: automatic upgrade is on while images are pinned by digest: spec.engineEnterpriseImageSpec.digestHash",
      steps: ["recover.digests changed", "recover.resume done"],
    },
  ],
  [
    "both an old database and another one's missing module",
    { version: "6.2", modules: [{ name: "rg", version: "1.2.5" }], usedBy: "orders" },
    { engineVersion: "7.4" },
    {
      codes: ["CLUSTER-DATABASE-OLD", "FREEZE-MODULE-ABSENT"],
      log: "Upgrade Error: database shop/sessions runs the incompatible version 6.2",
      steps: [
        "recover.upgrade.3 changed",
        "recover.resume done",
        "recover.line.shop.orders changed",
        "recover.line.shop.sessions changed",
        "recover.confirm.shop.orders done",
        "recover.confirm.shop.sessions done",
      ],
      apart: true,
    },
  ],
];

describe.each(kinds)("frozen by %s", (...[, wish, options, { codes, log, steps, apart }]) => {
  test("a look names every cause from data, the log beside, and changes nothing", async () => {
    const world = await frozen(wish);
    const { report, look, evidence } = await world.run({ apply: false });
    expect(codesOf(report)).toEqual(codes);
    expect(report.exit.code).toBe(3);
    expect(look?.freeze.is).toBe("frozen");
    expect(evidence).toContainEqual(
      expect.objectContaining({ from: "log", object: "engine/ec", says: log }),
    );
    expect(world.sent).toEqual([]);
    expect(calls(world)).toEqual([]);
  });

  test("the log alone is no ground: without it the causes are the same", async () => {
    const world = await frozen(wish);
    world.before = (line) =>
      line.includes("the log of") ? Promise.reject(new UsageError("no log")) : Promise.resolve();
    const { report } = await world.run({ apply: false });
    expect(codesOf(report)).toEqual(codes);
  });

  test("--apply ends Running, says whether resource and database agree, and a re-run changes nothing", async () => {
    const world = await frozen(wish);
    if (codes.includes("FREEZE-MODULE-ABSENT")) {
      const { report } = await world.run(options);
      expect([report.exit.code, codesOf(report)[0]]).toEqual([3, "FREEZE-MODULE-ABSENT"]);
      expect(report.exit.next).toContain("modules install FILE");
      expect([world.sent, calls(world)]).toEqual([[], []]);
      installIn(world);
    }
    const { report } = await world.run(options);
    expect(report.exit).toEqual({
      code: 0,
      reason: `${ecLabel} is in state Running, resources and databases agree${
        apart === true ? " in their versions, and differ in their modules" : ""
      }`,
    });
    expect(codesOf(report)).toEqual(apart === true ? ["FREEZE-MODULES-APART"] : []);
    expect(stepsOf(report)).toEqual(steps);
    const { state, asks, runs, specStatus, observed } = await stateOf(world);
    expect({ state, specStatus, observed }).toEqual({
      state: "Running",
      specStatus: "Valid",
      observed: true,
    });
    expect(runs).toBe(`${String(asks)}.0`);
    const before = [world.sent.length, calls(world).length];
    const again = await world.run(options);
    expect(again.report.exit.code).toBe(0);
    expect([world.sent.length, calls(world).length]).toEqual(before);
  });
});

test("every write is noted before and after, asked for once, and its old value kept", async () => {
  const world = await frozen(old);
  const { report } = await world.run({ engineVersion: "7.2" });
  expect(world.journal.map((line) => line.slice(0, 40))).toEqual([
    'intent {"action":"call","object":"Engine',
    'outcome {"action":"call","object":"Engin',
    'intent {"action":"patch","object":"Engin',
    'outcome {"action":"patch","object":"Engi',
  ]);
  expect(world.questions).toEqual([
    `Recover ${ecLabel}: upgrade ${oldLabel} to 7.2, bring the resources in line with what runs?`,
  ]);
  expect(report.backups).toEqual([
    {
      object: oldLabel,
      file: "old.json",
      lost: "it runs this version already",
    },
  ]);
  expect(world.saved).toMatchObject([{ spec: { engineVersion: "6.2" } }]);
});

test("the body holds the version as a text, and nothing else", async () => {
  const world = await frozen(old);
  const bodies: unknown[] = [];
  const client = await world.client();
  const connect = () =>
    Promise.resolve(
      Object.assign(Object.create(client) as typeof client, {
        upgrade: (uid: number, body: object, signal: AbortSignal) => {
          bodies.push([uid, body]);
          return client.upgrade(uid, body as never, signal);
        },
      }),
    );
  await world.run({ engineVersion: "7.4" }, { api: { wish: anyWish, connect } });
  expect(bodies).toEqual([[3, { engine_version: "7.4" }]]);
});

test("a loss of data is accepted by the flag that the refusal names, told before the question, and sent", async () => {
  const world = await frozen({ ...old, edb: { replication: false } });
  const refused = (await world.run({ engineVersion: "7.2" })).report;
  const [finding] = refused.findings ?? [];
  expect([refused.exit.code, finding?.code]).toEqual([3, "DATABASE-VOLATILE"]);
  expect([calls(world), world.sent]).toEqual([[], []]);
  const flag = /run again with --(\S+)$/.exec(finding?.fix ?? "")?.[1] ?? "";
  expect(Object.keys(recoverSpec.flags)).toContain(flag);
  const bodies: unknown[] = [];
  const client = await world.client();
  const upgrade = (uid: number, body: Json, signal: AbortSignal) => {
    bodies.push([uid, body]);
    return client.upgrade(uid, body, signal);
  };
  const connect = () =>
    Promise.resolve(Object.assign(Object.create(client) as typeof client, { upgrade }));
  const wish = { engineVersion: "7.2", mayDiscardData: true };
  const { report } = await world.run(wish, { api: { wish: anyWish, connect } });
  expect([report.exit.code, report.findings]).toMatchObject([
    0,
    [{ code: "DATABASE-DATA-MAY-GO", severity: "warning", object: oldLabel }],
  ]);
  expect(world.questions).toEqual([
    `Recover ${ecLabel}: upgrade ${oldLabel} to 7.2, which may lose its data, bring the resources in line with what runs?`,
  ]);
  expect(bodies).toEqual([[3, { engine_version: "7.2", may_discard_data: true }]]);
  const again = (await world.run(wish)).report;
  expect([again.exit.code, calls(world).length]).toEqual([0, 1]);
});

test("the flag changes nothing for a database whose data is kept", async () => {
  const world = await frozen(old);
  const { report } = await world.run({ engineVersion: "7.2", mayDiscardData: true });
  expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
  expect(world.questions[0]).not.toContain("lose");
});

describe("nothing is frozen", () => {
  test.each<[string, FrozenWish]>([
    ["no upgrade is asked for", { asked: false }],
    ["the upgrade is done", {}],
  ])("%s: that is said, with 0", async (_title, wish) => {
    const world = await frozen(wish);
    for (const apply of [false, true]) {
      const { report } = await world.run({ apply });
      expect(report.exit).toEqual({
        code: 0,
        reason: `no upgrade of ${ecLabel} is frozen: state Running`,
      });
    }
    expect(world.sent).toEqual([]);
  });

  test("an upgrade that continues is left alone; --apply sees it to its end", async () => {
    const world = await frozen({ asked: false });
    const spec = { engineEnterpriseImageSpec: { versionTag: "8.0.2-17" } };
    await world.cluster.patch(ecRef, { spec }, { type: "merge", fieldManager: "kubectl-edit" });
    await world.clock.sleep(8_000);
    const { report } = await world.run({ apply: false });
    expect(report.exit.code).toBe(0);
    expect(report.exit.reason).toContain("continues automatically");
    const planned = await world.run({ dryRun: "client" });
    expect(planned.report.exit.reason).toContain("continues automatically");
    const followed = await world.run();
    expect(stepsOf(followed.report)).toEqual(["recover.resume done"]);
    expect(followed.report.exit.code).toBe(0);
    expect(world.sent).toEqual([]);
  });
});

describe("refused, and nothing is changed:", () => {
  const denied = { ask: () => Promise.resolve(false) };
  const unwritable = {
    journal: { problem: () => Promise.resolve("it cannot be written") },
  } as unknown as Partial<RecoverDeps>;
  test.each<
    [
      title: string,
      wish: FrozenWish,
      options: Partial<RecoverOptions>,
      code: number,
      says: string,
      deps?: Partial<RecoverDeps>,
    ]
  >([
    [
      "no version is given",
      old,
      {},
      2,
      `--engine-version: give the version for ${oldLabel}; the nodes can run 7.2, 7.4`,
    ],
    [
      "a module is not installed",
      moduleless,
      {},
      3,
      `module rg of ${oldLabel} at 7.2 is not installed`,
    ],
    [
      "digests are not to be dropped",
      pinned,
      {},
      2,
      "--drop-digests: spec.engineEnterpriseImageSpec.digestHash pins an image; give the flag to remove it",
    ],
    [
      "a module comes before a version",
      { version: "6.2", modules: [{ name: "rg" }] },
      {},
      3,
      "module rg of",
    ],
    [
      "the nodes cannot run it",
      old,
      { engineVersion: "8.2" },
      2,
      "--engine-version: the nodes cannot run 8.2, but 7.2, 7.4",
    ],
    [
      "the license is not valid",
      { ...old, license: "Expired" },
      { engineVersion: "7.2" },
      3,
      "the license state is Expired",
    ],
    [
      "the database would lose its data",
      { ...old, edb: { replication: false } },
      { engineVersion: "7.2" },
      3,
      "neither replicated nor persistent",
    ],
    [
      "the REST API was not given",
      old,
      { engineVersion: "7.2" },
      2,
      "--api-ca: give the CA of the REST API",
      { api: undefined },
    ],
    ["nobody confirms", old, { engineVersion: "7.2" }, 2, "cancelled", denied],
    ["nothing can be kept", old, { engineVersion: "7.2" }, 2, "it cannot be written", unwritable],
  ])("%s", async (...[, wish, options, code, says, deps]) => {
    const world = await frozen(wish);
    const { report } = await world.run(options, deps ?? {});
    expect(report.exit.code).toBe(code);
    expect(report.exit.reason).toContain(says);
    expect(world.sent).toEqual([]);
    expect(calls(world)).toEqual([]);
  });

  test("the data is no longer kept when the call is due: nothing is called", async () => {
    const world = await frozen(old);
    const client = await world.client();
    const database = async (uid: number, signal: AbortSignal) => {
      const bdb = await client.database(uid, signal);
      return bdb && { ...bdb, replication: false, dataPersistence: "disabled" };
    };
    const connect = () =>
      Promise.resolve(Object.assign(Object.create(client) as typeof client, { database }));
    const api = { wish: anyWish, connect };
    for (const mayDiscardData of [false, true]) {
      const { report } = await world.run({ engineVersion: "7.2", mayDiscardData }, { api });
      expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VOLATILE"]]);
    }
    expect(world.sent).toEqual([]);
    expect(calls(world)).toEqual([]);
  });

  test("the EC is not there", async () => {
    const world = await frozen({ asked: false });
    const { report, look } = await world.run({ name: "other" });
    expect(report.exit.code).toBe(3);
    expect(codesOf(report)).toEqual(["CLUSTER-ABSENT"]);
    expect(look).toBeUndefined();
  });

  test("a GitOps controller owns the resource", async () => {
    const world = await frozen(old);
    const labels = { "kustomize.toolkit.fluxcd.io/name": "shop" };
    await world.cluster.patch(oldRef, { metadata: { labels } }, { type: "merge" });
    const { report } = await world.run({ engineVersion: "7.2" });
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toEqual(["DATABASE-OWNED"]);
    expect(calls(world)).toEqual([]);
  });

  test("an action is running on the database; with --wait it is waited for", async () => {
    const world = await frozen(old);
    await world.api.call("/v1/bdbs/3/upgrade", {
      body: { force_restart: true, engine_version: "6.2" },
    });
    const before = calls(world).length;
    const { report } = await world.run({ engineVersion: "7.2" });
    expect(report.exit.code).toBe(3);
    expect(codesOf(report)).toEqual(["FREEZE-ACTION-RUNS"]);
    expect(calls(world)).toHaveLength(before);
    const waited = await world.run({ engineVersion: "7.2", wait: true });
    expect(waited.report.exit.code).toBe(0);
    expect(await stateOf(world)).toMatchObject({ state: "Running", asks: "7.2", runs: "7.2.0" });
  });
});

test("without the REST API it is checked from the resources, and that is said", async () => {
  const world = await frozen({ version: "6.2", modules: [{ name: "rg" }] });
  const { report } = await world.run({ apply: false }, { api: undefined });
  expect(codesOf(report)).toEqual([
    "FREEZE-API-UNREAD",
    "CLUSTER-DATABASE-OLD",
    "CLUSTER-MODULE-UNDEFINED",
  ]);
});

test("a REST API that does not answer keeps nobody from looking", async () => {
  const world = await frozen(old);
  const connect = () => Promise.reject(new UsageError("no way there"));
  const { report } = await world.run({ apply: false }, { api: { wish: anyWish, connect } });
  expect(codesOf(report)).toEqual(["FREEZE-API-UNREAD", "CLUSTER-DATABASE-OLD"]);
  const applied = await world.run({ engineVersion: "7.2" }, { api: { wish: anyWish, connect } });
  expect(applied.report.exit).toMatchObject({ code: 2, reason: "no way there" });
});

test("an action that fails ends the run with its error; when it is fixed, a re-run continues", async () => {
  const world = await frozen(old);
  world.api.store.failing.set(3, "shard 7 does not come up");
  const { report } = await world.run({ engineVersion: "7.2" });
  expect(report.exit.code).toBe(1);
  expect(codesOf(report)).toEqual(["FREEZE-ACTION-FAILED"]);
  expect(report.exit.reason).toContain("shard 7 does not come up");
  expect(await stateOf(world)).toMatchObject({ state: "Upgrade", asks: "6.2" });
  world.api.store.failing.clear();
  await world.run({ engineVersion: "7.2" });
  expect(await stateOf(world)).toMatchObject({ state: "Running", asks: "7.2", runs: "7.2.0" });
});

test("an action that is forgotten is decided by the database", async () => {
  const world = await frozen(old);
  world.api.faults.add({ fault: { does: "forget" }, path: /actions/, times: 1_000 });
  const { report } = await world.run({ engineVersion: "7.2" });
  expect(report.exit.code).toBe(0);
});

test("a pod that does not start is named, and not fixed", async () => {
  const world = await frozen({ asked: false });
  const spec = { engineEnterpriseImageSpec: { versionTag: "8.0.2-17" } };
  await world.cluster.patch(ecRef, { spec }, { type: "merge", fieldManager: "kubectl-edit" });
  await world.clock.sleep(8_000);
  const pod = await world.cluster.get({
    resource: { group: "", version: "v1", plural: "pods", kind: "Pod" },
    name: "ec-2",
    namespace: "engine",
  });
  const waiting = { reason: "ImagePullBackOff", message: "not found" };
  const status = {
    phase: "Pending",
    containerStatuses: [
      {
        name: names.pods.container,
        ready: false,
        restartCount: 0,
        image: "x",
        imageID: "",
        state: { waiting },
      },
    ],
    conditions: [{ type: "Ready", status: "False" }],
  };
  await world.cluster.patch(
    {
      resource: { group: "", version: "v1", plural: "pods", kind: "Pod" },
      name: "ec-2",
      namespace: "engine",
    },
    { status },
    { type: "merge", subresource: "status" },
  );
  expect(pod).toBeDefined();
  const { report } = await world.run();
  expect(codesOf(report)).toEqual(["POD-IMAGE"]);
  expect(report.exit.code).toBe(3);
  expect(world.sent).toEqual([]);
});

test("where the EC can define it, installing a module is not enough: it is told with 3, then a re-run recovers (C9)", async () => {
  const world = await frozen({ ...moduleless, defines: true });
  installIn(world);
  const { report } = await world.run();
  expect(report.exit.code).toBe(3);
  expect(codesOf(report)).toContain("CLUSTER-MODULE-UNDEFINED");
  expect(world.sent).toEqual([]);
  const defined = [{ name: "rg", source: { https: { url: "https://modules.example" } } }];
  await world.cluster.patch(ecRef, { spec: { userDefinedModules: defined } }, { type: "merge" });
  await world.settle();
  expect((await world.run()).report.exit.code).toBe(0);
  expect(await stateOf(world)).toMatchObject({ state: "Running" });
});

test("a module that is defined and not installed is told with 3, nothing is changed; installed, a re-run recovers (S99)", async () => {
  const world = await frozen({ ...moduleless, defines: true });
  const defined = [{ name: "rg", source: { https: { url: "https://modules.example" } } }];
  await world.cluster.patch(ecRef, { spec: { userDefinedModules: defined } }, { type: "merge" });
  for (const apply of [false, true]) {
    const { report, look } = await world.run({ apply });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["FREEZE-MODULE-ABSENT"]]);
    expect(look?.freeze.is).toBe("frozen");
    expect(report.findings?.[0]?.cause).toContain(
      `module rg of ${oldLabel} at 7.2 is not installed`,
    );
  }
  expect(world.sent).toEqual([]);
  installIn(world);
  expect((await world.run()).report.exit.code).toBe(0);
  expect(await stateOf(world)).toMatchObject({ state: "Running" });
});

test("the rules will not take the edit of a database whose module is not defined: nothing is called", async () => {
  const world = await frozen({ version: "6.2", modules: [{ name: "rg", version: "1.2.5" }] });
  installIn(world);
  const { report } = await world.run({ engineVersion: "7.4" });
  expect(report.exit.code).toBe(3);
  expect(report.exit.reason).toContain(
    'Not found: "rg": installed but not defined in EC engine/ec',
  );
  expect([world.sent, calls(world)]).toEqual([[], []]);
});

let waiting: Scene | undefined;

afterEach(async () => {
  await waiting?.api.close();
});

/** Time passes for the run alone: neither operator nor REST service does anything. */
const alone = () => ({ clock: new VirtualClock(testTime + 600_000) });

/** The database runs 7.2 already, as after a run that was ended. */
async function raised(): Promise<Scene> {
  waiting = await aFrozenScene({ version: "6.2" });
  const { store } = waiting.api;
  const bdb = store.bdbs.get(3);
  if (bdb !== undefined) store.put({ ...bdb, version: "7.2.0" });
  return waiting;
}

test("an operator that waits for the resource gets it early; one that never continues is told", async () => {
  const world = await raised();
  const { report } = await world.run({ stallAfterMs: 120_000 }, alone());
  expect(report.exit.code).toBe(1);
  expect(codesOf(report)).toEqual(["FREEZE-NOT-RESUMED"]);
  expect(stepsOf(report)).toEqual(["recover.line.shop.sessions changed", "recover.resume failed"]);
  const again = await world.run();
  expect(again.report.exit.code).toBe(0);
  expect(await stateOf(world)).toMatchObject({ state: "Running", asks: "7.2", observed: true });
});

test("when the time that was given is over, that is told with 124", async () => {
  const world = await raised();
  const { report } = await world.run({ limitMs: 10_000 }, alone());
  expect(report.exit).toMatchObject({
    code: 124,
    next: "run the same command again: it continues from the state found",
  });
  expect(world.sent).toEqual([]);
});

test("an action that is stalled ends the run", async () => {
  waiting = await aFrozenScene({ version: "6.2" });
  const { report } = await waiting.run({ engineVersion: "7.2", stallAfterMs: 30_000 }, alone());
  expect(report.exit.code).toBe(1);
  expect(codesOf(report)).toEqual(["FREEZE-ACTION-FAILED"]);
  expect(waiting.sent).toEqual([]);
});

test("a wait for an action is given up in time, with nothing changed", async () => {
  waiting = await aFrozenScene({ version: "6.2" });
  await waiting.api.call("/v1/bdbs/3/upgrade", { body: { engine_version: "7.2" } });
  const { report } = await waiting.run(
    { engineVersion: "7.2", wait: true, limitMs: 20_000 },
    alone(),
  );
  expect(report.exit.code).toBe(124);
  expect(waiting.sent).toEqual([]);
});

describe("the number of a database is another record's in the REST API", () => {
  test.each<[string, Partial<RecoverOptions>]>([
    ["a look", { apply: false }],
    ["the remedy", { engineVersion: "7.2" }],
    ["its dry run", { engineVersion: "7.2", dryRun: "client" }],
  ])("%s ends with 3, and nothing is called or written", async (_title, options) => {
    const world = await frozen(old);
    const { store } = world.api;
    const was = store.bdbs.get(3);
    if (was === undefined) throw new Error("there is no database 3");
    store.put({ ...was, name: "billing" });
    const { report } = await world.run(options);
    expect(report.exit.code).toBe(3);
    expect(report.findings?.[0]).toMatchObject({
      code: "DATABASE-UID-MISMATCH",
      cause: "its status has the number 3, and in the REST API 3 is billing",
    });
    expect([calls(world), world.sent]).toEqual([[], []]);
  });
});

test.each<[string, Partial<RecoverOptions>]>([
  ["a look", { apply: false }],
  ["the remedy", { engineVersion: "7.2" }],
])(
  "two resources of one record: %s ends with 3, and nothing is called",
  async (_title, options) => {
    const world = await frozen(old);
    const { cluster } = world;
    const [edb] = ((await cluster.list(product.edb)) ?? []).filter(
      (one) => getPath(one, ["status", "databaseUID"]) === "3",
    );
    if (edb === undefined) throw new Error("there is no database 3");
    world.controlPlane.load([
      { ...edb, metadata: { name: edb.metadata.name, namespace: "reports", uid: "another" } },
    ]);
    const { report } = await world.run(options);
    expect(report.exit.code).toBe(3);
    expect(report.findings?.[0]).toMatchObject({ code: "DATABASE-UID-SHARED" });
    expect([calls(world), world.sent]).toEqual([[], []]);
  },
);

test("two resources of one record, the second one there after the plan: 3 before the call", async () => {
  const world = await frozen(old);
  const [edb] = ((await world.cluster.list(product.edb)) ?? []).filter(
    (one) => getPath(one, ["status", "databaseUID"]) === "3",
  );
  if (edb === undefined) throw new Error("there is no database 3");
  const metadata = { name: edb.metadata.name, namespace: "reports", uid: "another" };
  const client = await world.client();
  const read = client.database.bind(client);
  client.database = (...args) => {
    world.controlPlane.load([{ ...edb, metadata }]);
    return read(...args);
  };
  const { report } = await world.run(
    { engineVersion: "7.2" },
    { api: { wish: anyWish, connect: () => Promise.resolve(client) } },
  );
  expect(report.exit.code).toBe(3);
  expect(report.findings?.[0]).toMatchObject({ code: "DATABASE-UID-SHARED" });
  expect([calls(world), world.sent]).toEqual([[], []]);
});

test.each<[string, FrozenWish, Partial<RecoverOptions>]>([
  ["a look at what is frozen", old, { apply: false }],
  ["a look at what is not", { asked: false }, { apply: false }],
  ["the remedy", old, { engineVersion: "7.2" }],
])("a refused password ends with 4, after one failed login: %s", async (...[, wish, options]) => {
  const world = await frozen(wish);
  const { url, caPem, admin, calls: asked } = world.api;
  const { clock } = world;
  const connect = () =>
    anApiClient({ url, caPem, username: admin.name, password: "rotated", clock });
  const { report } = await world.run(options, { api: { wish: anyWish, connect } });
  expect(report.exit.code).toBe(4);
  expect(report.findings?.map(({ code }) => code)).toContain("REST-CREDENTIALS-REFUSED");
  expect(JSON.stringify(report.findings)).not.toContain("FREEZE-API-UNREAD");
  expect([asked.length, world.sent]).toEqual([1, []]);
});

test("a conversion that fails, so that databases cannot be read: 3 with the command that takes it out", async () => {
  const { cluster, run } = await frozen({});
  const { plural, kind } = product.edb;
  const message = `conversion webhook for app.engine.com/v1, Kind=${kind} failed: Post "https://convert.old.svc:443/c": service "convert" not found`;
  const list: typeof cluster.list = async (resource, options) => {
    if (resource.plural === plural) throw new ApiError(message, { status: 500 });
    return await cluster.list(resource, options);
  };
  const unread = Object.create(cluster, { list: { value: list } }) as typeof cluster;
  const { report } = await run({}, { cluster: unread });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DEFINITION-CONVERSION"]]);
  expect(report.exit.next).toContain(`kubectl patch customresourcedefinition ${plural}.`);
});
