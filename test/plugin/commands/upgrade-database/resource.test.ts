/** Databases upgraded by their resources, with the operator at play. */
import { ApiError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath } from "../../../../plugin/domain/base/values";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { admin } from "../../../support/world";
import { unwritable } from "../world";
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
  getPath(await scene.edb(name, place), ["status", "version"]);

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
  const lost = "its upgrade has begun, and is not undone";
  expect(report.backups).toEqual([{ object: edbLabel("sessions"), file: "edb.json", lost }]);
  expect(scene.journal.map((line) => line.split(" ")[0])).toEqual(["intent", "outcome"]);
});

/** The definition of databases keeps whatever is in their spec. */
const open = {
  objects: (all: readonly KubeObject[]) =>
    all.map((object) =>
      object.metadata.name === `${names.edb.plural}.${names.group}`
        ? (JSON.parse(JSON.stringify(object), (key, value: unknown) =>
            key === "openAPIV3Schema"
              ? { type: "object", "x-kubernetes-preserve-unknown-fields": true }
              : value,
          ) as KubeObject)
        : object,
    ),
};

test.each<[string, object, string]>([
  ["nothing is set up", {}, "no backup is set up in spec.backup"],
  ["one is set up", { backup: { interval: 24 } }, "when the last one was made is not known here"],
])("before the write it is told what is known of the last backup: %s", async (_, spec, says) => {
  const scene = await aScene(open);
  await scene.edit("sessions", { spec });
  for (const dryRun of ["client", "none"] as const) {
    const report = await scene.run({ dryRun });
    const told = report.findings?.filter(({ code }) => code === "DATABASE-BACKUP");
    expect(told).toMatchObject([{ severity: "warning", object: edbLabel("sessions") }]);
    expect(told?.[0]?.cause).toContain(says);
  }
  expect((await scene.run()).findings).toEqual([]);
});

describe("a database that replicates from another one", () => {
  const sources = [{ replicaSourceType: "SECRET", replicaSourceName: "a-uri" }];
  const all = { databases: [], everywhere: true };
  const uri = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "a-uri", namespace: "shop" },
    data: { uri: "" },
  };

  test("is upgraded before all others, which wait for it", async () => {
    const scene = await aScene(open);
    await scene.edit("sessions", { spec: { replicaSources: sources } });
    scene.controlPlane.load([uri]);
    const report = await scene.run({ ...all, concurrency: 8, skip: vouched });
    expect([report.exit.code, scene.sent[0]]).toEqual([0, patchLine("sessions")]);
    const steps = report.steps?.map(({ id, object }) => `${id} ${object}`) ?? [];
    expect(steps.slice(0, 2)).toEqual([
      `database.patch ${edbLabel("sessions")}`,
      `database.follow ${edbLabel("sessions")}`,
    ]);
  });

  test("is no longer upgraded: none that may be its source is begun", async () => {
    const scene = await aScene({ ...open, misbehave: { stuckDatabase: "sessions" } });
    await scene.edit("sessions", { spec: { replicaSources: sources } });
    scene.controlPlane.load([uri]);
    const report = await scene.run({ ...all, skip: vouched });
    expect(report.exit.code).toBe(6);
    expect(report.exit.reason).toContain("1 of the databases that have to come first failed");
    expect(scene.sent).toEqual([patchLine("sessions")]);
  });

  test("is named before the write where it stays behind", async () => {
    const scene = await aScene(open);
    const edb = await scene.edit("sessions", { spec: { replicaSources: [{}, ...sources] } });
    const metadata = { name: "ledger", namespace: "shop", uid: "another" };
    scene.controlPlane.load([
      { ...edb, metadata, spec: { ...(edb["spec"] as object), replicaSources: [] } },
    ]);
    const report = await scene.run({ databases: ["shop/ledger"], dryRun: "client" });
    expect([report.exit.code, codesOf(report)]).toEqual([0, ["DATABASE-REPLICA-BEHIND"]]);
    expect(report.findings?.[0]).toMatchObject({
      object: edbLabel("sessions"),
      severity: "warning",
    });
    expect(report.findings?.[0]?.cause).toContain(
      "it replicates from a source without a name, a-uri",
    );
  });
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
  expect(getPath(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("major");
  expect(await versionOf(scene, "sessions")).toBe("8.0.0");
});

test("latest is written as the number of the EC's newest version", async () => {
  const scene = await aScene();
  const report = await scene.run({ version: "latest" });
  expect([report.exit.code, report.steps?.[0]?.why]).toEqual([0, "engineVersion 7.2 -> 8.2"]);
  expect(getPath(await scene.edb("sessions"), ["spec", "engineVersion"])).toBe("8.2");
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

  test("and does not report what it runs gets no version: 3, nothing is written", async () => {
    const scene = await followers();
    const report = await scene.run({ version: "7.4" });
    expect([report.exit.code, codesOf(report)]).toEqual([
      3,
      ["DATABASE-RUNS-UNKNOWN", "RULES-WARNING", "DATABASE-CHANNEL-ENDS"],
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
      ["DATABASE-LOWER", "RULES-WARNING", "DATABASE-MODULES-FOLLOW"],
    ],
    ["a canary that is not meant", { canary: "orders" }, 2, []],
  ])("is refused: %s", async (_title, ...[options, code, codes]) => {
    const scene = await aScene();
    const report = await scene.run(options);
    expect([report.exit.code, codesOf(report)]).toEqual([code, codes]);
    expect(scene.sent).toEqual([]);
  });

  test("the policy of the EC is checked as the webhook does: 3", async () => {
    const scene = await aScene({ objects: fresh({ spec: { engineUpgradePolicy: "major" } }) });
    const report = await scene.run({ version: "8.2" });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-EDIT-REFUSED"]]);
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
    const journal = unwritable();
    const report = await scene.run({}, { journal });
    expect([report.exit.code, scene.sent]).toEqual([2, []]);
    const there = await scene.run({ version: "7.2" }, { journal });
    expect([there.exit.code, there.findings?.length]).toEqual([0, 1]);
  });
});

describe("while others are at work", () => {
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
  test("an upgrade that is stalled is told with its cause: 1", async () => {
    const scene = await aScene({ misbehave: { stuckDatabase: "sessions" } });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-STUCK"]]);
    expect(report.exit.reason).toContain("7.2 to become 8.0 (state active-change-pending)");
  });

  test("an operator that does not begin: the old value can be put back until it does", async () => {
    const scene = await aScene({ misbehave: { slow: 100 } });
    const { backups = [] } = await scene.run({ limitMs: 20_000 });
    expect(backups).toMatchObject([{ holds: "until its upgrade begins" }]);
    expect(backups[0]?.command).toContain("kubectl patch");
  });

  test("time that is over: 124, and the next run continues without a write", async () => {
    const scene = await aScene({ misbehave: { stuckDatabase: "sessions" } });
    const report = await scene.run({ limitMs: 20_000 });
    expect([report.exit.code, codesOf(report)]).toEqual([124, ["DATABASE-TIMED-OUT"]]);
    await scene.run({ limitMs: 20_000 });
    expect(scene.sent).toEqual([patchLine("sessions")]);
  });

  test("a spec that the operator does not accept: 1", async () => {
    const scene = await aScene();
    await scene.edit("sessions", { spec: { modulesList: [{ name: "rg" }] } });
    const report = await scene.run({ version: "7.2" });
    expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-SPEC-INVALID"]]);
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

test("a dry run of what is up to date says so, and passes over what runs more", async () => {
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

const nameOf = (index: number): string => `db-${String(index).padStart(3, "0")}`;

/** So many databases like the example's sessions, instead of the example's. */
const many =
  (count: number) =>
  (all: readonly KubeObject[]): readonly KubeObject[] => {
    const others = all.filter(({ kind }) => ![names.edb.kind, names.eaadb.kind].includes(kind));
    const model = all.find(({ metadata }) => metadata.name === "sessions");
    const status = model?.["status"] as object;
    const made = Array.from({ length: count }, (_, index) => ({
      ...(model as KubeObject),
      metadata: { name: nameOf(index), namespace: "shop", generation: 1, labels: tierOf(index) },
      status: { ...status, databaseUID: String(index + 1) },
    }));
    return [...others, ...made];
  };

const tierOf = (index: number) => ({ tier: index % 2 === 0 ? "even" : "odd" });

/** Writes to these databases are refused. */
function refuse(scene: Scene, failing: readonly string[], error: Error): void {
  const lines = failing.map((name) => patchLine(name));
  scene.before = (line) => (lines.includes(line) ? Promise.reject(error) : Promise.resolve());
}

const invalid = new ApiError("denied by a policy", { status: 422, reason: "Invalid" });
const everything = { databases: [], everywhere: true } as const;

test("60, twenty at once, three fail: 6, each named; the next run writes to those alone", async () => {
  const scene = await aScene({ objects: many(60) });
  const failing = Array.from({ length: 3 }, (_, index) => nameOf(index * 25));
  refuse(scene, failing, invalid);
  const report = await scene.run({ ...everything, concurrency: 20 });
  expect(report.exit.code).toBe(6);
  expect(report.exit.reason).toContain("60 databases: 3 failed, 57 changed");
  const failed = databasesOf(report).filter(({ result }) => result === "failed");
  expect(failed.map(({ object }) => object)).toEqual(failing.map((name) => edbLabel(name)));
  expect(codesOf(report)).toEqual(failing.map(() => "DATABASE-WRITE-FAILED"));
  scene.before = () => Promise.resolve();
  scene.sent.length = 0;
  const again = await scene.run({ ...everything, concurrency: 20 });
  expect(again.exit).toEqual({ code: 0, reason: "60 databases: 3 changed, 57 unchanged" });
  expect(scene.sent.toSorted()).toEqual(failing.map((name) => patchLine(name)));
});

test("no more than are allowed are on their way at once", async () => {
  const scene = await aScene({ objects: many(9) });
  let most = 0;
  const pending = async (): Promise<number> => {
    const all = await Promise.all(
      Array.from({ length: 9 }, (_, index) => scene.edb(nameOf(index))),
    );
    return all.filter(
      (edb) =>
        getPath(edb, ["spec", "engineVersion"]) === "8.0" &&
        getPath(edb, ["status", "version"]) === "7.2.0",
    ).length;
  };
  scene.after = async (line) => {
    if (line.startsWith("patch")) most = Math.max(most, await pending());
  };
  const report = await scene.run({ ...everything, concurrency: 3 });
  expect([report.exit.code, most]).toEqual([0, 3]);
  expect(waits(scene).join("\n")).toMatch(/databases: 3 of 9; .*db-00/);
});

test("a selector chooses", async () => {
  const scene = await aScene({ objects: many(6) });
  const report = await scene.run({ ...everything, selector: "tier=odd" });
  expect(report.exit.reason).toBe("3 databases: 3 changed");
  expect(scene.sent).toEqual([1, 3, 5].map((index) => patchLine(nameOf(index))));
});

test("the canary goes first, and when it fails nothing else is begun: 6", async () => {
  const scene = await aScene({ objects: many(5) });
  refuse(scene, [nameOf(3)], invalid);
  const report = await scene.run({ ...everything, canary: nameOf(3) });
  expect(report.exit.code).toBe(6);
  expect(report.exit.reason).toContain("4 skipped, 1 failed");
  expect(scene.sent).toEqual([]);
  scene.before = () => Promise.resolve();
  await scene.run({ ...everything, canary: `shop/${nameOf(3)}`, concurrency: 1 });
  expect(scene.sent[0]).toBe(patchLine(nameOf(3)));
});

test("no more are begun after as many failures as are allowed", async () => {
  const scene = await aScene({ objects: many(8) });
  refuse(scene, [nameOf(0), nameOf(1), nameOf(2)], invalid);
  const report = await scene.run({ ...everything, concurrency: 1, maxFailures: 2 });
  expect(report.exit.code).toBe(6);
  expect(report.exit.reason).toContain("2 databases failed, as many as --max-failures allows");
  expect(scene.sent).toEqual([]);
});

test("an API server that is away ends the run: 69", async () => {
  const scene = await aScene({ objects: many(4) });
  refuse(scene, [nameOf(1)], new UnavailableError("no route to the API server"));
  const report = await scene.run({ ...everything, concurrency: 1 });
  expect(report.exit.code).toBe(69);
  expect(report.exit.reason).toContain("1 changed, 1 failed, 2 skipped");
});

/** From the first write on the EC says Error, for as long as it is not let go. */
function hold(scene: Scene): { release: () => void } {
  const resource = { ...names.ec, group: names.group, version: names.version };
  let held = true;
  scene.before = async (line) => {
    const looks = line.startsWith(`list ${names.ec.plural}`) && scene.sent.length > 0;
    if (!looks || !held) return;
    await scene.cluster.patch(
      { resource, name: "ec", namespace: "engine" },
      { status: { state: "Error" } },
      { type: "merge", subresource: "status" },
    );
  };
  return {
    release: () => {
      held = false;
    },
  };
}

test("an EC that leaves Running meanwhile is told as the cause, and nothing more is written", async () => {
  const scene = await aScene({ objects: many(3), clock: (_controlPlane, inner) => inner });
  hold(scene);
  const report = await scene.run({ ...everything, concurrency: 1 });
  expect(report.exit.code).toBe(6);
  expect(scene.sent).toEqual([patchLine(nameOf(0))]);
  expect(codesOf(report)).toEqual([
    "DATABASE-NOT-TAKEN-UP",
    "DATABASE-CLUSTER-NOT-RUNNING",
    "DATABASE-CLUSTER-NOT-RUNNING",
  ]);
  expect(report.findings?.at(-1)?.cause).toContain("its state is Error");
});

test("with --wait it is waited for", async () => {
  const scene = await aScene({ objects: many(3) });
  const { release } = hold(scene);
  const sleep = scene.clock.sleep.bind(scene.clock);
  let slept = 0;
  scene.clock.sleep = async (ms, signal) => {
    slept += 1;
    if (slept === 12) release();
    await sleep(ms, signal);
  };
  const report = await scene.run({ ...everything, concurrency: 1, wait: true });
  expect(waits(scene).join("\n")).toContain("its state is Error");
  expect(report.exit).toEqual({ code: 0, reason: "3 databases: 3 changed" });
});

test("databases that run more than is asked for are passed over, unless they are named", async () => {
  const scene = await aScene();
  const report = await scene.run({ ...everything, version: "7.2" });
  expect(report.exit.code).toBe(0);
  expect(codesOf(report)).toContain("DATABASE-NEWER");
  expect(databasesOf(report).map(({ result }) => result)).toContain("skipped");
  expect(scene.sent).toEqual([]);
});

const line = "patch EngineEnterpriseActiveActiveDatabase engine/carts";
const cartsRef = here(product.eaadb, "carts");
const instanceRef = here(product.edb, "carts-db");

/** No instance is to be seen: the resource links none. */
const withoutInstance = (all: readonly KubeObject[]): readonly KubeObject[] =>
  all
    .filter(({ metadata }) => metadata.name !== "carts-db")
    .map((one) =>
      one.kind === names.eaadb.kind
        ? { ...one, status: { ...(one["status"] as object), linkedEdbs: [] } }
        : one,
    );

/** Vouched for: the operator elsewhere was looked at there. */
const vouched = [
  {
    code: "DATABASE-PARTICIPANT-UNSEEN",
    object: "EngineEnterpriseActiveActiveDatabase/engine/carts",
  },
];

/** The other cluster, where the version comes after so many looks at it, or never. */
async function theOther(looks: number, upgraded = true): Promise<Scene> {
  const scene = await aScene(upgraded ? {} : { objects: older });
  let seen = 0;
  scene.cluster.list = new Proxy(scene.cluster.list.bind(scene.cluster), {
    apply: async (list, _this, args: Parameters<Scene["cluster"]["list"]>) => {
      if (args[0].plural === names.edb.plural) seen += 1;
      if (seen === looks) {
        seen += 1;
        const status = { version: "8.0.0", status: "active", specStatus: "Valid" };
        const options = { type: "merge", subresource: "status" } as const;
        await scene.cluster.patch(instanceRef, { status }, options);
      }
      return await list(...args);
    },
  });
  return scene;
}

const older = (all: readonly KubeObject[]): readonly KubeObject[] =>
  JSON.parse(
    JSON.stringify(all).replaceAll("engine/operator:8.0.2-2", "engine/operator:7.22.0-7"),
  ) as readonly KubeObject[];

const port = ({ cluster }: Scene) => ({ name: "west/engine", cluster, namespace: "engine" });

test("written here alone, and done when the instances of both clusters are", async () => {
  const scene = await aScene();
  const other = await theOther(4);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect(report.exit.code).toBe(0);
  expect([stepsOf(report), codesOf(report)]).toEqual([
    ["database.patch changed", "database.follow done"],
    [],
  ]);
  expect(scene.sent).toEqual([line]);
  expect(other.sent).toEqual([]);
  const stored = await scene.cluster.get(cartsRef);
  expect(getPath(stored, ["spec", "globalConfigurations", "engineVersion"])).toBe("8.0");
  expect(getPath(await scene.cluster.get(instanceRef), ["status", "version"])).toBe("8.0.0");
  expect(waits(scene).join("\n")).toContain("west/engine: 7.4 to become 8.0");
});

test("an instance elsewhere that does not come is told with its cluster: 1", async () => {
  const scene = await aScene();
  const other = await theOther(Number.POSITIVE_INFINITY);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect([report.exit.code, codesOf(report)]).toEqual([1, ["DATABASE-PARTICIPANT-BEHIND"]]);
  expect(report.exit.reason).toContain("west/engine: EngineEnterpriseActiveActiveDatabase");
});

test("an operator elsewhere before 8.0.2-2 stops it: 3, nothing is written", async () => {
  const scene = await aScene();
  const other = await theOther(1, false);
  const report = await scene.run({ databases: ["carts"] }, { participants: [port(other)] });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-PARTICIPANT-OLD"]]);
  expect(scene.sent).toEqual([]);
});

describe("clusters that are not given", () => {
  test("stop it: 3, nothing is written", async () => {
    const scene = await aScene();
    const report = await scene.run({ databases: ["carts"] });
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-PARTICIPANT-UNSEEN"]]);
    expect(report.exit.reason).toContain("here, there participate, and none of them is given");
    expect(report.exit.next).toContain("--skip DATABASE-PARTICIPANT-UNSEEN=OBJECT");
    expect(scene.sent).toEqual([]);
  });

  test("are passed once they are vouched for, and stay in the report", async () => {
    const scene = await aScene();
    const report = await scene.run({ databases: ["carts"], skip: vouched });
    expect(report.exit.code).toBe(0);
    expect(report.findings?.[0]).toMatchObject({
      code: "DATABASE-PARTICIPANT-UNSEEN",
      severity: "warning",
    });
    expect(report.steps?.at(-1)).toMatchObject({
      why: "8.0 runs on 1 instance that was seen, active",
    });
    const again = await scene.run({ databases: ["carts"] });
    expect([again.exit.code, codesOf(again)]).toEqual([0, ["DATABASE-PARTICIPANT-UNSEEN"]]);
    expect(scene.sent).toEqual([line]);
  });

  test("a cluster without an operator that is seen stops it too: 3", async () => {
    const scene = await aScene();
    const other = await aScene({
      objects: (all) => all.filter(({ kind }) => kind !== "Deployment"),
    });
    const participants = [port(other)];
    const report = await scene.run({ databases: ["carts"] }, { participants });
    expect(report.findings).toMatchObject([
      { code: "DATABASE-PARTICIPANT-UNSEEN", severity: "error", object: "west/engine" },
    ]);
    expect([report.exit.code, scene.sent]).toEqual([3, []]);
  });
});

test("what is vouched for and not found is wrong usage: 2, nothing is written", async () => {
  const scene = await aScene();
  const skip = [...vouched, { code: "DATABASE-PARTICIPANT-UNSEEN", object: "cart" }];
  const report = await scene.run({ databases: ["carts"], skip });
  expect(report.exit.code).toBe(2);
  expect(report.exit.reason).toContain(
    "--skip DATABASE-PARTICIPANT-UNSEEN=cart matches no finding",
  );
  expect(scene.sent).toEqual([]);
});

test("without an instance that is seen it is not proven, however often it is run: 124", async () => {
  const scene = await aScene({ objects: withoutInstance });
  const options = { databases: ["carts"], skip: vouched };
  for (const when of ["written", "followed"]) {
    const report = await scene.run(options);
    expect([when, report.exit.code]).toEqual([when, 124]);
    expect(report.exit.reason).toContain("not proven that 8.0 runs");
    expect(codesOf(report)).toContain("DATABASE-NOT-PROVEN");
  }
  expect(scene.sent).toEqual([line]);
});

test("the time of the run may be over first: 124 all the same", async () => {
  const scene = await aScene({ objects: withoutInstance });
  const report = await scene.run({ databases: ["carts"], skip: vouched, limitMs: 5_000 });
  expect(report.exit.code).toBe(124);
  expect(report.exit.reason).toContain("not proven that 8.0 runs");
});

describe("a version that the definition has directly in the spec (S61)", () => {
  /** Moved there in the database and in its definition, which drops it anywhere else. */
  const inSpec = (all: readonly KubeObject[]): readonly KubeObject[] => all.map(moved);

  const moved = (one: KubeObject): KubeObject => {
    const copy = structuredClone(one) as KubeObject & { spec: Spec };
    if (one.kind === names.eaadb.kind) {
      const { engineVersion, ...rest } = copy.spec.globalConfigurations;
      return { ...copy, spec: { ...copy.spec, engineVersion, globalConfigurations: rest } };
    }
    if (one.metadata.name !== `${names.eaadb.plural}.${names.group}`) return one;
    for (const { schema } of copy.spec.versions) {
      const { properties } = schema.openAPIV3Schema.properties.spec;
      properties["engineVersion"] = { type: "string" };
      delete properties["globalConfigurations"]?.properties?.["engineVersion"];
    }
    return copy;
  };

  interface Property {
    readonly type: string;
    readonly properties?: Record<string, Property>;
  }

  interface Spec {
    readonly globalConfigurations: Readonly<Record<string, unknown>>;
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: {
          readonly properties: {
            readonly spec: { readonly properties: Record<string, Property> };
          };
        };
      };
    }[];
  }

  test("is what is read, written and followed", async () => {
    const scene = await aScene({ objects: inSpec });
    const report = await scene.run({ databases: ["carts"], skip: vouched });
    expect([report.exit.code, report.steps?.[0]?.why]).toEqual([0, "engineVersion 7.4 -> 8.0"]);
    expect((await scene.cluster.get(cartsRef))?.["spec"]).toMatchObject({
      engineVersion: "8.0",
      globalConfigurations: { memorySize: "1GB" },
    });
    expect(getPath(await scene.cluster.get(instanceRef), ["status", "version"])).toBe("8.0.0");
  });
});

test("an instance that is named is not edited itself: 3", async () => {
  const scene = await aScene();
  const report = await scene.run({ databases: ["carts-db"] });
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["DATABASE-IS-INSTANCE"]]);
  expect(scene.sent).toEqual([]);
});

describe("a database that something else is at work on", () => {
  const inState = (status: string) => (all: readonly KubeObject[]) =>
    all.map((one) =>
      one.metadata.name === "sessions"
        ? { ...one, status: { ...(one["status"] as object), status } }
        : one,
    );

  test.each([
    ["import-pending", "DATABASE-BUSY"],
    ["creation-failed", "DATABASE-FAILED"],
  ])("in state %s is not written: 3", async (word, code) => {
    const scene = await aScene({ objects: inState(word) });
    const report = await scene.run();
    expect([report.exit.code, codesOf(report)]).toEqual([3, [code]]);
    expect(report.findings?.[0]?.object).toBe(edbLabel("sessions"));
    expect(scene.sent).toEqual([]);
  });

  test("is left out among others, which are upgraded: 6", async () => {
    const scene = await aScene({ objects: inState("import-pending") });
    const report = await scene.run({ databases: ["shop/sessions", "shop/orders"] });
    expect([report.exit.code, scene.sent]).toEqual([6, [patchLine("orders")]]);
    expect(codesOf(report)).toContain("DATABASE-BUSY");
  });
});
