import { rbac } from "../../../../plugin/simulator/authorization/grants";
import type { Attributes, User } from "../../../../plugin/simulator/model";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { account, binding, clusterRole, inGroup, person, role, rule, stateOf, user } from "./state";

const pods: Attributes = { verb: "get", group: "", resource: "pods", namespace: "a" };
const reader = role("reader", "a", [rule(["get list", "pods"])]);
const ann = person("ann", "team");

interface Row {
  readonly title: string;
  readonly allowed: boolean;
  readonly objects: readonly KubeObject[];
  readonly asked: Attributes;
  readonly by?: User;
}

const toAnn = { to: [user("ann")], namespace: "a" };

const rows: readonly Row[] = [
  {
    title: "a role of another namespace cannot be bound",
    allowed: false,
    objects: [
      role("reader", "b", [rule(["get", "pods"])]),
      binding({ role: "Role/reader", ...toAnn }),
    ],
    asked: pods,
  },
  {
    title: "a service account without a namespace is one of the binding's namespace",
    allowed: true,
    objects: [reader, binding({ role: "Role/reader", to: [account("op")], namespace: "a" })],
    asked: pods,
    by: { name: "system:serviceaccount:a:op", groups: [] },
  },
  {
    title: "a service account has only the groups that were given",
    allowed: false,
    objects: [
      reader,
      binding({ role: "Role/reader", to: [inGroup("system:serviceaccounts:a")], namespace: "a" }),
    ],
    asked: pods,
    by: { name: "system:serviceaccount:a:op", groups: [] },
  },
  {
    title: "stars stand for every verb, group and resource, subresources included",
    allowed: true,
    objects: [
      clusterRole("star", [rule(["*", "*"], { group: "*" })]),
      binding({ role: "ClusterRole/star", to: [user("ann")] }),
    ],
    asked: { verb: "patch", group: "apps", resource: "deployments", subresource: "scale" },
  },
  {
    title: "a subresource may be given of all resources",
    allowed: true,
    objects: [role("any", "a", [rule(["get", "*/log"])]), binding({ role: "Role/any", ...toAnn })],
    asked: { ...pods, subresource: "log" },
  },
  {
    title: "everybody who is logged in may ask for their own access",
    allowed: true,
    objects: [],
    asked: { verb: "create", group: "authorization.k8s.io", resource: "selfsubjectaccessreviews" },
  },
  {
    title: "nobody else may ask for their own access",
    allowed: false,
    objects: [],
    asked: { verb: "create", group: "authorization.k8s.io", resource: "selfsubjectaccessreviews" },
    by: { name: "ann", groups: [] },
  },
  {
    title: "the built-in role `admin` gathers `edit` and `view`",
    allowed: true,
    objects: [binding({ role: "ClusterRole/admin", ...toAnn })],
    asked: pods,
  },
  {
    title: "the built-in role `view` shows no secrets",
    allowed: false,
    objects: [binding({ role: "ClusterRole/view", ...toAnn })],
    asked: { ...pods, resource: "secrets" },
  },
  {
    title: "a role is gathered into a built-in one by its label",
    allowed: true,
    objects: [
      binding({ role: "ClusterRole/view", ...toAnn }),
      clusterRole("widgets", [rule(["get", "widgets"], { group: "x.y" })], {
        "rbac.authorization.k8s.io/aggregate-to-view": "true",
      }),
    ],
    asked: { verb: "get", group: "x.y", resource: "widgets", namespace: "a" },
  },
  {
    title: "what a controller has gathered counts as it is",
    allowed: false,
    objects: [
      binding({ role: "ClusterRole/view", ...toAnn }),
      {
        ...clusterRole("view", [rule(["get", "services"])]),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { gather: "yes" } }] },
      },
      clusterRole("more", [rule(["get", "pods"])], { gather: "yes" }),
    ],
    asked: pods,
  },
  {
    title: "a stored role takes the place of the built-in one of its name",
    allowed: false,
    objects: [clusterRole("view", []), binding({ role: "ClusterRole/view", ...toAnn })],
    asked: pods,
  },
];

test.each(rows)("$title", ({ allowed, objects, asked, by = ann }) => {
  expect(rbac.allows(by, asked, stateOf(objects))).toBe(allowed);
});

test("bindings of other namespaces are not looked at", () => {
  const state = stateOf([reader, binding({ role: "Role/reader", ...toAnn })]);
  const list = jest.spyOn(state, "list");
  expect(rbac.allows(ann, pods, state)).toBe(true);
  const asked = list.mock.calls.filter(([kind]) => kind.plural === "rolebindings");
  expect(asked.map(([, namespace]) => namespace)).toEqual(["a"]);
});
