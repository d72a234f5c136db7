/** Databases upgraded by their resources, with the operator at play. */
import { ApiError } from "../../../../plugin/domain/errors";
import { defaultNames as names } from "../../../../plugin/domain/names";
import { at } from "../../../../plugin/domain/values";
import type { KubeObject } from "../../../../plugin/run/ports";
import { admin } from "../../rehearsal/memory-cluster";
import { here, product } from "../../../support/played-operator";
import {
  aScene,
  codesOf,
  databasesOf,
  ecRef,
  edbLabel,
  patchLine,
  type Scene,
  stepsOf,
  waits,
} from "./scene";

const sessionsRef = here(product.edb, "sessions", "shop");

const versionOf = async (scene: Scene, name: string, place = "shop") =>
  at(await scene.edb(name, place), ["status", "version"]);

test("one: a patch of the version alone, then followed until all signs agree", async () => {
  const scene = await aScene();
  const before = await scene.edb("sessions");
  const report = await scene.run();
  expect(report.exit).toEqual({ code: 0, reason: "1 database: 1 changed" });
  expect(stepsOf(report)).toEqual(["database.patch changed", "database.follow done"]);
  expect(scene.sent).toEqual([patchLine("sessions")]);
  const after = await scene.edb("sessions");
  expect(after?.["spec"]).toEqual({ ...(before?.["spec"] as object), engineVersion: "8.0" });
  expect(await versionOf(scene, "sessions")).toBe("8.0.0");
  expect(databasesOf(report)).toEqual([
    { object: edbLabel("sessions"), result: "changed", from: "7.2", to: "8.0" },
  ]);
  const lines = waits(scene).join("\n");
  expect(lines).toContain("7.2 to become 8.0 (state active-change-pending)");
});

test("the old value is kept as a patch of its own, and the write is noted before and after", async () => {
  const scene = await aScene();
  const report = await scene.run();
  expect(scene.saved).toEqual([
    {
      apiVersion: `${names.group}/${names.version}`,
      kind: names.edb.kind,
      metadata: { name: "sessions", namespace: "shop" },
      spec: { engineVersion: "7.2" },
    },
  ]);
  expect(report.backups).toMatchObject([{ object: edbLabel("sessions"), file: "edb.json" }]);
  expect(scene.journal.map((line) => line.split(" ")[0])).toEqual(["intent", "outcome"]);
});

test.each([
  ["neither is said, and written all the same", { replication: null }, true],
  ["persistence keeps the data", { replication: false, persistence: "aofAlways" }, false],
])("a database without replication: %s", async (_, spec, told) => {
  const scene = await aScene();
  await scene.edit("sessions", { spec });
  const report = await scene.run();
  expect([report.exit.code, codesOf(report)]).toEqual([0, told ? ["DATABASE-VOLATILE"] : []]);
  expect(scene.sent).toEqual([patchLine("sessions")]);
  expect(codesOf(await scene.run())).toEqual([]);
});

test("run again: nothing is written, nothing is waited for", async () => {
  const scene = await aScene();
  await scene.run();
  const report = await scene.run();
  expect([report.exit.code, stepsOf(report)]).toEqual([0, ["database.patch unchanged"]]);
  expect(scene.sent).toEqual([patchLine("sessions")]);
});

test("all of every namespace; an instance goes with its active-active one", async () => {
  const scene = await aScene();
  const skip = [{ code: "DATABASE-PARTICIPANT-UNSEEN" }];
  const report = await scene.run({ databases: [], everywhere: true, skip });
  expect([report.exit.code, codesOf(report)]).toEqual([
    0,
    ["DATABASE-PARTICIPANT-UNSEEN", "DATABASE-MODULES-FOLLOW"],
  ]);
  expect(databasesOf(report).map(({ result }) => result)).toEqual(
    Array.from({ length: 5 }, () => "changed"),
  );
});

test("the channel of major versions is written as it is, and what it leads to counts", async () => {
  const scene = await aScene();
  const report = await scene.run({ version: "major" });
  expect(report.exit.code).toBe(0);
  expect(at(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("major");
  expect(await versionOf(scene, "sessions")).toBe("8.0.0");
});

test("latest is written as the number of the EC's newest version", async () => {
  const scene = await aScene();
  const report = await scene.run({ version: "latest" });
  expect([report.exit.code, report.steps?.[0]?.why]).toEqual([0, "engineVersion 7.2 -> 8.2"]);
  expect(at(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("8.2");
});

test("latest of an EC that publishes no versions is not guessed: 3, nothing is written", async () => {
  const scene = await aScene({
    objects: (all) =>
      all.map((one) =>
        one.kind === names.ec.kind
          ? { ...one, status: { ...(one["status"] as object), bundledDatabaseVersions: [] } }
          : one,
      ),
  });
  const published = { status: { bundledDatabaseVersions: [] } };
  await scene.cluster.patch(ecRef, published, { type: "merge", subresource: "status" });
  const report = await scene.run({ version: "latest" });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-LATEST-UNKNOWN"]]);
  expect(scene.sent).toEqual([]);
});

describe("a database that follows the channel major", () => {
  const followers = async (version?: string): Promise<Scene> => {
    const scene = await aScene();
    await scene.edit("sessions", { spec: { engineVersion: "major" } });
    const status = { status: { version: version ?? null } };
    await scene.cluster.patch(sessionsRef, status, { type: "merge", subresource: "status" });
    return scene;
  };

  test("and does not tell what it runs gets no version: 3, nothing is written", async () => {
    const scene = await followers();
    const report = await scene.run({ version: "7.4" });
    expect([report.exit.code, codesOf(report)]).toEqual([
      3,
      ["DATABASE-RUNS-UNKNOWN", "DATABASE-EDIT-WARNED"],
    ]);
    expect(scene.sent).toEqual([]);
  });

  test("is asked about before a number replaces the channel", async () => {
    const scene = await followers("7.2.0");
    const report = await scene.run({ version: "8.0" });
    expect([report.exit.code, scene.questions]).toEqual([
      0,
      [
        `Replace the channel major of ${edbLabel("sessions")} by 8.0? From then on they follow no release by themselves.`,
      ],
    ]);
  });

  test("stays as it is where the answer is no: 2, nothing is written", async () => {
    const scene = await followers("7.2.0");
    const report = await scene.run({ version: "8.0" }, { ask: () => Promise.resolve(false) });
    expect([report.exit.code, scene.sent]).toEqual([2, []]);
  });
});

test.each(["client", "server"] as const)(
  "dry run %s: planned, nothing in force",
  async (dryRun) => {
    const scene = await aScene();
    const before = await scene.edb("sessions");
    const report = await scene.run({ dryRun });
    expect(report.exit.code).toBe(0);
    expect(report.steps).toMatchObject([
      {
        result: "planned",
        why: "engineVersion 7.2 -> 8.0",
        write: {
          verb: "patch",
          target: { resource: "engineenterprisedatabases", namespace: "shop", name: "sessions" },
          read: { uid: before?.metadata.uid, resourceVersion: before?.metadata.resourceVersion },
        },
      },
    ]);
    expect(scene.sent).toEqual(dryRun === "client" ? [] : [`${patchLine("sessions")} (dry run)`]);
    expect(await scene.edb("sessions")).toEqual(before);
  },
);

describe("before the first write", () => {
  const fresh = (body: object) => (all: readonly KubeObject[]) =>
    all.map((one) => (one.kind === names.ec.kind ? { ...one, ...merged(one, body) } : one));
  const merged = (one: KubeObject, body: object): object =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) => [
        key,
        { ...(one[key] as object), ...(value as object) },
      ]),
    );

  test.each<[string, Parameters<Scene["run"]>[0], number, readonly string[]]>([
    ["a name that is not there", { databases: ["shop/none"] }, 3, ["DATABASE-ABSENT"]],
    ["a version that the EC has not", { version: "9.0" }, 3, ["DATABASE-EDIT-REFUSED"]],
    [
      "a lower version than runs",
      { databases: ["shop/orders"], version: "7.2" },
      3,
      ["DATABASE-LOWER", "DATABASE-EDIT-WARNED", "DATABASE-MODULES-FOLLOW"],
    ],
    ["a canary that is not meant", { canary: "orders" }, 2, []],
  ])("is refused: %s", async (_title, ...[options, code, codes]) => {
    const scene = await aScene();
    const report = await scene.run(options);
    expect([report.exit.code, codesOf(report)]).toEqual([code, codes]);
    expect(scene.sent).toEqual([]);
  });

  test("the policy of the EC is judged as the webhook does: 3", async () => {
    const scene = await aScene({ objects: fresh({ spec: { engineUpgradePolicy: "major" } }) });
    const report = await scene.run({ version: "8.2" });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-EDIT-REFUSED"]]);
    expect(scene.sent).toEqual([]);
  });

  test("permissions are asked for: 4, with the roles to ask for", async () => {
    const scene = await aScene({ user: { name: "jane", groups: [] } });
    const report = await scene.run();
    expect(report.exit.code).toBe(4);
    expect(report.permissions?.missing.join("\n")).toContain("engineenterprisedatabases");
    expect(scene.sent).toEqual([]);
  });

  test("an EC that is not Running stops the run: 3; with --wait it is waited for", async () => {
    const scene = await aScene();
    await scene.cluster.patch(
      ecRef,
      { status: { state: "Upgrade" } },
      { type: "merge", subresource: "status" },
    );
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-CLUSTER-NOT-RUNNING"]]);
    expect(scene.sent).toEqual([]);
    const waited = await scene.run({ wait: true });
    expect(waited.exit.code).toBe(0);
    expect(waits(scene).join("\n")).toContain("databases are not reconciled until it is Running");
  });

  test("a database of Helm's is left to it: 5", async () => {
    const scene = await aScene();
    const labels = { "app.kubernetes.io/managed-by": "Helm" };
    await scene.edit("sessions", { metadata: { labels } });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([5, ["DATABASE-OWNED"]]);
    expect(scene.sent).toEqual([]);
  });

  test("a field of another manager: 5; taken when asked for, after a question", async () => {
    const scene = await aScene();
    await scene.cluster.apply(
      {
        apiVersion: `${names.group}/${names.version}`,
        kind: names.edb.kind,
        metadata: { name: "sessions", namespace: "shop" },
        spec: { engineVersion: "7.2" },
      },
      { fieldManager: "argocd-controller", force: true },
    );
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([5, ["FIELD-CONFLICT"]]);
    expect(scene.sent).toEqual([]);
    const refused = await scene.run(
      { takeFields: ["spec.engineVersion"] },
      { ask: () => Promise.resolve(false) },
    );
    expect([refused.exit.code, scene.sent]).toEqual([2, []]);
    const taken = await scene.run({ takeFields: ["spec.engineVersion"] });
    expect([taken.exit.code, scene.questions.length]).toEqual([0, 1]);
  });

  test("a home that cannot be written stops a write, and is told where none is to be made", async () => {
    const scene = await aScene();
    const journal = {
      problem: () => Promise.resolve("the home is full"),
      intent: () => Promise.resolve(),
      outcome: () => Promise.resolve(),
      save: () => Promise.resolve(""),
    };
    const report = await scene.run({}, { journal });
    expect([report.exit.code, scene.sent]).toEqual([2, []]);
    const there = await scene.run({ version: "7.2" }, { journal });
    expect([there.exit.code, there.findings?.length]).toEqual([0, 1]);
  });
});

describe("while others are at work", () => {
  test("a status that moves between reading and writing costs a second try alone", async () => {
    const scene = await aScene();
    let moved = false;
    scene.before = async (line) => {
      if (line !== patchLine("sessions") || moved) return;
      moved = true;
      await scene.cluster.patch(
        sessionsRef,
        { status: { lastActionStatus: "completed" } },
        { type: "merge", subresource: "status" },
      );
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(scene.sent).toEqual([patchLine("sessions"), patchLine("sessions")]);
  });

  test("two people at once: one of them is told, 5", async () => {
    const scene = await aScene();
    let other: Promise<KubeObject> | undefined;
    scene.before = async (line) => {
      if (line === patchLine("sessions")) {
        other ??= scene.edit("sessions", { spec: { engineVersion: "8.2" } });
        await other;
      }
    };
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([5, ["DATABASE-CHANGED"]]);
    expect(at(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("8.2");
  });

  test("a database that is deleted meanwhile is told, 1", async () => {
    const scene = await aScene();
    scene.after = async (line) => {
      if (line !== patchLine("sessions")) return;
      const found = await scene.edb("sessions");
      await scene.cluster.delete(sessionsRef, { uid: found?.metadata.uid ?? "" });
    };
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-ABSENT"]]);
  });
});

describe("when it does not go well", () => {
  test("an upgrade that stands still is told with its cause: 1", async () => {
    const scene = await aScene({ misbehave: { stuckDatabase: "sessions" } });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-STUCK"]]);
    expect(report.exit.reason).toContain("7.2 to become 8.0 (state active-change-pending)");
  });

  test("time that is over: 124, and the next run goes on without a write", async () => {
    const scene = await aScene({ misbehave: { stuckDatabase: "sessions" } });
    const report = await scene.run({ limitMs: 20_000 });
    expect([report.exit.code, codesOf(report)]).toEqual([124, ["DATABASE-TIMED-OUT"]]);
    await scene.run({ limitMs: 20_000 });
    expect(scene.sent).toEqual([patchLine("sessions")]);
  });

  test("an API server that is away for a while is waited for", async () => {
    const scene = await aScene();
    let away = 0;
    scene.before = (line) => {
      const written = scene.sent.length > 0;
      if (!written || !line.startsWith("list") || away >= 6) return Promise.resolve();
      away += 1;
      return Promise.reject(new ApiError("gone for a moment", { status: 503 }));
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(waits(scene).join("\n")).toContain("the API server (gone for a moment)");
  });

  test("a spec that the operator does not accept: 1", async () => {
    const scene = await aScene();
    await scene.edit("sessions", { spec: { modulesList: [{ name: "rg" }] } });
    const report = await scene.run({ version: "7.2" });
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-SPEC-REFUSED"]]);
  });
});

test("a definition that drops the field is seen in the answer: 1, dry run or not", async () => {
  const scene = await aScene();
  const cluster = scene.controlPlane.connect({ user: admin, namespace: "engine" });
  const patch = cluster.patch.bind(cluster);
  cluster.patch = async (...args) => {
    const stored = await patch(...args);
    return { ...stored, spec: { memorySize: "1GB" } };
  };
  for (const dryRun of ["server", "none"] as const) {
    const report = await scene.run({ dryRun }, { cluster });
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-FIELD-PRUNED"]]);
  }
});

test("a dry run of what is as wanted says so, and passes over what runs more", async () => {
  const scene = await aScene();
  const wish = { databases: [], everywhere: true, version: "7.4", dryRun: "client" } as const;
  await scene.run({ databases: ["shop/orders"], version: "8.0" });
  const report = await scene.run(wish);
  expect(report.exit.code).toBe(0);
  expect(
    databasesOf(report)
      .map(({ result }) => result)
      .toSorted(),
  ).toEqual(["planned", "planned", "skipped", "unchanged", "unchanged"]);
});

test("an EC that does not come while it is waited for: 124, nothing is written", async () => {
  const scene = await aScene({ clock: (_controlPlane, inner) => inner });
  const status = { status: { state: "Upgrade" } };
  await scene.cluster.patch(ecRef, status, { type: "merge", subresource: "status" });
  const report = await scene.run({ wait: true, limitMs: 30_000 });
  expect([report.exit.code, scene.sent]).toEqual([124, []]);
});

test("the older version of the EC is read where it alone is served", async () => {
  const scene = await aScene();
  const cluster = scene.controlPlane.connect({ user: admin, namespace: "engine" });
  const list = cluster.list.bind(cluster);
  cluster.list = async (resource, options) =>
    resource.plural === names.ec.plural && resource.version === names.version
      ? undefined
      : await list(resource, options);
  const report = await scene.run({}, { cluster });
  expect(report.exit.code).toBe(0);
});

describe("what changes between the plan and the turn of a database", () => {
  const both = { databases: ["shop/orders", "shop/sessions"], concurrency: 1 } as const;

  test.each<[string, (scene: Scene) => Promise<unknown>, string]>([
    [
      "its version",
      (scene) => scene.edit("sessions", { spec: { engineVersion: "7.4" } }),
      "DATABASE-CHANGED",
    ],
    [
      "its modules, to what the rules refuse",
      (scene) => scene.edit("sessions", { spec: { modulesList: [{ name: "rg" }] } }),
      "DATABASE-EDIT-REFUSED",
    ],
    [
      "that it exists",
      async (scene) => {
        const uid = (await scene.edb("sessions"))?.metadata.uid ?? "";
        await scene.cluster.delete(sessionsRef, { uid });
      },
      "DATABASE-CHANGED",
    ],
  ])("is told: %s; the other one is done, 6", async (_title, change, code) => {
    const scene = await aScene();
    scene.after = async (line) => {
      if (line === patchLine("orders")) await change(scene);
    };
    const report = await scene.run(both);
    expect(report.exit.code).toBe(6);
    expect(codesOf(report)).toContain(code);
    expect(scene.sent).toEqual([patchLine("orders")]);
  });

  test("modules that the rules refuse between reading and writing are refused too", async () => {
    const scene = await aScene();
    let changed = false;
    scene.before = async (line) => {
      if (line !== patchLine("sessions") || changed) return;
      changed = true;
      await scene.edit("sessions", { spec: { modulesList: [{ name: "rg" }] } });
    };
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-EDIT-REFUSED"]]);
  });
});
