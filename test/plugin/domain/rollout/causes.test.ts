/** What pods, nodes and events leave out: a cause is told in the words that are there, or not at all. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { Event, Node, Pod, StatefulSet } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { rollFindings } from "../../../../plugin/domain/rollout/findings";
import { renderMoving } from "../../../../plugin/domain/rollout/health";
import { podTroubles } from "../../../../plugin/domain/rollout/pod-causes";
import type { PodContext } from "../../../../plugin/domain/rollout/pod-words";
import type { Timed } from "../../../../plugin/domain/rollout/progress";
import { readRoll, listTroubles } from "../../../../plugin/domain/rollout/stateful-set";
import {
  ago,
  cordonedNode,
  event,
  facts,
  first,
  node,
  nodes,
  ofPod,
  pod,
  second,
  theSet,
  third,
} from "../standstill/scene";

type PodSeen = NonNullable<Parameters<typeof pod>[1]>;
type Cause = keyof typeof rollFindings;
type Told = Partial<Pick<Timed, "cause" | "fix" | "since">>;

const containing = (text: string) => expect.stringContaining(text) as string;
const down = (seen: PodSeen = {}) => pod(2, { ready: false, ...seen });
const unplaced = (message: string): PodSeen => ({
  spec: { nodeName: undefined },
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
});
const inFacts = (of: Facts = facts()): PodContext => ({ facts: of });
const unread = (key: "nodes" | "events") => new Map([[key, "forbidden"]]);

function causeIn(found: readonly Timed[], cause: Cause): Timed | undefined {
  return found.find(({ code }) => code === rollFindings[cause].code);
}

const problem = (cause: string): Timed => ({
  code: "ANY",
  severity: "error",
  object: "Pod/a/b",
  cause,
  fix: "",
  source: "",
});

test.each<[string, readonly Timed[] | undefined, string]>([
  ["nothing", undefined, "pod 1/3"],
  ["one cause", [problem("it is held")], "pod 1/3, but: it is held"],
  [
    "two causes",
    [problem("it is held"), problem("it is full")],
    "pod 1/3, but: it is held; it is full",
  ],
])("a roll that moves, and %s will stand against it", (_title, but, says) => {
  expect(renderMoving({ on: "pod 1/3", ...(but !== undefined && { but }) })).toBe(says);
});

const silent = (of: { readonly kind: string; readonly name: string }, reason: string): Event => ({
  ...event(of, [reason, ""]),
  message: undefined,
});
const gates = (...readinessGates: readonly object[]): PodSeen["spec"] => ({ readinessGates });
const containersReady = { type: "ContainersReady", status: "True" };
const lb = "target-health";
const shut = { type: lb, status: "False" };
const claim = { volumes: [{ persistentVolumeClaim: { claimName: "data" } }] };
const pvc = { kind: "PersistentVolumeClaim", name: "data" };
const ended = { deletionTimestamp: ago(30), deletionGracePeriodSeconds: 60 };
const lostAt = (status: object, taints?: readonly object[]): Node =>
  node(2, "Unknown", {
    spec: { taints },
    status: { conditions: [{ type: "Ready", status: "Unknown", ...status }] },
  });
const inNodes = (...seen: readonly KubeObject[]) => inFacts(facts({ nodes: seen }));

test.each<[string, Cause, Pod, PodContext | undefined, Told]>([
  [
    "an event without a message: its reason",
    "mount",
    down(),
    inFacts(facts({ events: [silent(ofPod(2), "FailedMount")] })),
    { cause: "FailedMount: FailedMount" },
  ],
  [
    "a gate that nobody has said anything of, beside one without a type",
    "gate",
    down({ spec: gates({}, { conditionType: lb }), conditions: [containersReady] }),
    undefined,
    { cause: `all its containers are ready, and its readiness gate ${lb} is not set` },
  ],
  [
    "a gate whose condition has no message",
    "gate",
    down({ spec: gates({ conditionType: lb }), conditions: [containersReady, shut] }),
    undefined,
    { cause: `all its containers are ready, and its readiness gate ${lb} is not set` },
  ],
  [
    "a gate whose condition says why",
    "gate",
    down({
      spec: gates({ conditionType: lb }),
      conditions: [containersReady, { ...shut, message: "no target" }],
    }),
    undefined,
    { cause: containing(`${lb} is not set: no target`) },
  ],
  [
    "overdue on no node: the pod is what can be seen",
    "overdue",
    down({ spec: { nodeName: undefined }, metadata: ended }),
    inFacts(),
    { fix: containing("of its node; see kubectl describe pod vault-2") },
  ],
  [
    "overdue on a node",
    "overdue",
    down({ metadata: ended }),
    inFacts(),
    { fix: containing("of its node; see kubectl describe nodes n2") },
  ],
  [
    "a lost node whose condition has no time: that of the first taint that has one",
    "nodeLost",
    down(),
    inNodes(lostAt({}, [{ key: "own" }, { key: "unreachable", timeAdded: ago(7) }])),
    { cause: "its node n2 is not ready", since: ago(7) },
  ],
  [
    "a lost node without any time",
    "nodeLost",
    down(),
    inNodes(lostAt({})),
    { cause: "its node n2 is not ready", since: "2026-08-01T00:15:30.000Z" },
  ],
  [
    "nodes that may not be read, and a pod that was given up",
    "nodeLost",
    down({ status: { reason: "NodeLost" } }),
    inFacts(facts({ nodes: [] }, { unread: unread("nodes") })),
    { cause: "its node n2 is lost, as the pod reports: NodeLost" },
  ],
  [
    "cordoned nodes, with the pod alone",
    "nodeCordoned",
    down(unplaced("0/3 nodes are available: 3 were unschedulable")),
    undefined,
    {
      fix: containing(
        "find the cordoned nodes, which could not be read, and uncordon one that fits; see kubectl get nodes",
      ),
    },
  ],
  [
    "a provisioner's event without a message",
    "volume",
    down({ ...unplaced("unbound immediate PersistentVolumeClaims"), spec: claim }),
    inFacts(facts({ events: [silent(pvc, "ProvisioningFailed")] })),
    { cause: "no node takes it: unbound immediate PersistentVolumeClaims" },
  ],
])("told: %s", (_title, ...[cause, of, context, told]) => {
  expect(causeIn(podTroubles(of, context), cause)).toMatchObject(told);
});

const older = { says: "it is of revision before", othersReady: true, isParallel: false };
const unreachable = "1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }";

test.each<[string, Cause, Pod, PodContext]>([
  [
    "an old pod that no node takes for another reason than its requests",
    "outdated",
    down({ old: true, ...unplaced("1 node(s) didn't match Pod's node affinity") }),
    { ...inFacts(), outdated: older },
  ],
  [
    "gates without a type",
    "gate",
    down({ spec: gates({}), conditions: [containersReady] }),
    inFacts(),
  ],
  [
    "a gate that is set",
    "gate",
    down({
      spec: gates({ conditionType: lb }),
      conditions: [containersReady, { ...shut, status: "True" }],
    }),
    inFacts(),
  ],
  [
    "the scheduler still knows of a taint, and every node is back",
    "nodeLost",
    down(unplaced(unreachable)),
    inNodes(...nodes),
  ],
  [
    "a node is cordoned that the pod does not ask for",
    "nodeCordoned",
    down({
      ...unplaced("1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)"),
      spec: { nodeName: undefined, nodeSelector: { disk: "fast" } },
    }),
    inNodes(node(0), node(1), cordonedNode(2)),
  ],
  [
    "nodes that may not be read, and a pod that nobody has given up",
    "nodeLost",
    down(),
    inFacts(facts({ nodes: [] }, { unread: unread("nodes") })),
  ],
])("not told: %s", (_title, ...[cause, of, context]) => {
  const found = podTroubles(of, context);
  expect(causeIn(found, cause)).toBeUndefined();
  expect(found).not.toEqual([]);
});

test("an old pod that asks for more than there is may fit once it is made again", () => {
  const of = down({ old: true, ...unplaced("Insufficient memory") });
  const found = podTroubles(of, { ...inFacts(), outdated: older });
  expect(causeIn(found, "outdated")).toMatchObject({ cause: containing(older.says) });
});

const unlabelled = down({ metadata: { labels: {} } });
const nameless = theSet({ status: { updateRevision: undefined } });

test.each<[string, Facts, StatefulSet, Cause, Told | undefined]>([
  [
    "an old pod that is down",
    facts({ pods: [first, second, down({ old: true })] }),
    theSet(),
    "outdated",
    { cause: containing("it is of revision before") },
  ],
  [
    "a pod without a revision",
    facts({ pods: [first, second, unlabelled] }),
    theSet(),
    "outdated",
    undefined,
  ],
  [
    "a StatefulSet without one",
    facts({ pods: [first, second, down()] }),
    nameless,
    "outdated",
    undefined,
  ],
  [
    "a pod that is not there",
    facts({ pods: [first, third] }),
    theSet(),
    "absent",
    { cause: "vault-1 does not exist, and no event says why" },
  ],
  [
    "a pod that is not there, and events that may not be read",
    facts({ pods: [third] }, { unread: unread("events") }),
    theSet(),
    "absent",
    { cause: "vault-0, vault-1 do not exist, and events could not be read" },
  ],
])("of the StatefulSet: %s", (_title, ...[of, set, cause, told]) => {
  const found = causeIn(listTroubles(of, set, readRoll(of, set)), cause);
  if (told === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(told);
});
