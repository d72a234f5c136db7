import { abortAfter } from "../../webhook/abort-after";
import { Arrivals } from "../../webhook/arrivals";

function anArrival(arrivals: Arrivals, parts: { latest?: number; slow?: boolean } = {}) {
  const said: string[] = [];
  const arrival = {
    latest: parts.latest ?? Infinity,
    isSlow: () => parts.slow === true,
    giveUp: (why: string) => {
      arrivals.delete(arrival);
      said.push(why);
    },
  };
  arrivals.add(arrival);
  return said;
}

describe("arrivals", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test("that are late are given up, the others are waited for", () => {
    const arrivals = new Arrivals();
    const late = anArrival(arrivals, { latest: performance.now() + 10 });
    const early = anArrival(arrivals, { latest: performance.now() + 10_000 });
    jest.advanceTimersByTime(100);
    expect({ late, early }).toEqual({ late: ["late"], early: [] });
  });

  test("leave no timer behind", () => {
    const arrivals = new Arrivals();
    anArrival(arrivals);
    expect(jest.getTimerCount()).toBe(1);
    arrivals.shedOldest();
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
  });

  test("make room: the oldest, or the oldest slow one", () => {
    const arrivals = new Arrivals();
    const first = anArrival(arrivals);
    const second = anArrival(arrivals, { slow: true });
    expect([arrivals.shedSlow(), arrivals.shedSlow()]).toEqual([true, false]);
    expect({ first, second }).toEqual({ first: [], second: ["shed"] });
    expect([arrivals.shedOldest(), arrivals.shedOldest()]).toEqual([true, false]);
    expect(first).toEqual(["shed"]);
  });
});

describe("a signal after a time", () => {
  test("is shared by those whose time ends together", () => {
    expect(abortAfter(5_000_000)).toBe(abortAfter(5_000_000));
    expect(abortAfter(5_000_000)).not.toBe(abortAfter(6_000_000));
  });

  test("aborts", async () => {
    const signals = [abortAfter(1), abortAfter(1_000)];
    await Promise.all(
      signals.map(async (signal) => {
        if (!signal.aborted) {
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
            setTimeout(() => undefined, 2_000).unref();
          });
        }
        expect(signal.reason).toMatchObject({ name: "TimeoutError" });
      }),
    );
  });
});
