import { checks } from "../../../../plugin/domain/checks/all";
import { type Area, areas, type Check } from "../../../../plugin/domain/checks/check";
import type { JudgedCheck } from "../../../../plugin/domain/checks/judge";
import { prerequisiteFindings } from "../../../../plugin/domain/upgrade/prerequisites";

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
    "licence",
    "databases",
    "modules",
    "rest",
  ]);
});

test.each(["OPERATOR-NOT-READY", "OPERATOR-IMAGES-DIFFER", "OPERATOR-ACCOUNT-ABSENT"])(
  "%s is what the operator's part brings in order",
  (code) => {
    expect(checks.map((check) => check.code)).toContain(code);
    expect(prerequisiteFindings([judged("operator", code)])).toEqual([]);
  },
);
