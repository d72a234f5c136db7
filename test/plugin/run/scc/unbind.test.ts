import { UnavailableError, UsageError } from "../../../../plugin/domain/errors";
import { own } from "../../../../plugin/domain/values";
import { aScene } from "./memory-scene";
import { aConstraint, anEc, user } from "./objects";
import { ns, scc, namespaces, bindingName, objects, alone, linesOf, codesOf } from "./start";

test("a cluster without the API group has nothing to do, and is asked nothing else", async () => {
  const scene = aScene([...namespaces, anEc(ns)], { openshift: false });
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(report.exit.reason).toContain("no OpenShift");
  expect([report.steps, report.findings]).toEqual([[], []]);
});

test("the order is unbind, prove, delete, and what is written is kept first", async () => {
  const scene = aScene(alone);
  const report = await scene.run({ scc });
  expect(report.steps?.map(({ id, result }) => `${id} ${result}`)).toEqual([
    "scc.review-before done",
    "scc.unbind changed",
    "scc.unbind deleted",
    "scc.read-back done",
    "scc.review-after done",
    "scc.delete deleted",
  ]);
  expect(report.steps?.map(({ why }) => why)).toEqual([
    expect.stringContaining(`it may use ${scc}`),
    `${user(ns)} goes out of its users`,
    "it is bound to ServiceAccount/engine/ec alone",
    "neither its users nor its groups name the account",
    expect.stringContaining(`it may not use ${scc}`),
    expect.any(String),
  ]);
  expect(report.backups?.map(({ command }) => command)).toEqual([
    `kubectl create -f /home/${scc}.json`,
    `kubectl create -f /home/${bindingName}.json`,
  ]);
  expect(scene.saved.map((object) => own(object, "users"))).toEqual([[user(ns)], undefined]);
  expect(report.details).toEqual({
    constraint: scc,
    accounts: [user(ns)],
    usedBy: [],
    is: "deleted",
  });
});

test("a person is asked once, with every write in the question", async () => {
  const scene = aScene(objects);
  await scene.run({ scc });
  expect(scene.questions).toEqual([
    expect.stringContaining(
      `take ${user(ns)} out of SecurityContextConstraints/${scc}, then take ServiceAccount/engine/ec out of ClusterRoleBinding/${bindingName}?`,
    ),
  ]);
});

describe("nothing is written", () => {
  test.each([
    ["when the answer is no", { ask: () => Promise.resolve(false) }],
    [
      "when nobody can be asked",
      { ask: () => Promise.reject(new UsageError("no terminal", { hint: "--yes" })) },
    ],
  ])("%s: 2", async (_when, deps) => {
    const scene = aScene(objects);
    const report = await scene.run({ scc }, deps);
    expect([report.exit.code, scene.sent]).toEqual([2, []]);
  });

  test("where nothing can be kept: 2", async () => {
    const scene = aScene(objects);
    const journal = unwritable();
    const report = await scene.run({ scc }, { journal });
    expect([report.exit.code, scene.sent, scene.questions]).toEqual([2, [], []]);
  });

  test("with a permission missing: 4, with the roles to ask for", async () => {
    const scene = aScene(objects, { user: { name: "eve", groups: [] } });
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([4, []]);
    expect(report.permissions?.manifest).toContain("securitycontextconstraints");
    expect(report.permissions?.missing).toEqual(
      expect.arrayContaining([expect.stringContaining("create subjectaccessreviews")]),
    );
  });

  test("when the run is interrupted before", async () => {
    const scene = aScene(objects);
    const signal = AbortSignal.abort(new UnavailableError("interrupted"));
    const report = await scene.run({ scc }, { signal });
    expect([report.exit.code, scene.sent]).toEqual([69, []]);
  });
});

test("where nothing is to be written, a home that cannot be written is a warning", async () => {
  const scene = aScene([...namespaces, anEc(ns)]);
  const report = await scene.run({ scc }, { journal: unwritable() });
  expect(report.exit.code).toBe(0);
  expect(codesOf(report.findings)).toEqual(["HOME-NOT-WRITABLE"]);
  expect(report.exit.reason).toContain("there is no such constraint; nothing was written");
});

test("without --scc the current one is meant, and an older one is named with its command", async () => {
  const scene = aScene([
    ...namespaces,
    anEc(ns),
    aConstraint("engine-enterprise-scc-v2", { users: [user(ns)] }),
    aConstraint("engine-enterprise-scc", { users: [user(ns)] }),
  ]);
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(report.findings).toMatchObject([
    {
      code: "SCC-OLDER-LEFT",
      fix: expect.stringContaining("--scc engine-enterprise-scc") as string,
    },
  ]);
  expect(linesOf(scene)).toEqual([
    "patch securitycontextconstraints",
    "delete securitycontextconstraints",
  ]);
});

function unwritable() {
  const fail = () => Promise.reject(new Error("nothing is kept here"));
  return { problem: () => Promise.resolve("read-only"), intent: fail, outcome: fail, save: fail };
}
