/** Databases upgraded by the REST API: the played service over HTTPS, through the real client. */
import type { Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import { parseAction } from "../../../../plugin/domain/rest-api/actions";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { PermissionError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { getPath } from "../../../../plugin/domain/base/values";
import type { ClusterApi } from "../../../../plugin/ports/rest-api";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { aCredentialsCluster, anApiClient } from "../../../support/cluster-api-client";
import { here, product } from "../../../support/played-operator";
import {
  aClusterApi,
  type ClusterApiForTest,
  type PlayedWish,
} from "../../../support/played-cluster-api";
import {
  anyWish,
  aScene,
  codesOf,
  databasesOf,
  ecRef,
  edbLabel,
  patchLine,
  type RunWish,
  type Scene,
  stepsOf,
  waits,
} from "./scene";

const label = edbLabel("sessions");

interface ApiScene extends Scene {
  readonly api: ClusterApiForTest;
  /** Writes of both sides, in order. */
  readonly calls: () => readonly string[];
  upgrade(
    options?: RunWish,
    wish?: {
      readonly as?: "admin" | "viewer";
      readonly through?: (api: ClusterApi) => ClusterApi;
      readonly typed?: (question: string) => Promise<string | undefined>;
    },
  ): Promise<Report>;
}

const opened: ClusterApiForTest[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((api) => api.close()));
});

async function anApiScene(
  wish: Omit<PlayedWish, "clock"> = {},
  objects?: (all: readonly KubeObject[]) => readonly KubeObject[],
  misbehave: Misbehavior = {},
): Promise<ApiScene> {
  const scene = await aScene({ misbehave, ...(objects !== undefined && { objects }) });
  const api = await aClusterApi({
    profile: "8.0",
    bdbs: [{ uid: 3, name: "sessions", version: "7.2.4", replication: true, persistence: "aof" }],
    ...wish,
    clock: scene.clock,
  });
  opened.push(api);
  return Object.assign(scene, {
    api,
    calls: () => api.calls.filter(({ method }) => method !== "GET").map(({ path }) => path),
    upgrade: async (
      options: RunWish = {},
      { as = "admin", through = same, typed }: Parameters<ApiScene["upgrade"]>[1] = {},
    ) => {
      const { name: username, password } = api[as];
      const cluster = aCredentialsCluster(username, password);
      const { url, caPem } = api;
      const client = await anApiClient({ url, caPem, cluster, clock: scene.clock });
      return await scene.run(
        { via: "api", ...options },
        {
          api: {
            unread: anyWish,
            permissions: () => [],
            connect: () => Promise.resolve(through(client)),
          },
          ...(typed !== undefined && { typed }),
        },
      );
    },
  });
}

const same = (api: ClusterApi): ClusterApi => api;

/** The client with other answers. */
const changed = (parts: (api: ClusterApi) => object) => ({
  through: (api: ClusterApi) => Object.assign(Object.create(api) as ClusterApi, parts(api)),
});

test("called once, followed by shards and percent, then the resource is brought in line", async () => {
  const scene = await anApiScene();
  const report = await scene.upgrade({ request: { parallelShardsUpgrade: 1 } });
  expect(report.exit).toEqual({ code: 0, reason: "1 database: 1 changed" });
  expect(stepsOf(report)).toEqual([
    "database.call changed",
    "database.action done",
    "database.patch changed",
    "database.follow done",
  ]);
  expect(report.steps?.[0]?.why).toBe(
    'upgrade with {"parallel_shards_upgrade":1,"engine_version":"8.0"}',
  );
  expect(scene.calls()).toEqual(["/v1/bdbs/3/upgrade"]);
  expect(scene.sent).toEqual([patchLine("sessions")]);
  expect(scene.api.store.bdbs.get(3)?.version).toBe("8.0.0");
  expect(getPath(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("8.0");
  expect(waits(scene).join("\n")).toMatch(/its action \(\d+ % of 2 shards\)/);
  expect(scene.journal.map((line) => line.split(" ")[0])).toEqual([
    "intent",
    "outcome",
    "intent",
    "outcome",
  ]);
});

test("a resource that is brought in line is not put back: the database runs the version already", async () => {
  const scene = await anApiScene({}, undefined, { slow: 100 });
  const { exit, backups } = await scene.upgrade({ limitMs: 20_000 });
  expect([exit.code, scene.sent]).toEqual([124, [patchLine("sessions")]]);
  expect(backups).toMatchObject([{ object: label, lost: "it runs this version already" }]);
});

test("a run that was cut off is gone on with: the running action is followed, not called again", async () => {
  const scene = await anApiScene();
  const cut = await scene.upgrade({ limitMs: 3_000 });
  expect([cut.exit.code, codesOf(cut)]).toEqual([124, ["DATABASE-TIMED-OUT"]]);
  const report = await scene.upgrade();
  expect(report.exit.code).toBe(0);
  expect(scene.calls()).toEqual(["/v1/bdbs/3/upgrade"]);
  expect(getPath(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("8.0");
});

test("a name by itself does not prove a record: 3, nothing is called", async () => {
  const scene = await anApiScene({}, (all) =>
    all.map((one) =>
      one.metadata.name === "sessions"
        ? { ...one, status: { ...(one["status"] as object), databaseUID: "" } }
        : one,
    ),
  );
  const report = await scene.upgrade();
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-UID-UNKNOWN"]]);
  expect([scene.calls(), scene.sent]).toEqual([[], []]);
});

describe("a number that is another database's in the REST API", () => {
  const kept = { version: "7.2.4", replication: true, persistence: "aof" } as const;
  const exchanged = {
    bdbs: [
      { uid: 3, name: "billing", ...kept },
      { uid: 9, name: "sessions", ...kept },
    ],
  };

  test.each(["none", "client"] as const)("is not called: 3 (dry run %s)", async (dryRun) => {
    const scene = await anApiScene(exchanged);
    const report = await scene.upgrade({ dryRun });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-UID-MISMATCH"]]);
    expect(report.findings?.[0]?.cause).toContain("3 is billing, sessions is 9");
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });

  test("is not called either where it became so after the plan: 3", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        database: async (uid: number, signal: AbortSignal) => {
          const bdb = await api.database(uid, signal);
          return bdb && { ...bdb, name: "billing" };
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-UID-MISMATCH"]]);
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });
});

test.each<[string, object, string]>([
  ["none is known", {}, "the REST API knows of no backup of it"],
  [
    "one is there, and the last try failed",
    {
      last_backup_time: "2026-11-20T03:00:00Z",
      backup_status: "failed",
      backup_failure_reason: "no access",
    },
    "its last backup is of 2026-11-20T03:00:00Z; the last try failed: no access",
  ],
  [
    "one failed and says no more",
    { backup_status: "failed" },
    "no backup of it; the last try failed",
  ],
])("before the call it is told what is known of the last backup: %s", async (_, fields, says) => {
  const scene = await anApiScene();
  const report = await scene.upgrade(
    { dryRun: "client" },
    changed((api) => ({
      databases: async (signal: AbortSignal) =>
        (await api.databases(signal)).map((bdb) => ({ ...bdb, sent: fields })),
    })),
  );
  const told = report.findings?.find(({ code }) => code === "DATABASE-BACKUP");
  expect(told).toMatchObject({ severity: "warning", object: label });
  expect(told?.cause).toContain(says);
});

test.each<[string, object, string]>([
  ["with its day", { expired: true, expirationDate: "2026-10-01" }, "has expired, on 2026-10-01"],
  ["without", { expired: true }, "the license has expired"],
])("an expired license is told before the call: 3, %s", async (_, license, says) => {
  const scene = await anApiScene();
  const report = await scene.upgrade(
    {},
    changed(() => ({ license: () => Promise.resolve(license) })),
  );
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["REST-LICENSE"]]);
  expect(report.findings?.[0]?.cause).toContain(says);
  expect([scene.calls(), scene.sent]).toEqual([[], []]);
});

test("a license that may not be read, or is not served, keeps nobody from calling", async () => {
  for (const license of [
    () => Promise.reject(new PermissionError("no")),
    () => Promise.resolve(undefined),
  ]) {
    const scene = await anApiScene();
    expect(
      (
        await scene.upgrade(
          {},
          changed(() => ({ license })),
        )
      ).exit.code,
    ).toBe(0);
  }
  const broken = await anApiScene();
  const gone = () => Promise.reject(new UnavailableError("gone"));
  expect(
    (
      await broken.upgrade(
        {},
        changed(() => ({ license: gone })),
      )
    ).exit.code,
  ).toBe(69);
});

describe("a record that two resources stand for", () => {
  async function twice(change: object = {}): Promise<ApiScene> {
    const scene = await anApiScene();
    const edb = await scene.edb("sessions");
    if (edb === undefined) throw new Error("there is no such database");
    const metadata = { name: "sessions", namespace: "reports", uid: "another" };
    scene.controlPlane.load([{ ...edb, metadata, ...change }]);
    return scene;
  }

  test.each(["none", "client"] as const)(
    "is not called: 3, both named (dry run %s)",
    async (mode) => {
      const scene = await twice();
      const report = await scene.upgrade({ dryRun: mode });
      expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-UID-SHARED"]]);
      for (const place of ["shop", "reports"]) {
        expect(report.findings?.[0]?.cause).toContain(edbLabel("sessions", place));
      }
      expect([scene.calls(), scene.sent]).toEqual([[], []]);
    },
  );

  test("is looked for beyond the namespaces that are upgraded", async () => {
    const scene = await twice({ status: { databaseUID: "3" } });
    const report = await scene.upgrade({ databases: [], namespace: "engine", everywhere: true });
    expect(codesOf(report)).toContain("DATABASE-UID-SHARED");
    expect(scene.calls()).toEqual([]);
  });

  test("is looked for again right before the call", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        // its last look at what works on the database comes after everything was planned
        listActions: async (uid: number, signal: AbortSignal) => {
          const edb = await scene.edb("sessions");
          const metadata = { name: "sessions", namespace: "reports", uid: "another" };
          if (edb !== undefined) scene.controlPlane.load([{ ...edb, metadata }]);
          return await api.listActions(uid, signal);
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-UID-SHARED"]]);
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });

  test("with another number it stands in nobody's way", async () => {
    const scene = await twice({ status: { databaseUID: "8" } });
    expect((await scene.upgrade()).exit.code).toBe(0);
  });
});

test("a database that the REST API has not: 3, nothing is called", async () => {
  const scene = await anApiScene({ bdbs: [{ uid: 9, name: "other", version: "7.2.4" }] });
  const report = await scene.upgrade();
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-UID-UNKNOWN"]]);
  expect([scene.calls(), scene.sent]).toEqual([[], []]);
});

test("what is forced is done though the version runs", async () => {
  const scene = await anApiScene();
  await scene.upgrade();
  const report = await scene.upgrade({ request: { forceRestart: true } });
  expect([report.exit.code, scene.calls().length]).toEqual([0, 2]);
  expect(stepsOf(report)[0]).toBe("database.call changed");
});

describe("the version that runs already, asked for by its number (S81)", () => {
  const behind = (more: object = {}) => ({
    bdbs: [
      {
        ...{ uid: 3, name: "sessions", version: "7.2.4", ...more },
        modules: [{ name: "search", version: "7.0.0", args: [] }],
      },
    ],
  });
  const modulesOf = (scene: ApiScene) => scene.api.store.bdbs.get(3)?.modules;

  test("raises modules to those of the release; run again, it is not called", async () => {
    const scene = await anApiScene(behind());
    const report = await scene.upgrade({ version: "7.2" });
    expect(report.steps?.[0]).toMatchObject({
      result: "changed",
      why: 'upgrade with {"engine_version":"7.2"}',
    });
    expect([report.exit.code, modulesOf(scene)]).toMatchObject([0, [{ version: "7.2.0" }]]);
    const again = await scene.upgrade({ version: "7.2" });
    expect(stepsOf(again)[0]).toBe("database.call unchanged");
    expect([scene.calls(), scene.sent]).toEqual([["/v1/bdbs/3/upgrade"], []]);
  });

  test("raises a module of the user's own of which a newer build is installed", async () => {
    const bdb = {
      ...{ uid: 3, name: "sessions", version: "7.2.4" },
      modules: [{ name: "gears", version: "1.2.5", args: [] }],
    };
    const scene = await anApiScene({ bdbs: [bdb] });
    const [bundled] = scene.api.store.modules.values();
    if (bundled === undefined) throw new Error("no module is installed");
    const newer = { ...bundled, uid: "g2", name: "gears", displayName: "gears", version: "1.2.6" };
    const own = { ...newer, bundled: false, compatibleEngineVersion: "7.2" };
    scene.api.store.modules.set(own.uid, own);
    const report = await scene.upgrade({ version: "7.2" });
    expect([report.exit.code, modulesOf(scene)]).toMatchObject([0, [{ version: "1.2.6" }]]);
    expect(scene.calls()).toEqual(["/v1/bdbs/3/upgrade"]);
  });

  test("is not done while the modules are as they were: 1", async () => {
    const scene = await anApiScene(behind());
    const [used] = modulesOf(scene) ?? [];
    const report = await scene.upgrade(
      { version: "7.2" },
      changed((api) => ({
        database: async (uid: number, signal: AbortSignal) => {
          const bdb = await api.database(uid, signal);
          return bdb && { ...bdb, modules: [used] };
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-STUCK"]]);
    expect(report.exit.reason).toContain("its modules (now search 7.0.0)");
  });

  test("is told what it would cost a database that keeps nothing: 3, nothing is called", async () => {
    const scene = await anApiScene(behind({ replication: false, persistence: "disabled" }));
    const report = await scene.upgrade({ version: "7.2" });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VOLATILE"]]);
    expect(scene.calls()).toEqual([]);
  });

  test("is not called where modules are to stay", async () => {
    const scene = await anApiScene(behind());
    const request = { latestWithModules: false };
    const report = await scene.upgrade({ version: "7.2", request });
    expect([report.exit.code, scene.calls()]).toEqual([0, []]);
  });
});

const onChannel =
  (engineVersion: string, status: object = {}) =>
  (all: readonly KubeObject[]): readonly KubeObject[] =>
    all.map((one) =>
      one.metadata.name === "sessions"
        ? {
            ...one,
            spec: { ...(one["spec"] as object), engineVersion },
            status: { ...(one["status"] as object), ...status },
          }
        : one,
    );

test("without a version the one that runs is kept, and the resource left as it is", async () => {
  const scene = await anApiScene({}, onChannel("major"));
  const report = await scene.upgrade({ version: "", request: { forceRestart: true } });
  expect(report.exit.code).toBe(0);
  expect(report.steps?.[0]?.why).toBe('upgrade with {"force_restart":true,"engine_version":"7.2"}');
  expect([scene.api.store.bdbs.get(3)?.version, scene.sent]).toEqual(["7.2.4", []]);
});

const latest: RunWish[] = [
  { version: "latest" },
  { version: "", request: { latestWithModules: true } },
];

test.each(latest)(
  "%j is sent as the version that it is, and the resource follows",
  async (wish) => {
    const scene = await anApiScene();
    const report = await scene.upgrade(wish);
    expect([report.exit.code, report.steps?.[0]?.why]).toEqual([
      0,
      'upgrade with {"engine_version":"8.2"}',
    ]);
    expect(getPath(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("8.2");
  },
);

test.each(latest)("%j under policy major is the newest major release", async (wish) => {
  const scene = await anApiScene({}, (all) =>
    all.map((one) =>
      one.metadata.name === "ec" && one.kind === ecRef.resource.kind
        ? { ...one, spec: { ...(one["spec"] as object), engineUpgradePolicy: "major" } }
        : one,
    ),
  );
  const report = await scene.upgrade(wish);
  expect([report.exit.code, report.steps?.[0]?.why]).toEqual([
    0,
    'upgrade with {"engine_version":"8.0"}',
  ]);
  expect(scene.api.store.bdbs.get(3)?.version).toBe("8.0.0");
});

/** What the REST API of a scene offers, unlike its EC. */
interface Offer {
  readonly versions?: readonly string[];
  readonly policy?: string;
  /** The EC publishes no versions. */
  readonly silent?: true;
  readonly api?: (api: ClusterApi) => Partial<ClusterApi>;
  readonly wish?: RunWish;
}

const refused = () => Promise.reject(new PermissionError("the account may not read the policy"));
const absent = () => Promise.resolve(undefined);

describe("a channel is resolved by what the nodes can run and the policy of the REST API", () => {
  async function anOffer({ versions, policy, silent, api, wish }: Offer) {
    const scene = await anApiScene();
    const published = { status: { bundledDatabaseVersions: [] } };
    const patch = { type: "merge", subresource: "status" } as const;
    if (silent === true) await scene.cluster.patch(ecRef, published, patch);
    if (versions !== undefined) scene.api.store.versions = versions;
    if (policy !== undefined) scene.api.store.upgradePolicy = policy;
    const parts = api === undefined ? {} : changed(api);
    const report = await scene.upgrade({ version: "latest", ...wish }, parts);
    return { scene, report };
  }

  test.each<[string, Offer, string, readonly string[]]>([
    [
      "the policy of the REST API alone is major",
      { policy: "major" },
      "8.0",
      ["DATABASE-OFFER-DIFFERS"],
    ],
    ["the policy latest is none", { policy: "latest" }, "8.2", []],
    [
      "the nodes cannot run the newest one of the EC",
      { versions: ["6.2", "7.2", "7.4", "8.0"] },
      "8.0",
      ["DATABASE-OFFER-DIFFERS"],
    ],
    [
      "the nodes can run a newer one than the EC publishes",
      { versions: ["6.2", "7.2", "7.4", "8.0", "8.2", "8.4"] },
      "8.2",
      ["DATABASE-OFFER-DIFFERS"],
    ],
    [
      "the REST API has neither call",
      { api: () => ({ nodes: absent, policy: absent }) },
      "8.2",
      ["REST-NODE-AWAY"],
    ],
    [
      "a number that all nodes can run",
      { versions: ["7.2", "7.4"], wish: { version: "7.4" } },
      "7.4",
      [],
    ],
    ["the channel of major releases", { wish: { version: "major" } }, "8.0", []],
    [
      "a number, where neither may be read",
      { api: () => ({ nodes: refused, policy: refused }), wish: { version: "8.2" } },
      "8.2",
      ["REST-NODE-AWAY"],
    ],
  ])("%s", async (_title, ...[offer, version, codes]) => {
    const { scene, report } = await anOffer(offer);
    expect([report.exit.code, report.steps?.[0]?.why, codesOf(report)]).toEqual([
      0,
      `upgrade with {"engine_version":"${version}"}`,
      codes,
    ]);
    expect(scene.api.store.bdbs.get(3)?.version).toBe(`${version}.0`);
  });

  test.each([{ status: "down" }, { status: "active", acceptsServers: false }])(
    "a node that is away, %j: 3, nothing is called; it is accepted by the name of its EC",
    async (parts) => {
      const api = (client: ClusterApi) => ({
        nodes: async (signal: AbortSignal) => {
          const [first, ...others] = (await client.nodes(signal)) ?? [];
          return first && [{ ...first, ...parts }, ...others];
        },
      });
      const { scene, report } = await anOffer({ api, wish: { version: "8.2" } });
      expect([report.exit.code, codesOf(report)]).toEqual([3, ["REST-NODE-AWAY"]]);
      expect(scene.calls()).toEqual([]);
      const object = report.findings?.[0]?.object;
      const skip = [{ code: "REST-NODE-AWAY", object }];
      const accepted = await anOffer({ api, wish: { version: "8.2", skip } });
      expect(accepted.report.exit.code).toBe(0);
      expect(accepted.scene.calls()).toEqual(["/v1/bdbs/3/upgrade"]);
    },
  );

  test("the EC publishes none: the nodes' newest one is planned", async () => {
    const { report } = await anOffer({ silent: true, wish: { dryRun: "client" } });
    expect([report.exit.code, report.steps?.[0]?.why]).toEqual([
      0,
      'upgrade with {"engine_version":"8.2"}',
    ]);
  });

  test.each<[string, Offer, number, readonly string[]]>([
    [
      "under major, no major release is newer",
      { policy: "major", versions: ["7.4", "8.2"] },
      3,
      ["DATABASE-LATEST-UNKNOWN"],
    ],
    ["no version in common", { versions: ["9.0"] }, 3, ["DATABASE-LATEST-UNKNOWN"]],
    [
      "neither the EC nor the nodes report any",
      { silent: true, versions: [] },
      3,
      ["DATABASE-LATEST-UNKNOWN"],
    ],
    ["the policy may not be read", { api: () => ({ policy: refused }) }, 4, []],
    [
      "a number that a node cannot run",
      { versions: ["7.2", "7.4"], wish: { version: "8.0" } },
      3,
      ["DATABASE-VERSION-NOT-OFFERED"],
    ],
    [
      "a minor release by its number, under the policy of the REST API",
      { policy: "major", wish: { version: "8.2" } },
      3,
      ["DATABASE-EDIT-REFUSED"],
    ],
    [
      "the channel of major ones, where the nodes have none that is newer",
      { versions: ["7.4"], wish: { version: "major" } },
      3,
      ["DATABASE-LATEST-UNKNOWN"],
    ],
  ])("%s: nothing is called", async (_title, ...[offer, code, codes]) => {
    const { scene, report } = await anOffer(offer);
    const errors = (report.findings ?? []).filter(({ severity }) => severity === "error");
    expect([report.exit.code, errors.map((one) => one.code)]).toEqual([code, codes]);
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });
});

test("what runs is not told, and no version is asked for: 3, nothing is called", async () => {
  const scene = await anApiScene();
  const report = await scene.upgrade(
    { version: "", request: { forceRestart: true } },
    changed((api) => ({
      databases: async (signal: AbortSignal) =>
        (await api.databases(signal)).map((bdb) => ({
          ...bdb,
          version: undefined,
          engineVersion: undefined,
        })),
    })),
  );
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-RUNS-UNKNOWN"]]);
  expect([scene.calls(), scene.sent]).toEqual([[], []]);
});

test("a resource that follows a channel is left to it, and that is told", async () => {
  const scene = await anApiScene({}, onChannel("major"));
  const report = await scene.upgrade({ version: "latest" });
  expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-NOT-IN-LINE"]]);
  expect(JSON.stringify(report.findings)).toContain("it follows the channel major");
  expect(scene.sent).toEqual([]);
});

test("what the REST API chooses is what the resource then asks for", async () => {
  const scene = await anApiScene();
  const report = await scene.upgrade({ version: "", request: { latestWithModules: true } });
  expect(report.exit.code).toBe(0);
  const runs = scene.api.store.bdbs.get(3)?.version ?? "";
  expect(
    runs.startsWith(String(getPath(await scene.edb("sessions"), ["spec", "engineVersion"]))),
  ).toBe(true);
});

test("a resource that GitOps owns is left to it when the REST API has chosen, and that is told", async () => {
  const labels = { "argocd.argoproj.io/instance": "prod" };
  const scene = await anApiScene({}, (all) =>
    all.map((one) =>
      one.metadata.name === "sessions" ? { ...one, metadata: { ...one.metadata, labels } } : one,
    ),
  );
  const report = await scene.upgrade({ version: "", request: { latestWithModules: true } });
  expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-NOT-IN-LINE"]]);
  expect(report.details).toMatchObject({ databases: [{ result: "changed" }] });
  expect(scene.sent).toEqual([]);
});

describe("data that may be lost", () => {
  const volatile = {
    bdbs: [
      {
        uid: 3,
        name: "sessions",
        version: "7.2.4",
        replication: false,
        persistence: "disabled" as const,
      },
    ],
  };

  test("is told before the call, which is not made: 3", async () => {
    const scene = await anApiScene(volatile);
    const report = await scene.upgrade();
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VOLATILE"]]);
    expect(scene.calls()).toEqual([]);
  });

  test.each([
    ["nobody can be asked", undefined, 2],
    ["another name is typed", "orders", 2],
    ["nothing is typed", "", 2],
    ["the name is typed", "sessions", 0],
  ])("needs its name: %s", async (_title, answer, code) => {
    const scene = await anApiScene(volatile);
    const questions: string[] = [];
    const typed = (question: string) => {
      questions.push(question);
      return Promise.resolve(answer);
    };
    const report = await scene.upgrade({ request: { mayDiscardData: true } }, { typed });
    expect(report.exit.code).toBe(code);
    expect(questions[0]).toContain(`${label} is not replicated, persistence disabled`);
    expect(codesOf(report)).toContain("DATABASE-DATA-MAY-GO");
    expect(scene.calls().length).toBe(code === 0 ? 1 : 0);
  });

  test.each(["sessions", "shop/sessions"])("goes with --confirm %s", async (name) => {
    const scene = await anApiScene(volatile);
    const report = await scene.upgrade({ request: { mayDiscardData: true }, confirmed: [name] });
    expect(report.exit.code).toBe(0);
    expect(scene.api.store.bdbs.get(3)?.discarded).toBe(true);
  });

  test("its name with --skip allows it for this one alone, in the call too, and again", async () => {
    const scene = await anApiScene(volatile);
    const skip = [{ code: "DATABASE-VOLATILE", object: label }];
    const report = await scene.upgrade({ skip });
    expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-VOLATILE"]]);
    expect(report.findings?.find(({ code }) => code === "DATABASE-VOLATILE")).toMatchObject({
      severity: "warning",
      accepted: true,
    });
    expect(scene.api.store.bdbs.get(3)?.discarded).toBe(true);
    expect([(await scene.upgrade({ skip })).exit.code, scene.calls().length]).toEqual([0, 1]);
  });

  test("a name with --skip whose data is kept is a mistake: 2, nothing is called", async () => {
    const scene = await anApiScene();
    const skip = [{ code: "DATABASE-VOLATILE", object: label }];
    const report = await scene.upgrade({ skip });
    expect([report.exit.code, scene.calls()]).toEqual([2, []]);
  });

  test("is what the record says, whatever the resource asks for: 0, and 3 where it cannot be read", async () => {
    const kept = await anApiScene();
    await kept.edit("sessions", { spec: { replication: false, persistence: "disabled" } });
    expect((await kept.upgrade()).exit.code).toBe(0);
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        databases: async (signal: AbortSignal) =>
          (await api.databases(signal)).map((bdb) => ({
            ...bdb,
            ...{ replication: undefined, dataPersistence: "odd", sent: { replication: "on" } },
          })),
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VOLATILE"]]);
    expect(report.findings?.[0]?.cause).toContain('replication "on", persistence odd');
    expect(scene.calls()).toEqual([]);
  });

  test("--force-discard needs the name of any database, --may-discard-data of no kept one", async () => {
    const scene = await anApiScene();
    const forced = await scene.upgrade({ request: { forceDiscard: true } });
    expect([forced.exit.code, forced.exit.next]).toEqual([2, "if it may, add --confirm sessions"]);
    expect(scene.calls()).toEqual([]);
    const kept = await scene.upgrade({ request: { mayDiscardData: true } });
    expect(kept.exit.code).toBe(0);
  });
});

describe("what the REST API answers", () => {
  test("403 ends the run with the permission: 4", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade({}, { as: "viewer" });
    expect(report.exit.code).toBe(4);
    expect(JSON.stringify(report)).not.toContain(scene.api.viewer.password);
    expect(scene.sent).toEqual([]);
  });

  test("409, someone else's call between: 5", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        upgrade: async (uid: number, body: object, signal: AbortSignal) => {
          await scene.api.call(`/v1/bdbs/${uid}/upgrade`, { body: { engine_version: "8.2" } });
          return await api.upgrade(uid, { ...body }, signal);
        },
      })),
    );
    expect(report.exit.code).toBe(5);
    expect(scene.sent).toEqual([]);
  });

  test("an action that fails is told with its error: 1, and the resource is left", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        action: async (uid: string, signal: AbortSignal) => {
          const action = await api.action(uid, signal);
          return action && { ...action, is: "failed", status: "failed", error: "a shard died" };
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-ACTION-FAILED"]]);
    expect(report.exit.reason).toContain("a shard died");
    expect(scene.sent).toEqual([]);
  });

  test("what its shards wait for is shown, and the way out of a standstill follows it", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        action: async (uid: string, signal: AbortSignal) => {
          const action = await api.action(uid, signal);
          const pending = ["shard 3: not enough memory on node 2 to sync shard 3"];
          return action && { ...action, is: "running", status: "active", progress: 30, pending };
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-STUCK"]]);
    const stuck = report.findings?.find(({ code }) => code === "DATABASE-STUCK");
    expect(stuck?.cause).toContain("not enough memory on node 2 to sync shard 3");
    expect(stuck?.fix).toContain("more memory");
  });

  test("an end in a word that is not known is told, and the wait ends", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      { stallAfterMs: 600_000 },
      changed((api) => ({
        action: async (uid: string, signal: AbortSignal) => {
          const action = await api.action(uid, signal);
          return action && { ...action, is: "unknown", status: "rolled_back" };
        },
        database: async (uid: number, signal: AbortSignal) => {
          const bdb = await api.database(uid, signal);
          return bdb && { ...bdb, status: "active", version: "7.2.4", engineVersion: "7.2" };
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-ACTION-UNKNOWN"]]);
    expect(report.exit.reason).toContain("rolled_back");
    expect(scene.sent).toEqual([]);
  });

  test.each(["cancelled", "rolled_back"])(
    "an old action that ended as %s is not followed: the database is called",
    async (status) => {
      const scene = await anApiScene();
      const old = parseAction({ action_uid: "old", name: "SMUpgradeBDB", status }, names);
      const report = await scene.upgrade(
        {},
        changed((api) => ({
          listActions: async (uid: number, signal: AbortSignal) => [
            ...((await api.listActions(uid, signal)) ?? []),
            ...(old === undefined ? [] : [old]),
          ],
        })),
      );
      expect([report.exit.code, scene.calls()]).toEqual([0, ["/v1/bdbs/3/upgrade"]]);
    },
  );

  test("an action that the server has forgotten has ended: the database itself decides", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed(() => ({
        action: () => Promise.resolve(undefined),
      })),
    );
    expect([report.exit.code, scene.calls().length]).toEqual([0, 1]);
  });
});

describe("the resource afterwards", () => {
  test("an instance of an active-active database is called, its resource is left and that is told", async () => {
    const scene = await anApiScene({}, (all) =>
      all.map((one) =>
        one.metadata.name === "sessions"
          ? {
              ...one,
              status: { ...(one["status"] as object), activeActive: { name: "carts" } },
            }
          : one,
      ),
    );
    const report = await scene.upgrade();
    expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-NOT-IN-LINE"]]);
    expect([scene.calls().length, scene.sent]).toEqual([1, []]);
  });

  test("an active-active database itself is upgraded by its resource: 3", async () => {
    const scene = await anApiScene();
    const report = await scene.upgrade({ databases: ["carts"] });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VIA-RESOURCE"]]);
  });
});

test("a database that goes while it is upgraded is told: 1", async () => {
  const scene = await anApiScene();
  const report = await scene.upgrade(
    {},
    changed(() => ({
      database: () => Promise.resolve(undefined),
    })),
  );
  expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-UID-UNKNOWN"]]);
  expect(scene.calls()).toEqual([]);
});

test("a REST API that cannot be reached at all ends the run before anything is called", async () => {
  const scene = await anApiScene();
  const connect = () => Promise.reject<ClusterApi>(new UnavailableError("no way to it"));
  const report = await scene.run(
    { via: "api" },
    { api: { unread: anyWish, permissions: () => [], connect } },
  );
  expect([report.exit.code, scene.sent]).toEqual([69, []]);
});

test("data that would be lost since the list was read is seen before the call: 3", async () => {
  const scene = await anApiScene();
  const report = await scene.upgrade(
    {},
    changed((api) => ({
      database: async (uid: number, signal: AbortSignal) => {
        const bdb = await api.database(uid, signal);
        return bdb && { ...bdb, replication: false, dataPersistence: "disabled" };
      },
    })),
  );
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-VOLATILE"]]);
  expect(scene.calls()).toEqual([]);
});

test("a resource that is deleted meanwhile is told, and the upgrade stands", async () => {
  const scene = await anApiScene();
  const report = await scene.upgrade(
    {},
    changed((api) => ({
      upgrade: async (uid: number, body: object, signal: AbortSignal) => {
        const own = (await scene.edb("sessions"))?.metadata.uid ?? "";
        const resource = here(product.edb, "sessions", "shop");
        await scene.cluster.delete(resource, { uid: own });
        return await api.upgrade(uid, { ...body }, signal);
      },
    })),
  );
  expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-NOT-IN-LINE"]]);
  expect(report.findings?.at(-1)?.cause).toContain("it was deleted meanwhile");
});

describe("a record that is not active is checked before the call", () => {
  const kept = { version: "7.2.4", replication: true, persistence: "aof" } as const;
  const inState = (status: string) => ({ bdbs: [{ uid: 3, name: "sessions", ...kept, status }] });

  test.each([
    ["import-pending", "DATABASE-BUSY"],
    ["active-change-pending", "DATABASE-BUSY"],
    ["pending", "DATABASE-BUSY"],
    ["creation-failed", "DATABASE-FAILED"],
    ["recovery", "DATABASE-FAILED"],
    ["delete-pending", "DATABASE-DELETING"],
  ])("%s: 3, nothing is called", async (status, code) => {
    const scene = await anApiScene(inState(status));
    const report = await scene.upgrade();
    expect([report.exit.code, codesOf(report)]).toEqual([3, [code]]);
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });

  const others = new Set(["config", "totals", "carts", "carts-db"]);
  const twoOfThem = (all: readonly KubeObject[]): readonly KubeObject[] =>
    all.filter(
      ({ kind, metadata }) => !kind.endsWith("Database") || !others.has(String(metadata.name)),
    );
  const orders = { uid: 2, name: "orders", ...kept, version: "7.4.2" };
  const everything = { databases: [], everywhere: true } as const;

  test.each(["import-pending", "creation-failed", "delete-pending"])(
    "%s, with --all: it is left out and named, the other one is called: 6",
    async (status) => {
      const { bdbs } = inState(status);
      const scene = await anApiScene({ bdbs: [...bdbs, orders] }, twoOfThem);
      const report = await scene.upgrade(everything);
      expect(report.exit).toMatchObject({ code: 6, leftOut: [label] });
      expect(scene.calls()).toEqual(["/v1/bdbs/2/upgrade"]);
      expect(scene.sent).toEqual([patchLine("orders")]);
      expect(databasesOf(report)).toMatchObject([
        { object: edbLabel("orders"), result: "changed" },
        { object: label, result: "skipped" },
      ]);
    },
  );

  test("with --all and none that may be called, it is the run that is refused: 3", async () => {
    const { bdbs } = inState("import-pending");
    const scene = await anApiScene(
      { bdbs: [...bdbs, { ...orders, status: "recovery" }] },
      twoOfThem,
    );
    const report = await scene.upgrade(everything);
    const errors = report.findings?.filter(({ severity }) => severity === "error") ?? [];
    expect(errors.map(({ code }) => code).toSorted()).toEqual(["DATABASE-BUSY", "DATABASE-FAILED"]);
    expect(report.exit.code).toBe(3);
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });

  test("with --wait it is called when it is active", async () => {
    const scene = await anApiScene(inState("import-pending"));
    let looks = 0;
    const report = await scene.upgrade(
      { wait: true },
      changed((api) => ({
        database: async (uid: number, signal: AbortSignal) => {
          const bdb = scene.api.store.bdbs.get(3);
          if ((looks += 1) === 4 && bdb !== undefined) {
            expect(scene.calls()).toEqual([]);
            scene.api.store.put({ ...bdb, status: "active" });
          }
          return await api.database(uid, signal);
        },
      })),
    );
    expect(looks).toBeGreaterThan(4);
    expect([report.exit.code, scene.calls()]).toEqual([0, ["/v1/bdbs/3/upgrade"]]);
    expect(waits(scene).join("\n")).toContain("import-pending");
  });

  test("with --wait, a state that waiting does not end is refused all the same: 3", async () => {
    const scene = await anApiScene(inState("creation-failed"));
    const report = await scene.upgrade({ wait: true });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-FAILED"]]);
    expect(scene.calls()).toEqual([]);
  });

  test.each([
    ["import-pending", "DATABASE-BUSY"],
    ["delete-pending", "DATABASE-DELETING"],
  ])("%s that comes after the list is seen right before the call: 3", async (status, code) => {
    const scene = await anApiScene();
    const report = await scene.upgrade(
      {},
      changed((api) => ({
        database: async (uid: number, signal: AbortSignal) => {
          const bdb = await api.database(uid, signal);
          return bdb && { ...bdb, status };
        },
      })),
    );
    expect([report.exit.code, codesOf(report)]).toEqual([3, [code]]);
    expect([scene.calls(), scene.sent]).toEqual([[], []]);
  });
});
