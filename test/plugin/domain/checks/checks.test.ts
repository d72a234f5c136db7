/**
 * Every check by changes of a cluster on which everything is in order: those by which it fires, and
 * those by which it nearly does. The golden files have all that is found after each change.
 */
import { testTime } from "../../../support/manual-clock";
import { provenAt } from "../../../support/probes";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeChecks, listChecks } from "../../../../plugin/commands/checks";
import { double, single } from "../standstill/causes";
import { fieldDouble, fieldSingle } from "../standstill/field-causes";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { textIn } from "../../../../plugin/domain/names/text";
import { expectGoldenText } from "../../../support/golden";
import { config, eaadb, edb } from "./labels";
import { areas, worldOf } from "./scenes";
import { fitWorld, openShiftWorld } from "./world";

const checks = listChecks({});

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
  world.probe = provenAt(testTime);
  const { judged } = await world.judge();
  expect(judged.filter(({ verdict }) => verdict !== "ok").map(({ check }) => check.code)).toEqual(
    [],
  );
});

test.each<[string, string, string, string | undefined, readonly string[]]>([
  ["what its instance reports", config, "config", "7.4.0", []],
  ["nothing where its instance reports nothing", config, "config", undefined, [config, eaadb]],
  ["nothing of a namesake in another namespace", edb, "orders", "7.4.0", [eaadb]],
])("an active-active database on a channel runs %s", async (_, instance, name, ...given) => {
  const [version, unknown] = given;
  const world = await fitWorld();
  world
    .set(eaadb, "spec.globalConfigurations.engineVersion", "latest")
    .set(eaadb, "status.version", undefined)
    .set(eaadb, "status.linkedEdbs", [name])
    .set(instance, "spec.engineVersion", "latest")
    .set(instance, "status.version", version);
  const { findings } = await world.judge();
  const found = findings.filter(({ code }) => code === "CLUSTER-DATABASE-UNKNOWN");
  expect(found.map(({ object }) => object).toSorted()).toEqual([...unknown].toSorted());
});

test.each(Object.entries(areas))(
  "what checks find: %s",
  async (area, rows) => {
    const blocks: string[] = [];
    for (const [title, change] of Object.entries(rows())) {
      const world = await worldOf(change.openshift);
      await change(world);
      const { findings } = await world.judge();
      const lines = findings.map(({ code, severity, object, field, cause, fix }) => {
        const own = textIn(checks.find((check) => check.code === code)?.fix ?? "", defaultNames);
        const where = [object, field].filter((one) => one !== undefined).join(" ");
        return `${severity} ${code} ${where}: ${cause}${fix === own ? "" : ` -> ${fix}`}`;
      });
      blocks.push([`## ${title}`, ...lines].join("\n"));
    }
    expectGoldenText(`checks-${area}.txt`, `${blocks.join("\n\n")}\n`);
  },
  60_000,
);

test("what checks find: a standstill", () => {
  const blocks = [...single, ...double, ...fieldSingle, ...fieldDouble].flatMap(
    ([title, facts, { code }]) => {
      const found = judgeChecks(facts, {}).findings.filter((one) => one.code === code);
      const lines = found.map(
        ({ severity, object, cause, fix }) =>
          `${severity} ${code} ${String(object)}: ${cause} -> ${fix}`,
      );
      return [[`## ${code}: ${title}`, ...lines].join("\n")];
    },
  );
  expectGoldenText("checks-standstill.txt", `${blocks.join("\n\n")}\n`);
});

test("every check has a change by which it fires, and every change is about a check", () => {
  const codes = checks.map(({ code }) => code);
  const blocks = [...Object.keys(areas), "standstill"].flatMap((area) => {
    const path = join(__dirname, `../../../golden/checks-${area}.txt`);
    return readFileSync(path, "utf8").split("\n\n");
  });
  const about = blocks.map((block) => ({ block, code: /^## (.*?): /.exec(block)?.[1] ?? "" }));
  const fired = about.filter(
    ({ block, code }) => block.includes(`\nerror ${code} `) || block.includes(`\nwarning ${code} `),
  );
  const known = new Set(fired.map(({ code }) => code));
  expect(codes.filter((code) => !known.has(code))).toEqual([]);
  expect(about.filter(({ code }) => !codes.includes(code))).toEqual([]);
});

test("each code is one check's, with a title, a cause, a way out and a source", () => {
  const codes = checks.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { title, cause, fix, source } of checks) {
    expect([title, cause, fix, source]).not.toContain("");
  }
});
