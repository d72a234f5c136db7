/** Which cordoned nodes would take a pod: the others are no cause, however many the scheduler counts. */
import type { Node, Pod } from "../../../../plugin/domain/kube/models";
import { obstacles, wouldTake } from "../../../../plugin/domain/rollout/node-fit";
import { facts, node, pod } from "../standstill/scene";

type Fields = Readonly<Record<string, unknown>>;

const zone = "topology.kubernetes.io/zone";

function host(name: string, more: { readonly spec?: Fields; readonly status?: Fields } = {}) {
  const plain = node(0);
  return {
    ...plain,
    metadata: { name, labels: { zone: "a", rack: "7", [zone]: "west", disk: "fast" } },
    spec: { unschedulable: true, ...more.spec },
    status: {
      ...(plain["status"] as Fields),
      allocatable: { cpu: "4", memory: "16Gi" },
      ...more.status,
    },
  };
}

const asks = (requests: Fields): Fields => ({ name: "node", resources: { requests } });
const waits = (spec: Fields = {}): Pod =>
  pod(2, { ready: false, spec: { nodeName: undefined, ...spec } });
const runs = (ordinal: number, spec: Fields = {}, status: Fields = {}): Pod =>
  pod(ordinal, {
    spec: { nodeName: "h1", ...spec },
    status,
    metadata: { labels: { app: "vault" } },
  });
const required = (terms: readonly Fields[]): Fields => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
    },
  },
});
const expressions = (...all: readonly Fields[]): Fields => required([{ matchExpressions: all }]);
const apart = (topologyKey: string): Fields => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey, labelSelector: { matchLabels: { app: "vault" } } },
      ],
    },
  },
});
const taint = (key: string, effect = "NoSchedule", value?: string): Fields => ({
  spec: { taints: [{ key, effect, ...(value !== undefined && { value }) }] },
});

interface Row {
  readonly waits?: Pod;
  readonly node?: Node;
  readonly beside?: readonly Pod[];
  readonly others?: readonly Node[];
  readonly takes?: boolean;
}

test.each<[string, Row]>([
  ["asked for nothing", { takes: true }],
  ["its selector fits", { waits: waits({ nodeSelector: { disk: "fast" } }), takes: true }],
  ["its selector does not", { waits: waits({ nodeSelector: { disk: "slow" } }), takes: false }],
  [
    "a node without labels",
    {
      node: { ...host("h1"), metadata: { name: "h1" } },
      waits: waits({ nodeSelector: { disk: "fast" } }),
      takes: false,
    },
  ],
  [
    "its affinity fits",
    { waits: waits(expressions({ key: "zone", operator: "In", values: ["a"] })), takes: true },
  ],
  [
    "its affinity does not",
    { waits: waits(expressions({ key: "zone", operator: "NotIn", values: ["a"] })), takes: false },
  ],
  [
    "one of two terms fits",
    {
      waits: waits(
        required([
          { matchExpressions: [{ key: "zone", operator: "In", values: ["b"] }] },
          { matchFields: [{ key: "metadata.name", operator: "In", values: ["h1"] }] },
        ]),
      ),
      takes: true,
    },
  ],
  [
    "a number above",
    { waits: waits(expressions({ key: "rack", operator: "Gt", values: ["6"] })), takes: true },
  ],
  [
    "a number not below",
    { waits: waits(expressions({ key: "rack", operator: "Lt", values: ["7"] })), takes: false },
  ],
  [
    "a label that only has to be there",
    { waits: waits(expressions({ key: "zone", operator: "Exists" })), takes: true },
  ],
  [
    "a label that is not there",
    { waits: waits(expressions({ key: "gpu", operator: "Exists" })), takes: false },
  ],
  ["nothing asked for, without a container", { waits: waits({ containers: null }), takes: true }],
  ["a taint that it does not tolerate", { node: host("h1", taint("maintenance")), takes: false }],
  [
    "only the taint of the cordon",
    { node: host("h1", taint("node.kubernetes.io/unschedulable")), takes: true },
  ],
  [
    "a taint that only prefers",
    { node: host("h1", taint("busy", "PreferNoSchedule")), takes: true },
  ],
  [
    "a taint tolerated by its value",
    {
      node: host("h1", taint("for", "NoSchedule", "engine")),
      waits: waits({ tolerations: [{ key: "for", operator: "Equal", value: "engine" }] }),
      takes: true,
    },
  ],
  [
    "a taint of another value",
    {
      node: host("h1", taint("for", "NoSchedule", "batch")),
      waits: waits({ tolerations: [{ key: "for", value: "engine" }] }),
      takes: false,
    },
  ],
  [
    "a taint without a value, tolerated as such",
    {
      node: host("h1", taint("for")),
      waits: waits({ tolerations: [{ key: "for" }] }),
      takes: true,
    },
  ],
  [
    "a taint of another effect",
    {
      node: host("h1", taint("for", "NoExecute")),
      waits: waits({ tolerations: [{ key: "for", operator: "Exists", effect: "NoSchedule" }] }),
      takes: false,
    },
  ],
  [
    "everything is tolerated",
    {
      node: host("h1", taint("any")),
      waits: waits({ tolerations: [{ operator: "Exists" }] }),
      takes: true,
    },
  ],
  [
    "room for it",
    {
      waits: waits({ containers: [asks({ memory: "8Gi" }), asks({ memory: "8Gi" })] }),
      takes: true,
    },
  ],
  [
    "no room for it",
    {
      waits: waits({ containers: [asks({ memory: "9Gi" }), asks({ memory: "8Gi" })] }),
      takes: false,
    },
  ],
  [
    "a resource that the node does not tell",
    { waits: waits({ containers: [asks({ "example.com/gpu": "1" })] }), takes: true },
  ],
  [
    "others take the room",
    {
      waits: waits({ containers: [asks({ cpu: "2" })] }),
      beside: [runs(0, { containers: [asks({ cpu: "2500m" })] })],
      takes: false,
    },
  ],
  [
    "one that is over takes none",
    {
      waits: waits({ containers: [asks({ cpu: "2" })] }),
      beside: [runs(0, { containers: [asks({ cpu: "2500m" })] }, { phase: "Succeeded" })],
      takes: true,
    },
  ],
  ["its sibling is there", { waits: waits(apart("zone")), beside: [runs(0)], takes: false }],
  [
    "its sibling is in the same zone",
    {
      waits: waits(apart(zone)),
      beside: [runs(0, { nodeName: "h2" })],
      others: [host("h2")],
      takes: false,
    },
  ],
  [
    "its sibling is on a node that is not known",
    { waits: waits(apart("zone")), beside: [runs(0, { nodeName: "h9" })], takes: true },
  ],
  ["the node has no such domain", { waits: waits(apart("row")), beside: [runs(0)], takes: true }],
  [
    "the node is not ready",
    { node: { ...node(1, "False"), metadata: { name: "h1" } }, takes: false },
  ],
  [
    "the node is not heard of",
    { node: { ...node(1, "Unknown"), metadata: { name: "h1" } }, takes: false },
  ],
])("%s", (_title, row) => {
  const {
    waits: of = waits(),
    node: one = host("h1"),
    beside = [],
    others = [],
    takes = true,
  } = row;
  const read = facts({ nodes: [one, ...others], pods: [...beside, of] });
  expect(wouldTake(one, of, read)).toBe(takes);
});

test.each<[string, Row, readonly string[]]>([
  ["nothing", {}, []],
  [
    "a taint with a value",
    { node: host("h1", taint("maintenance", "NoSchedule", "disk")) },
    ["node h1 has taint maintenance=disk:NoSchedule"],
  ],
  [
    "a taint without one, and too little room",
    {
      node: host("h1", taint("drained", "NoExecute")),
      waits: waits({ containers: [asks({ memory: "100Gi" })] }),
    },
    ["node h1 has taint drained:NoExecute and has 16Gi of the 100Gi memory that it asks for"],
  ],
  [
    "a node that it does not ask for",
    { node: host("h1", taint("maintenance")), waits: waits({ nodeSelector: { disk: "slow" } }) },
    [],
  ],
])("what stands against it is named: %s", (_title, row, said) => {
  const { waits: of = waits(), node: one = host("h1") } = row;
  expect(obstacles(of, facts({ nodes: [one], pods: [of] }))).toEqual(said);
});
