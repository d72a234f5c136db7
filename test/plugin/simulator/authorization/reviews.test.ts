import type { ApiError } from "../../../../plugin/domain/base/errors";
import { answerReview } from "../../../../plugin/simulator/authorization/reviews";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { account, binding, clusterRole, person, role, rule, stateOf, user } from "./state";

const state = stateOf([
  clusterRole("writer", [rule(["get", "pods"])]),
  binding({ role: "ClusterRole/writer", to: [user("weak")] }),
  role("held", "a", [rule(["get", "secrets"], { names: "x" })]),
  binding({ role: "Role/held", to: [account("s1", "a")], namespace: "a" }),
  binding({ role: "Role/gone", to: [user("weak")], namespace: "b" }),
]);
const weak = person("weak", "g1");
const pods = { verb: "get", resource: "pods" };

function review(kind: string, spec?: object, metadata: KubeObject["metadata"] = {}): KubeObject {
  const apiVersion = kind === "SelfSubjectReview" ? "authentication.k8s.io/v1" : authorization;
  return { apiVersion, kind, metadata, ...(spec && { spec }) };
}
const authorization = "authorization.k8s.io/v1";
const byWriter = 'RBAC: allowed by ClusterRoleBinding "gives-writer" of ClusterRole "writer" to';

/** Statuses as a real API server (1.34) filled them in. */
const answered: readonly (readonly [title: string, asked: KubeObject, status: object])[] = [
  [
    "one's own access, with the binding that gives it",
    review("SelfSubjectAccessReview", { resourceAttributes: pods }),
    { allowed: true, reason: `${byWriter} User "weak"` },
  ],
  [
    "one's own access that nothing gives",
    review("SelfSubjectAccessReview", { resourceAttributes: { ...pods, verb: "delete" } }),
    { allowed: false },
  ],
  [
    "one's own access, with the bindings that lead nowhere",
    review("SelfSubjectAccessReview", {
      resourceAttributes: { verb: "get", resource: "secrets", namespace: "b" },
    }),
    { allowed: false, reason: 'RBAC: role.rbac.authorization.k8s.io "gone" not found' },
  ],
  [
    "one's own access to a path",
    review("SelfSubjectAccessReview", {
      nonResourceAttributes: { verb: "get", path: "/version" },
    }),
    {
      allowed: true,
      reason:
        'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
    },
  ],
  [
    "another's access",
    review("SubjectAccessReview", { user: "weak", resourceAttributes: pods }),
    { allowed: true, reason: `${byWriter} User "weak"` },
  ],
  [
    "a service account's access in its namespace",
    review("SubjectAccessReview", {
      user: "system:serviceaccount:a:s1",
      resourceAttributes: { verb: "get", resource: "secrets", name: "x", namespace: "a" },
    }),
    {
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "gives-held/a" of Role "held" to ServiceAccount "s1/a"',
    },
  ],
  [
    "another's access without groups that were not given",
    review("SubjectAccessReview", {
      user: "weak",
      resourceAttributes: {
        verb: "create",
        group: "authorization.k8s.io",
        resource: "selfsubjectaccessreviews",
      },
    }),
    { allowed: false },
  ],
  [
    "the access of the mightiest, without a reason",
    review("SubjectAccessReview", {
      user: "x",
      groups: ["system:masters"],
      resourceAttributes: pods,
    }),
    { allowed: true },
  ],
  [
    "another's access in the namespace of the review",
    review(
      "LocalSubjectAccessReview",
      { user: "weak", resourceAttributes: { ...pods, namespace: "a" } },
      { namespace: "a" },
    ),
    { allowed: true, reason: `${byWriter} User "weak"` },
  ],
  [
    "who one is",
    review("SelfSubjectReview"),
    { userInfo: { username: "weak", groups: ["g1", "system:authenticated"] } },
  ],
];

test.each(answered)("answers %s", (_title, asked, status) => {
  expect(answerReview(asked, weak, state)).toEqual({ ...asked, status });
});

test("answers with all of one's rules in a namespace", () => {
  const answer = answerReview(review("SelfSubjectRulesReview", { namespace: "b" }), weak, state);
  expect(answer).toMatchObject({
    spec: {},
    status: {
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
      nonResourceRules: [{ verbs: ["get"] }],
    },
  });
  expect((answer?.["status"] as { resourceRules: object[] }).resourceRules).toContainEqual({
    verbs: ["get"],
    apiGroups: [""],
    resources: ["pods"],
  });
});

test("an object that is no review is not answered", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "x" } };
  const other = { apiVersion: "x.y/v1", kind: "SubjectAccessReview", metadata: {} };
  expect(answerReview(pod, weak, state)).toBeUndefined();
  expect(answerReview(other, weak, state)).toBeUndefined();
});

const neither =
  "null: exactly one of nonResourceAttributes or resourceAttributes must be specified";

interface Wrong {
  readonly title: string;
  readonly asked: KubeObject;
  readonly field: string;
  readonly value: string;
}

const wrong = (
  [
    [
      "neither resource nor path",
      review("SelfSubjectAccessReview", {}),
      "spec.resourceAttributes",
      neither,
    ],
    [
      "both resource and path",
      review("SelfSubjectAccessReview", {
        resourceAttributes: pods,
        nonResourceAttributes: { verb: "get", path: "/x" },
      }),
      "spec.nonResourceAttributes",
      '{"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      "no subject",
      review("SubjectAccessReview", { resourceAttributes: pods }),
      "spec.user",
      '"": at least one of user or group must be specified',
    ],
    [
      "a namespace other than that of the review",
      review(
        "LocalSubjectAccessReview",
        { user: "weak", resourceAttributes: { ...pods, namespace: "b" } },
        { namespace: "a" },
      ),
      "spec.resourceAttributes.namespace",
      '"b": must match metadata.namespace',
    ],
  ] as const
).map(([title, asked, field, value]): Wrong => ({ title, asked, field, value }));

test.each(wrong)("refuses a review with $title", ({ asked, field, value }) => {
  const message = `Invalid value: ${value}`;
  expect.assertions(1);
  try {
    answerReview(asked, weak, state);
  } catch (error) {
    const { status, reason, causes, message: told } = error as ApiError;
    expect({ status, reason, causes, told }).toEqual({
      status: 422,
      reason: "Invalid",
      causes: [{ reason: "FieldValueInvalid", message, field }],
      told: `.authorization.k8s.io "" is invalid: ${field}: ${message}`,
    });
  }
});
