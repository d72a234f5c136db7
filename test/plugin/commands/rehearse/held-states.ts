/** States of a cluster whose upgrade is held or about to be, each with what is to be told of it first. */
import {
  aDatabase,
  aNode,
  aPod,
  at,
  container,
  dead,
  type Dump,
  type Dumped,
  ecKind,
  type Fields,
  image,
  leaving,
  name,
  newOperator,
  newTag,
  ns,
  oldOperator,
  setImage,
  setRevision,
  unplaced,
  unready,
  waits,
} from "./held-clusters";

type Change = (dump: Dump) => void;

const pod2 = `${name}-2`;
const ofPod = (code: string, ordinal = 2): string => `${code} Pod/${ns}/${name}-${ordinal}`;
const ofSet = (code: string): string => `${code} StatefulSet/${ns}/${name}`;
const ofEc = (code: string): string => `${code} ${ecKind}/${ns}/${name}`;

const partition =
  (number: number): Change =>
  ({ set }) => {
    set.spec["updateStrategy"] = { type: "RollingUpdate", rollingUpdate: { partition: number } };
  };

function scaled(dump: Dump, replicas: number): void {
  dump.set.spec["replicas"] = replicas;
  dump.without(...[0, 1, 2].slice(replicas));
  dump.status({ currentReplicas: replicas, updatedReplicas: replicas });
}

function scaledDown({ operator }: Dump): void {
  operator.spec["replicas"] = 0;
  operator.status = { observedGeneration: 4, replicas: 0 };
}

function resizing(dump: Dump): void {
  dump.before();
  dump.ec.spec["persistentSpec"] = {
    ...{ enabled: true, storageClassName: "fast", volumeSize: "80Gi" },
    enablePersistentVolumeResize: true,
  };
  dump.ec.status["persistenceStatus"] = { status: "Resizing", succeeded: "1/3" };
  dump.add(claim("Bound", { number: 2, asked: "50Gi" }));
}

function claim(
  phase: string,
  {
    number = 2,
    asked = "50Gi",
    metadata = {},
  }: { number?: number; asked?: string; metadata?: Fields } = {},
): Dumped {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: `engine-enterprise-storage-${name}-${number}`, namespace: ns, ...metadata },
    spec: { resources: { requests: { storage: asked } } },
    status: { phase, capacity: { storage: "50Gi" } },
  };
}

/** Before an upgrade, the quota leaves no pod to be created again. */
function tightQuota(dump: Dump): void {
  dump.before();
  dump.add({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "team", namespace: ns },
    spec: { hard: { "limits.memory": "64Gi" } },
    status: { hard: { "limits.memory": "64Gi" }, used: { "limits.memory": "0" } },
  });
}

/** Before an upgrade, no node takes a further pod. */
function fullDisk(dump: Dump): void {
  dump.before();
  const taints = [{ key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" }];
  for (const ordinal of [0, 1, 2]) dump.node(ordinal).spec["taints"] = taints;
}

/** A container that runs before the others. */
function early(
  pod: Dumped,
  [called, more]: readonly [called: string, spec?: Fields],
  status: Fields,
): void {
  pod.spec["initContainers"] = [{ name: called, image: "engine/operator:1", ...more }];
  const plain = { name: called, ready: false, restartCount: 0 };
  pod.status["initContainerStatuses"] = [{ ...plain, ...status }];
}

const refused =
  (why: string): Change =>
  (dump) => {
    dump.without(2);
    const said = `create Pod ${pod2} in StatefulSet ${name} failed error: ${why}`;
    dump.warn(["StatefulSet", name], ["FailedCreate", said]);
  };
const forbidden = `pods "${pod2}" is forbidden: `;

const nowhere =
  (message: string): Change =>
  (dump) => {
    unplaced(dump.pod(2), `0/3 nodes are available: ${message}.`);
  };

function brokenRevision(dump: Dump): void {
  const pod = dump.pod(2);
  setRevision(pod, "99");
  setImage(pod, image("8.0.18-32.11"));
  waits(pod, "ImagePullBackOff", "Back-off pulling image");
  dump.status({ updatedReplicas: 0, readyReplicas: 2 });
}

/** The operator's release was written as the tag of the cluster, and the roll has begun. */
const mistaken =
  (tag: string): Change =>
  (dump) => {
    dump.before();
    dump.ec.status["state"] = "Upgrade";
    dump.tag(tag);
    dump.status({ updateRevision: `${name}-7c`, updatedReplicas: 1 });
    dump.put(2, aPod(2, true, 9));
    for (const one of [dump.set, dump.pod(2)]) setImage(one, image(tag));
    waits(dump.pod(2), "ImagePullBackOff", "Back-off pulling image");
  };

function again(
  pod: Dumped,
  called: string,
  [state, last]: readonly [state: Fields, last: Fields],
): void {
  unready(pod);
  Object.assign(container(pod, called), {
    ...{ ready: false, restartCount: 30, state },
    lastState: { terminated: { finishedAt: at(0.1), ...last } },
  });
}
const loop = { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s" } };
const runs = (hours: number) => ({ running: { startedAt: at(hours) } });

function fiveNodes(dump: Dump): void {
  dump.ec.spec["nodes"] = 5;
  dump.set.spec["replicas"] = 5;
  dump.add(aPod(3, true, 9), aPod(4, true, 9), aNode(3), aNode(4));
  dump.status({ replicas: 5, readyReplicas: 5, updatedReplicas: 3 });
}

function oneNode(dump: Dump): void {
  dump.ec.spec["nodes"] = 1;
  dump.set.spec["replicas"] = 1;
  dump.without(1, 2);
  dump.put(0, aPod(0, true, 9));
  dump.status({ updatedReplicas: 1 });
}

function notTaken(dump: Dump): void {
  dump.before();
  dump.tag(newTag);
}

/** Other pods of the namespace have an image that is not there. */
function otherCluster(dump: Dump): void {
  const ec = structuredClone(dump.ec);
  const set = structuredClone(dump.set);
  const pod = structuredClone(dump.pod(2));
  Object.assign(ec.metadata, { name: "ledger", uid: "ledger-ec" });
  Object.assign(set.metadata, { name: "ledger", uid: "ledger-set" });
  const ownerReferences = [{ kind: "StatefulSet", name: "ledger", uid: "ledger-set" }];
  Object.assign(pod.metadata, { name: "ledger-0", uid: "ledger-0", ownerReferences });
  waits(pod, "ImagePullBackOff", "manifest unknown");
  dump.add(ec, set, pod);
}

const evicted = "The node was low on resource: ephemeral-storage.";

interface Standing {
  readonly title: string;
  readonly change: Change;
  /** Code and object of the cause that is to be handled first. */
  readonly first: string;
}

const rows = (
  found: readonly (readonly [title: string, first: string, change: Change])[],
): readonly Standing[] => found.map(([title, first, change]) => ({ title, first, change }));

/** As people have reported them. */
const reported = rows([
  [
    "no pods, in state Upgrade",
    ofSet("CLUSTER-SCALED"),
    (dump) => {
      scaled(dump, 0);
    },
  ],
  [
    "no pods, in state Running",
    ofSet("CLUSTER-SCALED"),
    (dump) => {
      dump.before();
      scaled(dump, 0);
    },
  ],
  [
    "two pods of three",
    ofSet("CLUSTER-SCALED"),
    (dump) => {
      dump.before();
      scaled(dump, 2);
    },
  ],
  ["a partition", ofSet("ROLLOUT-HELD"), partition(2)],
  [
    "a pod that is not there, and no event",
    ofSet("POD-ABSENT"),
    (dump) => {
      dump.without(2);
    },
  ],
  [
    "a controller that does not look",
    ofSet("ROLLOUT-UNOBSERVED"),
    (dump) => {
      dump.put(2, aPod(2, false, 700));
      dump.status({ observedGeneration: 8, updatedReplicas: 0 });
    },
  ],
  [
    "terminating on a dead node",
    ofPod("POD-NODE-LOST"),
    (dump) => {
      dump.put(2, aPod(2, false, 700));
      unready(dump.pod(2));
      leaving(dump.pod(2), 8.9);
      dead(dump.node(2));
    },
  ],
  [
    "the quorum is lost",
    ofEc("CLUSTER-QUORUM-LOST"),
    (dump) => {
      for (const one of [0, 1, 2]) unready(dump.pod(one));
    },
  ],
  [
    "the second container crashes",
    ofPod("POD-CRASH"),
    (dump) => {
      again(dump.pod(2), "agent", [loop, { exitCode: 126, reason: "ContainerCannotRun" }]);
    },
  ],
  [
    "a container that runs first crashes",
    ofPod("POD-CRASH"),
    (dump) => {
      waits(dump.pod(2), "PodInitializing");
      const lastState = { terminated: { exitCode: 2, message: "no route to host" } };
      early(dump.pod(2), ["fetch"], { restartCount: 8, state: loop, lastState });
    },
  ],
  [
    "killed for its memory",
    ofPod("POD-MEMORY"),
    (dump) => {
      again(dump.pod(2), "engine-enterprise-node", [loop, { exitCode: 137, reason: "OOMKilled" }]);
    },
  ],
  [
    "a volume that another node holds",
    ofPod("POD-VOLUME-ATTACH"),
    (dump) => {
      waits(dump.pod(2), "ContainerCreating");
      dump.warn(["Pod", pod2], ["FailedAttachVolume", 'Multi-Attach error for volume "pvc-77"']);
    },
  ],
  [
    "a quota that demands limits",
    ofSet("POD-NOT-CREATED"),
    refused(`${forbidden}failed quota: team: must specify limits.memory for: agent`),
  ],
  [
    "evicted",
    ofPod("POD-EVICTED"),
    (dump) => {
      dump.pod(2).status = {
        phase: "Failed",
        reason: "Evicted",
        message: evicted,
        startTime: at(9),
      };
    },
  ],
  [
    "a readiness gate",
    ofPod("POD-READINESS-GATE"),
    (dump) => {
      const pod = dump.pod(2);
      pod.spec["readinessGates"] = [{ conditionType: "target.example.net/tg-4" }];
      unready(pod, 9, { reason: "ReadinessGatesNotReady" });
      container(pod)["ready"] = true;
      const ready = { type: "ContainersReady", status: "True", lastTransitionTime: at(9) };
      (pod.status["conditions"] as Fields[]).push(ready);
    },
  ],
  ["a broken pod of an earlier revision", ofPod("POD-OUTDATED"), brokenRevision],
  ["the tag of an operator of before", ofEc("CLUSTER-TAG-OF-OPERATOR"), mistaken(oldOperator)],
  ["the tag of the operator", ofEc("CLUSTER-TAG-OF-OPERATOR"), mistaken(newOperator)],
  [
    "the tag of the operator, before any pod",
    ofEc("CLUSTER-TAG-OF-OPERATOR"),
    (dump) => {
      dump.before();
      dump.tag(newOperator);
    },
  ],
  [
    "images by digest, half way",
    ofSet("ROLLOUT-IDLE"),
    (dump) => {
      for (const one of [0, 1, 2])
        setImage(dump.pod(one), `engine/engine@sha256:${"ab".repeat(32)}`);
    },
  ],
]);

/** More of the same kinds. */
const more = rows([
  [
    "a container that runs first hangs",
    ofPod("POD-NOT-READY"),
    (dump) => {
      waits(dump.pod(2), "PodInitializing");
      early(dump.pod(2), ["wait"], { state: runs(9) });
    },
  ],
  [
    "a mount that went well after all, and a container that hangs",
    ofPod("POD-NOT-READY"),
    (dump) => {
      waits(dump.pod(2), "PodInitializing");
      early(dump.pod(2), ["wait"], { state: runs(8.5) });
      const past = { firstTimestamp: at(9), lastTimestamp: at(8.9) };
      dump.warn(["Pod", pod2], ["FailedMount", "MountVolume.SetUp failed: timed out"], past);
    },
  ],
  [
    "a container beside the others, started first, crashes",
    ofPod("POD-CRASH"),
    (dump) => {
      waits(dump.pod(2), "PodInitializing");
      const lastState = { terminated: { exitCode: 1, message: "no certificate" } };
      const status = { restartCount: 9, state: loop, lastState };
      early(dump.pod(2), ["proxy", { restartPolicy: "Always" }], status);
    },
  ],
  [
    "no scheduler",
    ofPod("POD-UNSCHEDULABLE"),
    (dump) => {
      delete dump.pod(2).spec["nodeName"];
      dump.pod(2).spec["schedulerName"] = "batch";
      dump.pod(2).status = { phase: "Pending" };
    },
  ],
  [
    "phase Unknown",
    ofPod("POD-NODE-LOST"),
    (dump) => {
      dump.pod(2).status["phase"] = "Unknown";
      unready(dump.pod(2), 9, { reason: "NodeLost" });
      dead(dump.node(2));
    },
  ],
  [
    "a claim without its volume",
    ofPod("POD-VOLUME"),
    nowhere('persistentvolumeclaim "data" bound to non-existent persistentvolume "pv-77"'),
  ],
  [
    "a claim that is being deleted",
    ofPod("POD-VOLUME"),
    nowhere('persistentvolumeclaim "data" is being deleted'),
  ],
  [
    "a claim that nobody provisions",
    ofPod("POD-VOLUME"),
    nowhere("pod has unbound immediate PersistentVolumeClaims"),
  ],
  [
    "a port of the node",
    ofPod("POD-UNSCHEDULABLE"),
    nowhere("3 node(s) didn't have free ports for the requested pod ports"),
  ],
  [
    "a topology spread",
    ofPod("POD-UNSCHEDULABLE"),
    nowhere("3 node(s) didn't match pod topology spread constraints"),
  ],
  [
    "as many volumes as a node may hold",
    ofPod("POD-UNSCHEDULABLE"),
    nowhere("3 node(s) exceed max volume count"),
  ],
  [
    "fewer nodes than pods that keep apart",
    ofPod("POD-UNSCHEDULABLE"),
    nowhere("2 node(s) didn't match pod anti-affinity rules"),
  ],
  [
    "pods of others that keep it away",
    ofPod("POD-UNSCHEDULABLE"),
    nowhere("3 node(s) didn't satisfy existing pods anti-affinity rules"),
  ],
  ["no memory", ofPod("POD-UNSCHEDULABLE"), nowhere("3 Insufficient memory")],
  [
    "no priority class",
    ofSet("POD-NOT-CREATED"),
    refused(`${forbidden}no PriorityClass with name db was found`),
  ],
  [
    "no service account",
    ofSet("POD-NOT-CREATED"),
    refused(
      `${forbidden}error looking up service account ${ns}/${name}: serviceaccount "${name}" not found`,
    ),
  ],
  [
    "a LimitRange",
    ofSet("POD-NOT-CREATED"),
    refused(`${forbidden}maximum memory usage per Container is 1Gi, but limit is 4Gi`),
  ],
  [
    "a policy",
    ofSet("POD-NOT-CREATED"),
    refused(
      `${forbidden}ValidatingAdmissionPolicy 'signed' with binding 'all' denied request: no signature`,
    ),
  ],
  [
    "a webhook that says no",
    ofSet("POD-NOT-CREATED"),
    refused('admission webhook "labels.example.net" denied the request: no team'),
  ],
  [
    "a webhook that is away",
    ofSet("POD-NOT-CREATED"),
    refused(
      'Internal error occurred: failed calling webhook "labels.example.net": no endpoints available',
    ),
  ],
  [
    "a namespace that is being deleted",
    ofSet("POD-NOT-CREATED"),
    refused(
      `${forbidden}unable to create new content in namespace ${ns} because it is being terminated`,
    ),
  ],
  ["a name that is taken", ofSet("POD-NOT-CREATED"), refused(`pods "${pod2}" already exists`)],
  [
    "a claim that a quota refuses",
    ofSet("POD-NOT-CREATED"),
    refused('persistentvolumeclaims "data" is forbidden: exceeded quota: disks'),
  ],
  [
    "Pod Security",
    ofSet("POD-NOT-CREATED"),
    refused(`${forbidden}violates PodSecurity "restricted:latest"`),
  ],
  [
    "no security context constraint",
    ofSet("POD-NOT-CREATED"),
    refused(`${forbidden}unable to validate against any security context constraint: []`),
  ],
  [
    "a quota, told by an event with a series and no other time",
    ofSet("POD-NOT-CREATED"),
    (dump) => {
      dump.without(2);
      dump.warn(["StatefulSet", name], ["FailedCreate", `${forbidden}exceeded quota: team`], {
        ...{ firstTimestamp: null, lastTimestamp: null, count: 0, eventTime: at(9) },
        series: { count: 44, lastObservedTime: at(0.05) },
      });
    },
  ],
  [
    "a Secret that is not there",
    ofPod("POD-CONFIG"),
    (dump) => {
      waits(dump.pod(2), "CreateContainerConfigError", 'secret "env" not found');
    },
  ],
  [
    "a ConfigMap that is not there",
    ofPod("POD-MOUNT"),
    (dump) => {
      waits(dump.pod(2), "ContainerCreating");
      dump.warn(
        ["Pod", pod2],
        ["FailedMount", 'MountVolume.SetUp failed for volume "conf" : configmap "conf" not found'],
      );
    },
  ],
  [
    "a StatefulSet without a status",
    ofSet("ROLLOUT-UNOBSERVED"),
    (dump) => {
      dump.set.status = {};
      for (const one of [0, 1, 2]) dump.put(one, aPod(one, false, 700));
    },
  ],
  [
    "a cluster without a status",
    ofSet("ROLLOUT-IDLE"),
    (dump) => {
      dump.ec.status = {};
    },
  ],
  [
    "an operator of no pods",
    ofEc("CLUSTER-NOT-TAKEN-UP"),
    (dump) => {
      notTaken(dump);
      scaledDown(dump);
    },
  ],
  [
    "an operator that is not here",
    ofEc("CLUSTER-NOT-TAKEN-UP"),
    (dump) => {
      notTaken(dump);
      dump.drop("Deployment", dump.operator.metadata.name);
    },
  ],
  [
    "all renewed, and the operator has no pods",
    ofEc("CLUSTER-STATE"),
    (dump) => {
      dump.renewed();
      scaledDown(dump);
    },
  ],
  [
    "pods in parallel, one of an earlier revision crashes",
    ofPod("POD-OUTDATED"),
    (dump) => {
      dump.set.spec["podManagementPolicy"] = "Parallel";
      setRevision(dump.pod(2), "99");
      again(dump.pod(2), "engine-enterprise-node", [loop, { exitCode: 2 }]);
    },
  ],
  [
    "five nodes, of which a new and an old one are not ready",
    ofPod("POD-NOT-READY"),
    (dump) => {
      fiveNodes(dump);
      unready(dump.pod(2));
      unready(dump.pod(1));
    },
  ],
  [
    "a single node without memory",
    ofPod("POD-UNSCHEDULABLE", 0),
    (dump) => {
      oneNode(dump);
      unplaced(dump.pod(0), "0/3 nodes are available: 3 Insufficient memory.");
    },
  ],
  [
    "a clock that is ahead on the node, and no image",
    ofPod("POD-IMAGE"),
    (dump) => {
      waits(dump.pod(2), "ImagePullBackOff", "manifest unknown");
      unready(dump.pod(2), -0.5);
    },
  ],
  [
    "a dead node, a partition and an expired license",
    ofEc("CLUSTER-LICENSE"),
    (dump) => {
      unready(dump.pod(2));
      leaving(dump.pod(2), 8);
      dead(dump.node(2));
      partition(1)(dump);
      dump.ec.status["licenseStatus"] = { licenseState: "Expired", expirationDate: at(50) };
    },
  ],
  [
    "a node that is gone",
    ofPod("POD-NODE-LOST"),
    (dump) => {
      unready(dump.pod(2));
      dump.drop("Node", "worker-2");
    },
  ],
  [
    "a digest that no repository has",
    ofPod("POD-IMAGE"),
    (dump) => {
      setImage(dump.pod(2), `engine/engine@sha256:${"c".repeat(64)}`);
      waits(dump.pod(2), "ErrImagePull", "failed to pull and unpack image: not found");
    },
  ],
  [
    "a pod that its node has refused",
    ofPod("POD-NOT-READY"),
    (dump) => {
      dump.pod(2).status = {
        phase: "Failed",
        reason: "OutOfcpu",
        message: "Pod was rejected",
        startTime: at(9),
      };
    },
  ],
  [
    "a crash loop between two failures",
    ofPod("POD-CRASH"),
    (dump) => {
      again(dump.pod(2), "engine-enterprise-node", [runs(0.02), { exitCode: 3 }]);
    },
  ],
  [
    "a crash loop at the moment of a failure",
    ofPod("POD-CRASH"),
    (dump) => {
      again(dump.pod(2), "engine-enterprise-node", [
        { terminated: { exitCode: 3, finishedAt: at(0.001) } },
        { exitCode: 3 },
      ]);
    },
  ],
  [
    "cordoned nodes, and a taint",
    ofPod("POD-NODE-CORDONED"),
    (dump) => {
      nowhere("1 node(s) had untolerated taint {dedicated: gpu}, 2 node(s) were unschedulable")(
        dump,
      );
      for (const one of [0, 1]) dump.node(one).spec["unschedulable"] = true;
      dump.node(2).spec["taints"] = [{ key: "dedicated", value: "gpu", effect: "NoSchedule" }];
    },
  ],
  [
    "a restart of all pods without another version, and no image",
    ofPod("POD-IMAGE"),
    (dump) => {
      dump.ec.status["state"] = "RunningRollingUpdate";
      waits(dump.pod(2), "ImagePullBackOff", "manifest unknown");
    },
  ],
  [
    "pods that belong to nobody",
    ofSet("POD-ABSENT"),
    (dump) => {
      for (const one of [0, 1, 2]) dump.pod(one).metadata["ownerReferences"] = [];
    },
  ],
  [
    "more nodes asked for than the set has",
    ofSet("CLUSTER-SCALED"),
    (dump) => {
      dump.ec.spec["nodes"] = 5;
    },
  ],
  [
    "a hook that does not let a pod end",
    ofPod("POD-TERMINATING", 1),
    (dump) => {
      leaving(dump.pod(1), -400, 1_576_800);
      dump.warn(["Pod", `${name}-1`], ["FailedPreStopHook", "shards cannot be moved"]);
    },
  ],
]);

export const standing = [...reported, ...more];

interface Moving {
  readonly title: string;
  readonly change: Change;
  /** The word of `status`. */
  readonly is: string;
}

export const moving: readonly Moving[] = [
  {
    title: "a pod that was restarted often became ready a minute ago",
    is: "moving",
    change: (dump) => {
      for (const one of [0, 1]) container(dump.pod(one))["restartCount"] = 3;
      const pod = dump.pod(2);
      pod.metadata["creationTimestamp"] = at(0.3);
      for (const one of pod.status["conditions"] as Fields[]) one["lastTransitionTime"] = at(0.02);
      Object.assign(container(pod), { restartCount: 4, state: runs(0.05) });
    },
  },
  {
    title: "containers before the others, one after the other",
    is: "moving",
    change: (dump) => {
      const pod = dump.pod(2);
      waits(pod, "PodInitializing");
      pod.metadata["creationTimestamp"] = at(0.3);
      for (const one of pod.status["conditions"] as Fields[]) one["lastTransitionTime"] = at(0.3);
      early(pod, ["unpack"], { state: runs(0.1) });
    },
  },
  {
    title: "all renewed a moment ago, and the state follows",
    is: "moving",
    change: (dump) => {
      dump.renewed(0.01);
    },
  },
  {
    title: "done, with images by digest",
    is: "fine",
    change: (dump) => {
      dump.renewed();
      dump.ec.status["state"] = "Running";
      for (const one of [0, 1, 2])
        setImage(dump.pod(one), `engine/engine@sha256:${"ab".repeat(32)}`);
    },
  },
  {
    title: "a clock that is ahead on the node, and a pod that is not ready",
    is: "moving",
    change: (dump) => {
      unready(dump.pod(2), -0.5);
    },
  },
];

interface Before {
  readonly title: string;
  readonly change: Change;
  readonly line: string;
  readonly code: number;
  /** The code that is told; undefined where no error is. */
  readonly told?: string;
  readonly next?: RegExp;
}

const upgrade = `upgrade-cluster ${name} --target ${newTag} --dry-run=client`;

function held(dump: Dump): void {
  dump.before();
  partition(3)(dump);
}

function sick(dump: Dump): void {
  dump.before();
  unready(dump.pod(0));
  dump.status({ readyReplicas: 2 });
}

function inVault(dump: Dump): void {
  dump.before();
  const credentials = { clusterCredentialSecretName: name, clusterCredentialSecretType: "vault" };
  Object.assign(dump.ec.spec, { ...credentials, licenseSecretName: "billing-license" });
}

const inState =
  (state: string): Change =>
  (dump) => {
    dump.renewed();
    dump.ec.status["state"] = "Running";
    dump.drop("EngineEnterpriseDatabase", "invoices");
    dump.add({ ...aDatabase(), status: { ...aDatabase().status, status: state } });
  };

/** Each before anything is written. */
export const before: readonly Before[] = [
  { title: "a partition", change: held, line: "check", code: 3, told: "ROLLOUT-HELD" },
  { title: "a partition", change: held, line: upgrade, code: 3, told: "ROLLOUT-HELD" },
  {
    title: "a partition",
    change: held,
    line: "status",
    code: 0,
    next: /before EC billing can be upgraded: remove it: kubectl patch statefulset billing/,
  },
  {
    title: "no pods",
    change: (dump) => {
      dump.before();
      scaled(dump, 0);
    },
    line: upgrade,
    code: 3,
    told: "CLUSTER-SCALED",
  },
  {
    title: "volumes are being expanded",
    change: resizing,
    line: upgrade,
    code: 3,
    told: "CLUSTER-RESIZING",
  },
  {
    title: "volumes are being expanded",
    change: resizing,
    line: "check",
    code: 3,
    told: "CLUSTER-RESIZING",
  },
  { title: "a quota", change: tightQuota, line: "check", code: 3, told: "CLUSTER-QUOTA" },
  { title: "a quota", change: tightQuota, line: upgrade, code: 3, told: "CLUSTER-QUOTA" },
  { title: "a full disk", change: fullDisk, line: "check", code: 3, told: "CLUSTER-NO-NODE" },
  { title: "a full disk", change: fullDisk, line: upgrade, code: 3, told: "CLUSTER-NO-NODE" },
  {
    title: "a full disk",
    change: fullDisk,
    line: "status",
    code: 0,
    next: /before EC billing can be upgraded: end what keeps node/,
  },
  { title: "a sick pod", change: sick, line: upgrade, code: 3, told: "CLUSTER-PODS-NOT-READY" },
  { title: "a license in a vault", change: inVault, line: upgrade, code: 0 },
  {
    title: "a license whose last day is over",
    change: (dump) => {
      dump.before();
      dump.ec.status["licenseStatus"] = { licenseState: "Valid", expirationDate: at(100) };
    },
    line: "check",
    code: 3,
    told: "LICENSE-EXPIRED",
  },
  {
    title: "a pull secret that is not there",
    change: (dump) => {
      dump.before();
      dump.ec.spec["pullSecrets"] = [{ name: "hub-login" }];
    },
    line: "check",
    code: 3,
    told: "CLUSTER-PULL-SECRET",
  },
  {
    title: "a database that was never created",
    change: inState("creation-failed"),
    line: "upgrade-database invoices --engine-version 8.0 --dry-run=client",
    code: 3,
    told: "DATABASE-FAILED",
  },
  {
    title: "a database that is imported into",
    change: inState("import-pending"),
    line: "upgrade-database invoices --engine-version 8.0 --dry-run=client",
    code: 3,
    told: "DATABASE-BUSY",
  },
  {
    title: "a broken pod of an earlier revision",
    change: brokenRevision,
    line: "recover --apply --yes",
    code: 0,
    next: /"action":"delete","object":"Pod\/payments\/billing-2"/,
  },
  {
    title: "the tag of an operator of before, corrected",
    change: mistaken(oldOperator),
    line: upgrade,
    code: 0,
  },
  {
    title: "the tag of an operator of before",
    change: mistaken(oldOperator),
    line: "recover",
    code: 3,
    told: "CLUSTER-TAG-OF-OPERATOR",
    next: new RegExp(`upgrade-cluster ${name} --target ${newTag}`),
  },
  {
    title: "the tag of the operator, corrected",
    change: mistaken(newOperator),
    line: upgrade,
    code: 0,
  },
  {
    title: "a tag that no repository holds, corrected",
    change: mistaken("8.0.18-32.11"),
    line: upgrade,
    code: 0,
  },
  {
    title: "the tag of the operator, asked for",
    change: (dump) => {
      dump.before();
      dump.tag(newOperator);
    },
    line: `upgrade-cluster ${name} --target ${newOperator} --dry-run=client`,
    code: 3,
    told: "CLUSTER-TAG-OF-OPERATOR",
  },
  {
    title: "the tag of an operator, asked for",
    change: (dump) => {
      dump.before();
    },
    line: `upgrade-cluster ${name} --target ${oldOperator} --dry-run=client`,
    code: 3,
    told: "CLUSTER-TAG-OF-OPERATOR",
  },
  {
    title: "another cluster of the namespace is held",
    change: (dump) => {
      dump.renewed();
      dump.ec.status["state"] = "Running";
      otherCluster(dump);
    },
    line: `recover --ec ${name}`,
    code: 0,
  },
  {
    title: "this cluster of two is held",
    change: (dump) => {
      otherCluster(dump);
    },
    line: "recover --ec ledger",
    code: 3,
    told: "POD-IMAGE",
  },
  {
    title: "a quota of other pods",
    change: (dump) => {
      dump.before();
      const hard = { pods: "0" };
      dump.add({
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "best-effort", namespace: ns },
        spec: { hard, scopes: ["BestEffort"] },
        status: { hard, used: { pods: "3" } },
      });
    },
    line: upgrade,
    code: 0,
  },
];
