import { inTurn } from "../../../plugin/simulator/virtual-clock";
import { VirtualClock } from "../../../plugin/ports/virtual-clock";

test("a sleep takes its time at once", async () => {
  const clock = new VirtualClock(1_000);
  await clock.sleep(3_600_000);
  clock.advance(5);
  expect(clock.now()).toBe(3_601_005);
});

test("who sleeps lets answers come in first", async () => {
  const clock = new VirtualClock(0);
  let answered = false;
  setImmediate(() => (answered = true));
  await clock.sleep(1);
  expect(answered).toBe(true);
});

test("an aborted sleep ends with the signal's reason, and takes no time", async () => {
  const clock = new VirtualClock(0);
  const reason = new Error("enough");
  await expect(clock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(clock.now()).toBe(0);
});

test("the second begins when the first has ended, however it ended", async () => {
  const turn = inTurn();
  const course: string[] = [];
  let fail: (reason: Error) => void = () => {};
  const first = turn(
    () =>
      new Promise<never>((_, reject) => {
        course.push("first begins");
        fail = reject;
      }),
  );
  const second = turn(() => {
    course.push("second begins");
    return Promise.resolve("its answer");
  });
  await new Promise(setImmediate);
  expect(course).toEqual(["first begins"]);
  fail(new Error("its own"));
  await expect(first).rejects.toThrow("its own");
  expect(await second).toBe("its answer");
});
