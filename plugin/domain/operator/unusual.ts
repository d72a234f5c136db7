/** What no operator's bundle has a use for: far rights, bindings to everybody, privileged pods. */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { at, list, own, text } from "../values";

/** An object of the bundle, and why it is not applied unless a person names it. */
export interface Unusual {
  /** `KIND/NAME`, by which it is allowed. */
  readonly object: string;
  readonly because: string;
}

/** Everything unusual in a bundle, one entry for each object and reason. */
export function unusualIn(bundle: readonly KubeObject[], names: Names): readonly Unusual[] {
  return bundle.flatMap((object) => {
    const label = `${object.kind}/${object.metadata.name ?? ""}`;
    const reasons = judges[object.kind]?.(object, names) ?? [];
    return [...new Set(reasons)].map((because) => ({ object: label, because }));
  });
}

type Judge = (object: KubeObject, names: Names) => readonly string[];

const judges: Readonly<Record<string, Judge>> = {
  Role: roleReasons,
  ClusterRole: roleReasons,
  RoleBinding: bindingReasons,
  ClusterRoleBinding: bindingReasons,
  SecurityContextConstraints: constraintReasons,
  Deployment: deploymentReasons,
};

const farVerbs = ["escalate", "impersonate"];

function roleReasons(role: KubeObject, { group }: Names): readonly string[] {
  return list(role["rules"]).flatMap((rule) => {
    const [groups, resources, urls, verbs] = [
      "apiGroups",
      "resources",
      "nonResourceURLs",
      "verbs",
    ].map((key) => list(own(rule, key))) as [unknown[], unknown[], unknown[], unknown[]];
    const isOwn = groups.every((one) => one === group);
    return [
      ...(groups.includes("*") ? ["its rules are for every API group"] : []),
      ...(resources.includes("*") && !isOwn ? ["its rules are for every resource"] : []),
      ...(urls.length > 0 ? ["its rules are for paths of the API server"] : []),
      ...farVerbs
        .filter((verb) => verbs.includes(verb))
        .map((verb) => `its rules give the verb ${verb}`),
    ];
  });
}

const everybody =
  /^system:(anonymous|unauthenticated|authenticated|masters|serviceaccounts(:.*)?)$/;

function bindingReasons(binding: KubeObject): readonly string[] {
  const role = text(at(binding, ["roleRef", "name"]));
  const subjects = list(binding["subjects"]).map((subject) => text(own(subject, "name")) ?? "");
  return [
    ...(role === "cluster-admin" ? ["it gives cluster-admin"] : []),
    ...subjects.filter((name) => everybody.test(name)).map((name) => `it is for ${name}`),
  ];
}

const hostRights = [
  "allowPrivilegedContainer",
  "allowHostDirVolumePlugin",
  "allowHostIPC",
  "allowHostNetwork",
  "allowHostPID",
];

function constraintReasons(constraint: KubeObject): readonly string[] {
  const subjects = ["users", "groups"].flatMap((key) => list(constraint[key]).map(String));
  return [
    ...hostRights.filter((key) => constraint[key] === true).map((key) => `it has ${key}`),
    ...subjects.filter((name) => everybody.test(name)).map((name) => `it is for ${name}`),
  ];
}

function deploymentReasons(deployment: KubeObject, { operator }: Names): readonly string[] {
  const pod = at(deployment, ["spec", "template", "spec"]);
  const containers = ["initContainers", "containers"].flatMap((key) => list(own(pod, key)));
  const isOperator = deployment.metadata.name === operator.deployment;
  const isOnHost = list(own(pod, "volumes")).some((one) => own(one, "hostPath") !== undefined);
  return [
    ...(isOperator ? [] : ["it is not the operator's"]),
    ...["hostNetwork", "hostPID", "hostIPC"]
      .filter((key) => own(pod, key) === true)
      .map((key) => `its pod has ${key}`),
    ...(isOnHost ? ["its pod mounts a folder of the node"] : []),
    ...containers.flatMap((container) => {
      const context = own(container, "securityContext");
      const added = list(at(context, ["capabilities", "add"])).map(String);
      return [
        ...(own(context, "privileged") === true ? ["it has a privileged container"] : []),
        ...added.map((one) => `a container adds the capability ${one}`),
      ];
    }),
  ];
}
