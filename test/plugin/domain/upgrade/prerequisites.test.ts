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

test.each(["MODULE-NAME", "MODULE-OS-BASE", "DATABASE-VERSION-UNSUPPORTED"])(
  "%s has to be seen to, or vouched for",
  (code) => {
    const [check] = checks.filter((one) => one.code === code);
    if (check === undefined) throw new Error(`there is no check ${code}`);
    const warning = { code, severity: "warning", cause: "c", fix: "f", source: "S54" } as const;
    const findings = [warning, { ...warning, object: "EC/engine/ec" }];
    expect(prerequisiteFindings([{ check, verdict: "failed", findings }])).toEqual([
      { ...warning, severity: "error", fix: `f; once that is seen to, --skip ${code}` },
      {
        ...warning,
        object: "EC/engine/ec",
        severity: "error",
        fix: `f; once that is seen to, --skip ${code}=EC/engine/ec`,
      },
    ]);
    const accepted = { ...warning, accepted: true } as const;
    expect(prerequisiteFindings([{ check, verdict: "skipped", findings: [accepted] }])).toEqual([
      accepted,
    ]);
  },
);
