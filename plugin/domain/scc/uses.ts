/** What a pod asks for that only a constraint with more than the unprivileged ones gives. */
import { asArray, getOwn } from "../base/values";
import type { PodSpec } from "../kube/models";
import type { KubeObject } from "../kube/objects";
import { listContainers, listPrivileges } from "../kube/pod-security";

/** Each for people; capabilities that the constraint itself puts into a pod are not asked for by the pod. */
export function listUses(
  spec: PodSpec | null | undefined,
  constraint: KubeObject | undefined,
): readonly string[] {
  const given = asArray(getOwn(constraint, "defaultAddCapabilities"));
  const isRoot = spec?.securityContext?.runAsUser === 0;
  return [
    // every constraint lets a pod add this one
    ...listPrivileges(spec, ["NET_BIND_SERVICE", ...given]),
    ...(isRoot ? ["runAsUser 0"] : []),
    ...listContainers(spec).flatMap(({ label, container }) => {
      const context = container.securityContext;
      return [
        ...(context?.allowPrivilegeEscalation === true ? [`${label} may escalate privileges`] : []),
        ...(context?.runAsUser === 0 ? [`${label} runs as user 0`] : []),
      ];
    }),
  ];
}
