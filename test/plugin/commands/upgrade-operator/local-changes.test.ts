import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import {
  heldAmong,
  heldBesideHelm,
  judgeHeld,
} from "../../../../plugin/commands/upgrade-operator/local-changes";

const ours = "kubectl-engine";

const anObject = (a: unknown, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x", ...metadata },
  a,
});

const applied = (file: object) => ({ [lastApplied]: JSON.stringify(file) });
const held = (manager: string) => [{ field: ".a", manager }];
const byFile = {
  managedFields: [{ manager: "kubectl-create", operation: "Update", apiVersion: "v1" }],
};

test.each([
  ["this tool's", anObject(1), held(ours), 0, true],
  ["a file's without a copy of it", anObject(1, byFile), held("kubectl-create"), 0, false],
  [
    "a file's that says the same",
    anObject({ b: 1, filledIn: 2 }, { ...byFile, annotations: applied({ a: { b: 1 } }) }),
    held("kubectl-create"),
    0,
    false,
  ],
  [
    "a file's that says otherwise",
    anObject(1, { ...byFile, annotations: applied({ a: 2 }) }),
    held("kubectl-create"),
    1,
    false,
  ],
  [
    "an edit back to the file",
    anObject(1, { annotations: applied({ a: 1 }) }),
    held("kubectl-edit"),
    0,
    true,
  ],
  ["an edit", anObject(1, { annotations: applied({ a: 2 }) }), held("kubectl-edit"), 1, true],
  ["an edit without a file", anObject(1), held("kubectl-edit"), 1, true],
  [
    "an edit of what the file has not",
    anObject(1, { annotations: applied({}) }),
    held("kubectl-edit"),
    1,
    true,
  ],
  ["another program's", anObject(1, { annotations: applied({ a: 1 }) }), held("argocd"), 1, true],
  ["nobody's", anObject(1), [], 0, false],
] as const)("%s", (...[, live, all, count, force]) => {
  const facts = { live, wanted: anObject(3), held: all, ours, takeFields: [] };
  const verdict = judgeHeld(facts);
  expect([verdict.findings.length, verdict.force]).toEqual([count, force]);
  const taking = judgeHeld({ ...facts, takeFields: ["a"] });
  expect(taking.findings).toEqual([]);
});

test.each([
  ["what the API server would store as it is", "argocd", {}, { stored: anObject(1) }, 0],
  ["what it would store otherwise", "argocd", {}, { stored: anObject(3) }, 1],
  ["what the file says in other words", "kubectl-edit", 2, { storedFile: anObject(1) }, 0],
  ["what the file does not say", "kubectl-edit", 2, { storedFile: anObject(2) }, 1],
  ["another program's, as the file has it", "argocd", 2, { storedFile: anObject(1) }, 1],
] as const)("by a dry run: %s", (...[, manager, said, facts, count]) => {
  const live = anObject(1, { annotations: applied({ a: said }) });
  const all = { live, wanted: anObject(3), held: held(manager), ours, takeFields: [], ...facts };
  expect(judgeHeld(all).findings).toHaveLength(count);
});

test("a finding shows both values, cut where they are long", () => {
  const facts = { live: anObject("x".repeat(300)), wanted: anObject(3), ours, takeFields: [] };
  const [finding] = judgeHeld({ ...facts, held: held("") }).findings;
  expect(finding?.cause).toMatch(/^a local change: the cluster has "x{199}…; the release says 3$/);
});

test("long values are shown where they differ", () => {
  const [has, says] = [anObject(`${"x".repeat(300)}1`), anObject(`${"x".repeat(300)}2`)];
  const facts = { live: has, wanted: says, ours, takeFields: [], held: held("") };
  expect(judgeHeld(facts).findings[0]?.cause).toMatch(
    /^a local change: the cluster has …x+1"; the release says …x+2"$/,
  );
});

test.each([
  ["a field", anObject(1), "OPERATOR-OWNERS-UNKNOWN"],
  [
    "a field that the file lacks",
    anObject(1, { annotations: applied({}) }),
    "OPERATOR-OWNERS-UNKNOWN",
  ],
  [
    "a field that the file has",
    anObject(1, { annotations: applied({ a: 2 }) }),
    "OPERATOR-LOCAL-CHANGE",
  ],
  ["a field with owners", anObject(1, byFile), "OPERATOR-LOCAL-CHANGE"],
] as const)("in a copy without field owners: %s", (_, live, code) => {
  const facts = { live, wanted: anObject(3), ours, takeFields: [], isCopy: true };
  const { findings } = judgeHeld({ ...facts, held: held("before-first-apply") });
  expect(findings.map((finding) => finding.code)).toEqual([code]);
});

test.each([
  ["changed since the file", anObject(1, { annotations: applied({ a: 2 }) }), 1],
  ["as the file has it", anObject(1, { annotations: applied({ a: 1 }) }), 0],
  ["without a file", anObject(1), 0],
  [
    "held by this tool",
    anObject(1, { annotations: applied({ a: 2 }), managedFields: [{ manager: ours }] }),
    0,
  ],
  ["new", anObject(undefined, { annotations: applied({ a: 2 }) }), 0],
])("without the API server: a field %s", (_, live, count) => {
  const found = [{ field: ".a", live: live["a"], wanted: 3 }];
  expect(heldAmong({ live, wanted: anObject(3), ours }, found)).toHaveLength(count);
});

const file = applied({ image: "engine/operator:1.0.0-1" });
const imageOf = (image: unknown, annotations: object = file): KubeObject => ({
  ...anObject(undefined, { annotations } as KubeObject["metadata"]),
  image,
});

test.each<[string, string | undefined, KubeObject, string, number]>([
  ["in the registry", "hub/a", imageOf("hub/a/x:1.0.0-1"), "kubectl-set", 0],
  ["in the registry by nobody's name", "hub/a/", imageOf("hub/a/x:1.0.0-1"), "", 0],
  ["in the registry without a file", "hub/a", imageOf("hub/a/x:9", {}), "kubectl-edit", 0],
  ["in the registry with another tag", "hub/a", imageOf("hub/a/x:9"), "kubectl-set", 1],
  ["in the registry at another path", "hub/a", imageOf("hub/a/y:1.0.0-1"), "kubectl-set", 1],
  ["in another registry", "hub/b", imageOf("hub/a/x:1.0.0-1"), "kubectl-set", 1],
  ["in the registry by a program", "hub/a", imageOf("hub/a/x:1.0.0-1"), "argocd", 1],
  ["in a registry that no flag names", undefined, imageOf("hub/a/x:1.0.0-1"), "kubectl-set", 1],
  ["that is none", "hub/a", imageOf(7), "kubectl-set", 1],
])("an image %s", (...[, registry, live, manager, count]) => {
  const wanted = imageOf("hub/a/x:2.0.0-2");
  const facts = { live, wanted, ours, takeFields: [], registry };
  const verdict = judgeHeld({ ...facts, held: [{ field: ".image", manager }] });
  expect(verdict.findings).toHaveLength(count);
});

test("a field that holds no image is none in the registry", () => {
  const facts = { live: anObject("hub/x:1"), wanted: anObject("hub/x:2"), ours, takeFields: [] };
  const verdict = judgeHeld({ ...facts, registry: "hub", held: held("kubectl-set") });
  expect(verdict.findings).toHaveLength(1);
});

describe("what others than helm hold, by the managed fields alone", () => {
  const live = (managedFields: KubeObject["metadata"]["managedFields"]) =>
    managedFields === undefined ? anObject(1) : anObject(1, { managedFields });
  const found = (field: string, isNew = false) => [
    { field, live: isNew ? undefined : 1, wanted: 2 },
  ];
  const set = { "f:a": { ".": {}, 'k:{"name":"x"}': { ".": {}, "f:b": {} } }, "f:c": {} };
  test.each<[string, KubeObject, ReturnType<typeof found>, readonly string[]]>([
    ["the field itself", live([{ manager: "m", fieldsV1: set }]), found(".c"), ["m"]],
    ["a field below", live([{ manager: "m", fieldsV1: set }]), found(".a"), ["m"]],
    ["a field above", live([{ manager: "m", fieldsV1: set }]), found('.a[name="x"].b.d'), ["m"]],
    ["another field", live([{ manager: "m", fieldsV1: set }]), found(".cd"), []],
    ["a new field", live([{ manager: "m", fieldsV1: set }]), found(".c", true), []],
    ["helm's", live([{ manager: "helm", fieldsV1: set }]), found(".c"), []],
    ["a status", live([{ manager: "m", subresource: "status", fieldsV1: set }]), found(".c"), []],
    ["a manager without name", live([{ fieldsV1: set }]), found(".c"), [""]],
    ["a manager without fields", live([{ manager: "m" }]), found(".c"), []],
    ["no managers", live(undefined), found(".c"), []],
  ])("%s", (_, object, differences, managers) => {
    const told = heldBesideHelm(object, differences).map(({ manager }) => manager);
    expect(told).toEqual(managers);
  });

  test("helm keeps no addition of a person, and its own fields are none", () => {
    const facts = {
      live: anObject(1),
      wanted: anObject(3),
      ours,
      takeFields: [],
      byHelm: true,
    } as const;
    expect(judgeHeld({ ...facts, held: held("helm-controller") }).findings).toEqual([]);
    const [finding] = judgeHeld({ ...facts, held: held("kubectl-edit") }).findings;
    expect(finding?.cause).toContain("the chart says 3");
    expect(finding?.fix).toContain("set it in a file for --values");
  });
});
