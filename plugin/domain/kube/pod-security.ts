/**
 * What a Pod Security level refuses of a pod (the Pod Security Standards). The API server judges each pod that is
 * made, never one that runs.
 */
import type { Container, PodSpec, SecurityContext } from "./models";

/** The label of a namespace that refuses pods. */
export const enforceLabel = "pod-security.kubernetes.io/enforce";

/** Capabilities that `baseline` lets a container add. */
const baselineCapabilities = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/** Volumes that `restricted` lets a pod have. */
const restrictedVolumes = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim"],
  ...["projected", "secret", "name"],
];

/** A container's name and what it is asked about. */
interface Labeled {
  readonly label: string;
  readonly container: Container;
}

/** A pod's, or that of a template; absent where it was not read. */
type Spec = PodSpec | null | undefined;

/** Init containers, containers and ephemeral ones of a pod's spec. */
export function listContainers(spec: Spec): readonly Labeled[] {
  return [spec?.initContainers, spec?.containers, spec?.ephemeralContainers]
    .flatMap((group): readonly Container[] => group ?? [])
    .map((container) => ({ label: `container ${String(container.name)}`, container }));
}

/** What gives a pod more than an ordinary one has, each for people; `mayAdd`: capabilities that are no breach. */
export function listPrivileges(spec: Spec, mayAdd: readonly unknown[]): readonly string[] {
  const host = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((key) => spec?.[key]);
  const paths = spec?.volumes?.filter(({ hostPath }) => hostPath) ?? [];
  return [
    ...host,
    ...paths.map(({ name }) => `volume ${String(name)} is a path of the node`),
    ...listContainers(spec).flatMap(({ label, container }) => {
      const context = container.securityContext;
      const added = context?.capabilities?.add ?? [];
      const ports = container.ports?.filter(({ hostPort }) => hostPort) ?? [];
      return [
        ...(context?.privileged === true ? [`${label} is privileged`] : []),
        ...added
          .filter((capability) => !mayAdd.includes(capability))
          .map((capability) => `${label} adds ${capability}`),
        ...ports.map(({ hostPort }) => `${label} takes port ${String(hostPort)} of the node`),
      ];
    }),
  ];
}

/** What the level refuses of a pod's spec, each for people; `privileged`, and what is no level, refuses nothing. */
export function listBreaches(spec: Spec, level: string): readonly string[] {
  if (level === "baseline") return listPrivileges(spec, baselineCapabilities);
  if (level !== "restricted") return [];
  const volumes =
    spec?.volumes?.filter((volume) =>
      Object.keys(volume).some((key) => !restrictedVolumes.includes(key)),
    ) ?? [];
  return [
    ...listPrivileges(spec, ["NET_BIND_SERVICE"]),
    ...volumes
      .filter(({ hostPath }) => hostPath === undefined)
      .map(({ name }) => `volume ${String(name)} is of a kind that it refuses`),
    ...listContainers(spec).flatMap(({ label, container }) =>
      listUnrestricted(container.securityContext, spec?.securityContext).map(
        (one) => `${label} ${one}`,
      ),
    ),
  ];
}

/** What `restricted` asks of each container, in its own context or in the pod's. */
function listUnrestricted(
  own: SecurityContext | null | undefined,
  pod: PodSpec["securityContext"],
): readonly string[] {
  const seccomp = own?.seccompProfile?.type ?? pod?.seccompProfile?.type;
  const dropsAll = own?.capabilities?.drop?.includes("ALL") === true;
  return [
    ...(own?.allowPrivilegeEscalation === false ? [] : ["may escalate privileges"]),
    ...(dropsAll ? [] : ["does not drop ALL capabilities"]),
    ...((own?.runAsNonRoot ?? pod?.runAsNonRoot) === true
      ? []
      : ["is not bound to run as non-root"]),
    ...((own?.runAsUser ?? pod?.runAsUser) === 0 ? ["runs as user 0"] : []),
    ...(seccomp === "RuntimeDefault" || seccomp === "Localhost" ? [] : ["sets no seccompProfile"]),
  ];
}
