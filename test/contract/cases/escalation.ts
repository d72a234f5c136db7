import { grant } from "../acts";
import { forbidden, invalid, notFound } from "../expected";
import { binding, clusterBinding, clusterRole, kinds, refTo, role } from "../objects";
import { refusalOf } from "../plain";
import type { ContractGroup, World } from "../world";

const rbac = "rbac.authorization.k8s.io";
const all = ["create", "update", "patch", "get", "delete"];
const manage = { apiGroups: [rbac], resources: ["roles", "rolebindings"], verbs: all };
const readConfigMaps = { apiGroups: [""], resources: ["configmaps"], verbs: ["get"] };
const readSecrets = { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list"] };

/** Jane may write Roles and RoleBindings, and whatever is given besides. */
const managing = (world: World, ...more: (typeof manage)[]) =>
  grant(world, "jane", [manage, ...more]);

/** The refusal of a Role or binding that would give what Jane lacks. */
const lacking = (
  plural: string,
  name: string,
  rules = '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
) =>
  forbidden(
    `${plural}.${rbac} "${name}" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${rules}`,
  );

/** Rights that a writer of roles and bindings does not have cannot be given away. */
export const escalation: ContractGroup = {
  about: "roles and bindings",
  cases: [
    {
      says: "a Role with rights that its writer lacks is refused, naming them",
      act: async (world) => {
        const jane = await managing(world);
        return refusalOf(jane.create(role(world.namespace, [readSecrets], "more")));
      },
      sees: lacking("roles", "more"),
    },
    {
      says: "the refusal names only what is lacking",
      act: async (world) => {
        const jane = await managing(world, readConfigMaps);
        const rules = [readConfigMaps, readSecrets];
        return refusalOf(jane.create(role(world.namespace, rules, "more")));
      },
      sees: lacking("roles", "more"),
    },
    {
      says: "names and several groups are named in the refusal",
      act: async (world) => {
        const jane = await managing(world);
        const named = { ...readSecrets, resourceNames: ["admission-tls"] };
        const other = { apiGroups: ["apps", "batch"], resources: ["*"], verbs: ["*"] };
        return refusalOf(jane.create(role(world.namespace, [named, other], "more")));
      },
      sees: lacking(
        "roles",
        "more",
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["admission-tls"], Verbs:["get" "list"]}\n{APIGroups:["apps"], Resources:["*"], Verbs:["*"]}\n{APIGroups:["batch"], Resources:["*"], Verbs:["*"]}',
      ),
    },
    {
      says: "a Role with the writer's own rights is accepted",
      act: async (world) => {
        const jane = await managing(world, readConfigMaps);
        return refusalOf(jane.create(role(world.namespace, [readConfigMaps], "same")));
      },
      sees: "accepted",
    },
    {
      says: "a Role over one name is covered by the right to all names",
      act: async (world) => {
        const jane = await managing(world, readConfigMaps);
        const named = { ...readConfigMaps, resourceNames: ["settings"] };
        return refusalOf(jane.create(role(world.namespace, [named], "less")));
      },
      sees: "accepted",
    },
    {
      says: "an apply that adds such rights is refused",
      act: async (world) => {
        const jane = await managing(world);
        await world.seed(role(world.namespace, [], "more"));
        const wanted = role(world.namespace, [readSecrets], "more");
        return refusalOf(jane.apply(wanted, { fieldManager: "us", force: true }));
      },
      sees: lacking("roles", "more"),
    },
    {
      says: "a dry run of such a write is refused too",
      act: async (world) => {
        const jane = await managing(world);
        const wanted = role(world.namespace, [readSecrets], "more");
        return refusalOf(jane.create(wanted, { dryRun: true }));
      },
      sees: lacking("roles", "more"),
    },
    {
      says: "an update that leaves such rules as they are is refused all the same",
      act: async (world) => {
        const jane = await managing(world);
        await world.seed(role(world.namespace, [readSecrets], "more"));
        const ref = refTo(kinds.roles, role(world.namespace, [], "more"));
        const body = { metadata: { labels: { a: "b" } } };
        return refusalOf(jane.patch(ref, body, { type: "merge" }));
      },
      sees: lacking("roles", "more"),
    },
    {
      says: "the verb escalate allows it",
      act: async (world) => {
        const jane = await managing(world, {
          apiGroups: [rbac],
          resources: ["roles"],
          verbs: ["escalate"],
        });
        return refusalOf(jane.create(role(world.namespace, [readSecrets], "more")));
      },
      sees: "accepted",
    },
    {
      says: "a binding to a Role with rights that its writer lacks is refused",
      act: async (world) => {
        const jane = await managing(world);
        await world.seed(role(world.namespace, [readSecrets], "more"));
        const wanted = binding(world.namespace, "joe", { kind: "Role", name: "more" });
        return refusalOf(jane.create(wanted));
      },
      sees: lacking("rolebindings", "joe-more"),
    },
    {
      says: "a binding to a Role that is not there is refused",
      act: async (world) => {
        const jane = await managing(world);
        const wanted = binding(world.namespace, "joe", { kind: "Role", name: "none" });
        return refusalOf(jane.create(wanted));
      },
      sees: notFound('rolebindings.rbac.authorization.k8s.io "none" not found'),
    },
    {
      says: "a binding to a ClusterRole with rights that its writer lacks is refused",
      act: async (world) => {
        const jane = await managing(world);
        const name = `${world.namespace}-more`;
        await world.cluster.create(clusterRole(name, [readSecrets]));
        const wanted = binding(world.namespace, "joe", { kind: "ClusterRole", name });
        return refusalOf(jane.create(wanted));
      },
      sees: lacking("rolebindings", "joe-NS-more"),
    },
    {
      says: "the verb bind allows it",
      act: async (world) => {
        const jane = await managing(world, {
          apiGroups: [rbac],
          resources: ["roles"],
          verbs: ["bind"],
        });
        await world.seed(role(world.namespace, [readSecrets], "more"));
        const wanted = binding(world.namespace, "joe", { kind: "Role", name: "more" });
        return refusalOf(jane.create(wanted));
      },
      sees: "accepted",
    },
    {
      says: "an administrator binds a Role that is not there",
      act: ({ cluster, namespace }) => refusalOf(cluster.create(binding(namespace, "joe"))),
      sees: "accepted",
    },
    {
      says: "the role of a binding does not change",
      act: async ({ cluster, namespace, seed }) => {
        await seed(binding(namespace, "joe"));
        const wanted = {
          ...binding(namespace, "joe"),
          roleRef: { apiGroup: rbac, kind: "Role", name: "other" },
        };
        return refusalOf(cluster.apply(wanted, { fieldManager: "us", force: true }));
      },
      sees: invalid(
        'RoleBinding.rbac.authorization.k8s.io "joe-reader"',
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
      ),
    },
    {
      says: "the role of a cluster-wide binding does not change",
      act: async ({ cluster, namespace, seed }) => {
        const name = `${namespace}-b`;
        await seed(clusterBinding(name, "joe", "view"));
        return refusalOf(cluster.update(clusterBinding(name, "joe", "edit")));
      },
      sees: invalid(
        'ClusterRoleBinding.rbac.authorization.k8s.io "NS-b"',
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
      ),
    },
    {
      says: "a binding without a role is refused",
      act: ({ cluster, namespace }) => {
        const { roleRef, ...rest } = binding(namespace, "joe");
        return refusalOf(cluster.create({ ...rest, was: roleRef }));
      },
      sees: invalid(
        'RoleBinding.rbac.authorization.k8s.io "joe-reader"',
        'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
        "roleRef.name: Required value",
      ),
    },
    {
      says: "a service account without a namespace is stored as it is",
      act: ({ cluster, namespace }) => {
        const subjects = [{ kind: "ServiceAccount", name: "operator" }];
        return refusalOf(cluster.create({ ...binding(namespace, "joe"), subjects }));
      },
      sees: "accepted",
    },
    {
      says: "the group of a subject and of a role is filled in",
      act: async ({ cluster, namespace }) => {
        const made = await cluster.create({
          ...binding(namespace, "joe"),
          subjects: [
            { kind: "User", name: "joe" },
            { kind: "ServiceAccount", name: "operator", namespace },
          ],
          roleRef: { apiGroup: "", kind: "Role", name: "reader" },
        });
        return [made["subjects"], made["roleRef"]];
      },
      sees: [
        [
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "joe" },
          { kind: "ServiceAccount", name: "operator", namespace: "NS" },
        ],
        { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      ],
    },
    {
      says: "a rule without verbs is refused",
      act: ({ cluster, namespace }) => {
        const rules = [{ apiGroups: [""], resources: ["pods"], verbs: [] }];
        return refusalOf(cluster.create(role(namespace, rules)));
      },
      sees: invalid(
        'Role.rbac.authorization.k8s.io "reader"',
        "rules[0].verbs: Required value: verbs must contain at least one value",
      ),
    },
    {
      says: "a rule without resources is refused",
      act: ({ cluster, namespace }) => {
        const rules = [{ apiGroups: [""], resources: [], verbs: ["get"] }];
        return refusalOf(cluster.create(role(namespace, rules)));
      },
      sees: invalid(
        'Role.rbac.authorization.k8s.io "reader"',
        "rules[0].resources: Required value: resource rules must supply at least one resource",
      ),
    },
  ],
};
