import { codesOf, findingIn } from "../../../plugin/domain/findings";

test("a code has its area's prefix and source, and its own where it gives one", () => {
  const { error, warning } = codesOf({ prefix: "POD-", source: "S1" });
  expect(error("LATE", "late", "wait")).toEqual({
    code: "POD-LATE",
    severity: "error",
    cause: "late",
    fix: "wait",
    source: "S1",
  });
  expect(warning("LATE", "late", "wait", "S2")).toMatchObject({
    severity: "warning",
    source: "S2",
  });
  expect(codesOf({ source: "S1" }).error("LATE", "", "").code).toBe("LATE");
});

test("a finding says what is closer to its object than its code", () => {
  const late = codesOf({ source: "S1" }).error("LATE", "late", "wait");
  const about = { object: "Pod/a/b", cause: "an hour late" };
  expect(findingIn({ late })("late", about)).toEqual({ ...late, ...about });
});
