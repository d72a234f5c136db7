/** Planned writes as `diff -u -N` shows them. */
import { palette } from "../../../plugin/output/escape";
import { renderStates, withHunks } from "../../../plugin/output/hunks";
import type { PlannedWrite, Report, StepReport } from "../../../plugin/kernel/report";
import { expectGoldenText } from "../../support/golden";

const step = (
  name: string,
  states: PlannedWrite["states"],
  target: Partial<PlannedWrite["target"]> = {},
): StepReport => ({
  ...{ n: 1, id: "x.apply", action: "apply", object: `Role/a/${name}`, result: "planned" },
  ...{ why: "it differs", ms: 0 },
  write: {
    verb: "patch",
    target: { group: "", version: "v1", resource: "xs", kind: "X", name, ...target },
    ...{ risk: "none", reverse: "none", command: "kubectl apply -f -" },
    ...(states && { states }),
  },
});

const lines = (count: number, changed = -1): object =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `k${String(at).padStart(3, "0")}`,
      at === changed ? "other" : at,
    ]),
  );
const role = (rules: readonly object[]): Record<string, unknown> => ({ kind: "Role", rules });
const inGroup = { group: "rbac.authorization.k8s.io", kind: "Role", namespace: "a" };
const steps: readonly StepReport[] = [
  step(
    "edb-role",
    { live: role([{ verbs: ["get"] }]), merged: role([{ verbs: ["get", "list"] }]) },
    inGroup,
  ),
  step("created", {
    merged: { kind: "X", text: "two\nlines", hostile: "\u001b[31m\u202e" },
    unasked: true,
  }),
  step("deleted", { live: { kind: "X", spec: {} } }),
  step("same", { live: { a: 1, b: 2 }, merged: { b: 2, a: 1 } }),
  step("untold", undefined),
  step("far", {
    live: { data: lines(200, 20), end: "was" },
    merged: { data: lines(200, 150), end: "is" },
  }),
];
const report = (all: readonly StepReport[]): Report => ({
  ...{ apiVersion: "cli.engine.com/v1", kind: "Diff", steps: all },
  exit: { code: 1, reason: "differences exist: 6 writes would be made", next: "make them" },
});

test.each([
  ["as text", "diff/hunks.txt", false],
  ["in color", "diff/hunks-color.txt", true],
])("hunks, then the report, %s", (_name, golden, colored) => {
  const style = { palette: palette(colored), verbosity: 0 };
  expectGoldenText(golden, withHunks()(report(steps), style));
});

test("nothing is cut: all of a hundred objects is shown", () => {
  const all = Array.from({ length: 100 }, (_, at) =>
    step(`x${at}`, { merged: { data: lines(300) } }),
  );
  const text = withHunks(() => "")(report(all), { palette: palette(false), verbosity: 0 });
  expect(text.match(/^\+ {2}k/gm)).toHaveLength(30_000);
});

test("an object that is written twice is one file: as it is, and as it ends", () => {
  const [a, b, c] = [{ a: 1 }, { b: 1 }, { c: 1 }];
  const files = renderStates([
    step("x", { live: a, merged: b }),
    step("x", { live: a, merged: c }),
    step("gone", { merged: a }),
    step("gone", { live: a }),
    step("system:x/y", { live: a, merged: b, unasked: true }, { namespace: "n" }),
  ]);
  expect(files).toEqual([
    ["v1.X..x", "a: 1\n", "c: 1\n", false],
    ["v1.X.n.system:x_y", "a: 1\n", "b: 1\n", true],
  ]);
});
