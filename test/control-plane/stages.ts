/**
 * How the nodes at play treat a pod (KWOK's Stage objects): it becomes ready, unless the annotation
 * `plays` of its template says what happens instead.
 */
import type { KubeObject } from "../../plugin/ports/kubernetes";

/** Annotations of a pod template. */
export const play = {
  /** What becomes of the pod; one of `fates`. */
  fate: "engine.example/plays",
  /** How long until it happens, as Go writes a duration: `1h`. */
  delay: "engine.example/delay",
  /** Any value: the pod does not end when it is deleted. */
  hangs: "engine.example/hangs",
} as const;

/** How long a pod takes to end. */
const endingMs = 1_000;

/** An image that no registry has. */
export const absentImage = "engine/engine:8.0.18-99.99";

interface Container {
  readonly ready?: boolean;
  /** YAML of `state`, and of `lastState`. */
  readonly state: string;
  readonly last?: string;
  readonly restarts?: number;
}

interface PodFate {
  readonly phase: "Pending" | "Running" | "Failed";
  readonly main: Container;
  /** Of the init containers; done where not given. */
  readonly init?: Container;
  /** Of the condition Ready where it is not True: reason and message. */
  readonly unready?: readonly [reason: string, message: string];
  /** Whether all containers are ready though the pod is not. */
  readonly containersReady?: boolean;
  readonly event?: readonly [reason: string, message: string, type?: "Normal"];
  /** It happens again after so many milliseconds. */
  readonly againMs?: number;
}

const running: Container = { ready: true, state: "running: {startedAt: NOW}" };
const initialized: Container = {
  ready: true,
  state: "terminated: {exitCode: 0, reason: Completed, startedAt: NOW, finishedAt: NOW}",
};
const waiting = (reason: string, message?: string): string =>
  `waiting: {reason: ${reason}${message === undefined ? "" : `, message: ${JSON.stringify(message)}`}}`;
const ended = (reason: string, exitCode: number, message = ""): string =>
  `terminated: {exitCode: ${String(exitCode)}, reason: ${reason}, message: ${JSON.stringify(message)}, startedAt: NOW, finishedAt: NOW}`;
const unready = [
  "ContainersNotReady",
  "containers with unready status: [engine-enterprise-node]",
] as const;
const backOff = "back-off 5m0s restarting failed container";
const initializing: Container = { state: waiting("PodInitializing") };

/** What can become of a pod, by the value of its annotation. */
export const fates = {
  ready: { phase: "Running", main: running },
  crash: {
    phase: "Running",
    main: {
      state: waiting("CrashLoopBackOff", backOff),
      last: ended("Error", 1, "cannot open the store"),
      restarts: 5,
    },
    unready,
    event: ["BackOff", "Back-off restarting failed container engine-enterprise-node"],
    againMs: 2_000,
  },
  "out-of-memory": {
    phase: "Running",
    main: {
      state: waiting("CrashLoopBackOff", backOff),
      last: ended("OOMKilled", 137),
      restarts: 5,
    },
    unready,
  },
  "crash-init": {
    phase: "Pending",
    main: initializing,
    init: {
      state: waiting("CrashLoopBackOff", backOff),
      last: ended("Error", 126, "permission denied"),
      restarts: 7,
    },
    unready,
    event: ["BackOff", "Back-off restarting failed container prepare"],
  },
  preparing: {
    phase: "Pending",
    main: initializing,
    init: { state: "running: {startedAt: NOW}" },
    unready: ["ContainersNotInitialized", "containers with incomplete status: [prepare]"],
  },
  pull: {
    phase: "Pending",
    main: { state: waiting("ImagePullBackOff", 'Back-off pulling image "IMAGE": not found') },
    unready,
    event: ["Failed", "Failed to pull image: not found"],
  },
  config: {
    phase: "Pending",
    main: { state: waiting("CreateContainerConfigError", 'secret "store-keys" not found') },
    unready,
  },
  mount: {
    phase: "Pending",
    main: { state: waiting("ContainerCreating") },
    // no container begins before the volumes are there
    init: { state: waiting("PodInitializing") },
    unready,
    event: [
      "FailedAttachVolume",
      'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and cannot be attached to another',
    ],
  },
  "pull-secret": {
    phase: "Pending",
    main: { state: waiting("ErrImagePull", "pull access denied, it may require authorization") },
    unready,
    event: [
      "FailedToRetrieveImagePullSecret",
      "Unable to retrieve some image pull secrets (hub-login); attempting to pull the image may not succeed.",
    ],
  },
  "no-disk": {
    phase: "Pending",
    main: {
      state: waiting("ImagePullBackOff", "failed to extract layer: no space left on device"),
    },
    unready,
  },
  "init-out-of-memory": {
    phase: "Pending",
    main: initializing,
    init: {
      state: waiting("CrashLoopBackOff", backOff),
      last: ended("OOMKilled", 137),
      restarts: 7,
    },
    unready,
  },
  rejected: {
    phase: "Failed",
    main: { state: waiting("ContainerCreating") },
    unready,
    event: ["OutOfmemory", "Node didn't have enough resource: memory, requested: 8, used: 9"],
  },
  pulling: {
    phase: "Pending",
    main: { state: waiting("ContainerCreating") },
    unready,
    event: ["Pulling", 'Pulling image "engine/engine"', "Normal"],
  },
  unready: { phase: "Running", main: { ...running, ready: false }, unready },
  gated: {
    phase: "Running",
    main: running,
    containersReady: true,
    unready: [
      "ReadinessGatesNotReady",
      'corresponding condition of pod readiness gate "balancer.example/healthy" does not exist.',
    ],
  },
} as const satisfies Readonly<Record<string, PodFate>>;
export type Fate = keyof typeof fates;

/** The configuration for KWOK: one document a stage. */
export function stages(): readonly KubeObject[] {
  const pods = Object.entries<PodFate>(fates).flatMap(([name, fate]) => {
    const first = podStage(`pod-${name}`, { fate }, [has(fateKey, name), lacks(".status.podIP")]);
    if (fate.againMs === undefined) return [first];
    const seen = [has(fateKey, name), exists(".status.podIP")];
    return [first, podStage(`pod-${name}-again`, { fate, again: true }, seen)];
  });
  const usual = [lacks(fateKey), lacks(".status.podIP")];
  return [
    nodeStage,
    ...pods,
    podStage("pod-usual", { fate: fates.ready }, [...usual, has(imageKey, absentImage, "NotIn")]),
    podStage("pod-absent-image", { fate: fates.pull }, [...usual, has(imageKey, absentImage)]),
    stage(["Pod", "pod-ended"], [exists(deletionKey), lacks(keyOf(play.hangs))], {
      // A kubelet takes its time, too. Where a pod is gone and replaced at once, `kubectl delete` waits
      // for the end of its successor, which has the same name, and KWOK may delete that successor.
      delay: { durationMilliseconds: endingMs },
      next: { finalizers: { empty: true }, delete: true },
    }),
  ];
}

interface Condition {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const keyOf = (annotation: string): string => `.metadata.annotations["${annotation}"]`;
const fateKey = keyOf(play.fate);
const deletionKey = ".metadata.deletionTimestamp";
const imageKey = ".spec.containers.[0].image";
const exists = (key: string): Condition => ({ key, operator: "Exists" });
const lacks = (key: string): Condition => ({ key, operator: "DoesNotExist" });
const has = (key: string, value: string, operator = "In"): Condition => ({
  key,
  operator,
  values: [value],
});

function stage(
  [kind, name]: readonly ["Pod" | "Node", string],
  matchExpressions: readonly Condition[],
  spec: object,
): KubeObject {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: { resourceRef: { apiGroup: "v1", kind }, selector: { matchExpressions }, ...spec },
  };
}

function podStage(
  name: string,
  { fate, again = false }: { readonly fate: PodFate; readonly again?: boolean },
  conditions: readonly Condition[],
): KubeObject {
  const delay = again
    ? { durationMilliseconds: fate.againMs }
    : { durationMilliseconds: 50, durationFrom: { expressionFrom: keyOf(play.delay) } };
  const [reason, message, type = "Warning"] = fate.event ?? [];
  const event = reason === undefined ? {} : { event: { type, reason, message } };
  const next = { ...event, statusTemplate: statusOf(fate) };
  return stage(["Pod", name], [lacks(deletionKey), ...conditions], { delay, next });
}

function statusOf(fate: PodFate): string {
  const { phase, main, init = initialized, containersReady } = fate;
  const isReady = fate.unready === undefined;
  const isInitialized = init === initialized;
  const [reason = "", message = ""] = fate.unready ?? [];
  const condition = (type: string, status: boolean): string =>
    [
      `- {type: ${type}, status: "${status ? "True" : "False"}", lastTransitionTime: NOW`,
      ...(status ? [] : [`, reason: ${reason}, message: ${JSON.stringify(message)}`]),
      "}",
    ].join("");
  return [
    "{{ $now := Now }}",
    "conditions:",
    condition("Initialized", isInitialized),
    condition("ContainersReady", isReady || containersReady === true),
    condition("Ready", isReady),
    "containerStatuses:",
    ...containers(".spec.containers", main),
    "initContainerStatuses:",
    ...containers(".spec.initContainers", init),
    "hostIP: {{ NodeIPWith .spec.nodeName | Quote }}",
    'podIP: {{ PodIPWith .spec.nodeName false ( or .metadata.uid "" ) ( or .metadata.name "" ) ( or .metadata.namespace "" ) | Quote }}',
    `phase: ${phase}`,
    "startTime: NOW",
  ]
    .join("\n")
    .replaceAll("NOW", "{{ $now | Quote }}");
}

function containers(list: string, { ready, state, last, restarts }: Container): readonly string[] {
  return [
    `{{ range ${list} }}`,
    "- name: {{ .name | Quote }}",
    "  image: {{ .image | Quote }}",
    `  ready: ${String(ready === true)}`,
    `  restartCount: ${String(restarts ?? 0)}`,
    `  state: {${state.replaceAll("IMAGE", "{{ .image }}")}}`,
    ...(last === undefined ? [] : [`  lastState: {${last}}`]),
    "{{ end }}",
  ];
}

/** A node that a test has not taken over becomes ready, and keeps the room that it was made with. */
const nodeStage = stage(
  ["Node", "node-ready"],
  [
    has('.status.conditions.[] | select( .type == "Ready" ) | .status', "True", "NotIn"),
    lacks(keyOf(play.hangs)),
  ],
  {
    next: {
      statusTemplate: [
        "{{ $now := Now }}",
        "conditions:",
        "{{ range NodeConditions }}",
        "- {type: {{ .type | Quote }}, status: {{ .status | Quote }}, reason: {{ .reason | Quote }}, message: {{ .message | Quote }}, lastHeartbeatTime: {{ $now | Quote }}, lastTransitionTime: {{ $now | Quote }}}",
        "{{ end }}",
        "allocatable: {cpu: 64, memory: 64Gi, pods: 500}",
        "capacity: {cpu: 64, memory: 64Gi, pods: 500}",
        "phase: Running",
      ].join("\n"),
    },
  },
);
