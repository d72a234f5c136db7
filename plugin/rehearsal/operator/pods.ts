/** The kubelet at play: pods start, become ready or do not, and end when they are deleted. */
import { at, list, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { isReadyPod, isStarted, type PodState, podStatus } from "./pod-status";
import { identity, played, type Scene } from "./scene";
import { kubelet, remove, sameButTimes, writeStatus } from "./writes";

/** Brings one pod to the state that it is to end in; undefined: it stays as it is until it is deleted. */
export function podActs(scene: Scene, pod: KubeObject, end: PodState | undefined): readonly Act[] {
  const { times } = scene;
  const key = identity(pod);
  const target = { resource: played.pod, object: pod, manager: kubelet };
  if (pod.metadata.deletionTimestamp !== undefined) return ending(scene, pod);
  if (end === undefined) return [];
  const become = (state: PodState, afterMs: number): readonly Act[] => [
    {
      key: `${key} ${state.is}${state.is === "stuck" ? state.reason : ""}`,
      afterMs,
      run: ({ cluster, clock }) => writeStatus(cluster, target, podStatus(pod, state, clock.now())),
    },
  ];
  if (end.is === "stuck") return isAlready(pod, end) ? [] : become(end, times.podStartMs);
  if (isReadyPod(pod)) return [];
  if (at(pod, ["status", "containerStatuses"]) === undefined) return become({ is: "starting" }, 0);
  return isStarted(pod)
    ? become({ is: "ready" }, times.podReadyMs)
    : become({ is: "running" }, times.podStartMs);
}

function isAlready(pod: KubeObject, end: PodState): boolean {
  return sameButTimes(podStatus(pod, end, 0), pod["status"]);
}

/** A server keeps a deleted pod that a node has, until its containers have ended. */
function ending(scene: Scene, pod: KubeObject): readonly Act[] {
  const target = { resource: played.pod, object: pod, manager: kubelet };
  if (text(at(pod, ["status", "phase"])) !== "Succeeded") {
    const status = { ...(pod["status"] as object), phase: "Succeeded" };
    const run: Act["run"] = ({ cluster }) => writeStatus(cluster, target, status);
    return [{ key: `${identity(pod)} ended`, afterMs: scene.times.drainMs, run }];
  }
  if (list(pod.metadata["finalizers"]).length > 0) return [];
  const run: Act["run"] = ({ cluster }) => remove(cluster, target);
  return [{ key: `${identity(pod)} gone`, afterMs: 0, run }];
}
