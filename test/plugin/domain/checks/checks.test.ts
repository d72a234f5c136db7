import { checks } from "../../../../plugin/domain/checks/all";
import { allRows } from "./rows";
import { fitWorld, openShiftWorld } from "./world";

const worldOf = (openshift: true | undefined) => (openshift ? openShiftWorld() : fitWorld());

test.each([
  ["Kubernetes", undefined],
  ["OpenShift", true as const],
])("where everything is in order on %s, no check finds anything", async (_, openshift) => {
  const world = await worldOf(openshift);
  const { findings } = await world.judge();
  expect(findings).toEqual([]);
});

test("where everything is in order, every check comes to the verdict ok", async () => {
  const world = await openShiftWorld();
  world.wants("8.0.2-2", { bundle: world.objects.slice(0, 1) });
  const { judged } = await world.judge();
  expect(judged.filter(({ verdict }) => verdict !== "ok").map(({ check }) => check.code)).toEqual(
    [],
  );
});

const titled = allRows.map((row) => {
  const verdict = row.on.length > 0 ? "fires" : "is quiet";
  return [`${row.code} ${verdict}: ${row.what}`, row] as const;
});

test.each(titled)("%s", async (_, row) => {
  const world = await worldOf(row.openshift);
  await row.change(world);
  const { judged } = await world.judge();
  const failed = judged.filter(({ verdict }) => verdict === "failed");
  const found = judged.find(({ check }) => check.code === row.code);
  expect(found?.findings.map(({ object = "" }) => object)).toEqual(row.on);
  const others = failed.map(({ check }) => check.code).filter((one) => one !== row.code);
  expect(others.sort()).toEqual([...(row.also ?? [])].sort());
});

test("every check has a row in which it fires", () => {
  const fired = new Set(allRows.filter(({ on }) => on.length > 0).map(({ code }) => code));
  expect(checks.map(({ code }) => code).filter((code) => !fired.has(code))).toEqual([]);
});

test("every row is about a check", () => {
  const known = checks.map(({ code }) => code);
  expect(allRows.map(({ code }) => code).filter((code) => !known.includes(code))).toEqual([]);
});

test("each code is one check's, with a title, a cause, a way out and a source", () => {
  const codes = checks.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { title, cause, fix, source } of checks) {
    expect([title, cause, fix, source]).not.toContain("");
  }
});
