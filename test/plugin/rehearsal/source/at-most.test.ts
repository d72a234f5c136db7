import { atMost } from "../../../../plugin/rehearsal/source/at-most";

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
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
