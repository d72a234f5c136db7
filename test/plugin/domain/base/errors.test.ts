import {
  ApiError,
  EngineError,
  exitCodes,
  PermissionError,
  TimeoutError,
  UnavailableError,
  UsageError,
} from "../../../../plugin/domain/base/errors";

describe("an API answer that nobody handled better ends with", () => {
  test.each<[string, number, number]>([
    ["4 for a missing permission", 403, 4],
    ["5 for a conflict", 409, 5],
    ["69 for an overloaded server", 429, 69],
    ["69 for a broken server", 500, 69],
    ["69 for a gateway without its server", 503, 69],
    ["1 for anything else", 404, 1],
    ["1 for an invalid object", 422, 1],
  ])("%s", (_title, status, code) => {
    expect(new ApiError("no", { status }).exitCode).toBe(code);
  });

  test("what the Status said, and nothing made up where it said nothing", () => {
    const causes = [{ reason: "FieldValueInvalid", field: "spec", message: "bad" }];
    const answer = { status: 422, reason: "Invalid", causes };
    expect(new ApiError("no", answer)).toMatchObject({ ...answer, code: "API", message: "no" });
    expect(new ApiError("no", { status: 400 })).toMatchObject({
      reason: "",
      causes: [],
    });
  });
});

describe("every error", () => {
  const cause = new Error("below");
  test.each<[string, EngineError, number]>([
    ["UsageError", new UsageError("a", { cause, hint: "h" }), exitCodes.usage],
    ["UnavailableError", new UnavailableError("a", { cause, hint: "h" }), exitCodes.unavailable],
    ["PermissionError", new PermissionError("a", { cause, hint: "h" }), exitCodes.permission],
    ["TimeoutError", new TimeoutError("a", { cause, hint: "h" }), exitCodes.timeout],
    ["ApiError", new ApiError("a", { status: 400 }, { cause, hint: "h" }), exitCodes.failed],
  ])("%s keeps its name, message, cause and hint", (name, error, exitCode) => {
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ name, message: "a", hint: "h", exitCode });
    expect(error.cause).toBe(cause);
    expect(error.code).toMatch(/^[A-Z]+$/);
  });

  test("without details has neither a cause nor a hint", () => {
    const error = new UnavailableError("a");
    expect(error.hint).toBeUndefined();
    expect(Object.hasOwn(error, "cause")).toBe(false);
  });
});

test("wrong usage names all problems at once", () => {
  expect(new UsageError(["a", "b"])).toMatchObject({ message: "a; b", problems: ["a", "b"] });
  expect(new UsageError("a")).toMatchObject({ message: "a", problems: ["a"] });
});

test("the exit codes are those of the contract", () => {
  expect(Object.values(exitCodes)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 69, 70, 124, 129, 130, 143]);
});
