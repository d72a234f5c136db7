import {
  judgeProgress,
  objectKey,
  type PlanProgress,
} from "../../../../plugin/commands/upgrade/done-steps";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { PlannedWrite } from "../../../../plugin/domain/kube/planned-write";
import type { BoundState } from "../../../../plugin/commands/upgrade/bound-state";
import type { Finding } from "../../../../plugin/domain/base/findings";
import {
  parsePlan,
  type PlannedPart,
  type PlannedStep,
  savedBy,
  type UpgradePlan,
} from "../../../../plugin/commands/upgrade/plan-document";
import {
  findUnplannedWrites,
  writeKey,
  listNewFindings,
  listBlockedReasons,
  listSuspects,
  noProgress,
  listStaleReasons,
} from "../../../../plugin/commands/upgrade/compare-plans";
import { aPlan } from "./objects";

function write(changes: Partial<PlannedWrite> = {}): PlannedWrite {
  return {
    verb: "patch",
    target: {
      group: "apps",
      version: "v1",
      resource: "deployments",
      kind: "Deployment",
      name: "a",
    },
    read: { uid: "u", resourceVersion: "1" },
    risk: "some",
    reverse: "back",
    command: "kubectl apply -f -",
    ...changes,
  };
}

function step(changes: Partial<PlannedStep> = {}): PlannedStep {
  return {
    part: "operator",
    object: "Deployment/a",
    action: "apply",
    why: "S16",
    write: write(),
    state: { fields: {} },
    ...changes,
  };
}

function plan(changes: Partial<UpgradePlan> = {}): UpgradePlan {
  return aPlan({ sha256: "aa", steps: [step()], ...changes });
}

function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  return Object.fromEntries(
    Object.entries(object).filter(([each]) => each !== key),
  ) as unknown as Omit<T, K>;
}

const created: PlannedWrite = without(write({ verb: "create" }), "read");
const withoutDigest: UpgradePlan = without(plan(), "sha256");
const writing = (changes: Partial<PlannedWrite>) =>
  plan({ steps: [step({ write: write(changes) })] });
const creating = plan({ steps: [without(step({ write: created }), "state")] });
const tagged = (to: string) => writing({ changes: [{ path: ".spec.tag", to }] });
const resting = (state: BoundState) => plan({ steps: [step({ state })] });
const of = (part: PlannedStep["part"]) => plan({ steps: [step({ part })] });
const digest = (is: string, was: string) =>
  `the release's SHA-256 is ${is}, the plan was made for ${was}`;

/** An object as a plan has found it, or would find it now. */
function liveOf({ write: { read }, state }: PlannedStep): KubeObject | undefined {
  if (read === undefined) return undefined;
  const { generation, fields } = state ?? { fields: {} };
  const spec = Object.fromEntries(
    Object.entries(fields).map(([path, value]) => [
      path.replace("spec.", ""),
      JSON.parse(value) as unknown,
    ]),
  );
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a", ...read, ...(generation !== undefined && { generation }) },
    spec,
  };
}

function listReasons(saved: UpgradePlan, now: UpgradePlan): readonly string[] {
  const suspects = listSuspects(saved.steps, now.steps).map((one) => {
    const found = now.steps.find((other) => objectKey(other) === objectKey(one)) ?? one;
    return [objectKey(one), liveOf(found)] as const;
  });
  const progress = judgeProgress(saved.steps, new Map(suspects), []);
  return listStaleReasons(saved, { plan: now, findings: [], progress, tried: true });
}

test.each<[string, UpgradePlan, UpgradePlan, readonly string[]]>([
  ["holds on the state that it was made on", plan(), plan(), []],
  ["holds whatever the texts are", plan(), plan({ madeAt: "later", words: [] }), []],
  [
    "of another cluster says that alone",
    plan(),
    plan({ cluster: "d", steps: [] }),
    ["the cluster (uid of the namespace kube-system) is d, the plan was made for c"],
  ],
  [
    "of another namespace",
    plan(),
    plan({ namespace: "other" }),
    ["the namespace is other, the plan was made for engine"],
  ],
  [
    "of a release that lies elsewhere and is the same byte for byte holds",
    plan(),
    plan({ release: "x.tar.gz" }),
    [],
  ],
  [
    "of another release and digest names both",
    plan(),
    plan({ release: "x.tar.gz", sha256: "bb" }),
    ["the release is x.tar.gz, the plan was made for ./release", digest("bb", "aa")],
  ],
  ["made without a digest", withoutDigest, plan(), [digest("aa", "none")]],
  ["found with a digest gone", plan(), withoutDigest, [digest("none", "aa")]],
  [
    "an object whose status alone has changed since",
    plan(),
    writing({ read: { uid: "u", resourceVersion: "2" } }),
    [],
  ],
  [
    "an object changed since",
    resting({ generation: 1, fields: { "spec.replicas": "1" } }),
    resting({ generation: 2, fields: { "spec.replicas": "2" } }),
    ["Deployment/a: spec.replicas is 2, it was 1"],
  ],
  ["of which everything is done", plan(), plan({ steps: [] }), []],
  [
    "an object recreated since",
    plan(),
    writing({ read: { uid: "v", resourceVersion: "1" } }),
    ["Deployment/a was deleted and recreated"],
  ],
  ["an object deleted since", plan(), creating, ["Deployment/a no longer exists"]],
  ["an object made since", creating, plan(), ["Deployment/a exists now"]],
  ["an object still absent", creating, creating, []],
  [
    "another value for a field of the same object",
    tagged("8.0.2-17"),
    tagged("8.0.6-10"),
    ["Deployment/a: its apply of .spec.tag was not planned"],
  ],
  [
    "a write that is no longer needed, and one that was not planned",
    of("rbac-expand"),
    of("operator"),
    ["Deployment/a: its apply is no longer needed", "Deployment/a: its apply was not planned"],
  ],
])("a saved plan: %s", (_, saved, ...[now, reasons]) => {
  expect(listReasons(saved, now)).toEqual(reasons);
});

describe("a plan file", () => {
  test("reads back as it was written", () => {
    const saved = plan();
    expect(parsePlan(JSON.parse(JSON.stringify(saved)))).toEqual(saved);
  });

  test.each<[string, unknown]>([
    ["no object", "plan"],
    ["another kind", { ...plan(), kind: "Report" }],
    ["another version", { ...plan(), apiVersion: "v1" }],
    ["no program", without(plan(), "program")],
    ["no cluster", { ...plan(), cluster: 7 }],
    ["words that are no list", { ...plan(), words: "upgrade" }],
    ["words that are no texts", { ...plan(), words: [1] }],
    ["parts that are no list", { ...plan(), parts: {} }],
    ["steps that are no list", { ...plan(), steps: {} }],
    ["a step without a write", { ...plan(), steps: [{ ...step(), write: undefined }] }],
    ["a step without a part", { ...plan(), steps: [{ ...step(), part: 1 }] }],
    ["a step that is no write", { ...plan(), steps: [{ ...step(), action: "wait" }] }],
    ["findings that are none", { ...plan(), findings: [null] }],
    ["a finding of a number", { ...plan(), findings: [{ code: "A", object: 1 }] }],
    ["parts that are none", { ...plan(), parts: [1] }],
    ["a digest that is a number", { ...plan(), sha256: 1 }],
    ["a step without its state", { ...plan(), steps: [without(step(), "state")] }],
    ["a state of what was not there", { ...plan(), steps: [step({ write: created })] }],
    ["a state without fields", { ...plan(), steps: [{ ...step(), state: {} }] }],
    [
      "a field that is a number",
      { ...plan(), steps: [{ ...step(), state: { fields: { a: 1 } } }] },
    ],
    [
      "a generation that is a text",
      { ...plan(), steps: [{ ...step(), state: { generation: "1", fields: {} } }] },
    ],
    ["an end that is none", { ...plan(), steps: [{ ...step(), leaves: 1 }] }],
    ["a read that is none", writing({ read: "u" as never })],
    ["a read that is null", writing({ read: null as never })],
    ["changes that are none", writing({ changes: [null] as never })],
    ["changes that are no list", writing({ changes: {} as never })],
    [
      "a namespace that is a number",
      writing({ target: { ...write().target, namespace: 1 as never } }),
    ],
    ["a write without a name", { ...plan(), steps: [{ ...step(), write: { verb: "patch" } }] }],
  ])("with %s is refused", (_, value) => {
    expect(parsePlan(value)).toBeUndefined();
  });
});

test.each([
  ["a plan of today", plan(), "version 0.1.0"],
  ["a plan without a number", without(plan(), "program"), "an older version"],
  ["a report", { ...plan(), kind: "Report" }, undefined],
  ["a text", "plan", undefined],
])("%s says which version saved it", (_, value, version) => {
  expect(savedBy(value)).toBe(version);
});

test("creating and changing are the same write: the object may come to exist in between", () => {
  expect(writeKey(created)).toBe(writeKey(write()));
  expect(writeKey(write({ verb: "delete" }))).not.toBe(writeKey(write()));
  const { target } = write();
  expect(writeKey(write({ target: { ...target, namespace: "b" } }))).not.toBe(writeKey(write()));
});

test("writes that a part did not plan are found, those that it did are not", () => {
  const other = step({ write: write({ target: { ...write().target, name: "b" } }) });
  expect(findUnplannedWrites([step()], [step(), other])).toEqual([
    { step: other, is: "its apply" },
  ]);
  expect(findUnplannedWrites([step(), other], [step()])).toEqual([]);
});

const tag = { path: ".spec.tag", to: "2" };
const labels = { path: ".metadata.labels", to: { app: "x", "a.b/c": "y" } };

type Changes = PlannedWrite["changes"];

test.each<[string, readonly [Changes, Changes], string | undefined]>([
  ["the same", [[tag], [{ ...tag }]], undefined],
  ["fewer fields", [[tag, labels], [tag]], undefined],
  ["no field any more", [[tag], []], undefined],
  [
    "a part of a planned value",
    [[labels], [{ path: ".metadata.labels.a.b/c", to: "y" }]],
    undefined,
  ],
  ["the whole object, as planned", [undefined, undefined], undefined],
  ["a field more", [[tag], [tag, labels]], "its apply of .metadata.labels"],
  ["another value", [[tag], [{ ...tag, to: "3" }]], "its apply of .spec.tag"],
  ["a value that goes", [[tag], [{ ...tag, to: null }]], "its apply of .spec.tag"],
  [
    "another part of a planned value",
    [[labels], [{ path: ".metadata.labels.app", to: "z" }]],
    "its apply of .metadata.labels.app",
  ],
  [
    "a field whose name only begins alike",
    [[tag], [{ ...tag, path: ".spec.tags" }]],
    "its apply of .spec.tags",
  ],
  ["fields where the whole was planned", [undefined, [tag]], "its apply of .spec.tag"],
  ["the whole where fields were planned", [[tag], undefined], "its apply"],
])("a write that is planned again: %s", (_, changes, is) => {
  const [planned, found] = changes.map((each) =>
    step({ write: write({ ...(each && { changes: each }) }) }),
  ) as [PlannedStep, PlannedStep];
  const more = is === undefined ? [] : [{ step: found, is }];
  expect(findUnplannedWrites([planned], [found])).toEqual(more);
});

const b = step({
  object: "Deployment/b",
  write: write({ target: { ...write().target, name: "b" } }),
});
const request = step({ action: "call", object: "REST API", write: created });
const part = (changes: object): PlannedPart => ({
  ...{ id: "operator", title: "Upgrade the operator", source: "S16" },
  ...changes,
});

test.each<[string, Partial<UpgradePlan>, Partial<UpgradePlan>, readonly string[]]>([
  [
    "a write that its part does not come to is not told as one that is done",
    {},
    { steps: [b], parts: [part({ unplanned: "it has no account" })] },
    ["Deployment/b: its apply was not planned"],
  ],
  [
    "a part that is left out now is told with its reason",
    { steps: [step(), b] },
    { steps: [b], parts: [part({ skipped: "it is gone" })] },
    ["Deployment/a: its apply is no longer needed, since it is gone"],
  ],
  [
    "a pause that the plan did not have",
    {},
    { parts: [part({ pauses: { because: "no module", type: "define it" } })] },
    ["Upgrade the operator: the run would stop before it: no module"],
  ],
  [
    "a pause that the plan had",
    { parts: [part({ pauses: { because: "no module", type: "define it" } })] },
    { parts: [part({ pauses: { because: "no module", type: "define it" } })] },
    [],
  ],
  [
    "a question that the plan did not have",
    { parts: [part({ questions: ["A?"] })] },
    { parts: [part({ questions: ["A?", "B?"] })] },
    ["Upgrade the operator: it would ask what the plan does not: B?"],
  ],
  ["a request that was answered", { steps: [request, b] }, { steps: [b] }, []],
  [
    "a request of a part that is left out",
    { steps: [request, b] },
    { steps: [b], parts: [part({ skipped: "it is gone" })] },
    ["REST API: its call is no longer needed, since it is gone"],
  ],
])("a saved plan: %s", (_, saved, ...[now, reasons]) => {
  expect(listReasons(plan(saved), plan(now))).toEqual(reasons);
});

const invalid: Finding = {
  ...{ code: "A", severity: "error", object: "Deployment/a", cause: "it is away" },
  ...{ fix: "wait", source: "S9" },
};
const begun = (...done: readonly PlannedStep[]): PlanProgress => ({
  done: new Set(done),
  moved: new Map(),
});
const unheardOf = "A Deployment/a: it is away, which was not found when the plan was made";

test.each<[string, UpgradePlan, PlanProgress, readonly string[]]>([
  ["nothing of it is done", plan(), noProgress, [unheardOf]],
  ["it was begun", plan({ steps: [b, step()] }), begun(b), []],
  [
    "an object has moved",
    plan(),
    { done: new Set(), moved: new Map([["a", ["Deployment/a no longer exists"]]]) },
    ["Deployment/a no longer exists", unheardOf],
  ],
  [
    "it is of another cluster",
    plan({ cluster: "d" }),
    noProgress,
    ["the cluster (uid of the namespace kube-system) is c, the plan was made for d"],
  ],
])("a plan that the checks stop, where %s", (_, saved, ...[progress, reasons]) => {
  expect(listBlockedReasons(saved, plan(), { errors: [invalid], progress })).toEqual(reasons);
});

test("halfway a warning of what is still to be written passes, one of something else does not", () => {
  const steps = [b, step()];
  const warned: Finding = { ...invalid, severity: "warning" };
  const other: Finding = { ...warned, object: "Deployment/c" };
  const nameless: Finding = { ...invalid, severity: "warning", code: "B" };
  const found = [warned, other, Object.assign({ ...nameless }, { object: undefined })] as Finding[];
  expect(listNewFindings({ steps, findings: [] }, found, begun(b))).toEqual([
    "A Deployment/c: it is away, which was not found when the plan was made",
    "B: it is away, which was not found when the plan was made",
  ]);
  expect(listNewFindings({ steps, findings: [] }, [warned])).toEqual([unheardOf]);
});

test("what is found of several objects is known where each was found, and new with one more", () => {
  const of = (object: string): Finding => ({ ...invalid, object });
  const saved = plan({ findings: [of("Kind/a, Kind/b")] });
  expect(listNewFindings(saved, [of("Kind/b")])).toEqual([]);
  expect(listNewFindings(saved, [of("Kind/b, Kind/c")])).toHaveLength(1);
});

test("what is found of no object is known by its code, and is told without one", () => {
  const found = { severity: "error", cause: "it is away", fix: "wait", source: "S9" } as const;
  const [known, other] = [
    { code: "A", ...found },
    { code: "B", ...found },
  ];
  expect(listNewFindings(plan({ findings: [{ code: "A" }] }), [known, other])).toEqual([
    "B: it is away, which was not found when the plan was made",
  ]);
});
