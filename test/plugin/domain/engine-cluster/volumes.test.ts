/** Which claims are an EC's, and which of them are being expanded. */
import { readExpansion } from "../../../../plugin/domain/engine-cluster/volumes";
import type { FactKey } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { aClaim } from "../../../support/claims";
import { anEc, aSet, factsOf, newTag } from "./scene";

type Lists = Partial<Record<FactKey, readonly KubeObject[]>>;
type Sizes = Parameters<typeof aClaim>[1];

const behind: Sizes = { request: "60Gi", capacity: "40Gi" };
const small: Sizes = { request: "40Gi", capacity: "40Gi" };
const resizes = (volumeSize: unknown, spec: object = {}) => ({
  persistentSpec: { enabled: true, volumeSize, enablePersistentVolumeResize: true },
  ...spec,
});
const templates = (...names: readonly string[]) => ({
  volumeClaimTemplates: names.map((name) => ({ metadata: { name } })),
});
const labelled = (labels: object): Sizes => ({ ...behind, metadata: { labels } });
const named = (name: string): Partial<KubeObject> => ({ metadata: { name, namespace: "engine" } });
const mounting = (claimName: string): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Pod" },
  metadata: { name: claimName.replace("disk-", ""), namespace: "engine" },
  spec: { volumes: [{ emptyDir: {} }, { persistentVolumeClaim: { claimName } }] },
});
const selector = { matchLabels: { "engine.io/cluster": "one", role: "node" } };

/** The words about each claim, for an EC of that spec; nothing where none is expanded. */
function told(claims: readonly KubeObject[], spec: object = {}, lists: Lists = {}): string {
  const ec = anEc({ ...spec });
  const facts = factsOf({ ecs: [ec], statefulSets: [aSet(newTag)], claims, ...lists });
  return readExpansion(facts, ec)?.finding.cause ?? "";
}

test.each<[string, readonly KubeObject[], object, Lists]>([
  ["by the name of its volumes", [aClaim("engine-enterprise-storage-ec-2", behind)], {}, {}],
  [
    "by the StatefulSet's template",
    [aClaim("data-ec-0", behind)],
    {},
    { statefulSets: [aSet(newTag, templates("data"))] },
  ],
  [
    "by the labels that the StatefulSet selects",
    [aClaim("disk-ec-0", labelled({ "engine.io/cluster": "one", role: "node" }))],
    {},
    { statefulSets: [aSet(newTag, { selector })] },
  ],
  [
    "by a label with the EC's name, while the StatefulSet is absent",
    [aClaim("disk-ec-1", labelled({ "example.com/cluster": "ec" }))],
    {},
    { statefulSets: [] },
  ],
  [
    "by the pod that mounts it, while the StatefulSet is absent",
    [aClaim("disk-ec-1", behind)],
    {},
    { statefulSets: [], pods: [mounting("disk-ec-0"), mounting("disk-ec-1")] },
  ],
  [
    "beyond the EC's nodes where the StatefulSet still has the pod",
    [aClaim("engine-enterprise-storage-ec-4", behind)],
    {},
    { statefulSets: [aSet(newTag, { replicas: 5 })] },
  ],
  [
    "with ordinals that begin later",
    [aClaim("engine-enterprise-storage-ec-12", behind)],
    {},
    { statefulSets: [aSet(newTag, { ordinals: { start: 10 } })] },
  ],
  [
    "of an EC without a number of nodes",
    [aClaim("engine-enterprise-storage-ec-2", behind)],
    { nodes: undefined },
    { statefulSets: [] },
  ],
])("a claim is found %s", (_title, ...[claims, spec, lists]) => {
  expect(told(claims, spec, lists)).toContain(
    `PersistentVolumeClaim/engine/${String(claims[0]?.metadata.name)} asks for 60Gi, has 40Gi (under way)`,
  );
});

test.each<[string, readonly KubeObject[], Lists]>([
  [
    "of another namespace",
    [aClaim("engine-enterprise-storage-ec-0", { ...behind, metadata: { namespace: "shop" } })],
    {},
  ],
  ["without a number", [aClaim("engine-enterprise-storage-ec", behind)], {}],
  ["of a node that is gone", [aClaim("engine-enterprise-storage-ec-3", behind)], {}],
  [
    "before the first ordinal",
    [aClaim("engine-enterprise-storage-ec-0", behind)],
    { statefulSets: [aSet(newTag, { ordinals: { start: 5 } })] },
  ],
  [
    "of another EC whose name ends alike",
    [aClaim("engine-enterprise-storage-my-ec-0", labelled({ app: "ec" }))],
    { ecs: [{ ...anEc(), ...named("my-ec") }, anEc()] },
  ],
  [
    "of another StatefulSet whose name ends alike",
    [aClaim("engine-enterprise-storage-my-ec-0", labelled({ app: "ec" }))],
    { statefulSets: [aSet(newTag), { ...aSet(newTag), ...named("my-ec") }] },
  ],
  ["of another template, without labels", [aClaim("backup-ec-0", behind)], {}],
  [
    "that a pod of another name mounts",
    [aClaim("disk-ec-0", behind)],
    { statefulSets: [], pods: [{ ...mounting("disk-ec-0"), ...named("job-0") }] },
  ],
  [
    "of a template that the StatefulSet does not have",
    [aClaim("engine-enterprise-storage-ec-0", behind)],
    { statefulSets: [aSet(newTag, templates("data"))] },
  ],
])("a claim %s is not the EC's", (_title, claims, lists) => {
  expect(told(claims, {}, lists)).toBe("");
});

test.each<[string, object, Sizes, string]>([
  ["sizes are amounts, not texts", resizes("40Gi"), { request: "40960Mi", capacity: "40Gi" }, ""],
  ["9Gi are less than 10Gi", resizes("10Gi"), { request: "9Gi", capacity: "9Gi" }, "(not begun)"],
  ["as a number", resizes(64424509440), small, "and its EC wants 64424509440 (not begun)"],
  ["no size is wanted", resizes(undefined), small, ""],
  ["expansion is not asked for", { persistentSpec: { volumeSize: "60Gi" } }, small, ""],
  ["less is wanted than is there", resizes("20Gi"), small, ""],
  ["the size is done", resizes("60Gi"), { request: "60Gi", capacity: "60Gi" }, ""],
  [
    "no volume yet",
    resizes("60Gi"),
    { request: "40Gi" },
    "asks for 40Gi, has none yet, and its EC wants 60Gi (not begun)",
  ],
  ["bound to a larger volume", {}, { request: "40Gi", capacity: "50Gi" }, ""],
  [
    "a condition alone",
    {},
    { ...small, conditions: { Resizing: undefined } },
    "asks for 40Gi, has 40Gi (Resizing)",
  ],
  ["a condition of another kind", {}, { ...small, conditions: { ModifyingVolume: "x" } }, ""],
  [
    "a condition, and what is allocated",
    {},
    { ...behind, conditions: { FileSystemResizePending: "waits" }, allocated: "NodeResizePending" },
    "(FileSystemResizePending: waits, NodeResizePending)",
  ],
])("%s", (_title, ...[spec, sizes, expected]) => {
  const says = told([aClaim("engine-enterprise-storage-ec-0", sizes)], spec);
  if (expected === "") expect(says).toBe("");
  else expect(says).toContain(expected);
});

test("the EC's size is that of its own volumes, not of other ones beside them", () => {
  const flash = aClaim("flash-ec-0", small);
  const size = { request: "60Gi", capacity: "60Gi" };
  const both = { statefulSets: [aSet(newTag, templates("flash", "engine-enterprise-storage"))] };
  const main = aClaim("engine-enterprise-storage-ec-0", size);
  expect(told([flash, main], resizes("60Gi"), both)).toBe("");
  const unknown = { statefulSets: [aSet(newTag, templates("flash", "data"))] };
  expect(told([flash, aClaim("data-ec-0", size)], resizes("60Gi"), unknown)).toBe("");
});

test.each<[string, Sizes]>([
  ["NodeResizeError", { ...behind, conditions: { NodeResizeError: "full" } }],
  ["ControllerResizeInfeasible", { ...behind, allocated: "ControllerResizeInfeasible" }],
])("%s: it is told what keeps it", (_title, sizes) => {
  const ec = anEc();
  const claims = [aClaim("engine-enterprise-storage-ec-1", sizes)];
  const found = readExpansion(factsOf({ ecs: [ec], claims }), ec);
  expect(found).toMatchObject({ failed: true });
  expect(found?.finding.fix).toContain(
    "kubectl describe pvc engine-enterprise-storage-ec-1 -n engine",
  );
});

test("the EC's status tells it where claims do not", () => {
  const ec = anEc({}, { persistenceStatus: { status: "Resizing" } });
  const facts = factsOf({ ecs: [ec] });
  expect(readExpansion(facts, ec)?.finding.cause).toBe(
    "its volumes are being expanded: status.persistenceStatus.status is Resizing",
  );
  const done = anEc({}, { persistenceStatus: { status: "Provisioned" } });
  expect(readExpansion(facts, done)).toBeUndefined();
});
