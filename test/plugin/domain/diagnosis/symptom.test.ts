/** What a --skip names of a finding: its row, else its own code. */
import { verdictOn } from "../../../../plugin/domain/diagnosis/diagnose";
import { rowOf } from "../../../../plugin/domain/diagnosis/symptom";

const finding = {
  code: "OPERATOR-CRASH",
  severity: "error",
  cause: "",
  fix: "",
  source: "",
} as const;

test("a finding of a row is named by the row", () => {
  const told = { ...finding, row: "OPERATOR-NOT-READY" };
  expect([rowOf(told), rowOf(finding)]).toEqual(["OPERATOR-NOT-READY", "OPERATOR-CRASH"]);
});

test("what ends by waiting is on its way only where nothing is hidden that may hold it up", () => {
  const first = { ...finding, severity: "error", object: "Pod/engine/ec-0", passes: true } as const;
  const told = { ...first, cause: "it is being created" };
  const on = "Pod/engine/ec-0: it is being created";
  expect(verdictOn(told, [])).toEqual({ is: "moving", on });
  const hidden = { because: "pods could not be read", keys: [] };
  expect(verdictOn(told, [hidden as never])).toEqual({
    is: "unknown",
    because: `${on}; pods could not be read`,
  });
});
