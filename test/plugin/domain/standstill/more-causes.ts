/** More causes of a standstill, by what scheduler, kubelet, API server and operator say, and more that is merely slow. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { type Json, omit } from "../../../../plugin/domain/base/values";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { anOperator, oldTag } from "../engine-cluster/scene";
import type { Cause, Scene } from "./causes";
import {
  ago,
  container,
  ecLabel,
  event,
  facts,
  first,
  halfway,
  name,
  node,
  nodes,
  ofPod,
  ofSet,
  pod,
  podLabel,
  second,
  setLabel,
  theEc,
  theSet,
  third,
} from "./scene";

type PodWish = NonNullable<Parameters<typeof pod>[1]>;

const down = (more: PodWish = {}) => pod(2, { ready: false, ...more });
const withPod = (more: PodWish, rest: Parameters<typeof facts>[0] = {}): Facts =>
  facts({ pods: [first, second, down(more)], ...rest });
const of2 = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: podLabel(2) });
const ofSet_ = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: setLabel });
const ofEc = (code: string): Pick<Cause, "code" | "object"> => ({ code, object: ecLabel });

const unplaced = (message: string): PodWish => ({
  spec: { nodeName: undefined },
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
});

/** A container that runs before the others. */
const early = (state: object, more: object = {}): PodWish => ({
  container: { state: { waiting: { reason: "PodInitializing" } } },
  spec: {
    nodeName: "n2",
    initContainers: [{ name: "fetch" }, { name: "proxy", restartPolicy: "Always" }],
  },
  status: { initContainerStatuses: [{ name: "fetch", ready: false, state, ...more }] },
});
const runs = (minutes: number) => ({ running: { startedAt: ago(minutes) } });
const ended = (minutes: number, exitCode = 0) => ({
  terminated: { exitCode, startedAt: ago(minutes + 3), finishedAt: ago(minutes) },
});

/** The pod may not be created, again and again. */
const refused = (why: string): Facts =>
  facts({ pods: [first, second], events: [event(ofSet, ["FailedCreate", why])] });
const forbidden = 'pods "vault-2" is forbidden: ';

const scaledDown = { ...anOperator(), spec: { replicas: 0 } };
const renewed = [pod(0), pod(1), pod(2)];
const oldOnes = [0, 1, 2].map((ordinal) => pod(ordinal, { old: true }));
const notTakenUp = {
  ecs: [theEc({ state: "Running" })],
  statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
  pods: oldOnes,
};
const orphan = (ordinal: number, ownerReferences?: readonly Json[], more: PodWish = {}) => {
  const { metadata, ...rest } = pod(ordinal, { old: true, ...more });
  const own = omit(metadata, "ownerReferences");
  return { ...rest, metadata: { ...own, ...(ownerReferences && { ownerReferences }) } };
};
const operatorSays = (message: string) =>
  event({ kind: names.ec.kind, name }, ["Refused", message]);

export const moreSingle: readonly Scene[] = [
  [
    "a container that runs first waits for hours",
    withPod(early(runs(590))),
    {
      ...of2("POD-NOT-READY"),
      says: /container fetch.*has not ended/,
      step: /logs vault-2 -c fetch/,
    },
  ],
  [
    "a container that runs first and stays has not started",
    withPod(early(runs(590), { name: "proxy", started: false })),
    { ...of2("POD-NOT-READY"), says: /container proxy.*has not started/, step: /-c proxy/ },
  ],
  [
    "a mount that went well after all, and a container that waits since",
    withPod(early(runs(500)), {
      events: [event(ofPod(2), ["FailedMount", "timed out"], [600, 590])],
    }),
    { ...of2("POD-NOT-READY"), says: /container fetch/, step: /-c fetch/ },
  ],
  [
    "no scheduler has looked at it",
    withPod({ spec: { nodeName: undefined }, status: { conditions: [] } }),
    {
      ...of2("POD-UNSCHEDULABLE"),
      says: /no scheduler has looked at it; it asks for default-scheduler.*10h/,
      step: /get lease kube-scheduler -n kube-system/,
    },
  ],
  [
    "a scheduler of its own has not looked at it",
    withPod({ spec: { nodeName: undefined, schedulerName: "batch" }, status: { conditions: [] } }),
    { ...of2("POD-UNSCHEDULABLE"), says: /asks for batch/, step: /scheduler batch runs/ },
  ],
  [
    "a claim whose volume is gone",
    withPod(
      unplaced('persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-7".'),
    ),
    { ...of2("POD-VOLUME"), says: /non-existent/, step: /restore that volume.*get pvc -n engine$/ },
  ],
  [
    "a claim that is being deleted",
    withPod(unplaced('0/3 nodes are available: persistentvolumeclaim "data" is being deleted.')),
    { ...of2("POD-VOLUME"), says: /is being deleted/, step: /keep the volume where it is not/ },
  ],
  [
    "a claim that is not there",
    withPod(unplaced('0/3 nodes are available: persistentvolumeclaim "data" not found.')),
    { ...of2("POD-VOLUME"), says: /not found/, step: /create the claim that is named/ },
  ],
  ...(
    [
      [
        "a port of the node",
        "3 node(s) didn't have free ports for the requested pod ports",
        /hostPort/,
      ],
      [
        "a topology spread",
        "3 node(s) didn't match pod topology spread constraints",
        /too few of the pods/,
      ],
      ["an anti-affinity", "2 node(s) didn't match pod anti-affinity rules", /may not share/],
      [
        "the anti-affinity of others",
        "3 node(s) didn't satisfy existing pods anti-affinity rules",
        /may not share/,
      ],
      ["so many volumes", "3 node(s) exceed max volume count", /as many volumes as it may/],
      ["a selector", "3 node(s) didn't match Pod's node affinity/selector", /label a node/],
      [
        "a taint and memory",
        "1 Insufficient memory, 2 node(s) had untolerated taint {a: b}",
        /free capacity.*tolerate/,
      ],
      ["words that are not known", "3 node(s) are enchanted", /fix the node selector/],
    ] as const
  ).map(([title, message, step]): Scene => [
    `no node takes it for ${title}`,
    withPod(unplaced(`0/3 nodes are available: ${message}.`)),
    { ...of2("POD-UNSCHEDULABLE"), says: /0\/3 nodes/, step },
  ]),
  ...(
    [
      [
        "the service account is missing",
        `${forbidden}error looking up service account engine/vault: serviceaccount "vault" not found`,
        /create the service account/,
      ],
      [
        "the priority class is missing",
        `${forbidden}no PriorityClass with name high was found`,
        /create the priority class/,
      ],
      [
        "a LimitRange allows less",
        `${forbidden}maximum memory usage per Container is 1Gi, but limit is 4Gi`,
        /LimitRange/,
      ],
      [
        "an admission policy refuses it",
        `${forbidden}ValidatingAdmissionPolicy 'signed' with binding 'all' denied request: image must be signed`,
        /policy that refuses it/,
      ],
      [
        "the namespace is being deleted",
        `${forbidden}unable to create new content in namespace engine because it is being terminated`,
        /namespace is being deleted/,
      ],
      ["its name is taken", 'pods "vault-2" already exists', /another object has the name/],
    ] as const
  ).map(([title, message, step]): Scene => [
    `a pod may not be created: ${title}`,
    refused(message),
    { ...ofSet_("POD-NOT-CREATED"), says: /vault-2/, step },
  ]),
  [
    "a crash loop, seen while the container runs for a moment",
    withPod({
      container: {
        restartCount: 25,
        state: runs(1),
        lastState: { terminated: { exitCode: 3, message: "cannot bind", finishedAt: ago(3) } },
      },
    }),
    {
      ...of2("POD-CRASH"),
      says: /does not stay up \(restarted 25 times, last exit code 3: cannot bind\)/,
      step: /logs vault-2 -c .* --previous/,
    },
  ],
  [
    "a crash loop, seen at the moment of a failure",
    withPod({ container: { restartCount: 25, state: ended(0, 3) } }),
    { ...of2("POD-CRASH"), says: /last exit code 3.*10h/, step: /logs vault-2/ },
  ],
  [
    "a liveness probe that ends it again and again",
    withPod(
      {
        container: {
          restartCount: 9,
          state: runs(2),
          lastState: { terminated: { exitCode: 137, finishedAt: ago(3) } },
        },
      },
      { events: [event(ofPod(2), ["Unhealthy", "Liveness probe failed: connection refused"])] },
    ),
    {
      ...of2("POD-CRASH"),
      says: /last exit code 137\); Liveness probe failed/,
      step: /--previous/,
    },
  ],
  [
    "its node is gone, and the pod is still there",
    withPod({}, { nodes: nodes.slice(0, 2) }),
    {
      ...of2("POD-NODE-LOST"),
      says: /n2 no longer exists.*10h/,
      step: /kubectl delete pod vault-2 --force --grace-period=0 -n engine/,
    },
  ],
  [
    "the operator is not in this namespace",
    facts({ ...notTakenUp, deployments: [] }),
    {
      ...ofEc("CLUSTER-NOT-TAKEN-UP"),
      says: /namespace engine has no Deployment engine-enterprise-operator/,
      step: /give the operator.s namespace with -n, or install the operator/,
    },
  ],
  [
    "the operator is scaled to nothing, and the tag is not taken up",
    facts({ ...notTakenUp, deployments: [scaledDown] }),
    {
      ...ofEc("CLUSTER-NOT-TAKEN-UP"),
      says: /the operator itself does not run/,
      step: /kubectl scale deployment engine-enterprise-operator --replicas=1 -n engine$/,
    },
  ],
  [
    "the operator is scaled to nothing, and the state stays",
    facts({ pods: renewed, deployments: [scaledDown] }),
    {
      ...ofEc("CLUSTER-STATE"),
      says: /although all its pods are renewed.*the operator itself does not run/,
      step: /kubectl scale deployment/,
    },
  ],
  [
    "the operator is paused, and the state stays",
    facts({ pods: renewed, deployments: [{ ...anOperator(), spec: { paused: true } }] }),
    { ...ofEc("CLUSTER-STATE"), says: /paused/, step: /kubectl rollout resume deployment/ },
  ],
  [
    "the operator says why the state stays",
    facts({ pods: renewed, events: [operatorSays("a node is in maintenance")] }),
    { ...ofEc("CLUSTER-STATE"), says: /the operator says: a node is in maintenance/, step: /logs/ },
  ],
  [
    "pods that run and belong to nobody",
    facts({ pods: [orphan(0), orphan(1, []), orphan(2, [], { ready: false })] }),
    {
      ...ofSet_("POD-ABSENT"),
      says: /does not own: vault-0 \(owned by nobody, ready\).*vault-2 \(owned by nobody\)/,
      step: /do not delete them while they serve/,
    },
  ],
  [
    "a pod of its name that belongs to somebody else",
    facts({
      pods: [first, second, orphan(2, [{ kind: "ReplicaSet", name: "shop", uid: "other" }])],
    }),
    { ...ofSet_("POD-ABSENT"), says: /owned by ReplicaSet shop, ready/, step: /selector/ },
  ],
];

/** Two at once: the one that has to be handled first, and the one beside it. */
export const moreDouble: readonly Scene[] = [
  [
    "a new pod that is not ready, and one of an earlier revision that waits for it",
    facts({
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
      pods: [first, pod(1, { old: true, ready: false }), down(), pod(3), pod(4)],
    }),
    { ...of2("POD-NOT-READY"), says: /not ready/, step: /describe pod vault-2/ },
    "POD-OUTDATED",
  ],
  [
    "pods that belong to nobody, and the quorum is lost",
    facts({
      pods: [orphan(0), pod(1, { ready: false }), down()],
    }),
    { ...ofEc("CLUSTER-QUORUM-LOST"), says: /1 of its 3 nodes/, step: /clusterRecovery/ },
    "POD-ABSENT",
  ],
  [
    "no scheduler, and a partition",
    withPod(
      { spec: { nodeName: undefined }, status: { conditions: [] } },
      {
        statefulSets: [
          theSet({
            spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } },
          }),
        ],
      },
    ),
    { ...of2("POD-UNSCHEDULABLE"), says: /no scheduler/, step: /kube-scheduler/ },
    "ROLLOUT-HELD",
  ],
  [
    "a container that runs first waits, and the license has expired",
    withPod(early(runs(590)), {
      ecs: [theEc({ status: { licenseStatus: { licenseState: "Expired" } } })],
    }),
    { ...of2("POD-NOT-READY"), says: /container fetch/, step: /-c fetch/ },
    "CLUSTER-LICENSE",
  ],
];

const just = (minutes: number) => ({ since: minutes });
const restarted = (minutes: number, more: PodWish = {}): PodWish => ({
  ...just(minutes),
  ...more,
  container: { restartCount: 4, state: runs(minutes) },
});

export const moreSlow: readonly (readonly [title: string, facts: Facts])[] = [
  [
    "a pod that was restarted often last month, and the next one is just being made",
    facts({
      pods: [pod(0, { old: true, ...restarted(600) }), pod(1, { old: true, ...restarted(600) })],
      statefulSets: [
        theSet({
          metadata: {
            managedFields: [
              { manager: "kube-controller-manager", subresource: "status", time: ago(1) },
            ],
          },
        }),
      ],
    }),
  ],
  [
    "a pod that was restarted often became ready a minute ago",
    facts({
      pods: [
        first,
        second,
        pod(2, { ...restarted(1), metadata: { ...third.metadata, creationTimestamp: ago(20) } }),
      ],
    }),
  ],
  [
    "containers that run before the others take four minutes each",
    withPod({
      ...early(ended(12)),
      ...{ since: 20 },
      status: {
        initContainerStatuses: [
          { name: "fetch", ready: true, state: ended(12) },
          { name: "unpack", ready: true, state: ended(6) },
          { name: "check", ready: false, state: runs(6) },
        ],
      },
    }),
  ],
  [
    "a container that runs first has just ended, and the next is not made yet",
    withPod({ ...early(ended(1)), since: 20 }),
  ],
  [
    "a scheduler has not looked at it for three minutes",
    withPod({ spec: { nodeName: undefined }, status: { conditions: [] }, since: 3 }),
  ],
  [
    "its node was taken away two minutes ago, and the pod is to follow",
    withPod({ since: 2 }, { nodes: nodes.slice(0, 2) }),
  ],
  [
    "a pod ends on a node that starts again, since two minutes",
    withPod(
      {
        since: 2,
        metadata: { ...third.metadata, deletionTimestamp: ago(1), deletionGracePeriodSeconds: 60 },
      },
      {
        nodes: [
          node(0),
          node(1),
          {
            ...node(2, "False"),
            status: {
              conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(2) }],
            },
          },
        ],
      },
    ),
  ],
  [
    "a container was restarted twice within its first five minutes",
    withPod({
      since: 5,
      container: {
        restartCount: 2,
        state: runs(1),
        lastState: { terminated: { exitCode: 1, finishedAt: ago(2) } },
      },
    }),
  ],
  [
    "one of five nodes drains, the others serve",
    facts({
      nodes: [0, 1, 2, 3, 4].map((ordinal) => node(ordinal)),
      ecs: [theEc({ spec: { nodes: 5 } })],
      statefulSets: [theSet({ spec: { replicas: 5 } })],
      pods: [
        ...halfway,
        pod(3),
        pod(4, {
          old: true,
          ready: false,
          metadata: {
            ...third.metadata,
            name: `${name}-4`,
            deletionTimestamp: ago(-30),
            deletionGracePeriodSeconds: 3600,
          },
        }),
      ],
    }),
  ],
  [
    "a single node starts again",
    facts({
      ecs: [theEc({ spec: { nodes: 1 } })],
      statefulSets: [theSet({ spec: { replicas: 1 } })],
      pods: [pod(0, { ready: false, since: 6, container: { name: container, state: runs(6) } })],
    }),
  ],
];
