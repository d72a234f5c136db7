import { SlowAnswers } from "../../../../plugin/adapters/http/slow";
import { HandClock } from "../../../support/manual-clock";

function asked() {
  const clock = new HandClock();
  const told: (number | undefined)[] = [];
  const slow = new SlowAnswers(clock, "https://one", (_asked, seconds) => told.push(seconds));
  const ask = () => {
    let answer: (value: string) => void = () => undefined;
    const during = slow.during(new Promise<string>((resolve) => (answer = resolve)));
    return { during, answer };
  };
  return { clock, told, ask };
}

test("an answer within two seconds is not waited for aloud", async () => {
  const { clock, told, ask } = asked();
  const { during, answer } = ask();
  clock.pass(1_999);
  answer("here");
  expect(await during).toBe("here");
  expect([told, clock.waits]).toEqual([[], []]);
});

test("from then on it is told each second, and at last that it has come", async () => {
  const { clock, told, ask } = asked();
  const { during, answer } = ask();
  for (const ms of [2_000, 1_000, 1_000]) clock.pass(ms);
  expect(told).toEqual([2, 3, 4]);
  answer("here");
  await during;
  expect([told, clock.waits]).toEqual([[2, 3, 4, undefined], []]);
});

test("of several questions the oldest counts; what comes quickly after it is not told of", async () => {
  const { clock, told, ask } = asked();
  const first = ask();
  clock.pass(1_500);
  const second = ask();
  clock.pass(500);
  expect(told).toEqual([2]);
  first.answer("one");
  await first.during;
  clock.pass(1_000);
  expect(told).toEqual([2, undefined]);
  second.answer("two");
  await second.during;
  expect(told).toEqual([2, undefined]);
});

test("a failure ends the wait as an answer does", async () => {
  const { clock, told } = asked();
  const slow = new SlowAnswers(clock, "https://one", (_asked, seconds) => told.push(seconds));
  await expect(slow.during(Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  expect(clock.waits).toEqual([]);
});
