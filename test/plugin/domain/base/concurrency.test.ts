import { atMost, eachAtMost, eachThenRest } from "../../../../plugin/domain/base/concurrency";
import { TimeoutError, UnknownOutcomeError } from "../../../../plugin/domain/base/errors";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("no more run at once than allowed, in the order asked, failures among them", async () => {
  const bounded = atMost(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) => () => {
    begun.push(n);
    return new Promise<number>((resolve, reject) => {
      ends[n] = () => {
        if (n === 1) reject(new Error("no"));
        else resolve(n);
      };
    });
  };
  const settled = Promise.allSettled([0, 1, 2, 3].map((n) => bounded(work(n))));
  await turn();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await turn();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();

  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
});

describe("the first failure", () => {
  const refused = new TimeoutError("refused");
  const open = new UnknownOutcomeError("not seen");

  test.each<[string, readonly (Error | undefined)[], Error, number]>([
    ["ends it once those under way have ended", [refused, undefined, undefined], refused, 2],
    ["is told after an open outcome", [refused, open, undefined], open, 2],
    ["may be the last one", [undefined, undefined, refused], refused, 3],
  ])("%s", async (_title, ...[outcomes, expected, count]) => {
    const begun: unknown[] = [];
    const all = eachAtMost(2, outcomes, async (outcome) => {
      begun.push(outcome);
      await Promise.resolve();
      if (outcome !== undefined) throw outcome;
    });
    await expect(all).rejects.toBe(expected);
    expect(begun).toHaveLength(count);
  });
});

test("what is left of an item is done beside the next ones, for so many as may be begun", async () => {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const all = eachThenRest({ limit: 1, begun: 2 }, ["a", "b", "c"], (item) => {
    log.push(`${item} begun`);
    const rest = () => new Promise<void>((resolve) => ends.push(resolve));
    return Promise.resolve(rest);
  });
  await turn();
  expect(log).toEqual(["a begun", "b begun"]);
  ends[0]?.();
  await turn();
  expect(log).toEqual(["a begun", "b begun", "c begun"]);
  ends[1]?.();
  ends[2]?.();
  await expect(all).resolves.toBeUndefined();
});
