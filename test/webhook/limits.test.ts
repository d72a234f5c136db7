/** The time and the room that calls have: deadlines, bodies under way, and memory for large ones. */
import { EventEmitter } from "node:events";
import { MessageChannel, type Worker } from "node:worker_threads";
import { defaultNames } from "../../plugin/domain/names";
import { abortAfter, timeFor } from "../../webhook/review/deadline";
import { BigBodies, serveParser } from "../../webhook/review/parser";
import { UnreadableReview } from "../../webhook/review/request";
import { Arrivals, bigBody, BodyBudget } from "../../webhook/review/room";
import { anEdb, aReview, bytesOf, wrongUpdate } from "./reviews";

test.each([
  ["one second less than asked", "?timeout=10s", 9_000],
  ["at least a quarter of what was asked", "?timeout=1s", 250],
  ["never more than a registration can ask", "?timeout=5m", 29_000],
  ["the usual one when nothing is asked", "?x=1", 9_000],
  ["the usual one without a query", "", 9_000],
  ["the usual one when it is not a duration", "?timeout=soon", 9_000],
  ["the usual one when nothing is left", "?timeout=0s", 9_000],
])("the time for a review is %s", (_name, query, ms) => {
  expect(timeFor(`/admission${query}`)).toBe(ms);
});

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
    arrivals.shed("any");
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
  });

  test("free space: the oldest, or the oldest slow one", () => {
    const arrivals = new Arrivals();
    const first = anArrival(arrivals);
    const second = anArrival(arrivals, { slow: true });
    expect([arrivals.shed("slow"), arrivals.shed("slow")]).toEqual([true, false]);
    expect({ first, second }).toEqual({ first: [], second: ["shed"] });
    expect([arrivals.shed("any"), arrivals.shed("any")]).toEqual([true, false]);
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

/** The parser behind a port of this thread, as a thread looks from outside. */
class PortThread extends EventEmitter {
  readonly received: number[] = [];
  ended = false;
  private readonly channel = new MessageChannel();

  constructor(serves = true) {
    super();
    if (serves) serveParser(this.channel.port2, defaultNames);
    this.channel.port1.on("message", (message) => this.emit("message", message));
  }

  postMessage(message: { readonly bytes: Uint8Array }, transfer: readonly ArrayBuffer[]): void {
    this.received.push(message.bytes.length);
    this.channel.port1.postMessage(message, [...transfer]);
  }

  unref(): void {}

  terminate(): Promise<number> {
    this.ended = true;
    this.channel.port1.close();
    return Promise.resolve(0);
  }
}

const threads: PortThread[] = [];

function bodies(serves = true) {
  const opened: PortThread[] = [];
  const big = new BigBodies(() => {
    const thread = new PortThread(serves);
    opened.push(thread);
    threads.push(thread);
    return thread as unknown as Worker;
  });
  return { big, opened };
}

afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
});

const annotated = anEdb({ engineVersion: "9.9", memorySize: "1GB" });

test("a large review comes back with what is judged of its objects", async () => {
  const { big, opened } = bodies();
  const first = await big.parse(bytesOf(aReview({ ...wrongUpdate, object: annotated })));
  expect(first).toMatchObject({ uid: "uid-1", operation: "UPDATE" });
  expect(first.object).toEqual({
    spec: { engineVersion: "9.9", engineEnterpriseCluster: { name: "ec" } },
  });
  await big.parse(bytesOf(aReview(wrongUpdate)));
  expect(opened).toHaveLength(1);
  await big.stop();
  expect(opened[0]?.ended).toBe(true);
});

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test.each<[string, string, string, string | undefined]>([
  ["no JSON", "{", "the body is not JSON", undefined],
  [
    "a review without an operation",
    JSON.stringify(aReview({ ...wrongUpdate, operation: undefined })),
    "the review's request has no operation",
    "uid-1",
  ],
  [
    "a judged field that is nested too deeply to be copied",
    JSON.stringify(
      aReview({ ...wrongUpdate, object: { spec: { engineVersion: "DEEP" } } }),
    ).replace('"DEEP"', deep(200_000)),
    "the review is nested too deeply",
    undefined,
  ],
])("%s is unreadable", async (_name, ...[body, message, uid]) => {
  const { big } = bodies();
  const parsed = big.parse(Buffer.from(body));
  await expect(parsed).rejects.toThrow(UnreadableReview);
  await expect(parsed).rejects.toMatchObject({ message, uid });
});

test("depth outside of what is judged is harmless", async () => {
  const { big } = bodies();
  const object = { spec: { engineVersion: "7.4", other: "DEEP" } };
  const body = JSON.stringify(aReview({ ...wrongUpdate, object })).replace('"DEEP"', deep(200_000));
  const { object: part } = await big.parse(Buffer.from(body));
  expect(part).toMatchObject({ spec: { engineVersion: "7.4" } });
});

test.each(["error", "exit"])(
  "a thread that ends with %s fails what it had, and the next gets a new one",
  async (event) => {
    const { big, opened } = bodies(false);
    const lost = big.parse(bytesOf(aReview(wrongUpdate)));
    opened[0]?.emit(event, event === "error" ? new Error("out of memory") : 1);
    await expect(lost).rejects.toThrow("the body takes too much memory to be read");
    opened[0]?.emit("exit", 1);
    void big.parse(bytesOf(aReview(wrongUpdate))).catch(() => undefined);
    expect(opened).toHaveLength(2);
  },
);

test("stopping what never started is harmless", async () => {
  await expect(bodies().big.stop()).resolves.toBeUndefined();
});

describe("the budget", () => {
  const budget = () => new BodyBudget(10 * bigBody);

  test("lets small bodies in whatever there is", () => {
    const one = budget();
    one.take(10 * bigBody);
    expect(one.take(bigBody)).toBe(true);
  });

  test("lets one in however large, and turns away what comes on top", () => {
    const one = budget();
    expect(one.take(20 * bigBody)).toBe(true);
    expect(one.take(bigBody + 1)).toBe(false);
    one.give(20 * bigBody);
    expect(one.take(bigBody + 1)).toBe(true);
  });

  test("counts what was given back", () => {
    const one = budget();
    expect([one.take(6 * bigBody), one.take(4 * bigBody), one.take(2 * bigBody)]).toEqual([
      true,
      true,
      false,
    ]);
    one.give(4 * bigBody);
    expect(one.take(4 * bigBody)).toBe(true);
  });
});
