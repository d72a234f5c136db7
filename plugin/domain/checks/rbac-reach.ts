/** How far the operator's rights reach: too short, or further than what it manages (domain facts 6). */
import { factNamed } from "../facts";
import { rbacFindings } from "../rbac/codes";
import { grantsOf, roleRefOf, rulesOf } from "../rbac/rules";
import { cutOff, findStale } from "../rbac/managed";
import { type Check, checksOf, type Found, on } from "./check";
import { nameOf, namespaceOf, type Situation } from "./situation";
import { settingNeeds } from "./rbac-sites";

const { error, shared, warning } = checksOf("rbac");
const source = "domain facts 6";

/** The checks of the operator's own role, of cluster-wide ones and of left-overs. */
export const rbacReachChecks: readonly Check[] = [
  error("RBAC-OWN-ROLE-ABSENT", "S16", {
    title: "The operator has its own Role and RoleBinding",
    cause: "the operator's own Role or RoleBinding is absent: it can do nothing in its namespace",
    fix: "apply the bundle's Role and RoleBinding again",
    needs: ["deployments", "roles", "roleBindings"],
    judge: ({ deployment, facts, names }) => {
      if (deployment === undefined) return [];
      const { namespace } = facts;
      const wanted = [
        ["roles", "Role", names.operator.role],
        ["roleBindings", "RoleBinding", names.operator.roleBinding],
      ] as const;
      return wanted
        .filter(([key, , name]) => factNamed(facts, key, { name, namespace }) === undefined)
        .map(([, kind, name]) => ({
          object: `${kind}/${namespace}/${name}`,
          cause: "it does not exist",
        }));
    },
  }),
  error("RBAC-LABEL-ROLE-ABSENT", source, {
    title: "The operator may look for namespaces where it finds them by a label",
    cause: "the operator finds its namespaces by a label, and may not list namespaces",
    fix: "run reapply-rbac",
    needs: [...settingNeeds, "clusterRoles", "clusterRoleBindings"],
    judge: judgeLabelRole,
  }),
  warning("RBAC-MANAGED-HAS-CLUSTER", source, {
    title: "No managed namespace is another operator's own",
    cause: "a managed namespace holds an EC: an operator of its own watches it too",
    fix: "take the namespace off the list: two operators must not watch one namespace",
    needs: [...settingNeeds, "ecs"],
    judge: ({ facts, managed }) =>
      facts.objects.ecs
        .filter((ec) => managed.includes(namespaceOf(ec)))
        .map((ec) => on(ec, "it is in a namespace that this operator manages")),
  }),
  ...(["stale", "staleShared"] as const).map((what) =>
    shared(rbacFindings[what], {
      title:
        what === "stale"
          ? "No role is left in a namespace that is not managed"
          : "No binding for others too is left in a namespace that is not managed",
      needs: [...settingNeeds, "roles", "roleBindings"],
      judge: (situation) => judgeStale(situation, what === "staleShared"),
    }),
  ),
];

function judgeLabelRole({ configured, facts, names }: Situation): readonly Found[] {
  if (configured.is !== "label") return [];
  const binding = factNamed(facts, "clusterRoleBindings", { name: names.rbac.labelBinding });
  const role = facts.objects.clusterRoles.find(
    (one) => `ClusterRole/${nameOf(one)}` === roleRefOf(binding),
  );
  const verbs = grantsOf(rulesOf(role))
    .filter(({ group, resource }) => group === "" && resource === "namespaces")
    .map(({ verb }) => verb);
  if (["list", "watch"].every((verb) => verbs.includes(verb))) return [];
  const object = `ClusterRoleBinding/${names.rbac.labelBinding}`;
  const cause =
    binding === undefined ? "it does not exist" : "its role does not list and watch namespaces";
  return [{ object, cause }];
}

function judgeStale({ configured, facts, managed, names }: Situation, shared_: boolean) {
  // what is managed is not known: nothing is a left-over
  if (configured.is === "unknown") return [];
  const { namespace, objects } = facts;
  const named = (name: string) => (object: { readonly metadata: { readonly name?: string } }) =>
    object.metadata.name === name;
  const found = findStale({
    roles: objects.roles.filter(named(names.rbac.consumerRole)),
    bindings: objects.roleBindings.filter(named(names.rbac.consumerBinding)),
    kept: new Set(managed),
    operatorNamespace: namespace,
    names,
  })
    .filter(({ others }) => others.length > 0 === shared_)
    .flatMap(({ bindings, others }) =>
      bindings.map((binding) => {
        const also = others.length > 0 ? `, and is for ${others.join(", ")} too` : "";
        return on(
          binding,
          `namespace ${namespaceOf(binding)} is not managed, and it is left there${also}`,
        );
      }),
    );
  return cutOff(found);
}
