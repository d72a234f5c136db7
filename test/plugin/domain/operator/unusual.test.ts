import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { unusualIn } from "../../../../plugin/domain/operator/wanted";
import { bundleOf } from "../../../support/releases/tree";
import { releaseVersions } from "../../../support/releases/versions";

const { deployment, container } = names.operator;

const anObject = (kind: string, more: object, name = "x"): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name },
  ...more,
});
const aRole = (rule: object): KubeObject => anObject("Role", { rules: [rule] });
const aBinding = (role: string, subject: object): KubeObject =>
  anObject("ClusterRoleBinding", {
    roleRef: { kind: "ClusterRole", name: role },
    subjects: [subject],
  });
const aPod = (spec: object): KubeObject =>
  anObject("Deployment", { spec: { template: { spec } } }, deployment);
const aContainer = (securityContext: object): KubeObject =>
  aPod({ containers: [{ name: container, securityContext }] });

test.each(
  releaseVersions.flatMap((version) => [[version, false] as const, [version, true] as const]),
)("nothing of release %s is unusual, OpenShift: %s", (version, openshift) => {
  expect(unusualIn(bundleOf(version, openshift), names)).toEqual([]);
});

test.each([
  [
    "every API group",
    aRole({ apiGroups: ["*"], resources: ["pods"] }),
    "its rules are for every API group",
  ],
  [
    "every resource",
    aRole({ apiGroups: [""], resources: ["*"] }),
    "its rules are for every resource",
  ],
  ["URLs", aRole({ nonResourceURLs: ["/metrics"] }), "its rules are for paths of the API server"],
  [
    "escalation",
    aRole({ apiGroups: [""], resources: ["roles"], verbs: ["escalate"] }),
    "its rules give the verb escalate",
  ],
  ["cluster-admin", aBinding("cluster-admin", { name: "op" }), "it gives cluster-admin"],
  [
    "everybody",
    aBinding("r", { name: "system:unauthenticated" }),
    "it is for system:unauthenticated",
  ],
  [
    "every account",
    aBinding("r", { name: "system:serviceaccounts" }),
    "it is for system:serviceaccounts",
  ],
  [
    "a constraint for the host",
    anObject("SecurityContextConstraints", { allowHostPID: true }),
    "it has allowHostPID",
  ],
  [
    "a constraint for everybody",
    anObject("SecurityContextConstraints", { groups: ["system:authenticated"] }),
    "it is for system:authenticated",
  ],
  ["another Deployment", anObject("Deployment", {}), "it is not the operator's"],
  ["the node's network", aPod({ hostNetwork: true }), "its pod has hostNetwork"],
  [
    "a folder of the node",
    aPod({ volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    "its pod mounts a folder of the node",
  ],
  ["a privileged container", aContainer({ privileged: true }), "it has a privileged container"],
  [
    "a capability",
    aContainer({ capabilities: { add: ["SYS_ADMIN"] } }),
    "a container adds the capability SYS_ADMIN",
  ],
])("%s", (_, object, because) => {
  const label = `${object.kind}/${object.metadata.name ?? ""}`;
  expect(unusualIn([object], names)).toEqual([{ object: label, because }]);
});

test("what has no name, no role and no subject is no more than that", () => {
  const nameless = { ...anObject("RoleBinding", { subjects: [{}] }), metadata: {} };
  expect(unusualIn([nameless, anObject("Unknown", {})], names)).toEqual([]);
  expect(unusualIn([{ ...anObject("Deployment", {}), metadata: {} }], names)).toEqual([
    { object: "Deployment/", because: "it is not the operator's" },
  ]);
});
