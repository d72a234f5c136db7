import { ApiError } from "../../../../plugin/domain/base/errors";
import { rbac } from "../../../../plugin/simulator/authorization/grants";
import type { User } from "../../../../plugin/simulator/model";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import {
  attemptOf,
  binding,
  clusterRole,
  inGroup,
  person,
  role,
  rule,
  stateOf,
  user,
} from "./state";

const group = "rbac.authorization.k8s.io";
const weak = person("weak", "g1", "g2");
const mine = [
  clusterRole("writer", [
    rule(["get create update patch", "roles rolebindings clusterroles clusterrolebindings"], {
      group,
    }),
    rule(["get", "pods"]),
  ]),
  binding({ role: "ClusterRole/writer", to: [user("weak")] }),
];
const held = role("held", "a", [rule(["get list", "secrets"])]);
const big = [
  { apiGroups: ["apps", ""], resources: ["pods", "deployments"], verbs: ["get", "list"] },
  rule(["get get update", "secrets"], { names: "x y" }),
  rule(["watch", "pods"]),
];
const gathers = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } };
const who = 'user "weak" (groups=["g1" "g2" "system:authenticated"])';
const lacks = `${who} is attempting to grant RBAC permissions not currently held:\n`;
const bigLines = [
  '{APIGroups:[""], Resources:["deployments"], Verbs:["get" "list"]}',
  '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
  '{APIGroups:[""], Resources:["secrets"], ResourceNames:["x"], Verbs:["get" "get" "update"]}',
  '{APIGroups:[""], Resources:["secrets"], ResourceNames:["y"], Verbs:["get" "get" "update"]}',
  '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}',
  '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
];
const secretsLine = '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}';

interface Row {
  readonly title: string;
  readonly object?: KubeObject;
  readonly before?: KubeObject;
  readonly state?: readonly KubeObject[];
  readonly by?: User;
}

interface Refused extends Row {
  readonly message: string;
  readonly status?: number;
}

const may = (verb: string, resource: string, names = ""): readonly KubeObject[] => [
  clusterRole("may", [rule([verb, resource], { group, names })]),
  binding({ role: "ClusterRole/may", to: [inGroup("g1")] }),
];

/** Texts as a real API server (1.34) wrote them. */
const refused: readonly Refused[] = [
  {
    title: "a role of more than its writer has",
    object: role("big", "a", big),
    message: `roles.${group} "big" is forbidden: ${lacks}${bigLines.join("\n")}`,
  },
  {
    title: "a cluster role with paths that its writer has not",
    object: clusterRole("big", [
      ...big,
      { nonResourceURLs: ["/healthz", "/x*"], verbs: ["get", "post"] },
    ]),
    message: `clusterroles.${group} "big" is forbidden: ${lacks}${[
      ...bigLines,
      '{NonResourceURLs:["/healthz"], Verbs:["post"]}',
      '{NonResourceURLs:["/x*"], Verbs:["get"]}',
      '{NonResourceURLs:["/x*"], Verbs:["post"]}',
    ].join("\n")}`,
  },
  {
    title: "a cluster role that gathers others",
    object: { ...clusterRole("agg", []), ...gathers },
    message: `clusterroles.${group} "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  },
  {
    title: "an end to gathering others",
    object: clusterRole("agg", []),
    before: { ...clusterRole("agg", []), ...gathers },
    message: `clusterroles.${group} "agg" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  },
  {
    title: "a binding to the built-in role that may everything",
    object: binding({ role: "ClusterRole/cluster-admin", to: [user("z")] }),
    message: `clusterrolebindings.${group} "gives-cluster-admin" is forbidden: ${lacks}{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}`,
  },
  {
    title: "a role, while bindings of its writer lead nowhere",
    object: held,
    state: [
      binding({ role: "Role/gone", to: [user("weak")], namespace: "a" }),
      binding({ role: "ClusterRole/cgone", to: [inGroup("g2")], namespace: "a" }),
    ],
    message: `roles.${group} "held" is forbidden: ${lacks}${secretsLine}; resolution errors: [[roles.${group} "gone" not found, roles.${group} "cgone" not found]]`,
  },
  {
    title: "a role of another name than those that may be escalated",
    object: held,
    state: may("escalate", "roles", "other"),
    message: `roles.${group} "held" is forbidden: ${lacks}${secretsLine}`,
  },
  {
    title: "a role whose verbs its writer has for named objects only",
    object: held,
    state: [
      clusterRole("one", [rule(["get list", "secrets"], { names: "x" })]),
      binding({ role: "ClusterRole/one", to: [user("weak")] }),
    ],
    message: `roles.${group} "held" is forbidden: ${lacks}${secretsLine}`,
  },
];

test.each(refused)("refused: $title", ({ object, before, state = [], by = weak, ...expected }) => {
  const attempt = attemptOf({ user: by, ...(object && { object }), ...(before && { before }) });
  const view = stateOf([...mine, ...state]);
  expect.assertions(2);
  try {
    rbac.refuseEscalation(attempt, view);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const { message, status, reason, causes } = error as ApiError;
    const code = expected.status ?? 403;
    expect({ message, status, reason, causes }).toEqual({
      message: expected.message,
      status: code,
      reason: code === 404 ? "NotFound" : "Forbidden",
      causes: [],
    });
  }
});

const accepted: readonly Row[] = [
  {
    title: "a role that its writer has through a wider one",
    object: role("some", "a", [rule(["get", "pods/log"])]),
    state: [
      clusterRole("wide", [rule(["*", "*/log"])]),
      binding({ role: "ClusterRole/wide", to: [user("weak")] }),
    ],
  },
  {
    title: "any role by a member of system:masters",
    object: role("big", "a", big),
    by: person("root", "system:masters"),
  },
  {
    title: "a role of more than its writer has, unchanged but for its field owners",
    object: { ...held, metadata: { ...held.metadata, managedFields: [{ manager: "x" }] } },
    before: { ...held, metadata: { ...held.metadata, resourceVersion: "5" } },
  },
  {
    title: "a binding to a role whose rules its writer has",
    object: binding({ role: "ClusterRole/system:basic-user", to: [user("z")] }),
  },
  { title: "the deletion of a role", before: held },
  {
    title: "objects of other kinds",
    object: { apiVersion: "v1", kind: "Secret", metadata: { name: "x", namespace: "a" } },
  },
];

test.each(accepted)("accepted: $title", ({ object, before, state = [], by = weak }) => {
  const attempt = attemptOf({ user: by, ...(object && { object }), ...(before && { before }) });
  expect(() => {
    rbac.refuseEscalation(attempt, stateOf([...mine, ...state]));
  }).not.toThrow();
});
