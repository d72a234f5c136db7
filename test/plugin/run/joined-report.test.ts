import { countedOn, joinedReport, stepsOf } from "../../../plugin/run/joined-report";
import type { Report, StepReport } from "../../../plugin/run/report";

const step = (n: number, id: string): StepReport => ({
  n,
  id,
  action: "apply",
  object: "Role/a",
  result: "done",
  why: "",
  ms: 1,
});

const report = (changes: Partial<Report>): Report => ({
  apiVersion: "cli.engine.com/v1",
  kind: "First",
  exit: { code: 0, reason: "first done" },
  ...changes,
});

describe("two reports as one", () => {
  const first = report({
    steps: [step(1, "a"), step(2, "b")],
    target: { server: "s", namespace: "n" },
  });
  const next = report({
    kind: "Second",
    steps: [step(1, "c")],
    target: { server: "t", namespace: "n" },
    namespaces: [{ name: "shop", result: "changed" }],
    permissions: { missing: ["m"], manifest: "y" },
    details: { more: 1 },
    probes: [{ phase: "p", accept: { ok: 1, of: 1 }, deny: { ok: 1, of: 1, by: "w" } }],
    findings: [{ code: "C", severity: "warning", cause: "c", fix: "f", source: "S1" }],
    exit: { code: 6, reason: "some failed", next: "again" },
  });

  test("count their steps on, keep what is the first one's, and end as the later one does", () => {
    const joined = joinedReport(first, next, "Then");
    expect(joined.steps?.map(({ n, id }) => `${n} ${id}`)).toEqual(["1 a", "2 b", "3 c"]);
    expect(joined).toMatchObject({
      kind: "First",
      target: { server: "s" },
      namespaces: [{ name: "shop" }],
      permissions: { missing: ["m"] },
      details: { more: 1 },
      probes: [{ phase: "p" }],
      findings: [{ code: "C" }],
      exit: { code: 6, reason: "first done; Then: some failed", next: "again" },
    });
  });

  test("of which neither has probes or backups have none", () => {
    const joined = joinedReport(report({}), report({}), "Then");
    expect("probes" in joined || "backups" in joined || "details" in joined).toBe(false);
    expect(joined.steps).toEqual([]);
    expect(stepsOf(report({}))).toEqual([]);
  });
});

test("an event's step is counted on, another event stays as it is", () => {
  expect(countedOn({ type: "step", step: step(1, "a") }, 4)).toMatchObject({ step: { n: 5 } });
  expect(countedOn({ type: "note", text: "x" }, 4)).toEqual({ type: "note", text: "x" });
});
