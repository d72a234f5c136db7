/**
 * What one way of an act refuses before its first write, every other way refuses: the acts are those that more than
 * one command does, the clusters those that people have reported, as far as they are broken.
 */
import { broken } from "../support/broken-worlds";
import { Starts } from "../support/starts";
import { obstacles, type Wish } from "../support/upgrade-worlds";
import { type Act, acts, atRisk, tryWay } from "./refusals";
import { sampled } from "../support/sampled";

/** A way that writes where another one refuses. */
interface Known {
  readonly act: string;
  readonly scenes: readonly string[];
  readonly writes: readonly string[];
  readonly why: string;
}

/** One that has come right is an error here. */
const known: readonly Known[] = [
  {
    act: "upgrade the operator",
    scenes: ["a partition", "pods renewed by hand", "a broken cluster"],
    writes: ["upgrade-operator", "upgrade-operator --chart"],
    why: "`upgrade` judges by every check that no part settles, whatever --only names; an operator alone rolls no pods of an EC, and may be what mends it",
  },
  {
    act: "upgrade the operator",
    scenes: ["no operator"],
    writes: ["upgrade-operator", "upgrade-operator --chart"],
    why: "right: `upgrade-operator` installs an operator that is not there, and there is nothing to upgrade without one",
  },
];

const starts = new Starts();
const scenes: readonly Wish[] = [{ name: "as it is" }, atRisk, ...broken, ...obstacles];
const chosen = new Set(sampled(scenes));

/** The scenes in which a difference is known, and of the others as many as this run tries. */
const tried = scenes.filter(
  (wish) => chosen.has(wish) || known.some(({ scenes: there }) => there.includes(wish.name)),
);

/** A way that writes where another one refuses, with the words of that. */
async function disagreements(act: Act, wish: Wish) {
  const all = await Promise.all(
    act.ways.map(async (way) => ({ way: way.name, ...(await tryWay(act, way, { starts, wish })) })),
  );
  const refusing = all.filter(({ wrote, code }) => !wrote && code !== 0);
  const writing = refusing.length === 0 ? [] : all.filter(({ wrote }) => wrote);
  const says = refusing.map(({ way, code, reason }) => `${way} ends with ${code}: ${reason}`);
  return writing.map(({ way }) => ({ way, says: [`${way} writes`, ...says].join("; ") }));
}

describe.each(acts.map((act) => [act.name, act] as const))("%s", (name, act) => {
  test.each(tried.map((wish) => [wish.name, wish] as const))("%s", async (scene, wish) => {
    const excused = known
      .filter((one) => one.act === name && one.scenes.includes(scene))
      .flatMap(({ writes }) => writes);
    const found = await disagreements(act, wish);
    expect(found.flatMap(({ way, says }) => (excused.includes(way) ? [] : [says]))).toEqual([]);
    expect(found.map(({ way }) => way)).toEqual(expect.arrayContaining(excused));
  });
});

test("each case that is known is one of the table", () => {
  for (const { act, scenes: there, writes } of known) {
    const ways = acts.find(({ name }) => name === act)?.ways.map(({ name }) => name) ?? [];
    expect(ways).toEqual(expect.arrayContaining([...writes]));
    expect(scenes.map(({ name }) => name)).toEqual(expect.arrayContaining([...there]));
  }
});
