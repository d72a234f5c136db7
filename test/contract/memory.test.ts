/** Every behavior of the contract on the cluster in memory. */
import { limits } from "../../plugin/simulator/limits";
import { groups } from "./cases/all";
import { openMemoryWorld } from "./memory-world";
import { seenIn } from "./seen";

const namespace = "contract-0001";

describe.each(groups)("$about", ({ cases }) => {
  const copied = cases.filter(({ limit }) => limit === undefined);

  test.each(copied)("$says", async ({ act, sees }) => {
    expect(await seenIn(await openMemoryWorld(namespace), act)).toEqual(sees);
  });
});

describe("what memory does not copy", () => {
  const excused = groups.flatMap(({ cases }) => cases.filter(({ limit }) => limit !== undefined));

  test.each(excused)("$says: is a limit that is told", ({ limit }) => {
    expect(limits.map(({ id }) => id)).toContain(limit);
  });

  test("a limit is told once, in one line", () => {
    expect(new Set(limits.map(({ id }) => id)).size).toBe(limits.length);
    for (const { cannot } of limits) expect(cannot).toMatch(/^\S.*\S$/);
  });
});
