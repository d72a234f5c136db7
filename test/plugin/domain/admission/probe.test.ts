import { readAnswer } from "../../../../plugin/domain/admission/answers";
import { defaultNames, type Names } from "../../../../plugin/domain/names/names";
import { listEntries } from "../../../../plugin/domain/admission/configuration";
import {
  measureGap,
  tally,
  thinObservations,
  wrongWindows,
} from "../../../../plugin/domain/admission/gap";
import * as probe from "../../../../plugin/domain/admission/probe";
import type { Observation, ProbeKind } from "../../../../plugin/domain/admission/probe";
import type { ProbeAnswer } from "../../../../plugin/domain/admission/answers";
import {
  aDatabase,
  aNewConfiguration,
  anObject,
  anOldConfiguration,
  resourceOf,
} from "../../../support/builders";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";

const { measureFailing, isRight, judgeProof, pairFromStored, pairsFor } = probe;
const { wasSeenBroken } = probe;

type Seen = readonly [ProbeKind, ProbeAnswer];

const accepted: ProbeAnswer = { is: "accepted" };
const refusedBy = (by: string): ProbeAnswer => ({ is: "refused", by, detail: "bad version" });
const failed: ProbeAnswer = { is: "failed", by: "new", detail: "x509" };
const other: ProbeAnswer = { is: "other", detail: "schema" };
/** A good edit that passes, that a webhook or a schema stops, or whose call fails. */
const pass: Seen = ["accept", accepted];
const stop: Seen = ["accept", refusedBy("x")];
const unfit: Seen = ["accept", other];
const fail: Seen = ["accept", failed];
/** A bad edit that is refused by the entry or another one, that passes, and so on. */
const deny: Seen = ["deny", refusedBy("new")];
const denyOld: Seen = ["deny", refusedBy("old")];
const leak: Seen = ["deny", accepted];
const denyOther: Seen = ["deny", other];
const denyFail: Seen = ["deny", failed];

const stopOwn: Seen = ["accept", refusedBy("new")];
const hang: Seen = ["accept", { is: "failed", by: "", detail: "no answer within 5 s" }];
const denyElse: Seen = ["deny", refusedBy("x")];
const ours = ["new", "old"];
const gapOf = (all: readonly Observation[]) => measureGap(wrongWindows(all, ours).holes);

/** Observations 100 ms apart, each 10 ms long. */
function seen(...answers: readonly Seen[]): readonly Observation[] {
  return answers.map(([twin, answer], index) => {
    const from = index * 100;
    return { pair: "EDB", twin, from, to: from + 10, answer };
  });
}

const posing = `ValidatingAdmissionPolicy 'p' denied request:`;
const denied = 'admission webhook "a.b" denied the request: no';
const failing = 'failed calling webhook "a.b": x509';

test.each<[string, ProbeAnswer["is"], string | undefined]>([
  [denied, "refused", "a.b"],
  [`${posing} ${denied}`, "other", undefined],
  [`admission webhook "c.d" denied the request: ${denied}`, "refused", "c.d"],
  [`${posing} ${failing}`, "other", undefined],
  [failing, "failed", "a.b"],
  [`Internal error occurred: ${failing}`, "failed", "a.b"],
  ['admission webhook "a.b" does not support dry run', "other", undefined],
  ["", "other", undefined],
])("%j is %s", (message, is, by) => {
  const answer = readAnswer({ status: 422, message });
  expect(answer).toMatchObject({ is, detail: message });
  expect("by" in answer ? answer.by : undefined).toBe(by);
});

test("right is a good edit that passes, and a bad one that any webhook refuses", () => {
  expect(seen(pass, denyOld).map(isRight)).toEqual([true, true]);
  const wrong = seen(stop, fail, unfit, leak, denyFail, denyOther).map(isRight);
  expect(wrong).toEqual(Array.from({ length: 6 }, () => false));
});

test("a tally counts right answers per twin and names who refused, once each", () => {
  expect(tally(seen(pass, denyOld, deny, denyOld, leak, unfit))).toEqual({
    accept: { ok: 1, of: 2 },
    deny: { ok: 3, of: 4, by: "new, old" },
  });
  expect(tally([])).toEqual({ accept: { ok: 0, of: 0 }, deny: { ok: 0, of: 0, by: "" } });
});

const unevaluated = `edbs.x "a" is forbidden: expression 'object.spec.size > 1' resulted in error: no such key: size`;
const wanted = { entry: "new", quietMs: 200, pairs: 2 };
const good = [pass, deny];
const passes = "an edit that must be refused passes";
const elsewhere = `${passes}, and another one is refused by something else:`;

test.each<[string, readonly Seen[], string]>([
  ["enough right answers of both twins in a quiet time", [...good, ...good], ""],
  ["another entry among those that refused", [denyOld, ...good, ...good], ""],
  ["no answer", [], "no answer was seen yet"],
  ["too few answers", good, "answers are right, settling"],
  ["answers of one twin alone", [deny, deny, deny], "answers are right, settling"],
  ["a wrong answer not long ago", [...good, leak, ...good], `not settled: ${passes}`],
  ["a bad edit that passes", [...good, leak], passes],
  ["a policy and a bad edit that passes", [pass, denyOther, leak], `${elsewhere} schema`],
  ["another webhook too", [["deny", refusedBy("x")], denyFail, leak], `${elsewhere} bad version`],
  ["the entry by turns", [deny, leak], `${passes}: no webhook in force refuses it`],
  ["a good edit refused", [stop], "an edit that must pass is refused by x: bad version"],
  ["a webhook that fails", [denyFail], "the webhook new does not answer: x509"],
  [
    "a schema, good twin",
    [unfit],
    "the edit that must be accepted is refused by something else: schema",
  ],
  [
    "a condition that cannot be evaluated",
    [["accept", { is: "other", detail: unevaluated }]],
    `the edit that must be accepted is refused before a call, as a condition of a webhook (matchConditions) cannot be evaluated for it: ${unevaluated}`,
  ],
  [
    "a schema, bad twin",
    [denyOther],
    "the edit that must be refused by the webhook is refused by something else: schema",
  ],
  ["another entry alone", [pass, denyOld, denyOld], "no refusal by new was seen, only by old"],
  ["no bad edit", [pass], "no refusal by new was seen"],
])("the proof with %s", (_title, answers, because) => {
  const proof = judgeProof(seen(...answers), wanted);
  if (because === "") expect(proof).toEqual({ is: "proven" });
  else expect(proof.is === "waiting" && proof.because).toContain(because);
});

test("the proof waits until the quiet time is over", () => {
  const is = (quietMs: number) => judgeProof(seen(...good, ...good), { ...wanted, quietMs }).is;
  expect([is(311), is(310)]).toEqual(["waiting", "proven"]);
});

test.each<[string, readonly Seen[], number, number]>([
  ["of right answers is none", [...good, ...good], 0, 0],
  ["is a bypass until the next refusal", [leak, leak, deny], 0.2, 0],
  ["is an outage from a failed call to the next that passes", [fail, pass], 0, 0.1],
  ["is an outage when the webhook refuses a good edit", [stopOwn, pass], 0, 0.1],
  ["still open counts up to the last answer", [leak, leak], 0.11, 0],
  ["of several stretches is their sum", [leak, deny, leak, deny], 0.2, 0],
  ["is none where a schema refuses", [unfit, denyOther, ...good], 0, 0],
  ["is no bypass for a bad edit that fails, but an outage", [denyFail, deny, pass], 0, 0.2],
])("the gap %s", (_title, ...[answers, bypassSeconds, outageSeconds]) => {
  expect(gapOf(seen(...answers))).toEqual({ bypassSeconds, outageSeconds });
});

test.each<[string, readonly Seen[], string[], [number, number][]]>([
  ["where all answers are the webhook's", [...good, fail, pass], [], [[0, 310]]],
  ["where another webhook refuses the good edit", [pass, stop, stop, pass], ["outage 10-300"], []],
  ["where the API server is away", [pass, unfit, pass], ["outage 10-200"], []],
  ["where the API server does not answer", [pass, hang, pass], ["outage 10-200"], []],
  ["in the middle of a hole", [pass, fail, unfit, fail, pass], ["outage 110-300"], [[0, 410]]],
  ["of a bad edit that has no answer", [deny, denyOther, deny], ["bypass 10-200"], []],
  ["of a bad edit that another webhook refuses: it is not stored", [deny, denyElse, deny], [], []],
])("a swap claims nothing of what was not seen: %s", (...[, answers, unseen, bounds]) => {
  const found = wrongWindows(seen(...answers), ours);
  const told = (["bypass", "outage"] as const).flatMap((is) =>
    found.unseen[is].map(({ from, to }) => `${is} ${from}-${to}`),
  );
  expect(told).toEqual(unseen);
  const lengths = found.holes.map(({ leastMs, mostMs }) => [leastMs, mostMs]);
  expect(lengths).toEqual(bounds);
});

test("what is forgotten leaves no time in which nobody looked", () => {
  const all = Array.from({ length: 600 }, (_, index) => {
    const from = index * 1_000;
    return { pair: "EDB", twin: "accept", from, to: from + 10, answer: accepted } as const;
  });
  const kept = thinObservations(all);
  expect(kept.length).toBeLessThan(40);
  expect(wrongWindows(kept, ours).unseen.outage).toEqual([]);
});

test.each<[string, readonly Seen[], readonly number[]]>([
  ["nothing of nothing", [], []],
  ["not the first and the last of a row", [pass, pass, pass, pass], [0, 3]],
  ["the middle of what two twins say", [pass, deny, pass, deny, pass, deny], [0, 1, 4, 5]],
  ["not where the answer changes", [pass, pass, fail, fail, fail, pass], [0, 1, 2, 4, 5]],
])("what says the same again is forgotten: %s", (_title, answers, left) => {
  const all = seen(...answers);
  const kept = thinObservations(all);
  expect(kept).toEqual(left.map((index) => all[index]));
  expect(gapOf(kept)).toEqual(gapOf(all));
});

test("another pair is no repetition", () => {
  const pairs = ["EDB", "EDB", "EAADB", "EDB"];
  const all = seen(pass, pass, pass, pass).map((one, at) => ({ ...one, pair: String(pairs[at]) }));
  expect(thinObservations(all)).toEqual(all);
});

test("calls were seen to fail: of the entry, and where they failed", () => {
  const broken = (answer: Seen) => wasSeenBroken(seen(answer), ["new", ""]);
  expect([broken(fail), broken(stop), broken(pass)]).toEqual([true, false, false]);
  expect(wasSeenBroken(seen(fail), ["old"])).toBe(false);
});

test.each<[string, readonly Seen[], number]>([
  ["nothing was seen", [], 0],
  ["the last call was answered", [fail, pass], 0],
  ["the last ones failed", [pass, fail, denyFail], 110],
  ["all failed", [fail, denyFail], 110],
])("how long calls have been failing: %s", (_title, answers, expected) => {
  expect(measureFailing(seen(...answers))).toBe(expected);
});

const { edb, eaadb, erc } = defaultNames;
const scene = { names: defaultNames, namespace: "engine", name: "probe-1", labels: {} };
const [newEntry] = listEntries(aNewConfiguration());
const [oldEntry] = listEntries(anOldConfiguration());
const badModule = { name: "no-such-module", version: "0.0.0" };

test("pairs are made for the kinds that the entry matches, databases first", () => {
  const kindsOf = (entry: ValidatingWebhook | undefined) =>
    pairsFor(entry, scene).map(({ kind }) => kind);
  expect(kindsOf(newEntry)).toEqual([edb.kind, eaadb.kind, erc.kind]);
  expect(pairsFor(oldEntry, scene).map(({ resource }) => resource)).toEqual([resourceOf(edb)]);
  expect([undefined, {}, { rules: null }, { rules: [{}] }].flatMap(kindsOf)).toEqual([]);
});

test("a pair is a good object and bad ones, each bad in one way", () => {
  const [database, activeActive, remote] = pairsFor(newEntry, scene);
  expect(database?.accept).toEqual({
    apiVersion: "app.engine.com/v1alpha1",
    kind: edb.kind,
    metadata: { name: "probe-1", namespace: "engine" },
    spec: {},
  });
  expect(database?.denies.map(({ what, object }) => [what, object["spec"]])).toEqual([
    ["unknown engineVersion", { engineVersion: "0.0" }],
    ["illegal evictionPolicy", { evictionPolicy: "no-such-policy" }],
    ["undefined module", { modulesList: [badModule] }],
  ]);
  expect([activeActive?.accept["spec"], activeActive?.denies[0]?.object["spec"]]).toEqual([
    { participatingClusters: [], globalConfigurations: {} },
    {
      engineVersion: "0.0",
      participatingClusters: [],
      globalConfigurations: { engineVersion: "0.0" },
    },
  ]);
  const remotes = [remote?.accept, ...(remote?.denies ?? []).map(({ object }) => object)];
  expect(remotes.map((object) => object?.["spec"])).toEqual([
    { ecName: "probe", ecNamespace: "engine" },
    { ecName: "", ecNamespace: "engine" },
  ]);
});

test("a pair carries the labels that were asked for", () => {
  const [pair] = pairsFor(newEntry, { ...scene, labels: { tier: "a" } });
  const objects = [pair?.accept, ...(pair?.denies ?? []).map(({ object }) => object)];
  expect(objects.map((object) => object?.metadata.labels)).toEqual(
    objects.map(() => ({ tier: "a" })),
  );
});

test("a pair follows a names file, and names that give no field make pairs all the same", () => {
  const withFields = (fields: Partial<Names["fields"]>): Names => ({
    ...defaultNames,
    fields: { ...defaultNames.fields, ...fields },
  });
  const names = withFields({
    engineVersion: ["spec", "dbVersion"],
    moduleLists: ["mods"],
    globalConfigurations: ["spec", "common"],
  });
  const [database, activeActive] = pairsFor(newEntry, { ...scene, names });
  const specs = (database?.denies ?? []).map(({ object }) => Object.keys(object["spec"] as object));
  expect(specs).toEqual([["dbVersion"], ["evictionPolicy"], ["mods"]]);
  expect(activeActive?.accept["spec"]).toHaveProperty("common");
  const none = withFields({ engineVersion: [], moduleLists: [], globalConfigurations: [] });
  expect(pairsFor(newEntry, { ...scene, names: none })).toHaveLength(3);
});

const spec = { memorySize: "1GB", modulesList: [{ name: "search" }], engineVersion: "7.4" };
const global = { globalConfigurations: { memorySize: "1GB" } };
const globalBad = { memorySize: "1GB", engineVersion: "0.0" };

test("a stored object must pass unchanged, and not with a bad part", () => {
  const stored = { ...aDatabase("engine", "db1"), spec, status: { x: 1 } };
  const { accept, denies } = pairFromStored(stored, resourceOf(edb), defaultNames);
  expect(accept).toBe(stored);
  expect(denies[0]?.object).toEqual({ ...stored, spec: { ...spec, engineVersion: "0.0" } });
  expect(denies[2]?.object["spec"]).toEqual({ ...spec, modulesList: [badModule] });
});

test.each([
  ["a spec that is absent", edb, undefined, { engineVersion: "0.0" }],
  ["a spec that is a text", edb, "x", { engineVersion: "0.0" }],
  ["an EAADB", eaadb, global, { engineVersion: "0.0", globalConfigurations: globalBad }],
  ["a kind without bad parts", erc, {}, undefined],
])("a stored object's first bad twin: %s", (_title, kind, ...[held, expected]) => {
  const stored = anObject(resourceOf(kind), { name: "x", namespace: "engine" }, { spec: held });
  const [first] = pairFromStored(stored, resourceOf(kind), defaultNames).denies;
  expect(first?.object["spec"]).toEqual(expected);
});
