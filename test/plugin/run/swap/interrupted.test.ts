/** The cluster's state is the only memory: whenever a run ends, the next one ends as wanted. */
import type { KubeObject } from "../../../../plugin/domain/objects";
import { swapWebhook } from "../../../../plugin/run/swap/swap";
import { applyNew, aSwap, Scene } from "./scene";

test("the write in flight is finished: an interrupt during the apply still reads it back", async () => {
  const scene = new Scene({ old: true });
  scene.cluster.before = ({ verb, dryRun }) => {
    if (verb === "apply" && !dryRun) scene.interrupt();
  };
  const report = await scene.run();
  expect(report.steps?.map(({ id, result }) => [id, result])).toEqual([
    ["secret.read", "done"],
    ["webhook.apply", "created"],
    ["webhook.read-back", "done"],
  ]);
  expect(report.exit.reason).toBe(
    "interrupted by SIGINT; the new configuration is written and not yet proven, the old one is untouched",
  );
});

test("no write is begun after an interrupt: the old one stays when it comes while that is saved", async () => {
  const scene = new Scene({ old: true });
  const deps = scene.deps();
  const save = (object: KubeObject): Promise<string> => {
    scene.interrupt();
    return deps.journal.save(object);
  };
  const report = await swapWebhook({ ...deps, journal: { ...deps.journal, save } }, aSwap());
  expect(scene.cluster.written).toEqual([applyNew]);
  expect(report.exit).toMatchObject({
    code: 130,
    reason:
      "interrupted by SIGINT; the new configuration is written and proven, the old one is untouched",
  });
});
