/** The cluster's state is the only memory: whenever a run ends, the next one ends up to date. */
import type { Call } from "../support/kept-cluster";
import {
  applyNew,
  deleteOld,
  expectWanted,
  Scene,
  type Start,
} from "../plugin/commands/upgrade-webhook/scene";

const starts: readonly [string, Start][] = [
  ["only old", { old: true }],
  ["a broken old", { old: { caBundle: "" } }],
  ["old and a raw new", { old: true, new: { namespace: "OPERATOR_NAMESPACE", caBundle: "" } }],
  ["only a raw new", { new: { namespace: "OPERATOR_NAMESPACE", caBundle: "" } }],
  ["none", {}],
];

/** Not an EngineError: no part of the program has a word for it. */
class Killed extends Error {}

/** Slow answers: fewer probes, since time settles a proof. */
function sceneOf(start: Start): Scene {
  const scene = new Scene(start);
  scene.cluster.latencyMs = 60;
  return scene;
}

/** The calls at which something changes: of several alike in a row the first and the last. */
async function callsToTry(start: Start): Promise<readonly Call[]> {
  const scene = sceneOf(start);
  await scene.run();
  const { calls } = scene.cluster;
  const alike = (one: Call, other: Call | undefined): boolean =>
    other?.verb === one.verb && other.dryRun === one.dryRun;
  return calls.filter(
    (call, index) => !alike(call, calls[index - 1]) || !alike(call, calls[index + 1]),
  );
}

describe.each(starts)("from %s", (_title, start) => {
  let calls: readonly Call[] = [];
  beforeAll(async () => {
    calls = await callsToTry(start);
  });

  test.each(["before", "after"] as const)(
    "killed %s any call: the next run ends up to date",
    async (when) => {
      for (const { n } of calls) {
        const scene = sceneOf(start);
        let killed = false;
        scene.cluster[when] = (call) => {
          killed ||= call.n >= n;
          if (killed) throw new Killed();
        };
        // nobody waits for the last call when it is a probe that was cut short
        const end = await scene.run().catch((error: unknown) => error);
        if (!(end instanceof Killed)) expect(end).toMatchObject({ exit: { code: 0 } });

        scene.cluster[when] = () => {};
        expect((await scene.run()).exit.code).toBe(0);
        expectWanted(scene);
      }
    },
  );

  test.each(["before", "after"] as const)(
    "interrupted %s any call: the state is told truly, the next run ends up to date",
    async (when) => {
      for (const { n, dryRun, verb } of calls) {
        const scene = sceneOf(start);
        scene.cluster[when] = (call) => {
          if (call.n === n) scene.interrupt();
        };
        const report = await scene.run();

        const told = report.exit.reason;
        const { written } = scene.cluster;
        const what = `${String(n)} ${verb}${dryRun ? " dry" : ""}: ${told}`;
        if (report.exit.code === 0) {
          expectWanted(scene);
        } else {
          expect([what, report.exit.code]).toEqual([what, 130]);
          expect([what, told.includes("nothing was written")]).toEqual([
            what,
            written.length === 0,
          ]);
          expect([what, told.includes("the old one is deleted")]).toEqual([
            what,
            written.includes(deleteOld),
          ]);
          expect([what, told.includes("the new configuration is written")]).toEqual([
            what,
            written.includes(applyNew),
          ]);
          expect(report.exit.next).toContain("run the same command again");
        }
        scene.cluster[when] = () => {};
        expect((await scene.run()).exit.code).toBe(0);
        expectWanted(scene);
      }
    },
  );
});
