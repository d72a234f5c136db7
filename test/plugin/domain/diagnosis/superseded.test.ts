/** What is not told beside another finding, and what is told all the same. */
import { firstRun, tool } from "../../../../plugin/domain/base/remedy";
import { findSuperseded, leaveSuperseded } from "../../../../plugin/domain/diagnosis/superseded";
import type { Diagnosed } from "../../../../plugin/domain/diagnosis/symptom";

const aFinding = (code: string, rest: Partial<Diagnosed> = {}): Diagnosed => ({
  ...{ code, severity: "warning", object: "Kind/x", cause: "c", fix: "f", source: "s" },
  ...rest,
});

const error = { severity: "error" } as const;
const byUpgrade = { ...error, remedies: [tool("upgrade", "upgrade-operator")] };
const better = (rest: Partial<Diagnosed> = {}): Diagnosed =>
  aFinding("BETTER", { supersedes: ["OTHER"], ...rest });

const tables: readonly (readonly [title: string, Diagnosed[], told: readonly string[]])[] = [
  ["none supersedes any", [aFinding("BETTER"), aFinding("OTHER")], ["BETTER", "OTHER"]],
  ["one of the same object", [better(), aFinding("OTHER")], ["BETTER"]],
  ["in whichever order", [aFinding("OTHER"), better()], ["BETTER"]],
  ["of another object", [better(), aFinding("OTHER", { object: "Kind/y" })], ["BETTER", "OTHER"]],
  [
    "both without an object",
    [better({ object: undefined }), aFinding("OTHER", { object: undefined })],
    ["BETTER", "OTHER"],
  ],
  ["the code of its row", [better(), aFinding("CAUSE", { row: "OTHER" })], ["BETTER"]],
  [
    "the older code of the same thing",
    [better({ supersedes: ["DATABASE-DATA-AT-RISK"] }), aFinding("DATABASE-VOLATILE")],
    ["BETTER"],
  ],
  ["an error beside a warning", [better(), aFinding("OTHER", error)], ["BETTER", "OTHER"]],
  ["an error beside an error", [better(error), aFinding("OTHER", error)], ["BETTER"]],
  [
    "an error beside one that the upgrade fixes",
    [better(byUpgrade), aFinding("OTHER", error)],
    ["BETTER", "OTHER"],
  ],
  ["the upgrade fixes both", [better(byUpgrade), aFinding("OTHER", byUpgrade)], ["BETTER"]],
  ["the other is accepted", [better(), aFinding("OTHER", { accepted: true })], ["BETTER", "OTHER"]],
  ["it is accepted itself", [better({ accepted: true }), aFinding("OTHER")], ["BETTER", "OTHER"]],
  ["itself", [better({ supersedes: ["BETTER"] })], ["BETTER"]],
  ["each other", [better(), aFinding("OTHER", { supersedes: ["BETTER"] })], ["OTHER"]],
  [
    "one that supersedes a third",
    [aFinding("THIRD"), aFinding("OTHER", { supersedes: ["THIRD"] }), better()],
    ["BETTER"],
  ],
];

test.each(tables)("%s", (_title, findings, told) => {
  expect(leaveSuperseded(findings).map(({ code }) => code)).toEqual(told);
});

test.each(tables)("the weightiest is told whatever supersedes it: %s", (_title, findings) => {
  const isBlocking = (one: Diagnosed): boolean => one.severity === "error";
  const needsMore = (one: Diagnosed): boolean =>
    isBlocking(one) && firstRun(one.remedies) === undefined;
  const told = leaveSuperseded(findings);
  expect(told.some(isBlocking)).toBe(findings.some(isBlocking));
  expect(told.some(needsMore)).toBe(findings.some(needsMore));
});

test("what is not told has the one that is told instead", () => {
  const third = aFinding("THIRD");
  const other = aFinding("OTHER", { supersedes: ["THIRD"] });
  const first = better();
  const instead = new Map([
    [third, first],
    [other, first],
  ]);
  expect(findSuperseded([third, other, first])).toEqual(instead);
});
