import { expectNobodyElseLost, mayUse, snapshotOf } from "./laws";
import { constellations } from "./way-ins";
import { aScene } from "./memory-scene";
import { aNamespace, placeNamed, user } from "./objects";

const place = placeNamed("engine");
const { ns, other, scc } = place;

describe.each(constellations)("$name", (wanted) => {
  const { objects, exit, codes, writes, constraint, may, account = "ec", beside } = wanted;
  const open = () =>
    aScene([aNamespace(ns), aNamespace(other), ...objects(place)], { namespace: ns });
  const codesOf = (findings: readonly { readonly code: string }[] = []): readonly string[] =>
    [...new Set(findings.map(({ code }) => code))].sort();

  test("ends up to date, and nobody else lost anything", async () => {
    const scene = open();
    const before = await snapshotOf(scene.cluster, place);
    const report = await scene.run({ scc });
    const after = await snapshotOf(scene.cluster, place);
    expect([report.exit.code, report.exit.reason]).toEqual([exit, expect.any(String)]);
    expect(codesOf(report.findings)).toEqual(codes);
    expect(scene.sent.map(({ line }) => line)).toEqual(writes);
    expectNobodyElseLost(before, after, {
      ...{ namespace: ns, name: account, beside: beside?.(place) ?? [] },
    });
    const found = after.has(`SecurityContextConstraints/${scc}`);
    expect(found).toBe(constraint === "kept");
    const places = [ns, other].map((namespace) => ({ name: user(ns, account), namespace }));
    const answers = await Promise.all(places.map((each) => mayUse(scene.cluster, place, each)));
    expect(answers.includes(true)).toBe(may === true);
  });

  test("run again writes nothing", async () => {
    const scene = open();
    await scene.run({ scc });
    scene.sent.length = 0;
    const again = await scene.run({ scc });
    expect(again.exit.code).toBe(exit);
    expect(scene.sent).toEqual([]);
  });

  test.each(["client", "server"] as const)("a %s dry run changes nothing", async (dryRun) => {
    const scene = open();
    const before = await snapshotOf(scene.cluster, place);
    const report = await scene.run({ scc, dryRun });
    expect(report.exit.code).toBe(exit);
    expect(scene.sent).toEqual(
      dryRun === "client" ? [] : writes.map((line) => ({ line, dryRun: true })),
    );
    expect((report.steps ?? []).filter(({ result }) => result === "planned")).toHaveLength(
      writes.length,
    );
    expect(await snapshotOf(scene.cluster, place)).toEqual(before);
  });
});
