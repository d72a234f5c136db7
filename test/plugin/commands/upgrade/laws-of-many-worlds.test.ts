/** What holds of `upgrade`, on many clusters and after every write. */
import {
  chosenBy,
  cutAfter,
  describeWishes,
  isRefused,
  obstacles,
  refused,
  stopsAlone,
  tightPlans,
  undisturbed,
  wishes,
  worldOf,
  writesOf,
} from "../../../support/upgrade-worlds";
import { sampled } from "../../../support/sampled";

test.each(sampled(wishes).map((wish) => [wish.name, wish] as const))(
  "undisturbed: %s",
  async (_, wish) => {
    expect(await undisturbed(await worldOf([wish]))).toEqual([]);
  },
);

test.each([[[]], [wishes.slice(0, 1)], [wishes.slice(5, 6)]])(
  "killed after each of its writes and run again, it ends the same (%#)",
  async (chosen) => {
    const world = await worldOf(chosen);
    const count = await writesOf(world);
    const wrong: string[] = [];
    for (const writes of sampled(Array.from({ length: count - 1 }, (_, index) => index + 1)))
      wrong.push(...(await cutAfter(world, writes)));
    expect(wrong).toEqual([]);
  },
  1_800_000,
);

test.each(Array.from({ length: 10 }, (_, index) => index * 10))(
  "any wishes together, seeds from %i on",
  async (from) => {
    const wrong: string[] = [];
    for (const seed of sampled(Array.from({ length: 10 }, (_, index) => from + index))) {
      const chosen = chosenBy(seed);
      const world = await worldOf(chosen);
      const found = [
        ...(await undisturbed(world)),
        ...(seed % 2 === 0 ? await cutAfter(world, 1 + (seed % 13)) : []),
      ];
      wrong.push(...found.map((one) => `${seed} (${describeWishes(chosen)}): ${one}`));
    }
    expect(wrong).toEqual([]);
  },
  1_800_000,
);

test.each(Array.from({ length: 5 }, (_, index) => index * 10))(
  "planned ahead as when its turn has come, and apart from what stands against others, seeds from %i on",
  async (from) => {
    const wrong: string[] = [];
    for (const seed of sampled(Array.from({ length: 10 }, (_, index) => from + index))) {
      const chosen = chosenBy(seed);
      const obstacle = obstacles[seed % obstacles.length];
      const found = isRefused(chosen)
        ? await refused(await worldOf(chosen))
        : [
            ...(await tightPlans(await worldOf(chosen))),
            ...(obstacle === undefined ? [] : await stopsAlone(chosen, obstacle)),
          ];
      wrong.push(...found.map((one) => `${seed} (${describeWishes(chosen)}): ${one}`));
    }
    expect(wrong).toEqual([]);
  },
  1_800_000,
);
