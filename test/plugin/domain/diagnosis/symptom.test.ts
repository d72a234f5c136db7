/** What a --skip names of a finding: its row, else its own code. */
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
