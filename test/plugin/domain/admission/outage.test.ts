/** Holes from probes, in tables: times are seconds. */
import {
  type Hole,
  HoleCounter,
  readSights,
  type Sight,
  touchesWebhook,
  type Unseen,
} from "../../../../plugin/domain/admission/outage";
import type { ProbeAnswer } from "../../../../plugin/domain/admission/answers";
import { defaultNames as names } from "../../../../plugin/domain/names/names";

const sights: Readonly<Record<string, Sight>> = {
  good: { is: "good" },
  bad: { is: "bad" },
  away: { is: "unseen", because: "connection refused" },
};

/** `good 1-1.2`: what was seen, and when it was under way. */
function watch(probes: readonly string[], until: number) {
  const counter = new HoleCounter("outage", 0);
  for (const probe of probes) {
    const [word = "", from = "", to = from] = probe.split(/[ -]/);
    const sight = sights[word];
    if (sight === undefined) throw new Error(`what is ${probe}?`);
    counter.take({ from: Number(from) * 1000, to: Number(to) * 1000 }, sight);
  }
  const { holes, unseen } = counter.end(until * 1000);
  return { holes: holes.map(renderHole), unseen: unseen.map(renderUnseen) };
}

/** Of both kinds the times, of a hole its bounds too. */
const renderHole = ({ from, to, leastMs, mostMs, holes, isOlder, isOpen }: Hole): string =>
  [
    `${from / 1000}-${to / 1000} [${leastMs / 1000}, ${mostMs / 1000}]`,
    ...(holes === undefined ? [] : [`${holes} holes`]),
    ...(isOlder ? ["older"] : []),
    ...(isOpen ? ["open"] : []),
  ].join(" ");

const renderUnseen = ({ from, to, because }: Unseen): string =>
  `${from / 1000}-${to / 1000} ${because}`;

const refused = "connection refused";

test.each<[name: string, probes: string[], until: number, holes: string[], unseen?: string[]]>([
  ["nothing was probed", [], 5, []],
  ["all answers are right", ["good 0-0.1", "good 1-1.1", "good 2-2.1"], 3, []],
  [
    "a hole between two right answers: its edges are not seen",
    ["good 0-0.1", "bad 1-1.1", "bad 2-2.1", "bad 3-3.1", "good 4-4.1"],
    5,
    ["1-4 [1.9, 4.1]"],
  ],
  [
    "one wrong answer proves a moment",
    ["good 0-0.1", "bad 1-3", "good 4-4.1"],
    5,
    ["1-4 [0, 4.1]"],
  ],
  [
    "answers that alternate are a hole each",
    ["good 0", "bad 1", "good 2", "bad 3", "good 4"],
    5,
    ["1-2 [0, 2]", "3-4 [0, 2]"],
  ],
  ["a hole at the start may be older", ["bad 1", "bad 2", "good 3"], 4, ["1-3 [1, 3] older"]],
  ["a hole at the end may last longer", ["good 0", "bad 1", "bad 3"], 4, ["1-4 [2, 4] open"]],
  ["a hole throughout is both", ["bad 1", "bad 3"], 4, ["1-4 [2, 4] older open"]],
  [
    "an API server that is away is no outage",
    ["good 0-0.1", "away 1-1.1", "away 2-2.1", "good 3-3.1"],
    4,
    [],
    [`0.1-3 ${refused}`],
  ],
  [
    "away in the middle of a hole: nothing is claimed of that time",
    ["good 0", "bad 1", "bad 3", "away 4", "bad 6", "bad 8", "good 9"],
    9,
    ["1-9 [4, 9]"],
    [`3-6 ${refused}`],
  ],
  [
    "away twice in one hole",
    ["good 0", "bad 1", "bad 2", "away 3", "away 4", "good 5", "away 6"],
    7,
    ["1-5 [1, 5]"],
    [`2-5 ${refused}`, `5-7 ${refused}`],
  ],
  [
    "away before and after a hole: it may have begun and ended then",
    ["good 0", "away 1", "bad 2", "bad 3", "away 4", "good 6"],
    6,
    ["2-6 [1, 6]"],
    [`0-2 ${refused}`, `3-6 ${refused}`],
  ],
  ["away from the start", ["away 1", "good 2"], 2, [], [`0-2 ${refused}`]],
  ["away throughout", ["away 1", "away 2"], 3, [], [`0-3 ${refused}`]],
  [
    "away at the end of a hole",
    ["good 0", "bad 1", "bad 2", "away 3"],
    4,
    ["1-4 [1, 4] open"],
    [`2-4 ${refused}`],
  ],
  [
    "slow answers: a right one shows nothing of its middle",
    ["good 0-4", "bad 4-9", "bad 9-14", "good 14-18"],
    18,
    ["4-14 [0, 18]"],
  ],
  [
    "a long time without a probe is not observed",
    ["good 0-0.1", "good 60-60.1"],
    61,
    [],
    ["0.1-60 no probe was sent"],
  ],
  ["nor is one at the end", ["good 0-0.1"], 61, [], ["0.1-61 no probe was sent"]],
])("%s", (...[, probes, until, holes, unseen = []]) => {
  expect(watch(probes, until)).toEqual({ holes, unseen });
});

test("over hours what is kept does not grow: holes and stretches beyond a number are told as one", () => {
  const probes = Array.from({ length: 400 }, (_, count) => [
    `good ${count * 6}`,
    `bad ${count * 6 + 1}`,
    `bad ${count * 6 + 2}`,
    `good ${count * 6 + 3}`,
    `away ${count * 6 + 4}`,
  ]).flat();
  const { holes, unseen } = watch(probes, 2400);
  expect([holes.length, unseen.length]).toEqual([50, 50]);
  expect(holes.at(-2)).toBe("289-291 [1, 3]");
  expect(holes.at(-1)).toBe("295-2397 [351, 1053] 351 holes");
  expect(unseen.at(-1)).toBe(`297-2400 ${refused}`);
});

test("the last of many that is open leaves all of them open", () => {
  const probes = Array.from({ length: 60 }, (_, count) => [
    `good ${count * 2}`,
    `bad ${count * 2 + 1}`,
  ]);
  expect(watch(probes.flat(), 120).holes.at(-1)).toBe("99-120 [0, 22] 11 holes open");
});

const ours = ["new", "old"];
const by = (is: "refused" | "failed", name: string): ProbeAnswer => ({ is, by: name, detail: is });
const policy = "x is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";

test.each<
  [name: string, twin: "accept" | "deny", answer: ProbeAnswer, outage: string, bypass: string]
>([
  ["a good edit passes", "accept", { is: "accepted" }, "good", ""],
  ["a good edit is refused", "accept", by("refused", "new"), "bad", ""],
  ["the webhook does not answer", "accept", by("failed", "old"), "bad", ""],
  ["the API server does not answer", "accept", by("failed", ""), "failed", ""],
  ["the API server is away", "accept", { is: "other", detail: "away" }, "away", ""],
  ["somebody else refuses", "accept", by("refused", "else"), "webhook else refuses the probe", ""],
  ["somebody else fails", "accept", by("failed", "else"), "webhook else fails the probe", ""],
  ["a bad edit passes", "deny", { is: "accepted" }, "", "bad"],
  ["a bad edit is refused", "deny", by("refused", "new"), "", "good"],
  ["a bad edit is stopped", "deny", by("failed", "new"), "bad", "good"],
  ["a bad edit is refused by a policy", "deny", { is: "other", detail: policy }, "", "good"],
  ["a bad edit has no answer", "deny", { is: "other", detail: "away" }, "", "away"],
])("%s", (...[, twin, answer, outage, bypass]) => {
  const told = (sight: Sight | undefined): string =>
    sight === undefined ? "" : sight.is === "unseen" ? sight.because : sight.is;
  const seen = readSights({ pair: "a", twin, from: 0, to: 1, answer }, { ours, bad: "a" });
  expect([told(seen.outage), told(seen.bypass)]).toEqual([outage, bypass]);
});

test("a bad edit that nobody was seen refusing shows nothing: it may be none here", () => {
  const answer: ProbeAnswer = { is: "accepted" };
  const seen = { pair: "a", twin: "deny", from: 0, to: 1, answer } as const;
  for (const bad of [undefined, "b"]) {
    expect(readSights(seen, { ours, bad }).bypass?.is).toBe("unseen");
  }
});

test("why the API server did not judge a bad edit is told before whether one was ever refused", () => {
  const answer: ProbeAnswer = { is: "other", detail: "away" };
  const seen = { pair: "a", twin: "deny", from: 0, to: 1, answer } as const;
  const sight = readSights(seen, { ours, bad: undefined }).bypass;
  expect(sight).toEqual({ is: "unseen", because: "away" });
});

test.each<[isTouching: boolean, action: string, object: string]>([
  [true, "apply", "Deployment/engine/engine-enterprise-operator"],
  [false, "apply", "Deployment/engine/engine-enterprise-other"],
  [true, "patch", "Service/engine/admission"],
  [true, "create", "Secret/engine/admission-tls"],
  [true, "apply", "ValidatingWebhookConfiguration/engine-enterprise-admission"],
  [true, "delete", "ValidatingWebhookConfiguration/edb-admission"],
  [true, "chart", "release operator"],
  [false, "apply", "Role/shop/edb-role"],
  [false, "apply", "toString"],
])("%s: %s %s may take the webhook away", (isTouching, action, object) => {
  expect(touchesWebhook({ action, object }, names)).toBe(isTouching);
});
