/** What becomes of the operator's pod: it starts when it may and can (S19; domain facts 6). */
import { clusterRoleOf } from "../../domain/rbac/shared";
import { at, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import { isReadyPod, type PodState } from "./pod-status";
import { ownedBy, type Scene } from "./scene";

/** Pods of the operator's Deployment, whatever revision they are of. */
export function operatorPods(scene: Scene): readonly KubeObject[] {
  const sets = ownedBy(scene.deployment, scene.replicaSets);
  return sets.flatMap((set) => ownedBy(set, scene.pods));
}

/** The release of the operator that is at work; undefined while none is ready. */
export function operatorVersion(scene: Scene): string | undefined {
  const ready = operatorPods(scene).find(isReadyPod);
  return ready === undefined ? undefined : tagOf(ready["spec"], scene.names.operator.container);
}

/** The tag of a container's image in a pod's spec. */
export function tagOf(podSpec: unknown, container: string): string | undefined {
  const found = list(own(podSpec, "containers")).find((one) => own(one, "name") === container);
  return /:([^:/@]+)(?:@.+)?$/.exec(text(own(found, "image")) ?? "")?.[1];
}

/** How the operator's pod is to end up; what fails at the start does nothing to one that is ready. */
export function operatorPodEnd(scene: Scene, pod: KubeObject): PodState {
  const { operatorImagePull, operatorCrash } = isReadyPod(pod) ? {} : scene.misbehave;
  if (operatorImagePull === true) return { is: "stuck", reason: "ImagePullBackOff" };
  if (operatorCrash === true) return { is: "stuck", reason: "CrashLoopBackOff" };
  const halted = haltedBecause(scene);
  if (halted === undefined) return { is: "ready" };
  return { is: "stuck", reason: "CrashLoopBackOff", message: halted };
}

/** The operator halts when a listed namespace, its Role or its RoleBinding is not there. */
export function haltedBecause(scene: Scene): string | undefined {
  const { names, namespaces, roles, bindings, namespace: home } = scene;
  const listed = text(at(scene.settings, ["data", names.configMap.namespaces])) ?? "";
  const places = listed.split(",").map((word) => word.trim());
  for (const place of places.filter((word) => word !== "" && word !== home)) {
    const within = (objects: readonly KubeObject[]): boolean =>
      objects.some(({ metadata }) => metadata.namespace === place);
    if (!namespaces.some(({ metadata }) => metadata.name === place)) {
      return `namespace ${place} does not exist`;
    }
    const binding = bindings.find(({ metadata }) => metadata.namespace === place);
    const isShared = clusterRoleOf(binding) !== undefined;
    if (!within(roles) && !isShared)
      return `role ${names.rbac.consumerRole} is missing in namespace ${place}`;
    if (!within(bindings)) {
      return `role binding ${names.rbac.consumerBinding} is missing in namespace ${place}`;
    }
  }
  return undefined;
}
