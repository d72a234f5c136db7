import { defaultNames as names } from "../../../../plugin/domain/names";
import { VirtualClock } from "../../../../plugin/rehearsal/virtual-clock";
import { testTime } from "../../../support/manual-clock";
import { aFrozenScene, aModuleFile, codesOf, oldRef, type Scene, stateOf, stepsOf } from "./scene";

let scene: Scene | undefined;

afterEach(async () => {
  await scene?.api.close();
});

/** Time passes for the run alone: neither operator nor REST service does anything. */
const alone = () => ({ clock: new VirtualClock(testTime + 600_000) });

/** The database runs 7.2 already, as after a run that was ended. */
async function raised(): Promise<Scene> {
  scene = await aFrozenScene({ version: "6.2" });
  const { store } = scene.api;
  const bdb = store.bdbs.get(3);
  if (bdb !== undefined) store.put({ ...bdb, version: "7.2.0" });
  return scene;
}

test("an operator that waits for the resource gets it early; one that never goes on is told", async () => {
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
    next: "run the same command again: it goes on from the state found",
  });
  expect(world.sent).toEqual([]);
});

test.each([
  ["upgrade", { version: "6.2" }, { engineVersion: "7.2" }],
  ["module", { modules: [{ name: "rg", version: "1" }] }, { modules: [aModuleFile()] }],
])("an action that stands still ends the run: %s", async (_title, wish, options) => {
  scene = await aFrozenScene(wish);
  const { report } = await scene.run({ ...options, stallAfterMs: 30_000 }, alone());
  expect(report.exit.code).toBe(1);
  expect(codesOf(report)).toEqual(["FREEZE-ACTION-FAILED"]);
  expect(scene.sent).toEqual([]);
});

test("a wait for an action is given up in time, with nothing changed", async () => {
  scene = await aFrozenScene({ version: "6.2" });
  await scene.api.call("/v1/bdbs/3/upgrade", { body: { engine_version: "7.2" } });
  const { report } = await scene.run(
    { engineVersion: "7.2", wait: true, limitMs: 20_000 },
    alone(),
  );
  expect(report.exit.code).toBe(124);
  expect(scene.sent).toEqual([]);
});

test("a status that is written meanwhile is no conflict", async () => {
  const world = await raised();
  let once = true;
  world.before = async (line) => {
    if (!line.startsWith("patch EngineEnterpriseDatabase") || !once) return;
    once = false;
    const body = { status: { status: "active-change-pending" } };
    await world.cluster.patch(oldRef, body, { type: "merge", subresource: "status" });
  };
  const { report } = await world.run();
  expect(report.exit.code).toBe(0);
  expect(world.events).toContainEqual({
    type: "note",
    text: "EngineEnterpriseDatabase/shop/sessions: its status was written meanwhile, once more",
  });
});

test("a spec that somebody else changes meanwhile is theirs: 5", async () => {
  const world = await raised();
  let once = true;
  world.before = async (line) => {
    if (!line.startsWith("patch EngineEnterpriseDatabase") || !once) return;
    once = false;
    const body = { spec: { memorySize: "2GB" } };
    await world.cluster.patch(oldRef, body, { type: "merge", fieldManager: "kubectl-edit" });
  };
  const { report } = await world.run();
  expect(report.exit.code).toBe(5);
  expect((await world.run()).report.exit.code).toBe(0);
});

test("a field that another controller holds is not taken: 5, and nothing is changed", async () => {
  const world = await raised();
  await world.cluster.apply(
    {
      apiVersion: `${names.group}/${names.version}`,
      kind: names.edb.kind,
      metadata: { name: "sessions", namespace: "shop" },
      spec: { engineVersion: "6.2" },
    },
    { fieldManager: "some-controller", force: true },
  );
  const { report } = await world.run();
  expect(report.exit.code).toBe(5);
  expect(codesOf(report)).toEqual(["FIELD-CONFLICT"]);
  expect(world.sent).toEqual([]);
});

test("an upload whose answer is lost is looked for, not sent again", async () => {
  scene = await aFrozenScene({ modules: [{ name: "rg", version: "1" }] });
  scene.api.faults.add({ fault: { does: "cut", when: "after" }, method: "POST" });
  const { report } = await scene.run({ modules: [aModuleFile()] });
  expect(report.exit.code).toBe(0);
  expect(scene.api.calls.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("an upload that never arrived ends the run; a re-run sends it", async () => {
  scene = await aFrozenScene({ modules: [{ name: "rg", version: "1" }] });
  scene.api.faults.add({ fault: { does: "answer", status: 500 }, method: "POST" });
  const options = { modules: [aModuleFile()] };
  expect((await scene.run(options)).report.exit.code).toBe(69);
  expect((await scene.run(options)).report.exit.code).toBe(0);
});

test("a module that came in meanwhile is left as it is", async () => {
  scene = await aFrozenScene({ modules: [{ name: "rg", version: "1" }] });
  const { api, questions } = scene;
  const { modules } = await (
    await scene.client()
  )
    .modules(new AbortController().signal)
    .then((all) => ({ modules: all }));
  expect(modules.length).toBeGreaterThan(0);
  const { report } = await scene.run(
    { modules: [aModuleFile()] },
    {
      ask: (question) => {
        questions.push(question);
        const build = { uid: "rg-2", name: "rg", displayName: "rg", version: "2.0.0" };
        api.store.modules.set("rg-2", { ...build, isBundled: false });
        return Promise.resolve(true);
      },
    },
  );
  expect(report.exit.code).toBe(0);
  expect(stepsOf(report)[0]).toBe("recover.module.rg unchanged");
});
