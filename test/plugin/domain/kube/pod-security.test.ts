import { listBreaches } from "../../../../plugin/domain/kube/pod-security";
import type { PodSpec, SecurityContext } from "../../../../plugin/domain/kube/models";

const strict = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const withContainer = (
  securityContext: SecurityContext | undefined,
  more: PodSpec = {},
): PodSpec => ({
  containers: [{ name: "node", securityContext }],
  ...more,
});

test.each<[string, string, PodSpec | undefined, readonly string[]]>([
  ["privileged refuses nothing", "privileged", { hostNetwork: true }, []],
  ["a word that is no level", "strict", { hostNetwork: true }, []],
  ["baseline, of no pod", "baseline", undefined, []],
  [
    "baseline, of what reaches the node",
    "baseline",
    {
      hostPID: true,
      volumes: [{ name: "logs", hostPath: { path: "/var/log" } }],
      initContainers: [{ name: "prepare", ports: [{ hostPort: 80 }] }],
    },
    ["hostPID", "volume logs is a path of the node", "container prepare takes port 80 of the node"],
  ],
  [
    "baseline, of capabilities",
    "baseline",
    withContainer({ privileged: true, capabilities: { add: ["CHOWN", "SYS_RESOURCE"] } }),
    ["container node is privileged", "container node adds SYS_RESOURCE"],
  ],
  ["restricted, of a pod that says all", "restricted", withContainer(strict), []],
  [
    "restricted, of a pod that says nothing",
    "restricted",
    withContainer(undefined),
    [
      "container node may escalate privileges",
      "container node does not drop ALL capabilities",
      "container node is not bound to run as non-root",
      "container node sets no seccompProfile",
    ],
  ],
  [
    "restricted, of a pod that says it for its containers",
    "restricted",
    withContainer(
      { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      { securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost" } } },
    ),
    [],
  ],
  [
    "restricted, of root, a volume of the node and one of another kind",
    "restricted",
    withContainer(
      { ...strict, runAsUser: 0 },
      {
        volumes: [
          { name: "logs", hostPath: { path: "/var/log" } },
          { name: "share", nfs: {} },
          { name: "data", persistentVolumeClaim: { claimName: "data" } },
        ],
      },
    ),
    [
      "volume logs is a path of the node",
      "volume share is of a kind that it refuses",
      "container node runs as user 0",
    ],
  ],
])("what a level refuses: %s", (_case, ...[level, spec, breaches]) => {
  expect(listBreaches(spec, level)).toEqual(breaches);
});
