import { checks } from "../../../../plugin/domain/checks/all";
import { type Area, areas, type Check } from "../../../../plugin/domain/checks/check";
import type { JudgedCheck } from "../../../../plugin/domain/checks/judge";
import { prerequisiteCodes, prerequisiteFindings } from "../../../../plugin/domain/procedure";

function judged(area: Area, code: string = area): JudgedCheck {
  const told = { code, severity: "error", cause: "c", fix: "f", source: "S1" } as const;
  const check: Check = { ...told, area, title: area, needs: [], judge: () => [] };
  return { check, verdict: "failed", findings: [told] };
}

test("what no part of the upgrade does away with stands against it", () => {
  const codes = prerequisiteFindings(areas.map((area) => judged(area))).map(({ code }) => code);
  expect(codes).toEqual([
    "platform",
    "operator",
    "release",
    "cluster",
    "license",
    "databases",
    "modules",
    "active-active",
    "rest",
  ]);
});

test.each([
  "OPERATOR-NOT-READY",
  "OPERATOR-IMAGES-DIFFER",
  "OPERATOR-ACCOUNT-ABSENT",
  "CLUSTER-AUTO-USER-MODULES",
])("%s is what a part brings in order", (code) => {
  expect(checks.map((check) => check.code)).toContain(code);
  expect(prerequisiteFindings([judged("operator", code)])).toEqual([]);
});

test.each([
  "CLUSTER-LICENSE-UNKNOWN",
  "CLUSTER-DATABASE-UNKNOWN",
  "DATABASE-VERSION-UNSUPPORTED",
  "MODULE-NAME",
  "MODULE-OS-BASE",
  "OPERATOR-VERSION-UNKNOWN",
  "PLATFORM-VERSION-UNKNOWN",
])("%s cannot be determined from here: it blocks until a person accepts it", (code) => {
  const check = checks.find((one) => one.code === code);
  expect(check).toMatchObject({ severity: "error", vouched: true });
});

test("every prerequisite is a check", () => {
  const known = checks.map(({ code }) => code);
  expect(prerequisiteCodes.filter((code) => !known.includes(code))).toEqual([]);
});

test("the whole upgrade judges every prerequisite, but for what its own part switches off", () => {
  const all = checks
    .filter(({ code }) => prerequisiteCodes.includes(code))
    .map(({ area, code }) => judged(area, code));
  const left = prerequisiteFindings(all).map(({ code }) => code);
  expect(prerequisiteCodes.filter((code) => !left.includes(code))).toEqual([
    "CLUSTER-AUTO-USER-MODULES",
  ]);
});
