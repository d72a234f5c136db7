/** Statuses of pods as a kubelet writes them. */
import { at, type Json, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { StuckReason } from "./misbehaviour";
import { timeText } from "./writes";

/** How a pod is; `halted` with what its container says. */
export type PodState =
  | { readonly is: "starting" | "running" | "ready" }
  | { readonly is: "stuck"; readonly reason: StuckReason; readonly message?: string };

/** True when the pod's condition Ready is True and it is not on its way out. */
export function isReadyPod(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp === undefined && conditionIs(pod, "Ready", "True");
}

/** True when its containers run. */
export function isStarted(pod: KubeObject): boolean {
  return text(at(pod, ["status", "phase"])) === "Running";
}

/** Whether an object's condition has a value. */
export function conditionIs(object: KubeObject, type: string, value: string): boolean {
  return list(at(object, ["status", "conditions"])).some(
    (condition) => own(condition, "type") === type && own(condition, "status") === value,
  );
}

/** The status of a pod in a state; `now` in milliseconds since 1970. */
export function podStatus(pod: KubeObject, state: PodState, now: number): Json {
  const unscheduled = state.is === "stuck" && state.reason === "Unschedulable";
  const running = state.is === "ready" || state.is === "running" || isUp(state);
  const time = timeText(now);
  const ready = state.is === "ready";
  const containers = list(at(pod, ["spec", "containers"])).map((container) =>
    containerStatus(container, state, time),
  );
  return {
    phase: running ? "Running" : "Pending",
    conditions: conditionsOf({ unscheduled, ready, time }),
    ...(!unscheduled && {
      startTime: text(at(pod, ["status", "startTime"])) ?? time,
      podIP: text(at(pod, ["status", "podIP"])) ?? addressOf(pod),
      podIPs: [{ ip: text(at(pod, ["status", "podIP"])) ?? addressOf(pod) }],
      containerStatuses: containers,
    }),
    qosClass: text(at(pod, ["status", "qosClass"])) ?? "Burstable",
  };
}

/** A crashing container leaves its pod Running; so does one whose probe fails. */
function isUp(state: PodState): boolean {
  if (state.is !== "stuck") return false;
  return state.reason === "CrashLoopBackOff" || state.reason === "NotReady";
}

function conditionsOf(pod: {
  readonly unscheduled: boolean;
  readonly ready: boolean;
  readonly time: string;
}): readonly Json[] {
  const { unscheduled, ready, time } = pod;
  const scheduled = {
    type: "PodScheduled",
    status: unscheduled ? "False" : "True",
    lastTransitionTime: time,
    ...(unscheduled && {
      reason: "Unschedulable",
      message: "0/3 nodes are available: 3 Insufficient memory.",
    }),
  };
  if (unscheduled) return [scheduled];
  const readiness = (type: string): Json => ({
    type,
    status: ready ? "True" : "False",
    lastTransitionTime: time,
    ...(!ready && { reason: "ContainersNotReady", message: "containers with unready status" }),
  });
  return [
    { type: "Initialized", status: "True", lastTransitionTime: time },
    readiness("Ready"),
    readiness("ContainersReady"),
    scheduled,
  ];
}

function containerStatus(container: unknown, state: PodState, time: string): Json {
  const name = text(own(container, "name")) ?? "";
  const image = text(own(container, "image")) ?? "";
  const ready = state.is === "ready";
  const crashed = state.is === "stuck" && state.reason === "CrashLoopBackOff";
  const ended = { exitCode: 1, reason: "Error", startedAt: time, finishedAt: time };
  return {
    name,
    image,
    imageID: state.is === "starting" ? "" : image,
    ready,
    started: ready,
    restartCount: crashed ? 3 : 0,
    state: containerState(state, image, time),
    ...(crashed && { lastState: { terminated: ended } }),
  };
}

function containerState(state: PodState, image: string, time: string): Json {
  if (state.is === "starting") return { waiting: { reason: "ContainerCreating" } };
  if (state.is !== "stuck" || state.reason === "NotReady") return { running: { startedAt: time } };
  const messages = {
    ImagePullBackOff: `Back-off pulling image "${image}"`,
    CrashLoopBackOff: "back-off 40s restarting failed container",
    Unschedulable: "",
  };
  return { waiting: { reason: state.reason, message: state.message ?? messages[state.reason] } };
}

/** An address in the pods' network, made of the name. */
function addressOf({ metadata }: KubeObject): string {
  const bytes = Buffer.from(metadata.name ?? "");
  const sum = bytes.reduce((so, byte) => (so * 31 + byte) % 62_500, 7);
  return `10.128.${Math.floor(sum / 250)}.${(sum % 250) + 2}`;
}
