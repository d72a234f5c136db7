import { catalogue } from "../../../../plugin/domain/catalogue";
import { recoveryCodes, recoveryFinding } from "../../../../plugin/domain/recovery/codes";

test("every code is explained offline", () => {
  const known = catalogue.map(({ code }) => code);
  expect(known).toEqual(expect.arrayContaining(recoveryCodes.map(({ code }) => code)));
});

test("a finding says what it was found on", () => {
  expect(recoveryFinding("moduleAbsent", { object: "x", cause: "y" })).toMatchObject({
    code: "FREEZE-MODULE-ABSENT",
    severity: "error",
    object: "x",
    cause: "y",
    source: "S99",
  });
});
