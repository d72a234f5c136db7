import {
  permissionLine,
  buildRoles,
  type Permission,
} from "../../../../plugin/domain/kube/permissions";

const permission = (changes: Partial<Permission> = {}): Permission => ({
  verb: "get",
  group: "apps",
  resource: "deployments",
  why: "to look",
  ...changes,
});

const jane = { name: "kubectl-engine-check", subject: "jane" };

describe("one line says", () => {
  test.each<[string, Permission, string]>([
    ["verb, resource and group", permission(), "get deployments.apps"],
    ["nothing of the core group", permission({ group: "", resource: "secrets" }), "get secrets"],
    ["the name", permission({ name: "x" }), `get deployments.apps "x"`],
    [
      "the namespace",
      permission({ namespace: "engine" }),
      "get deployments.apps in namespace engine",
    ],
    [
      "name and namespace",
      permission({ name: "x", namespace: "engine" }),
      `get deployments.apps "x" in namespace engine`,
    ],
  ])("%s", (_title, one, expected) => {
    expect(permissionLine(one)).toBe(expected);
  });
});

describe("the roles to ask for", () => {
  test("are none for no permission", () => {
    expect(buildRoles([], jane)).toEqual([]);
  });

  test("are a ClusterRole and a Role per namespace, each bound to the user", () => {
    const roles = buildRoles(
      [permission(), permission({ namespace: "a" }), permission({ namespace: "b" })],
      jane,
    );
    expect(roles.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ["ClusterRole", { name: "kubectl-engine-check" }],
      ["ClusterRoleBinding", { name: "kubectl-engine-check" }],
      ["Role", { name: "kubectl-engine-check", namespace: "a" }],
      ["RoleBinding", { name: "kubectl-engine-check", namespace: "a" }],
      ["Role", { name: "kubectl-engine-check", namespace: "b" }],
      ["RoleBinding", { name: "kubectl-engine-check", namespace: "b" }],
    ]);
    expect(roles[1]).toMatchObject({
      roleRef: {
        apiGroup: "rbac.authorization.k8s.io",
        kind: "ClusterRole",
        name: "kubectl-engine-check",
      },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    });
  });

  test("hold one rule per resource and name, with each verb once", () => {
    const [role] = buildRoles(
      [
        permission({ verb: "patch", name: "x" }),
        permission({ verb: "delete", name: "x" }),
        permission({ verb: "patch", name: "x", why: "again" }),
        permission({ verb: "create" }),
        permission({ group: "", resource: "secrets" }),
      ],
      jane,
    );
    expect(role?.["rules"]).toEqual([
      {
        apiGroups: ["apps"],
        resources: ["deployments"],
        resourceNames: ["x"],
        verbs: ["delete", "patch"],
      },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["create"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
    ]);
  });
});
