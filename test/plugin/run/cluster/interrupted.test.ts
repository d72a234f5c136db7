/** What somebody else does meanwhile. */
import { at } from "../../../../plugin/domain/values";
import { aScene, type Scene } from "./scene";

const patchLine = "patch EngineEnterpriseCluster engine/ec";
const tagOf = async (scene: Scene) =>
  at(await scene.ec(), ["spec", "engineEnterpriseImageSpec", "versionTag"]);

/** Acts once, before the write is sent. */
function onceBeforeWrite(scene: Scene, act: () => Promise<unknown>): void {
  let done = false;
  scene.before = async (line) => {
    if (done || line !== patchLine) return;
    done = true;
    await act();
  };
}

test("a status that was written meanwhile is read anew: one more patch, no end", async () => {
  const scene = await aScene();
  onceBeforeWrite(scene, () => scene.patch({ metadata: { annotations: { seen: "yes" } } }));
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(scene.sent).toEqual([patchLine, patchLine]);
  expect(scene.events).toContainEqual({
    type: "note",
    text: "EngineEnterpriseCluster/engine/ec: its status was written meanwhile, once more",
  });
});

test("a spec that somebody changed meanwhile ends with 5, and is left as it is", async () => {
  const scene = await aScene();
  onceBeforeWrite(scene, () => scene.patch({ spec: { nodes: 5 } }));
  const report = await scene.run();
  expect(report.exit.code).toBe(5);
  expect(await tagOf(scene)).toBe("7.8.2-34");
});

test("a status that is written each time ends with 5 at last", async () => {
  const scene = await aScene();
  let count = 0;
  scene.before = async (line) => {
    if (line !== patchLine) return;
    count += 1;
    await scene.patch({ metadata: { annotations: { count: String(count) } } });
  };
  const report = await scene.run();
  expect([report.exit.code, count]).toEqual([5, 5]);
});
