/** What is in the managed namespaces, and without what an operator that starts there stops (S34; domain facts 6). */
import { byTool } from "../base/remedy";
import { type FactKey, factNamed, type Facts } from "../facts/facts";
import type { ClusterRole, Role, RoleBinding } from "../kube/models";
import { isDeleting, renderDeletion } from "../kube/deletion";
import { type KubeObject, readNamespace } from "../kube/objects";
import type { Names } from "../names/names";
import { rbacFindings } from "../rbac/findings";
import { isShared, readClusterRole } from "../rbac/site";
import { type Check, type CheckResult, makeChecks, on } from "./check";
import type { CheckContext } from "./context";

/** What is in a managed namespace. */
export interface HeldSite {
  readonly namespace: string;
  readonly role: Role | ClusterRole | undefined;
  readonly binding: RoleBinding | undefined;
  /** The role, where it is a ClusterRole that gives the access in the place of a Role. */
  readonly shared: ClusterRole | undefined;
}

/** What has to have been read for the managed namespaces to be known. */
export const settingNeeds = [
  "deployments",
  "configMaps",
  "namespaces",
] as const satisfies readonly FactKey[];

/** What has to have been read for what is in them to be known. */
export const siteNeeds = [...settingNeeds, "roles", "roleBindings", "clusterRoles"] as const;

/** The managed namespaces with what is in them. */
export function heldSites({ facts, managed, names }: CheckContext): readonly HeldSite[] {
  const roles = byNamespace(facts.objects.roles, names.rbac.consumerRole);
  const bindings = byNamespace(facts.objects.roleBindings, names.rbac.consumerBinding);
  return managed.map((namespace) => {
    const binding = bindings.get(namespace);
    const shared = sharedRoleIn(facts, binding);
    return { namespace, role: shared ?? roles.get(namespace), binding, shared };
  });
}

/** Those that exist and are not on their way out. */
export function livingSites(situation: CheckContext): readonly HeldSite[] {
  return heldSites(situation).filter(({ namespace }) => {
    const found = factNamed(situation.facts, "namespaces", { name: namespace });
    return found !== undefined && !isDeleting(found);
  });
}

/** The ClusterRole that gives the access in the place of a Role, where one does. */
function sharedRoleIn(facts: Facts, binding: RoleBinding | undefined): ClusterRole | undefined {
  const name = readClusterRole(binding);
  const role = name === undefined ? undefined : factNamed(facts, "clusterRoles", { name });
  return isShared(role, facts.names) ? role : undefined;
}

function byNamespace<T extends KubeObject>(
  objects: readonly T[],
  name: string,
): ReadonlyMap<string, T> {
  return new Map(
    objects
      .filter(({ metadata }) => metadata.name === name)
      .map((object) => [readNamespace(object), object]),
  );
}

const { error, shared } = makeChecks("rbac");

function absentIn(
  what: "role" | "binding",
  label: (site: HeldSite, names: Names) => string,
): Check["judge"] {
  return (situation) =>
    livingSites(situation).flatMap((site): readonly CheckResult[] => {
      if (site[what] !== undefined) return [];
      const cause = `namespace ${site.namespace} is managed and does not have it`;
      return [{ object: label(site, situation.names), cause }];
    });
}

/** An operator that starts stops at the first of them, and its upgrade would end midway. */
export const siteChecks = {
  namespaceAbsent: shared(rbacFindings.namespaceAbsent, {
    title: "Every managed namespace exists",
    needs: settingNeeds,
    judge: ({ facts, managed }) =>
      managed
        .filter((name) => factNamed(facts, "namespaces", { name }) === undefined)
        .map((name) => ({
          object: `Namespace/${name}`,
          cause: "it is managed and does not exist",
        })),
  }),
  roleAbsent: error("RBAC-ROLE-ABSENT", "Facts 6", {
    title: "Every managed namespace has the Role",
    cause: "a managed namespace lacks the Role: the operator fails and stops",
    ...byTool("run reapply-rbac", "reapply-rbac"),
    needs: siteNeeds,
    judge: absentIn("role", ({ namespace }, { rbac }) => `Role/${namespace}/${rbac.consumerRole}`),
  }),
  bindingAbsent: error("RBAC-BINDING-ABSENT", "Facts 6", {
    title: "Every managed namespace has the RoleBinding",
    cause: "a managed namespace lacks the RoleBinding: the operator fails and stops",
    ...byTool("run reapply-rbac", "reapply-rbac"),
    needs: siteNeeds,
    judge: absentIn(
      "binding",
      ({ namespace }, { rbac }) => `RoleBinding/${namespace}/${rbac.consumerBinding}`,
    ),
  }),
} satisfies Readonly<Record<string, Check>>;

/** It can neither be given back what it has lost, nor be left out by an operator that starts. */
export const lostSiteCheck: Check = makeChecks("operator").shared(rbacFindings.namespaceLost, {
  title: "No managed namespace that is being deleted has lost its Role or RoleBinding",
  needs: siteNeeds,
  judge: (situation) =>
    heldSites(situation).flatMap(({ namespace, role, binding }): readonly CheckResult[] => {
      const found = factNamed(situation.facts, "namespaces", { name: namespace });
      if (found === undefined || !isDeleting(found) || (role && binding)) return [];
      const lost = role === undefined ? "Role" : "RoleBinding";
      const cause = `it is managed and has lost its ${lost}, without which an operator that starts stops; ${renderDeletion(found)}`;
      return [on(found, cause)];
    }),
});

/** Their codes. */
export const siteCodes: readonly string[] = Object.values(siteChecks).map(({ code }) => code);
