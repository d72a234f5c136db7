import { stepLines, stepTable } from "../../../plugin/output/steps";
import { palette } from "../../../plugin/output/escape";
import { renderText } from "../../../plugin/output/text";
import type { Finding } from "../../../plugin/domain/base/findings";
import type { Report, StepReport } from "../../../plugin/kernel/report";

const step = (object: string, own: Partial<StepReport> = {}): StepReport => ({
  ...{ n: 1, id: "x", action: "apply", object, result: "changed", why: "2 fields differ", ms: 1 },
  ...own,
});

const long = "ValidatingWebhookConfiguration/engine-enterprise-admission";

test.each<readonly [string, readonly StepReport[], readonly string[]]>([
  ["a change tells what it changed", [step("Role/a")], ["Role/a changed (2 fields differ)"]],
  ["a new object is there", [step("Role/a", { result: "created" })], ["Role/a created"]],
  ["a reason that has no room is left out", [step(long)], [`${long} changed`]],
  [
    "of several writes of an object, how it ends",
    [step("Role/a", { action: "patch" }), step("Role/a", { result: "deleted" })],
    ["Role/a deleted"],
  ],
  [
    "several changes of one object are one line without a reason that is that of the last alone",
    [step("Role/a"), step("Role/a")],
    ["Role/a changed"],
  ],
  [
    "a planned write",
    [
      step("Role/a", { result: "planned" }),
      step("Role/b", { action: "delete", result: "planned", why: "(S1) old" }),
      step("helm", { action: "chart", result: "planned", why: "" }),
      step("POST /x", { action: "call", result: "planned", why: "b" }),
      step("Role/c", { action: "patch", result: "planned", why: "c" }),
    ],
    [
      "Role/a would be applied (2 fields differ)",
      "Role/b would be deleted ((S1) old)",
      "helm would be upgraded ()",
      "POST /x would be called (b)",
      "Role/c would be patched (c)",
    ],
  ],
  [
    "one that is as it should be, and one that is read",
    [step("Role/a", { result: "unchanged" }), step("Secret/s", { action: "read", result: "done" })],
    ["Role/a unchanged"],
  ],
  [
    "several that are as they should be are counted, without those that change after all",
    [
      step("Role/a", { result: "unchanged" }),
      step("Role/b", { result: "unchanged" }),
      step("Role/c", { result: "unchanged" }),
      step("Role/c"),
    ],
    ["Role/c changed (2 fields differ)", "2 objects unchanged"],
  ],
  [
    "what failed tells why, whatever it was",
    [step(long, { action: "probe", result: "failed", why: "nobody\u001b answered" })],
    [`${long} failed: nobody\\x1b answered`],
  ],
])("%s", (_, steps, lines) => {
  expect(stepLines(steps, palette(false))).toEqual(lines);
});

describe("numbers of the specification", () => {
  const read = step("Secret/a (S1)", { action: "apply", why: "its cert (C7) fits", source: "S27" });

  test("stand behind the reason with -v", () => {
    expect(stepTable([read], palette(false))[1]).toContain("its cert (C7) fits (S27)");
  });

  test("are left out without it, and what looks like one in a person's own words stays", () => {
    expect(stepLines([read], palette(false))).toEqual([
      "Secret/a (S1) changed (its cert (C7) fits)",
    ]);
  });
});

describe("findings", () => {
  const finding = (object: string, own: Partial<Finding> = {}): Finding => ({
    ...{ code: "VOLATILE", severity: "warning", object, cause: "c", fix: "f", source: "S83" },
    ...own,
  });
  const shown = (findings: readonly Finding[]): readonly string[] => {
    const exit = { code: 0, reason: "done" } as const;
    const report: Report = { apiVersion: "cli.engine.com/v1", kind: "Check", findings, exit };
    return renderText(report, { palette: palette(false), verbosity: 0 }).split("\n");
  };

  test("those that share the way out are one block, and of one cause one entry", () => {
    expect(shown([finding("a"), finding("b"), finding("c"), finding("d", { cause: "x" })])).toEqual(
      [
        ...["warning VOLATILE a", "  Also:   b, c", "  Cause:  c"],
        ...["warning VOLATILE d", "  Cause:  x", "  Fix:    f", "", "Done: done", ""],
      ],
    );
  });

  test("of very many only some are named", () => {
    const many = Array.from({ length: 20 }, (_, at) => finding(`o${at}`));
    expect(shown(many)[1]).toBe("  Also:   o1, o2, o3, o4, o5, o6, o7, o8 and 11 more");
  });

  test("those with a place in a file stand by themselves", () => {
    const location = { file: "a.yaml", line: 1, column: 2 };
    const lines = shown([finding("a", { location }), finding("b", { location })]);
    expect(lines.filter((line) => line.startsWith("warning"))).toHaveLength(2);
  });
});

test("a pod behind the Service that does not answer is named without -v", () => {
  const asked = [
    { pod: "a", is: "answers" },
    { pod: "b", is: "fails", because: "refused" },
    { pod: "c", is: "refuses" },
  ] as const;
  const report: Report = {
    ...{ apiVersion: "cli.engine.com/v1", kind: "Swap", exit: { code: 0, reason: "done" } },
    gap: { bypassSeconds: 0, outageSeconds: 0, method: "m", replicas: { note: "n", asked } },
  };
  expect(renderText(report, { palette: palette(false), verbosity: 0 }).split("\n")).toEqual([
    "Unguarded: 0s (bad edits could pass), outage: 0s (good edits were stopped)",
    ...["Behind it: b fails: refused", "Behind it: c refuses", "Done: done", ""],
  ]);
});

test("missing permissions are told once, verbs of one kind together", () => {
  const missing = [
    "get pods in namespace a: to see",
    "list pods in namespace a: to see",
    "get nodes: x",
  ];
  const reason =
    "permissions are missing: get pods in namespace a, list pods in namespace a, get nodes";
  const report: Report = {
    ...{ apiVersion: "cli.engine.com/v1", kind: "Check", exit: { code: 4, reason, next: "ask" } },
    permissions: { missing, manifest: "kind: Role\n" },
  };
  expect(renderText(report, { palette: palette(false), verbosity: 0 }).split("\n")).toEqual([
    ...["Missing permissions:", "  get, list pods in namespace a", "  get nodes", "", "Ask for:"],
    ...["kind: Role", "", "Ended with exit code 4: permissions are missing, as shown above"],
    ...["Next: ask", ""],
  ]);
});
