/** `upgrade` cut off at every write: the next run ends the same and repeats nothing. */
import { InterruptedError } from "../../plugin/commands/context";
import { defaultNames as names } from "../../plugin/domain/names";
import type { KubeObject } from "../../plugin/domain/objects";
import { exampleSource } from "../../plugin/rehearsal/example";
import { testTime } from "../support/manual-clock";
import { aPlayedWorld, type PlayedWorld } from "../support/played-operator";
import { stateOf, upgrade, withDatabases } from "../support/upgrade-runs";

let objects: readonly KubeObject[] = [];
// whole runs, of which each test makes many
jest.setTimeout(300_000);

beforeAll(async () => {
  objects = [...(await exampleSource(names, testTime)).objects];
});

describe("cut off at any write, the next run ends the same and repeats nothing", () => {
  let total = 0;
  let wanted: unknown;
  beforeAll(async () => {
    const world = await aPlayedWorld({ objects });
    total = (await upgrade(world, withDatabases)).writes.length;
    wanted = await stateOf(world);
    expect(total).toBeGreaterThan(10);
  });

  test.each([
    "interrupted",
    "killed before it took effect",
    "killed after it took effect",
  ] as const)("%s", async (how) => {
    for (let n = 1; n <= total; n += 1) {
      const world = await aPlayedWorld({ objects });
      const first = await cutAt(world, n, how);
      const again = await upgrade(world, withDatabases);
      expect([n, again.report.exit.code]).toEqual([n, 0]);
      expect([n, await stateOf(world)]).toEqual([n, wanted]);
      expect([n, first.length + again.writes.length]).toEqual([n, total]);
    }
  });
});

class Killed extends Error {}

/** The writes that took effect before the run was cut off. */
async function cutAt(
  world: PlayedWorld,
  n: number,
  how: "interrupted" | "killed before it took effect" | "killed after it took effect",
): Promise<readonly string[]> {
  const interrupt = new AbortController();
  const moment = how === "killed before it took effect" ? "before" : "after";
  const { writes } = await upgrade(world, withDatabases, {
    signal: interrupt.signal,
    happens: (count, when) => {
      if (count !== n || when !== moment) return;
      if (how === "interrupted") interrupt.abort(new InterruptedError("SIGINT"));
      else throw new Killed();
    },
  });
  return writes;
}
