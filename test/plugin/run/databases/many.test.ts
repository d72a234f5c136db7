/** Many databases at once: each has a result of its own, and a re-run touches only those that failed. */
import { ApiError, UnavailableError } from "../../../../plugin/domain/errors";
import { defaultNames as names } from "../../../../plugin/domain/names";
import { at } from "../../../../plugin/domain/values";
import type { KubeObject } from "../../../../plugin/run/ports";
import { aScene, codesOf, databasesOf, edbLabel, patchLine, type Scene, waits } from "./scene";

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
        at(edb, ["spec", "engineVersion"]) === "8.0" && at(edb, ["status", "version"]) === "7.2.0",
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
  expect(report.findings?.[0]?.cause).toContain("its state is Error");
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

test("none at all is no failure", async () => {
  const scene = await aScene({ objects: many(0) });
  const report = await scene.run(everything);
  expect(report.exit).toEqual({ code: 0, reason: "there is no database to upgrade" });
});
