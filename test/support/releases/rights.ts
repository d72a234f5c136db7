/** Roles, their bindings and the SCC, as they changed from release to release (domain facts 5, 6). */
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { releaseShapes, type ReleaseVersion } from "./versions";

const group = "rbac.authorization.k8s.io";
const labels = { app: names.operator.appLabel };
const allVerbs = ["delete", "get", "list", "patch", "create", "update", "watch"];

/** Every rule of one Role. */
type Rules = readonly object[];

const withParts = (...plurals: readonly string[]): readonly string[] =>
  plurals.flatMap((plural) => [plural, `${plural}/status`, `${plural}/finalizers`]);

function endpointsRule(version: ReleaseVersion): object {
  return releaseShapes[version].endpoints === "endpointslices"
    ? {
        apiGroups: ["discovery.k8s.io"],
        resources: ["endpointslices"],
        verbs: ["get", "list", "watch"],
      }
    : { apiGroups: [""], resources: ["endpoints"], verbs: ["get", "list", "watch"] };
}

/** The rules of the operator's own Role; on OpenShift it may use a constraint. */
export function operatorRules(version: ReleaseVersion, openshift: boolean): Rules {
  const { unprivileged } = releaseShapes[version];
  const product = [names.ec, names.edb, names.eaadb, names.erc].map(({ plural }) => plural);
  return [
    {
      apiGroups: [names.group],
      resources: unprivileged ? ["*"] : withParts(...product),
      verbs: allVerbs,
    },
    {
      apiGroups: [""],
      resources: ["secrets", "services", "serviceaccounts", "configmaps", "persistentvolumeclaims"],
      verbs: allVerbs,
    },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "update", "delete"] },
    { apiGroups: [""], resources: ["pods/exec"], verbs: ["create"] },
    { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    endpointsRule(version),
    { apiGroups: ["apps"], resources: ["deployments", "statefulsets"], verbs: allVerbs },
    { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: allVerbs },
    { apiGroups: [group], resources: ["roles", "rolebindings"], verbs: allVerbs },
    ...(unprivileged
      ? [{ apiGroups: ["batch"], resources: ["jobs", "cronjobs"], verbs: allVerbs }]
      : []),
    ...(openshift
      ? [
          {
            apiGroups: ["security.openshift.io"],
            resources: ["securitycontextconstraints"],
            resourceNames: [unprivileged ? "nonroot-v2" : "nonroot"],
            verbs: ["use"],
          },
        ]
      : []),
  ];
}

/** The rules in every managed namespace. */
export function consumerRules(version: ReleaseVersion): Rules {
  const { unprivileged, deletesMany } = releaseShapes[version];
  return [
    {
      apiGroups: [names.group],
      resources: withParts(names.edb.plural, ...(unprivileged ? [names.eaadb.plural] : [])),
      verbs: [...allVerbs, ...(deletesMany ? ["deletecollection"] : [])],
    },
    {
      apiGroups: [""],
      resources: ["secrets"],
      verbs: [
        ...["update", "get", "watch", "create", "patch", "list"],
        ...(deletesMany ? ["read", "listallnamespaces", "watchlist"] : []),
        ...(deletesMany ? ["watchlistallnamespaces", "replace", "delete", "deletecollection"] : []),
      ],
    },
    {
      apiGroups: [""],
      resources: ["events"],
      verbs: unprivileged ? ["create", "patch"] : ["create"],
    },
    {
      apiGroups: [""],
      resources: ["services"],
      verbs: ["get", "list", "update", "patch", "create", "delete", "watch"],
    },
    endpointsRule(version),
  ];
}

/** A Role of the operator's namespace, or a ClusterRole. */
export function role(kind: "Role" | "ClusterRole", name: string, rules: Rules): KubeObject {
  return { apiVersion: `${group}/v1`, kind, metadata: { name, labels }, rules };
}

/** The binding of a role to service accounts; without a namespace, in the binding's own. */
export function binding(
  kind: "Role" | "ClusterRole",
  name: string,
  subjects: readonly { readonly name: string; readonly namespace?: string }[],
): KubeObject {
  return {
    apiVersion: `${group}/v1`,
    kind: `${kind}Binding`,
    metadata: { name, labels },
    roleRef: { apiGroup: group, kind, name },
    subjects: subjects.map((subject) => ({ kind: "ServiceAccount", ...subject })),
  };
}

/** The SCC since 6.4.2-6; no users and no groups. */
export function constraint(version: ReleaseVersion): KubeObject {
  const fixed = { type: "MustRunAs", uid: 1001 };
  return {
    apiVersion: "security.openshift.io/v1",
    kind: "SecurityContextConstraints",
    metadata: { name: names.scc.current, labels },
    allowPrivilegedContainer: false,
    allowPrivilegeEscalation: releaseShapes[version].unprivileged,
    allowHostDirVolumePlugin: false,
    allowHostIPC: false,
    allowHostNetwork: false,
    allowHostPID: false,
    allowHostPorts: false,
    allowedCapabilities: ["SYS_RESOURCE"],
    defaultAddCapabilities: null,
    requiredDropCapabilities: null,
    readOnlyRootFilesystem: false,
    runAsUser: fixed,
    fsGroup: { type: "MustRunAs", ranges: [{ min: 1001, max: 1001 }] },
    seLinuxContext: { type: "MustRunAs" },
    supplementalGroups: { type: "RunAsAny" },
    volumes: [
      "configMap",
      "downwardAPI",
      "emptyDir",
      "persistentVolumeClaim",
      "projected",
      "secret",
    ],
    users: [],
    groups: [],
  };
}
