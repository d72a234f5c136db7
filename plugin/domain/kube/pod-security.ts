/**
 * What a Pod Security level refuses of a pod (the Pod Security Standards). The API server judges each pod that is
 * made, never one that runs.
 */
import { asArray, getOwn, getPath, isObject } from "../base/values";

/** The label of a namespace that refuses pods. */
export const enforceLabel = "pod-security.kubernetes.io/enforce";

const groups = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Capabilities that `baseline` lets a container add. */
const baselineCapabilities: readonly unknown[] = [
  ...["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"],
  ...["NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
];

/** Volumes that `restricted` lets a pod have. */
const restrictedVolumes = [
  ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim"],
  ...["projected", "secret", "name"],
];

/** A container's name and what it is asked about. */
interface Container {
  readonly label: string;
  readonly container: unknown;
}

/** Init containers, containers and ephemeral ones of a pod's spec. */
export function listContainers(spec: unknown): readonly Container[] {
  return groups
    .flatMap((group) => asArray(getOwn(spec, group)))
    .map((container) => ({ label: `container ${String(getOwn(container, "name"))}`, container }));
}

/** What gives a pod more than an ordinary one has, each for people; `mayAdd`: capabilities that are no breach. */
export function listPrivileges(spec: unknown, mayAdd: readonly unknown[]): readonly string[] {
  const host = ["hostNetwork", "hostPID", "hostIPC"].filter((key) => getOwn(spec, key) === true);
  const paths = asArray(getOwn(spec, "volumes")).filter((one) => getOwn(one, "hostPath"));
  return [
    ...host,
    ...paths.map((volume) => `volume ${String(getOwn(volume, "name"))} is a path of the node`),
    ...listContainers(spec).flatMap(({ label, container }) => {
      const context = getOwn(container, "securityContext");
      const added = asArray(getPath(context, ["capabilities", "add"]));
      const ports = asArray(getOwn(container, "ports")).filter((port) => getOwn(port, "hostPort"));
      return [
        ...(getOwn(context, "privileged") === true ? [`${label} is privileged`] : []),
        ...added
          .filter((capability) => !mayAdd.includes(capability))
          .map((capability) => `${label} adds ${String(capability)}`),
        ...ports.map(
          (port) => `${label} takes port ${String(getOwn(port, "hostPort"))} of the node`,
        ),
      ];
    }),
  ];
}

/** What the level refuses of a pod's spec, each for people; `privileged`, and what is no level, refuses nothing. */
export function listBreaches(spec: unknown, level: string): readonly string[] {
  if (level === "baseline") return listPrivileges(spec, baselineCapabilities);
  if (level !== "restricted") return [];
  const pod = getOwn(spec, "securityContext");
  const volumes = asArray(getOwn(spec, "volumes")).filter(
    (volume) =>
      isObject(volume) && Object.keys(volume).some((key) => !restrictedVolumes.includes(key)),
  );
  return [
    ...listPrivileges(spec, ["NET_BIND_SERVICE"]),
    ...volumes
      .filter((volume) => getOwn(volume, "hostPath") === undefined)
      .map((volume) => `volume ${String(getOwn(volume, "name"))} is of a kind that it refuses`),
    ...listContainers(spec).flatMap(({ label, container }) =>
      listUnrestricted(getOwn(container, "securityContext"), pod).map((one) => `${label} ${one}`),
    ),
  ];
}

/** What `restricted` asks of each container, in its own context or in the pod's. */
function listUnrestricted(own: unknown, pod: unknown): readonly string[] {
  const either = (path: readonly string[]): unknown => getPath(own, path) ?? getPath(pod, path);
  const seccomp = either(["seccompProfile", "type"]);
  const dropped = asArray(getPath(own, ["capabilities", "drop"]));
  return [
    ...(getOwn(own, "allowPrivilegeEscalation") === false ? [] : ["may escalate privileges"]),
    ...(dropped.includes("ALL") ? [] : ["does not drop ALL capabilities"]),
    ...(either(["runAsNonRoot"]) === true ? [] : ["is not bound to run as non-root"]),
    ...(either(["runAsUser"]) === 0 ? ["runs as user 0"] : []),
    ...(seccomp === "RuntimeDefault" || seccomp === "Localhost" ? [] : ["sets no seccompProfile"]),
  ];
}
