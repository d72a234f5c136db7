import {
  answerOf,
  failingMs,
  gapOf,
  isRight,
  judgeProof,
  seenBroken,
  tally,
  thinned,
  type Answer,
  type Observation,
  type ProbeKind,
} from "../../../../plugin/domain/webhook/probe";

const accepted: Answer = { is: "accepted" };
const refused = (by = "new"): Answer => ({ is: "refused", by, detail: "bad version" });
const failed = (by = "new"): Answer => ({ is: "failed", by, detail: "x509" });
const other: Answer = { is: "other", detail: "schema" };

/** Observations 100 ms apart, each 10 ms long. */
function seen(...answers: readonly (readonly [ProbeKind, Answer])[]): readonly Observation[] {
  return answers.map(([twin, answer], index) => ({
    pair: "EDB",
    twin,
    from: index * 100,
    to: index * 100 + 10,
    answer,
  }));
}
const good = [
  ["accept", accepted],
  ["deny", refused()],
] as const;

describe("a refusal is", () => {
  test.each<[string, string, Answer["is"], string]>([
    ["a denial by an entry", 'admission webhook "a.b" denied the request: no', "refused", "a.b"],
    [
      "a policy that poses as the entry",
      `ValidatingAdmissionPolicy 'p' denied request: admission webhook "a.b" denied the request: no`,
      "other",
      "",
    ],
    [
      "another webhook that poses as the entry",
      'admission webhook "c.d" denied the request: admission webhook "a.b" denied the request: no',
      "refused",
      "c.d",
    ],
    [
      "a policy that poses as a failed call",
      `ValidatingAdmissionPolicy 'p' denied request: failed calling webhook "a.b": x509`,
      "other",
      "",
    ],
    ["a call that failed, without a prefix", 'failed calling webhook "a.b": x', "failed", "a.b"],
    [
      "a call that failed",
      'Internal error occurred: failed calling webhook "a.b": x509',
      "failed",
      "a.b",
    ],
    ["a webhook without dry run", 'admission webhook "a.b" does not support dry run', "other", ""],
    ["a schema", 'EDB "x" is invalid: spec.y: Required value', "other", ""],
    ["a policy", "ValidatingAdmissionPolicy 'p' denied request: no", "other", ""],
    ["an empty message", "", "other", ""],
  ])("%s", (_title, ...[message, is, by]) => {
    const answer = answerOf({ status: 422, message });
    expect(answer).toMatchObject({ is, detail: message });
    expect("by" in answer ? answer.by : "").toBe(by);
  });
});

describe("right is", () => {
  test.each<[string, ProbeKind, Answer, boolean]>([
    ["a good edit that passes", "accept", accepted, true],
    ["not a good edit that is refused", "accept", refused(), false],
    ["not a good edit that fails", "accept", failed(), false],
    ["not a good edit that others refuse", "accept", other, false],
    ["a bad edit that is refused, by whichever entry", "deny", refused("old"), true],
    ["not a bad edit that passes", "deny", accepted, false],
    ["not a bad edit that fails", "deny", failed(), false],
    ["not a bad edit that a schema refuses", "deny", other, false],
  ])("%s", (_title, ...[twin, answer, expected]) => {
    expect(seen([twin, answer]).map(isRight)).toEqual([expected]);
  });
});

test("a tally counts right answers per twin and names who refused, once each", () => {
  const observations = seen(
    ["accept", accepted],
    ["deny", refused("old")],
    ["deny", refused("new")],
    ["deny", refused("old")],
    ["deny", accepted],
    ["accept", other],
  );
  expect(tally(observations)).toEqual({
    accept: { ok: 1, of: 2 },
    deny: { ok: 3, of: 4, by: "new, old" },
  });
  expect(tally([])).toEqual({ accept: { ok: 0, of: 0 }, deny: { ok: 0, of: 0, by: "" } });
});

describe("the proof", () => {
  const wanted = { entry: "new", quietMs: 200, pairs: 2 };
  const judge = (...answers: readonly (readonly [ProbeKind, Answer])[]) =>
    judgeProof(seen(...answers), wanted);

  test("stands after enough right answers of both twins in a quiet time", () => {
    expect(judge(...good, ...good)).toEqual({ is: "proven" });
  });

  test("stands when the wanted entry was one of those that refused", () => {
    expect(judge(["deny", refused("old")], ...good, ...good)).toEqual({ is: "proven" });
  });

  test.each<[string, readonly (readonly [ProbeKind, Answer])[], string]>([
    ["without any answer", [], "no answer was seen yet"],
    ["with too few answers", [...good], "answers are right, settling"],
    [
      "with answers of one twin alone",
      [
        ["deny", refused()],
        ["deny", refused()],
        ["deny", refused()],
      ],
      "answers are right, settling",
    ],
    [
      "after a wrong answer not long ago",
      [...good, ["deny", accepted], ...good],
      "not settled: an edit that must be refused passes",
    ],
    [
      "while a bad edit passes",
      [...good, ["deny", accepted]],
      "an edit that must be refused passes",
    ],
    [
      "while a policy refuses one bad edit and another passes",
      [
        ["accept", accepted],
        ["deny", other],
        ["deny", accepted],
      ],
      "an edit that must be refused passes, and another one is refused by something else: schema",
    ],
    [
      "while another webhook refuses one bad edit and another passes",
      [
        ["deny", refused("x")],
        ["deny", failed()],
        ["deny", accepted],
      ],
      "an edit that must be refused passes, and another one is refused by something else: bad version",
    ],
    [
      "while the entry refuses by turns",
      [
        ["deny", refused()],
        ["deny", accepted],
      ],
      "an edit that must be refused passes: no webhook in force refuses it",
    ],
    [
      "while a good edit is refused",
      [["accept", refused("x")]],
      "an edit that must pass is refused by x: bad version",
    ],
    ["while the webhook fails", [["deny", failed()]], "the webhook new does not answer: x509"],
    [
      "while a schema refuses the good twin",
      [["accept", other]],
      "the edit that must be accepted is refused by something else: schema",
    ],
    [
      "while a schema refuses the bad twin",
      [["deny", other]],
      "the edit that must be refused by the webhook is refused by something else: schema",
    ],
    [
      "while another entry alone refuses",
      [
        ["accept", accepted],
        ["deny", refused("old")],
        ["deny", refused("old")],
      ],
      "no refusal by new was seen, only by old",
    ],
    ["while no bad edit was sent", [["accept", accepted]], "no refusal by new was seen"],
  ])("waits %s", (_title, answers, because) => {
    const proof = judge(...answers);
    expect(proof.is === "waiting" && proof.because).toContain(because);
  });

  test("waits until the quiet time is over", () => {
    expect(judgeProof(seen(...good, ...good), { ...wanted, quietMs: 311 }).is).toBe("waiting");
    expect(judgeProof(seen(...good, ...good), { ...wanted, quietMs: 310 }).is).toBe("proven");
  });
});

describe("the gap", () => {
  test.each<[string, readonly (readonly [ProbeKind, Answer])[], number, number]>([
    ["of nothing seen is none", [], 0, 0],
    ["of right answers is none", [...good, ...good], 0, 0],
    [
      "is a bypass from a bad edit that passes to the next refusal",
      [
        ["deny", accepted],
        ["deny", accepted],
        ["deny", refused()],
      ],
      0.2,
      0,
    ],
    [
      "is an outage from a good edit that fails to the next that passes",
      [
        ["accept", failed()],
        ["accept", accepted],
      ],
      0,
      0.1,
    ],
    [
      "is an outage when a webhook refuses a good edit",
      [
        ["accept", refused()],
        ["accept", accepted],
      ],
      0,
      0.1,
    ],
    [
      "still open counts up to the last answer",
      [
        ["deny", accepted],
        ["deny", accepted],
      ],
      0.11,
      0,
    ],
    [
      "of several stretches is their sum",
      [
        ["deny", accepted],
        ["deny", refused()],
        ["deny", accepted],
        ["deny", refused()],
      ],
      0.2,
      0,
    ],
    ["is none where a schema refuses", [["accept", other], ["deny", other], ...good], 0, 0],
    [
      "is none for a bad edit that fails: it does not pass",
      [
        ["deny", failed()],
        ["deny", refused()],
      ],
      0,
      0,
    ],
  ])("%s", (_title, ...[answers, bypassSeconds, outageSeconds]) => {
    expect(gapOf(seen(...answers))).toEqual({ bypassSeconds, outageSeconds });
  });
});

describe("what says the same again is forgotten", () => {
  const pass = ["accept", accepted] as const;
  const deny = ["deny", refused()] as const;
  const stop = ["accept", failed()] as const;
  test.each<[string, readonly (readonly [ProbeKind, Answer])[], readonly number[]]>([
    ["nothing of nothing", [], []],
    ["not the first and the last of a row", [pass, pass, pass, pass], [0, 3]],
    ["not what two twins say by turns", [pass, deny, pass, deny], [0, 1, 2, 3]],
    ["the middle of what two twins say", [pass, deny, pass, deny, pass, deny], [0, 1, 4, 5]],
    ["not where the answer changes", [pass, pass, stop, stop, stop, pass], [0, 1, 2, 4, 5]],
  ])("%s", (_title, answers, left) => {
    const all = seen(...answers);
    const kept = thinned(all);
    expect(kept).toEqual(left.map((index) => all[index]));
    expect(gapOf(kept)).toEqual(gapOf(all));
  });

  test("another pair is no repetition", () => {
    const pairs = ["EDB", "EDB", "EAADB", "EDB"];
    const all = seen(pass, pass, pass, pass).map((one, index) => ({
      ...one,
      pair: pairs[index] ?? "",
    }));
    expect(thinned(all)).toEqual(all);
  });
});

describe("calls were seen to fail", () => {
  test.each<[string, Answer, boolean]>([
    ["of the entry", failed("old"), true],
    ["not of another entry", failed("new"), false],
    ["not where it refused", refused("old"), false],
    ["not where it accepted", accepted, false],
  ])("%s", (_title, answer, expected) => {
    expect(seenBroken(seen(["accept", answer]), ["old", ""])).toBe(expected);
  });
});

describe("how long calls have been failing", () => {
  test.each<[string, readonly (readonly [ProbeKind, Answer])[], number]>([
    ["nothing was seen", [], 0],
    [
      "the last call was answered",
      [
        ["accept", failed()],
        ["accept", accepted],
      ],
      0,
    ],
    [
      "the last ones failed",
      [
        ["accept", accepted],
        ["accept", failed()],
        ["deny", failed()],
      ],
      110,
    ],
    [
      "all failed",
      [
        ["accept", failed()],
        ["deny", failed()],
      ],
      110,
    ],
  ])("%s", (_title, answers, expected) => {
    expect(failingMs(seen(...answers))).toBe(expected);
  });
});
