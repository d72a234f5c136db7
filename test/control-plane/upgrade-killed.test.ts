/**
 * `kubectl engine upgrade` over two releases beside the real controllers, killed at random moments and run
 * again: the end is that of a run that was left alone, and nothing is written twice.
 * ENGINE_KILLS sets the number of moments, ENGINE_KILL_SEED repeats those of an earlier run.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { logToStderr } from "./binaries";
import { makePair } from "./certificate";
import { startPlugin } from "./plugin-run";
import type { ReleaseVersion } from "../support/releases/versions";
import { namespace, openUpgradeScene, type UpgradeScene } from "./upgrade-scene";
import { stateOf, writesSince } from "./upgrade-state";

const releases = ["7.22.0-7", "8.0.2-2"] as const satisfies readonly ReleaseVersion[];
const kills = Number(process.env["ENGINE_KILLS"] ?? 6);
const seed = Number(process.env["ENGINE_KILL_SEED"] ?? Date.now() % 1_000_000);
/** A run is over within this time on an idle machine; one that is over earlier was not killed. */
const longestMs = 6_000;
/** So many moments of one cluster; the others are of a new one. */
const killsOfOne = 8;

const pair = makePair({ namespace });
jest.setTimeout(120_000 + 60_000 * kills);

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

interface Ended {
  readonly state: unknown;
  readonly writes: readonly string[];
  readonly killed: number;
}

/** Upgrades over both releases; each run is killed after the next of these times, while there is one. */
async function upgraded(momentsMs: readonly number[]): Promise<Ended> {
  const scene = await openUpgradeScene({ pair, controllers: true });
  try {
    const mark = await scene.controlPlane.auditMark();
    const left = [...momentsMs];
    let killed = 0;
    await scene.whilePlaying(async () => {
      for (const [index, release] of releases.entries()) {
        // the last release takes what is left
        const share = index === 0 ? Math.ceil(momentsMs.length / 2) : momentsMs.length;
        // the first one by a saved plan, which each run continues
        const plan = join(scene.controlPlane.site.dataDir, "plan.json");
        const words = index === 0 ? ["--plan", plan] : [];
        if (index === 0) {
          const saved = await scene.upgrade(release, ["--plan-out", plan]);
          expect([saved.code, saved.writes]).toEqual([0, []]);
        }
        killed += await killedTimes(scene, [release, words], left.splice(0, share));
        await scene.rest(release);
      }
    });
    const writes = [...(await writesSince(scene, mark))].sort();
    return { state: await stateOf(scene), writes, killed };
  } finally {
    await scene.close();
  }
}

/** Runs until the upgrade to a release has ended by itself; how often it was killed. */
async function killedTimes(
  scene: UpgradeScene,
  [release, words]: readonly [ReleaseVersion, readonly string[]],
  momentsMs: readonly number[],
): Promise<number> {
  const given = ["--release", scene.release(release), ...words];
  const args = ["upgrade", ...given, "--yes", "-o", "json"];
  let killed = 0;
  for (const moment of momentsMs) {
    const running = startPlugin(scene.controlPlane, args);
    const ended = await Promise.race([running.ended, pause(moment)]);
    if (ended !== undefined) {
      expect(ended).toMatchObject({ code: 0 });
      return killed;
    }
    running.process.kill("SIGKILL");
    const { code } = await running.ended;
    // it may have ended in the same moment
    if (code === 0) return killed;
    expect(code).toBe(137);
    killed += 1;
  }
  const { code, report } = await scene.upgrade(release, [...words, "--yes"]);
  expect([code, report.exit.reason]).toEqual([0, expect.any(String)]);
  return killed;
}

test("killed at random moments: the same end, and nothing twice", async () => {
  const alone = await upgraded([]);
  const next = numbers(seed);
  let killed = 0;
  for (let left = kills; left > 0; left -= killsOfOne) {
    const momentsMs = Array.from({ length: Math.min(left, killsOfOne) }, () =>
      Math.round(next() * longestMs),
    );
    logToStderr(`ENGINE_KILL_SEED=${String(seed)}: killed after ${momentsMs.join(", ")} ms`);
    const again = await upgraded(momentsMs);
    expect(again.state).toEqual(alone.state);
    expect(again.writes).toEqual(alone.writes);
    killed += again.killed;
  }
  expect(killed).toBeGreaterThan(0);
});
