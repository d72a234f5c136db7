import { createReporter, type ReporterWish } from "../../../plugin/output/reporter";
import { isTerminal, wantsColor } from "../../../plugin/output/escape";
import type { Finding } from "../../../plugin/domain/base/findings";
import type { Event } from "../../../plugin/kernel/report";
import { captured } from "../../support/program-world";
import { swapped } from "./sample-reports";

const [step] = swapped.steps ?? [];
const [probe] = swapped.probes ?? [];
const [finding] = swapped.findings ?? [];
if (step === undefined || probe === undefined || finding === undefined) throw new Error("samples");

const events: readonly Event[] = [
  { type: "note", text: "reading\u001b" },
  { type: "waiting", on: "Secret/engine/admission-tls: to be created", seconds: 0 },
  { type: "waiting", on: "Secret/engine/admission-tls: to be created", seconds: 2.5 },
  { type: "waiting", on: "Secret/engine/admission-tls: its item cert", seconds: 3 },
  { type: "step", step },
  { type: "waiting", on: "Secret/engine/admission-tls: its item cert", seconds: 4 },
  { type: "probe", probe },
  { type: "probe", probe: { ...probe, deny: { ok: 0, of: 5, by: "" } } },
  { type: "finding", finding },
  { type: "finding", finding: { code: "X", severity: "error", cause: "c", fix: "f", source: "s" } },
  { type: "warning", text: "beware" },
];

type Wish = Partial<ReporterWish> & {
  readonly outTerminal?: boolean;
  readonly errTerminal?: boolean;
};

async function told(wish: Wish): Promise<{ out: string; err: string }> {
  const out = captured(wish.outTerminal);
  const err = captured(wish.errTerminal);
  const reporter = await createReporter({
    output: "text",
    color: "auto",
    quiet: false,
    verbosity: 0,
    env: {},
    ...wish,
    out,
    err,
  });
  for (const event of events) reporter.event(event);
  reporter.rest();
  await new Promise(setImmediate);
  return { out: out.text(), err: err.text() };
}

test("without a terminal there is one line a change", async () => {
  const { out, err } = await told({ output: "json" });
  expect(out).toBe("");
  expect(err.split("\n")).toEqual([
    "reading\\x1b",
    "waiting for Secret/engine/admission-tls: to be created",
    "waiting for Secret/engine/admission-tls: its item cert",
    "step 1: apply ValidatingWebhookConfiguration/engine-enterprise-admission created (it is not there yet)",
    "waiting for Secret/engine/admission-tls: its item cert",
    "probe after apply: 5/5 accepted, 5/5 refused by redisenterprise.admission.engine",
    "probe after apply: 5/5 accepted, 0/5 refused",
    "warning: WEBHOOK-POLICY-DIFFERS ValidatingWebhookConfiguration/edb-admission: Ignore was found, the template has Fail",
    "error: X: c",
    "warning: beware",
    "",
  ]);
});

test("the findings of a text that goes to the same log are not told before it", async () => {
  const { err } = await told({});
  expect(err).toContain("probe after apply: 5/5 accepted, 0/5 refused\nwarning: beware\n");
});

describe("findings before the first write", () => {
  const about = (code: string, parts: Partial<Finding> = {}): Finding => ({
    ...{ code, severity: "warning", cause: `${code} is so`, fix: "see to it", source: "S27" },
    ...parts,
  });
  const graver = [
    about("E", { severity: "error" }),
    about("A", { accepted: true }),
    about("W", { object: "Pod/a" }),
  ];
  const one = swapped.exit;

  /** What stands on stderr above the question, and what stdout has in the end. */
  async function presented(wish: Wish, findings: readonly Finding[]) {
    const out = captured(wish.outTerminal);
    const err = captured(wish.errTerminal);
    const usual = { output: "text", color: "never", quiet: false, verbosity: 0, env: {} } as const;
    const reporter = await createReporter({ ...usual, ...wish, out, err });
    for (const finding of findings) reporter.event({ type: "finding", finding });
    reporter.present(findings);
    await new Promise(setImmediate);
    const above = err.text();
    for (const finding of findings) reporter.event({ type: "finding", finding });
    reporter.present(findings);
    const changed = about("W", { object: "Pod/a", severity: "error" });
    reporter.end({
      apiVersion: "cli.engine.com/v1",
      kind: "X",
      findings: [...findings, changed],
      exit: one,
    });
    await new Promise(setImmediate);
    return { above, below: err.text().slice(above.length), out: out.text() };
  }

  const codes = (text: string): readonly string[] =>
    [...text.matchAll(/^(?:warning|accepted|error):? (\w+)/gm)].map(([, code = ""]) => code);

  test("on a terminal they stand in full, the worst last, and are counted in the end", async () => {
    const screen = { errTerminal: true, outTerminal: true };
    const { above, out } = await presented(screen, graver);
    expect(codes(above)).toEqual(["W", "A", "E"]);
    expect(above).toContain("warning W Pod/a\n  Cause:  W is so\n  Fix:    see to it\n\n");
    expect(out).toContain("1 error, 1 accepted error, 1 warning, shown above\n");
    // its severity has changed since
    expect(out).toContain("error W Pod/a");
    expect(codes(out)).toEqual(["W"]);
  });

  test("a result that goes elsewhere has them in full, too", async () => {
    const { above, out } = await presented({ errTerminal: true }, graver);
    expect(codes(above)).toEqual(["W", "A", "E"]);
    expect(codes(out)).toEqual(["E", "A", "W", "W"]);
    expect(out).not.toContain("shown above");
  });

  test.each(["text", "json", "jsonl"] as const)(
    "a log has a line for each (%s)",
    async (output) => {
      const { above, below, out } = await presented({ output }, graver);
      expect(codes(above).toSorted()).toEqual(["A", "E", "W"]);
      expect(codes(below)).toEqual([]);
      expect(out).not.toContain("shown above");
    },
  );

  test("in a log those that differ in their object alone are one line", async () => {
    const many = Array.from({ length: 10 }, (_, n) => about("MANY", { object: `Pod/p${n}` }));
    const { above, below } = await presented({}, many);
    const pods = Array.from({ length: 8 }, (_, n) => `Pod/p${n}`).join(", ");
    expect(above).toBe(`warning: MANY ${pods} and 2 more: MANY is so\n`);
    expect(below).toBe("");
  });

  test("of many causes with one way out the first five are shown, the objects of the others named", async () => {
    const many = Array.from({ length: 7 }, (_, n) =>
      about("MANY", { object: `Pod/p${n}`, cause: `cause ${n}` }),
    );
    const screen = { errTerminal: true, outTerminal: true };
    const { above, out } = await presented(screen, many);
    expect(above.match(/Cause: /g)).toHaveLength(5);
    expect(above).toContain("and 2 more: Pod/p5, Pod/p6\n  Fix:    see to it\n");
    expect(out).toContain("5 warnings, shown above");
    expect(out).toContain("cause 6");
    expect(out).not.toContain("cause 4");
    const all = await presented({ ...screen, verbosity: 1 }, many);
    expect(all.above.match(/Cause: /g)).toHaveLength(7);
  });

  test("those that no question comes for are told at the end, the worst last", async () => {
    const err = captured(true);
    const usual = { output: "json", color: "never", quiet: false, verbosity: 0, env: {} } as const;
    const reporter = await createReporter({ ...usual, out: captured(), err });
    for (const finding of graver) reporter.event({ type: "finding", finding });
    reporter.end({ apiVersion: "cli.engine.com/v1", kind: "X", findings: graver, exit: one });
    await new Promise(setImmediate);
    expect(codes(err.text())).toEqual(["W", "A", "E"]);
  });
});

test("on a terminal, waiting is one line that tells how long", async () => {
  const { err } = await told({ errTerminal: true });
  expect(err).toContain(
    "\r\u001b[Kwaiting for Secret/engine/admission-tls: to be created (0s)\r\u001b[K",
  );
  expect(err).toContain("waiting for Secret/engine/admission-tls: to be created (2s)");
  expect(err).toContain("step 1: apply ValidatingWebhookConfiguration");
});

test("where the result comes to the same terminal, steps only pass by, cut to its width", async () => {
  const { err } = await told({ errTerminal: true, outTerminal: true });
  const steps = err.split("\r\u001b[K").filter((line) => line.startsWith("step 1"));
  expect(steps).toHaveLength(1);
  expect(steps[0]).toHaveLength(79);
  expect(err.endsWith("warning:\u001b[0m beware\n")).toBe(true);
});

test("a dumb terminal gets lines", async () => {
  const { err } = await told({ errTerminal: true, env: { TERM: "dumb" } });
  expect(err).not.toContain("\u001b");
});

test("quiet leaves the warnings", async () => {
  const { err } = await told({ quiet: true });
  expect(err).toBe("warning: beware\n");
});

test("JSON Lines puts events on stdout, each a line, and nothing on stderr", async () => {
  const { out, err } = await told({ output: "jsonl" });
  const lines = out.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events);
  expect(err).toBe("");
});

test.each([
  ["json", "{\n"],
  ["jsonl", '{"apiVersion"'],
  ["yaml", "apiVersion: cli"],
  ["text", "ValidatingWebhookConfiguration/engine-enterprise-admission created"],
] as const)("the end as %s is one document on stdout", async (output, start) => {
  const out = captured();
  const reporter = await createReporter({
    output,
    color: "never",
    quiet: false,
    verbosity: 0,
    env: {},
    out,
    err: captured(),
  });
  reporter.end(swapped);
  await new Promise(setImmediate);
  expect(out.text().startsWith(start)).toBe(true);
});

describe("color", () => {
  test.each([
    ["auto on a terminal", { color: "auto", terminal: true, env: {} }, true],
    ["auto elsewhere", { color: "auto", terminal: false, env: {} }, false],
    ["NO_COLOR", { color: "auto", terminal: true, env: { NO_COLOR: "1" } }, false],
    ["always", { color: "always", terminal: false, env: { NO_COLOR: "1" } }, true],
    ["never", { color: "never", terminal: true, env: {} }, false],
  ] as const)("%s", (_, wish, expected) => {
    expect(wantsColor(wish)).toBe(expected);
  });

  test.each([[undefined], [null], [{}], [{ isTTY: false }]])("%p is no terminal", (stream) => {
    expect(isTerminal(stream)).toBe(false);
  });
});

test("what moved last is told where the wait is told again, not where it begins", async () => {
  const out = captured(false);
  const err = captured(false);
  const wish = { output: "text", color: "auto", quiet: false, verbosity: 0, env: {} } as const;
  const reporter = await createReporter({ ...wish, out, err });
  const waiting = { type: "waiting", on: "EC/engine/ec: 1 of 3 pods" } as const;
  reporter.event({ ...waiting, seconds: 0, last: "Pod ec-1 moved last, at 10:00" });
  reporter.event({ ...waiting, seconds: 31, last: "Pod ec-2 moved last, at 10:01\u001b" });
  reporter.event({ ...waiting, seconds: 62 });
  await new Promise(setImmediate);
  expect(err.text().split("\n")).toEqual([
    "waiting for EC/engine/ec: 1 of 3 pods",
    "waiting for EC/engine/ec: 1 of 3 pods (31s); Pod ec-2 moved last, at 10:01\\x1b",
    "waiting for EC/engine/ec: 1 of 3 pods (62s)",
    "",
  ]);
});
