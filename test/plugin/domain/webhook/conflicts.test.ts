import type { StatusCause } from "../../../../plugin/domain/errors";
import { heldOf, judgeConflict } from "../../../../plugin/domain/owners";

const by = (manager: string, field = ".webhooks"): StatusCause => ({
  reason: "FieldManagerConflict",
  field,
  message: `conflict with "${manager}" using v1`,
});
const judge = (causes: readonly StatusCause[], takeFields: readonly string[] = []) =>
  judgeConflict({ causes, object: "Kind/x", ours: ["kubectl-engine"], takeFields });

test("a 409 names fields and managers, or neither", () => {
  expect(heldOf([{ field: ".a", message: 'conflict with "x" using v1' }, {}])).toEqual([
    { field: ".a", manager: "x" },
    { field: "", manager: "" },
  ]);
});

describe("a conflict is forced", () => {
  test.each<[string, readonly StatusCause[], readonly string[]]>([
    ["with a person's kubectl", [by("kubectl-edit")], []],
    ["with ourselves", [by("kubectl-engine")], []],
    ["with several of these", [by("kubectl"), by("oc"), by("before-first-apply")], []],
    ["over a field that was said to be taken", [by("flux")], [".webhooks"]],
    ["over such a field without its dot", [by("flux")], ["webhooks"]],
  ])("%s", (_title, causes, takeFields) => {
    expect(judge(causes, takeFields)).toEqual({ is: "force" });
  });
});

describe("a conflict is refused", () => {
  test.each<[string, readonly StatusCause[], readonly string[]]>([
    ["with another manager", [by("flux")], []],
    ["with another manager beside a person", [by("flux"), by("kubectl")], []],
    ["over another field than was said", [by("flux")], [".webhooks.x"]],
    ["with a name that only begins like kubectl's", [by("kubectl-plugin-x")], []],
  ])("%s", (_title, causes, takeFields) => {
    const verdict = judge(causes, takeFields);
    expect(verdict).toMatchObject({ is: "refuse" });
    expect(verdict.is === "refuse" && verdict.findings).toEqual([
      {
        code: "FIELD-CONFLICT",
        severity: "error",
        object: "Kind/x",
        field: ".webhooks",
        cause: expect.stringContaining("manager") as string,
        fix: expect.stringContaining("--take-fields '.webhooks'") as string,
        source: "S18",
      },
    ]);
  });

  test.each<[string, readonly StatusCause[]]>([
    ["without causes", []],
    ["without a field or a message", [{}]],
    ["with a message of another form", [{ message: "someone else" }]],
  ])("%s nobody is named, and nothing is forced", (_title, causes) => {
    expect(judge(causes)).toMatchObject({
      is: "refuse",
      findings: [
        {
          cause: "the field is held by another manager, which may write it again",
          fix: expect.stringContaining("--show-managed-fields") as string,
        },
      ],
    });
  });
});
