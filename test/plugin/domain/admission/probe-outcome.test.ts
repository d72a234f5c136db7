/** What all pairs of a probe come to, and in which words it is told. */
import type { ProbeAnswer } from "../../../../plugin/domain/admission/answers";
import {
  explainOpen,
  gatherOutcomes,
  type ProbedPair,
  type ProbeOutcome,
  readSeen,
  renderPair,
  renderProven,
  type Seen,
} from "../../../../plugin/domain/admission/probe-outcome";
import type { Hindrance } from "../../../../plugin/domain/admission/refusers";

type Proven = Extract<ProbeOutcome, { readonly is: "proven" }>;

const pairOf = (kind: string, more: Partial<ProbedPair> = {}): ProbedPair => ({
  ...{ kind, version: "v1alpha1", namespace: "engine" },
  ...more,
});
const edb = pairOf("EDB");
const eaadb = pairOf("EAADB");
const changed = pairOf("EDB", { stored: "carts" });

const proven = (pair: ProbedPair, more: Partial<Proven> = {}): ProbeOutcome => ({
  ...{ is: "proven", at: 1_000, isPlayed: false, pairs: [pair], beside: [] },
  ...more,
});
const failed: ProbeOutcome = {
  ...{ is: "failed", because: "it fails", seen: "closed", policies: ["Fail"] },
};
const open: ProbeOutcome = { is: "open", because: "exceeded quota" };
const doubt: ProbeOutcome = { ...open, isDoubt: true };
const elsewhere = (fails: boolean): Extract<ProbeOutcome, { readonly is: "elsewhere" }> => {
  const refuser = { kind: "webhook", name: "gate.vendor.example", fails, detail: "no" } as const;
  const hindrance: Hindrance = { refuser, twin: "accept" };
  return { is: "elsewhere", hindrance };
};

const call = (words: string): ProbeAnswer => ({ is: "failed", by: "x", detail: words });

test.each<[string, ProbeAnswer | undefined, Seen]>([
  ["no answer", undefined, "unknown"],
  ["an answer of something else", { is: "other", detail: "exceeded quota" }, "unknown"],
  ["a bad edit that passes", { is: "accepted" }, "passes"],
  ["a good edit that is refused", { is: "refused", by: "x", detail: "no" }, "refuses"],
  [
    "a call that fails for a known reason",
    call(
      'failed calling webhook "x": failed to call webhook: Post "https://admission.engine.svc:443/admission?timeout=30s": dial tcp 10.0.0.1:443: connect: connection refused',
    ),
    "closed",
  ],
  ["a call that fails for another one", call('failed calling webhook "x": news'), "unknown"],
])("%s looks from outside so", (_, answer, seen) => {
  expect(readSeen(answer)).toBe(seen);
});

test.each([
  [edb, "EDB v1alpha1 in engine"],
  [changed, "EDB engine/carts"],
])("a pair is named by its place, or by what is changed: %#", (pair, words) => {
  expect(renderPair(pair)).toBe(words);
});

describe("one outcome of all pairs", () => {
  test.each<[string, readonly (readonly [ProbedPair, ProbeOutcome])[], ProbeOutcome]>([
    [
      "what fails somewhere fails",
      [
        [edb, proven(edb)],
        [eaadb, elsewhere(true)],
        [changed, failed],
      ],
      failed,
    ],
    [
      "another's webhook that fails stops every edit of its kind",
      [
        [edb, proven(edb)],
        [changed, elsewhere(true)],
      ],
      elsewhere(true),
    ],
    [
      "a doubt makes no other answer healthy",
      [
        [edb, proven(edb)],
        [changed, doubt],
      ],
      doubt,
    ],
    [
      "a kind that was not seen to work",
      [
        [edb, proven(edb)],
        [eaadb, open],
      ],
      open,
    ],
    [
      "a kind that somebody else refuses",
      [
        [edb, proven(edb)],
        [eaadb, elsewhere(false)],
      ],
      elsewhere(false),
    ],
    [
      "a kind of which no edit was sent",
      [
        [edb, proven(edb)],
        [eaadb, { is: "unasked", because: "not probed" }],
      ],
      { is: "unasked", because: "not probed" },
    ],
    ["of no pair nothing is known", [], { is: "open", because: "no edit was sent" }],
  ])("%s", (_, outcomes, wanted) => {
    expect(gatherOutcomes(outcomes, ["not provable: ERC"])).toEqual(wanted);
  });

  test("of proven pairs the last answer counts, and one that is played makes all of it played", () => {
    const outcomes = [
      [edb, proven(edb, { at: 3_000 })],
      [eaadb, proven(eaadb, { at: 2_000, isPlayed: true })],
    ] as const;
    expect(gatherOutcomes(outcomes, ["not provable: ERC"])).toEqual({
      ...{ is: "proven", at: 3_000, isPlayed: true },
      ...{ pairs: [edb, eaadb], beside: ["not provable: ERC"] },
    });
  });

  test.each<[string, ProbeOutcome, string]>([
    ["refused by a policy of its owner", elsewhere(false), "webhook gate.vendor.example refuses"],
    ["refused by something else", open, "exceeded quota"],
  ])("a kind that is seen another way is proven, and the rest is told: %s", (_, other, words) => {
    const outcome = gatherOutcomes(
      [
        [edb, other],
        [changed, proven(changed)],
      ],
      ["1 more pair"],
    );
    const told = `not proven: EDB v1alpha1 in engine (${words}`;
    expect(outcome).toMatchObject({ is: "proven", pairs: [changed], isPlayed: false });
    expect(outcome).toHaveProperty("beside", [expect.stringContaining(told), "1 more pair"]);
  });
});

test.each<[string, Parameters<typeof explainOpen>[0], string]>([
  [
    "somebody else's refusal",
    elsewhere(false),
    "webhook gate.vendor.example refuses an edit that must pass: no",
  ],
  ["any other", failed, "it fails"],
])("why nothing is proven: %s", (_, outcome, words) => {
  expect(explainOpen(outcome)).toBe(words);
});

describe("what was seen, in words", () => {
  const all = (...pairs: readonly ProbedPair[]): Partial<Proven> => ({ pairs });
  const shop = { namespace: "shop" };

  test.each<[string, Partial<Proven>, number, string]>([
    ["just now", {}, 1_200, "0.2 s ago (EDB v1alpha1 in engine)"],
    ["by a clock that is behind", {}, 0, "0.0 s ago (EDB v1alpha1 in engine)"],
    ["later", {}, 301_000, "5m ago (EDB v1alpha1 in engine)"],
    ["played", { isPlayed: true }, 1_200, "in this rehearsal (EDB v1alpha1 in engine)"],
    [
      "each combined with each",
      all(edb, pairOf("EDB", shop), eaadb, pairOf("EAADB", shop)),
      1_000,
      "0.0 s ago (EDB and EAADB v1alpha1 in engine and shop)",
    ],
    [
      "not each with each",
      all(edb, pairOf("EAADB", shop)),
      1_000,
      "0.0 s ago (EDB v1alpha1 in engine, EAADB v1alpha1 in shop)",
    ],
    ["a change alone", all(changed), 1_000, "0.0 s ago (changes of EDB engine/carts)"],
    [
      "a new one and changes",
      all(edb, changed, pairOf("EAADB", { stored: "a" })),
      1_000,
      "0.0 s ago (EDB v1alpha1 in engine, changes of EDB engine/carts and EAADB engine/a)",
    ],
    [
      "what was not seen",
      { beside: ["not provable: ERC", "1 more pair"] },
      1_000,
      "0.0 s ago (EDB v1alpha1 in engine); not provable: ERC; 1 more pair",
    ],
  ])("%s", (_, changes, now, words) => {
    const outcome = proven(edb, changes) as Proven;
    expect(renderProven(outcome, now)).toBe(`refused a bad edit and passed a good one ${words}`);
  });
});
