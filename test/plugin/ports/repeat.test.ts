/** Work beside a run, by a clock whose time passes by itself: here by hand. */
import { setImmediate as turn } from "node:timers/promises";
import { repeat } from "../../../plugin/ports/kubernetes";
import { VirtualClock } from "../../../plugin/ports/virtual-clock";
import { HandClock, testTime } from "../../support/manual-clock";

function begin(clock: HandClock | VirtualClock, everyMs: number) {
  const done: number[] = [];
  const work = repeat(clock, () => {
    done.push(clock.now() - testTime);
    return Promise.resolve(everyMs);
  });
  return { done, work };
}

test("it is done at once, again when it is due, and when it is woken", async () => {
  const clock = new HandClock();
  const { done, work } = begin(clock, 5_000);
  await turn();
  clock.pass(5_000);
  await turn();
  clock.pass(1_000);
  work.soon();
  await turn();
  expect(done).toEqual([0, 5_000, 6_000]);
  await work.stop();
  expect(clock.waits).toEqual([]);
});

test("what it throws is thrown by who ends it", async () => {
  const clock = new HandClock();
  const work = repeat(clock, () => Promise.reject(new Error("broken")));
  await turn();
  await expect(work.stop()).rejects.toThrow("broken");
});

test("in virtual time it is done while someone waits", async () => {
  const clock = new VirtualClock(testTime);
  const { done, work } = begin(clock, 200);
  await clock.sleep(500);
  expect(done).toEqual([0, 200, 400]);
  clock.advance(50);
  work.soon();
  await clock.sleep(0);
  expect(done.at(-1)).toBe(550);
  await work.stop();
  await clock.sleep(1_000);
  expect([done.length, clock.now() - testTime]).toEqual([4, 1_550]);
});

test("work that waits itself lets time pass, and does not begin again meanwhile", async () => {
  const clock = new VirtualClock(testTime);
  let begun = 0;
  const work = repeat(clock, async () => {
    begun += 1;
    await clock.sleep(300);
    return 200;
  });
  await clock.sleep(600);
  await work.stop();
  expect([begun, clock.now() - testTime]).toEqual([2, 800]);
});
