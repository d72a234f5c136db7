import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  chartKey,
  isKept,
  judgeDeleted,
  listLeaving,
  listRemoved,
  listSent,
  listSharedPorts,
  listUnset,
  placeRendered,
} from "../../../../plugin/domain/operator/chart-objects";
import {
  isHelmsManager,
  readChartMarks,
  withChartMarks,
} from "../../../../plugin/domain/operator/chart-marks";

const place = { name: "operator", namespace: "engine" };
const map = (metadata: KubeObject["metadata"], more: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata },
  ...more,
});

describe("a rendered object is placed as helm writes it", () => {
  const marks = {
    labels: { "app.kubernetes.io/managed-by": "Helm" },
    annotations: {
      "meta.helm.sh/release-name": "operator",
      "meta.helm.sh/release-namespace": "engine",
    },
  };
  test.each<[string, KubeObject, boolean | undefined, KubeObject]>([
    [
      "in the release's namespace",
      map({ name: "a" }),
      true,
      map({ name: "a", namespace: "engine", ...marks }),
    ],
    [
      "in its own",
      map({ name: "a", namespace: "x" }),
      true,
      map({ name: "a", namespace: "x", ...marks }),
    ],
    ["in none", map({ name: "a", namespace: "x" }), false, map({ name: "a", ...marks })],
    [
      "without its status",
      map({ name: "a" }, { status: {} }),
      undefined,
      map({ name: "a", ...marks }),
    ],
  ])("%s", (_, object, namespaced, placed) => {
    expect(placeRendered(object, place, namespaced === undefined ? {} : { namespaced })).toEqual(
      placed,
    );
  });

  test("the text of a Secret is its data", () => {
    const secret = { ...map({}), kind: "Secret" };
    const placed = (more: object) =>
      placeRendered({ ...secret, ...more }, place, { namespaced: true })["data"];
    expect(placed({ stringData: { a: "b" } })).toEqual({ a: btoa("b") });
    expect(placed({ stringData: { a: "b" }, data: { c: "d" } })).toEqual({ a: btoa("b"), c: "d" });
    expect(placed({ data: { c: "d" } })).toEqual({ c: "d" });
    expect(placeRendered(map({}, { stringData: {} }), place, {})).toMatchObject({ stringData: {} });
  });

  test("its own labels and annotations stay, and the marks are read again", () => {
    const object = map({ labels: { a: "b" }, annotations: { c: "d" } });
    expect(withChartMarks(object, { name: "operator" }).metadata).toEqual({
      labels: { a: "b", ...marks.labels },
      annotations: { c: "d", "meta.helm.sh/release-name": "operator" },
    });
    expect(readChartMarks(withChartMarks(object, place))).toEqual(place);
  });
});

test("an object is known again by group, kind, namespace and name", () => {
  const key = chartKey(map({ name: "a" }), "engine");
  expect(chartKey(map({ name: "a", namespace: "engine" }), "engine")).toBe(key);
  const others = [
    map({ name: "b" }),
    map({ name: "a", namespace: "x" }),
    { ...map({ name: "a" }), kind: "X" },
  ];
  for (const other of others) expect(chartKey(other, "engine")).not.toBe(key);
  const [old, now] = ["policy/v1beta1", "policy/v1"].map((apiVersion) => ({
    ...map({ name: "a" }),
    apiVersion,
  }));
  if (old === undefined || now === undefined) throw new Error("two versions");
  expect(listLeaving([old, map({ name: "c" })], [now], "engine")).toEqual([map({ name: "c" })]);
});

test.each<[string, object | undefined, object, object, readonly string[]]>([
  ["what the old manifest had", { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 2 }, [".b"]],
  ["not what is gone already", { a: 1, b: 1 }, { a: 1 }, { a: 1 }, []],
  ["not what only the cluster has", { a: 1 }, { a: 1 }, { a: 1, b: 1 }, []],
  ["not what changes", { a: 1 }, { a: 2 }, { a: 1 }, []],
  ["nothing where the old one is not known", undefined, {}, { a: 1 }, []],
  [
    "an item of a list",
    { c: [{ name: "x" }, { name: "y" }] },
    { c: [{ name: "x" }] },
    { c: [{ name: "x" }, { name: "y" }] },
    ['.c[name="y"]'],
  ],
  [
    "an item without a name, by its port",
    { c: [{ port: 1 }, { port: 2 }, { port: 3 }] },
    { c: [{ port: 1 }] },
    { c: [{ port: 1 }, { port: 2, protocol: "TCP" }] },
    [".c[port=2]"],
  ],
  ["not an item that is written as a whole", { c: [1, 2] }, { c: [1] }, { c: [1, 2] }, []],
])("helm takes away %s", (_, before, wanted, live, fields) => {
  const old = before && map({}, before);
  expect(listRemoved(old, map({}, wanted), map({}, live))).toEqual(fields);
});

test.each<[string, object, object, object, readonly string[]]>([
  ["what would be stored no more", { a: 1, b: 1 }, { a: 1 }, { a: 1 }, [".b"]],
  ["what would have its default", { a: 1, b: 5 }, { a: 1 }, { a: 1, b: 30 }, [".b"]],
  ["not what the chart changes", { a: 1 }, { a: 2 }, { a: 2 }, []],
  ["not what only the cluster has", { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1 }, []],
  ["not a status", { status: { a: 1 } }, {}, { status: { a: 2 } }, []],
])("the API server takes away %s", (_, live, wanted, stored, fields) => {
  expect(listUnset(map({}, live), map({}, wanted), map({}, stored))).toEqual(fields);
});

test("the API server takes away labels, and none that someone changes meanwhile", () => {
  const live = map({ labels: { a: "1", b: "1" } });
  const stored = map({ labels: { b: "2" } });
  expect(listUnset(live, map({}), stored)).toEqual([".metadata.labels.a"]);
});

test.each<[string, string, object | undefined, number]>([
  ["a kind that helm knows", "apps", { a: 2 }, 1],
  ["the core", "", { a: 2 }, 1],
  ["a kind of its own, changed by the chart", "example.com", { a: 1 }, 1],
  ["a kind of its own, changed by someone", "example.com", { a: 2 }, 0],
  ["a kind of its own of which nothing is known", "example.com", undefined, 1],
  ["a definition, changed by someone", "apiextensions.k8s.io", { a: 2 }, 0],
])("of %s it sends what it compares", (_, group, before, count) => {
  const resource = { group, version: "v1", plural: "x", kind: "X" };
  const changes = [{ field: ".a", live: 3, wanted: 2 }];
  expect(listSent(changes, before && map({}, before), resource)).toHaveLength(count);
});

const udp = { port: 53, protocol: "UDP" };
test.each<[string, object, readonly string[], readonly string[]]>([
  ["one number twice", { ports: [udp, { port: 53 }] }, ['.ports[name="a"].port'], [".ports"]],
  ["the list as a whole", { ports: [udp, { port: 53 }] }, [".ports"], [".ports"]],
  ["ports that stay", { ports: [udp, { port: 53 }] }, [".other"], []],
  ["two numbers", { ports: [udp, { port: 54 }] }, [".ports"], []],
  [
    "those of a container",
    { c: [{ name: "x", ports: [{ containerPort: 1 }, { containerPort: 1 }] }] },
    ['.c[name="x"].ports'],
    ['.c[name="x"].ports'],
  ],
])("ports that helm does not tell apart: %s", (_, object, fields, lists) => {
  const changes = fields.map((field) => ({ field, live: undefined, wanted: 1 }));
  expect(listSharedPorts(map({}, object), changes)).toEqual(lists);
});

test("the stored object says whether it is kept", () => {
  const policy = (value: string) => map({ annotations: { "helm.sh/resource-policy": value } });
  expect([map({}), policy("keep"), policy("other")].map(isKept)).toEqual([false, true, false]);
});

const deleted = (object: KubeObject, accepted: readonly string[] = []) =>
  judgeDeleted(object, { names, accepted });

test.each<[string, KubeObject, string, string]>([
  [
    "a map",
    map({ name: "a", namespace: "x" }),
    "OPERATOR-CHART-DELETES",
    "kubectl annotate configmap a --namespace=x helm.sh/resource-policy=keep",
  ],
  [
    "a Secret",
    { ...map({ name: "a" }), kind: "Secret" },
    "OPERATOR-CHART-DELETES-DATA",
    "--skip OPERATOR-CHART-DELETES-DATA=Secret/a",
  ],
  [
    "a database",
    { ...map({ name: "a" }), apiVersion: `${names.group}/v1`, kind: "X" },
    "OPERATOR-CHART-DELETES-DATA",
    "resource-policy",
  ],
  [
    "a definition",
    { ...map({ name: "a" }), kind: "CustomResourceDefinition" },
    "OPERATOR-CHART-DELETES-DATA",
    "keep",
  ],
])("a deletion is told: %s", (_, object, code, fix) => {
  const finding = deleted(object);
  expect([finding.code, finding.fix]).toEqual([code, expect.stringContaining(fix)]);
});

test("a deletion that is accepted is a warning", () => {
  const secret = { ...map({ name: "a" }), kind: "Secret" };
  expect(deleted(secret)).toMatchObject({ severity: "error" });
  expect(deleted(secret, ["Secret/a"])).toMatchObject({ severity: "warning", accepted: true });
});

test("helm's managers are helm, and what runs it", () => {
  const managers = ["helm", "Helm", "helm-controller", "kubectl-edit", ""];
  expect(managers.map(isHelmsManager)).toEqual([true, true, true, false, false]);
});
