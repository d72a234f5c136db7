/** `upgrade-cluster` interrupted at every request: the state is the memory, the next run ends as wanted. */
import { InterruptedError } from "../../plugin/commands/context";
import { at } from "../../plugin/domain/values";
import { aScene, type Scene, target } from "../plugin/run/cluster/scene";

const patchLine = "patch EngineEnterpriseCluster engine/ec";
const tagOf = async (scene: Scene) =>
  at(await scene.ec(), ["spec", "engineEnterpriseImageSpec", "versionTag"]);

test("interrupted at any request: 130, and a run again ends the same, with one write in all", async () => {
  const whole = await aScene();
  let requests = 0;
  whole.before = () => Promise.resolve(void (requests += 1));
  await whole.run();
  expect(requests).toBeGreaterThan(40);
  // every request until some pods are renewed, then now and then
  const moments = Array.from({ length: requests }, (_, index) => index + 1).filter(
    (moment) => moment <= 26 || moment % 30 === 0,
  );
  for (const moment of moments) {
    const scene = await aScene();
    const interrupt = new AbortController();
    let count = 0;
    scene.before = () => {
      count += 1;
      if (count === moment) interrupt.abort(new InterruptedError("SIGINT"));
      return Promise.resolve();
    };
    const cut = await scene.run({}, { signal: interrupt.signal });
    scene.before = () => Promise.resolve();
    expect([moment, [0, 130].includes(cut.exit.code)]).toEqual([moment, true]);
    const again = await scene.run();
    expect([moment, again.exit.code]).toEqual([moment, 0]);
    expect([moment, scene.sent]).toEqual([moment, [patchLine]]);
    expect(await tagOf(scene)).toBe(target);
  }
}, 120_000);
