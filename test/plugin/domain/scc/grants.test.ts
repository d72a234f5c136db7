import { type AccessObjects, grantsOf, refOf } from "../../../../plugin/domain/scc/grants";
import { aBinding, aConstraint, aRole, useOf } from "../../run/scc/objects";

const empty: AccessObjects = {
  clusterRoles: [],
  clusterRoleBindings: [],
  roles: [],
  roleBindings: [],
};
const toRole = { kind: "ClusterRole", name: "some" } as const;
const binding = aBinding("any", toRole, { subjects: [] });
const use = useOf("mine") as Readonly<Record<string, unknown>>;

test.each([
  ["about this constraint alone", [use], "only"],
  ["with more verbs on it", [{ ...use, verbs: ["use", "get"] }], "only"],
  ["with every verb on it", [{ ...use, verbs: ["*"] }], "only"],
  ["in two rules about it", [use, { ...use, verbs: ["get"] }], "only"],
  ["naming another one too", [useOf("mine", "yours")], "names"],
  ["beside other rights", [use, { apiGroups: [""], resources: ["pods"], verbs: ["get"] }], "names"],
  ["beside paths", [use, { nonResourceURLs: ["/metrics"], verbs: ["get"] }], "names"],
  ["on all resources of that name", [{ ...use, resources: ["*"] }], "names"],
  ["on every constraint", [{ ...use, resourceNames: [] }], "wide"],
  ["on every constraint, without the field", [{ ...use, resourceNames: undefined }], "wide"],
  ["on everything", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], "wide"],
  ["on another constraint", [useOf("yours")], undefined],
  ["with other verbs", [{ ...use, verbs: ["get"] }], undefined],
  ["in another group", [{ ...use, apiGroups: ["policy"] }], undefined],
  ["of another resource", [{ ...use, resources: ["rangeallocations"] }], undefined],
  ["of a subresource", [{ ...use, resources: ["*/status"] }], undefined],
  ["without rules", [], undefined],
  ["with rules that cannot be read", [null, 7, { verbs: "use" }], undefined],
])("a role %s", (_case, rules, breadth) => {
  const access = {
    ...empty,
    clusterRoles: [aRole("some", rules as readonly object[])],
    clusterRoleBindings: [binding],
  };
  expect(grantsOf(access, "mine").map((grant) => grant.breadth)).toEqual(
    breadth === undefined ? [] : [breadth],
  );
});

test("a Role counts in its own namespace alone", () => {
  const own = { kind: "Role", name: "some" } as const;
  const access = {
    ...empty,
    roles: [aRole("some", [use], "engine")],
    roleBindings: ["engine", "other"].map((namespace) =>
      aBinding("any", own, { subjects: [], namespace }),
    ),
  };
  expect(grantsOf(access, "mine")).toMatchObject([
    { role: "Role/engine/some", binding: { metadata: { namespace: "engine" } } },
  ]);
});

test("a binding to nothing that can be read grants nothing", () => {
  const roleRefs = [{ kind: "Role", name: "some" }, {}, undefined];
  const access = {
    ...empty,
    clusterRoles: [aRole("some", [use])],
    clusterRoleBindings: roleRefs.map((roleRef) => ({ ...binding, roleRef })),
  };
  expect(grantsOf(access, "mine")).toEqual([]);
});

test("constraints and bindings are addressed by their kind", () => {
  expect(refOf(aConstraint("mine"))).toMatchObject({
    name: "mine",
    resource: { plural: "securitycontextconstraints" },
  });
  const object = aBinding("any", toRole, { subjects: [], namespace: "engine" });
  expect(refOf(object)).toMatchObject({
    name: "any",
    namespace: "engine",
    resource: { plural: "rolebindings" },
  });
});

test("what has neither name nor kind of these is addressed as a constraint of no name", () => {
  expect(refOf({ apiVersion: "v1", kind: "Other", metadata: {} })).toMatchObject({
    name: "",
    resource: { plural: "securitycontextconstraints" },
  });
});
