/** A swap whose question waits: what nobody watched before the answer is no part of what is told of the swap. */
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Report } from "../../../../plugin/kernel/report";
import { aFolder } from "../../../support/a-folder";
import { aPlayedWorld } from "../../../support/played-operator";
import { type Ended, typed } from "../../../support/program-world";
import { ScriptedWebhook } from "../../../support/scripted-webhook";

const folder = aFolder("waited");

/** Somebody types y after so many seconds of virtual time. */
async function answeredAfter(seconds: number, as: "json" | "text"): Promise<Ended> {
  const world = await aPlayedWorld();
  const { clock } = world;
  const { cluster } = new ScriptedWebhook(world, {});
  const answer = new Readable({
    read() {
      clock.sleep(seconds * 1_000).then(
        () => {
          this.push("y\n");
          this.push(null); // there is no second question
        },
        (error: unknown) => this.destroy(error as Error),
      );
    },
  });
  return await typed(["upgrade-webhook", "-n", "engine", "-o", as], {
    connect: () => Promise.resolve(cluster),
    clock,
    env: { ENGINE_HOME: join(folder, "home") },
    terminal: true,
    stdin: Object.assign(answer, { isTTY: true }),
  });
}

test.each([1, 15, 300])("a question that waits for %i s", async (seconds) => {
  const { code, out } = await answeredAfter(seconds, "json");
  const { gap, steps = [] } = JSON.parse(out) as Report;
  expect(code).toBe(0);
  expect(gap).toMatchObject({ bypassSeconds: 0, outageSeconds: 0, windows: [] });
  expect(gap?.unobserved).toBeUndefined();
  // the state before the first write was looked at
  const write = steps.find(({ action }) => action === "apply");
  const looks = (gap?.answers ?? []).filter(({ at }) => at <= (write?.at ?? NaN));
  expect(new Set(looks.map(({ twin }) => twin))).toEqual(new Set(["accept", "deny"]));
  const text = await answeredAfter(seconds, "text");
  expect(text.out).not.toContain("ot observed");
  expect(text.out).toContain("Unguarded: 0s (bad edits could pass), outage: 0s");
});
