import { ApiError, UsageError } from "../../../../plugin/domain/errors";
import { own } from "../../../../plugin/domain/values";
import { snapshotOf } from "./laws";
import { aScene } from "./memory-scene";
import { aConstraint, account, anEc, aPod, user } from "./objects";
import {
  place,
  ns,
  other,
  scc,
  namespaces,
  bindingName,
  bindingRef,
  constraintRef,
  objects,
  alone,
  codesOf,
} from "./start";

describe("what somebody changes meanwhile", () => {
  test("is read and planned again: the writer's change is kept", async () => {
    const scene = aScene(objects);
    let once = true;
    scene.beforeWrite = async (line) => {
      if (!once || !line.endsWith("bindings")) return;
      once = false;
      const body = { subjects: [account(other), account(ns), account(other, "new")] };
      await scene.cluster.patch(bindingRef, body, { type: "merge" });
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(0);
    expect(own(await scene.cluster.get(bindingRef), "subjects")).toMatchObject([
      { namespace: other, name: "ec" },
      { namespace: other, name: "new" },
    ]);
    expect(scene.questions).toHaveLength(1);
  });

  test("ends with 5 when it goes on, and says what is written", async () => {
    const scene = aScene(objects);
    let count = 0;
    scene.beforeWrite = async (line) => {
      if (!line.endsWith("bindings")) return;
      count += 1;
      const body = { metadata: { labels: { count: String(count) } } };
      await scene.cluster.patch(bindingRef, body, { type: "merge" });
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(5);
    expect(count).toBe(3);
    expect(report.exit.reason).toContain(`out of SecurityContextConstraints/${scc} already`);
    expect(own(await scene.cluster.get(bindingRef), "subjects")).toHaveLength(2);
  });

  test("is a binding of the account again and again: 5, and the constraint stays", async () => {
    const scene = aScene(alone);
    scene.afterWrite = (line) => {
      if (!line.startsWith("patch sec")) return;
      const again = aConstraint(scc, { users: [user(ns)] });
      scene.controlPlane.load([again]);
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(5);
    expect(await scene.cluster.get(constraintRef)).toBeDefined();
  });

  test("is a pod that starts under the constraint: it is not deleted", async () => {
    const scene = aScene(alone);
    scene.beforeWrite = async (line) => {
      if (line !== "delete clusterrolebindings") return;
      scene.controlPlane.load([aPod(other, { scc, serviceAccountName: "late" })]);
      await Promise.resolve();
    };
    const report = await scene.run({ scc });
    expect([report.exit.code, codesOf(report.findings)]).toEqual([
      0,
      ["SCC-ROLE-LEFT", "SCC-IN-USE"],
    ]);
    expect(await scene.cluster.get(constraintRef)).toBeDefined();
  });
});

describe("an API server that still allows it, though no binding does", () => {
  test("before anything was to be written: 7, nothing was changed", async () => {
    const scene = aScene([...namespaces, anEc(ns), aConstraint(scc, { users: ["zoe"] })]);
    scene.allowed.push(ns);
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([7, []]);
    expect(report.exit.reason).toContain("the other authorizer says so");
  });

  test("after the unbinding: everything is put back: 7", async () => {
    const scene = aScene(alone);
    const before = await snapshotOf(scene.cluster, place);
    scene.allowed.push(ns);
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(7);
    const after = await snapshotOf(scene.cluster, place);
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(own(await scene.cluster.get(bindingRef), "subjects")).toEqual(
      own(before.get(`ClusterRoleBinding/${bindingName}`), "subjects"),
    );
    expect(own(await scene.cluster.get(constraintRef), "users")).toEqual([user(ns)]);
    expect(report.steps?.slice(-2).map(({ id, result }) => `${id} ${result}`)).toEqual([
      "rollback.restore created",
      "rollback.restore changed",
    ]);
  });

  test.each([
    ["cannot be written", "create ClusterRoleBinding", "refused"],
    ["is changed by somebody else at once", "patch securitycontextconstraints", "lost"],
  ])("and what was there %s: 8, with the commands to run", async (_what, on, how) => {
    const scene = aScene(alone);
    scene.allowed.push(ns);
    let count = 0;
    scene.afterWrite = (line) => {
      if (line !== on) return;
      count += 1;
      if (how === "lost" && count === 2) scene.controlPlane.load([aConstraint(scc)]);
    };
    scene.beforeWrite = async (line) => {
      await Promise.resolve();
      if (how === "refused" && line === on) throw new ApiError("no", { status: 422 });
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(8);
    expect(report.exit.next).toContain("printed commands");
    expect(report.backups).toHaveLength(2);
  });
});

test("a record that cannot be kept any more does not undo what is done", async () => {
  const scene = aScene(alone);
  const kept = new UsageError("disk full");
  const journal = {
    problem: () => Promise.resolve(undefined),
    intent: () => Promise.resolve(),
    outcome: () => Promise.reject(kept),
    save: () => Promise.resolve("/records/file.json"),
  };
  expect((await scene.run({ scc }, { journal })).exit.code).toBe(0);
  expect(scene.events).toContainEqual({
    type: "note",
    text: expect.stringContaining("is not in the record: disk full") as string,
  });
});
