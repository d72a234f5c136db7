/** The way from the API server to the admission container, as `check` and `status` tell it. */
import { webhookStatus } from "../../../../plugin/commands/upgrade-webhook/next";
import { defaultNames } from "../../../../plugin/domain/names/names";
import {
  calledBy,
  judgeServerWay,
  wayFacts,
  wayLinks,
} from "../../../../plugin/domain/admission/way";
import { fitWorld, type World } from "../checks/world";
import { brokenPairs, brokenWays, type Scene, wholeWays, wire } from "./way-rows";

async function wired(...changes: readonly ((scene: Scene) => unknown)[]): Promise<World> {
  const world = await fitWorld();
  wire(world);
  for (const change of changes) change(world);
  return world;
}

test.each(Object.entries(brokenWays))("broken: %s", async (_, { at, code, change }) => {
  const world = await wired(change);
  const facts = await world.facts();
  const { findings } = await world.judge();
  const codes = findings.map((one) => one.code);
  const { way, verdict } = webhookStatus(facts);
  expect(way).toMatch(new RegExp(`broken at the ${wayLinks[at]}$`));
  expect(verdict).toMatchObject({ is: "stalled" });
  // each link that is broken is told once, and by nothing else
  expect(codes).toEqual(expect.arrayContaining([expect.stringMatching(code)]));
  expect(new Set(codes).size).toBe(codes.length);
  if (at !== "certificate") expect(verdict).toMatchObject({ code });
});

test.each(brokenPairs)("broken twice: %s, and %s", async (first, second) => {
  const [one, other] = [brokenWays[first], brokenWays[second]];
  const world = await wired(
    (s) => one?.change(s),
    (s) => {
      if (first !== "no Service") other?.change(s);
    },
  );
  const { way } = webhookStatus(await world.facts());
  const [at, next] = [one, other].map((row) => wayLinks[row?.at ?? "answer"]);
  // what the entry lacks is told after what it leads to
  expect([`broken at the ${String(at)}`, `broken at the ${String(next)}`]).toContain(
    /broken at the .*$/.exec(String(way))?.[0],
  );
});

test.each(Object.entries(wholeWays))("whole: %s", async (_, change) => {
  const world = await wired(change);
  const { findings } = await world.judge();
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  const { way, verdict } = webhookStatus(await world.facts());
  expect(way).toMatch(
    /^API server → admission:\d+( → \d (pod|endpoint)s?)?, certificate \d+ days$/,
  );
  expect(verdict.is).toBe("fine");
});

test.each(["services", "endpointSlices", "pods", "networkPolicies", "namespaces"] as const)(
  "%s that may not be read break nothing",
  async (key) => {
    const world = await wired();
    world.unread.set(key, "forbidden");
    const facts = await world.facts();
    const way = judgeServerWay(calledBy(undefined, defaultNames), wayFacts(facts));
    expect(way.broken).toBeUndefined();
  },
);
