/** Role and RoleBinding of every managed namespace (S34; domain facts 6). */
import { ec, text } from "../../domain/names/text";
import { type KubeObject, readName, readNamespace } from "../../domain/kube/objects";
import { chooseCause, findLivingOwner, type LeftMarks } from "../../domain/kube/owners";
import { leftovers } from "../../domain/names/names";
import { describeAggregated, rbacFindings } from "../../domain/rbac/findings";
import { listEntries, localFindings } from "../../domain/rbac/plan";
import {
  compareRules,
  grantLines,
  grantsOf,
  isAggregated,
  isAmong,
  readRoleRef,
  readRules,
  subjectLabel,
  findCoveringGroup,
  listSubjects,
  subjectsBeyond,
} from "../../domain/kube/role-rules";
import { byTool, tool } from "../../domain/base/remedy";
import { cutOff, findStale, isGone, listExisting, otherOperators } from "../../domain/rbac/managed";
import { type Check, makeChecks, type CheckResult, on } from "../../domain/checks/check";
import { settingNeeds, siteChecks, siteNeeds } from "../../domain/checks/managed-sites";
import { type ManagedSite, listSites, findTemplates } from "./site-checks";
import type { CheckContext } from "../../domain/checks/context";
import { factNamed, type Facts } from "../../domain/facts/facts";
import { few, omit } from "../../domain/base/values";
import { isFor, missesAccount, operatorAccount, rbacSymptoms } from "../../domain/rbac/symptoms";

const { error, ofSymptom, shared, warning } = makeChecks("rbac");
const needs = siteNeeds;
const again = byTool("run reapply-rbac", "reapply-rbac");

const perSite =
  (
    judge: (
      site: ManagedSite,
      situation: CheckContext,
    ) => CheckResult | readonly CheckResult[] | undefined,
  ) =>
  (situation: CheckContext): readonly CheckResult[] => {
    const found = listSites(situation).flatMap((site) => judge(site, situation) ?? []);
    // one ClusterRole may be that of many namespaces
    return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  };

/** The checks of roles and bindings. */
export const rbacChecks: readonly Check[] = [
  error("RBAC-TEMPLATE", "S34", {
    title: "The release's roles and bindings are fit",
    cause: "the release's files for managed namespaces lack the expected Role and RoleBinding",
    fix: "give the whole release, or the files with reapply-rbac --template",
    needs: [...settingNeeds, "ecs"],
    wants: "rbac",
    judge: (situation) => {
      const templates = findTemplates(situation);
      if (templates?.is !== "unfit") return [];
      return templates.problems.map((cause) => ({ cause }));
    },
  }),
  siteChecks.roleAbsent,
  siteChecks.bindingAbsent,
  error("RBAC-PLACEHOLDER", "Facts 6", {
    title: "No placeholder was left in a role or binding",
    cause: "a placeholder of the files was left in a role or binding, which gives access to nobody",
    ...again,
    needs,
    judge: perSite(({ role, binding }, { names }) =>
      [role, binding].flatMap((object) =>
        object === undefined
          ? []
          : leftovers(object, names).map((token) => on(object, `${token} is left in it`)),
      ),
    ),
  }),
  error("RBAC-SUBJECTS", "Facts 6", {
    title: "Every binding is for the operator and its clusters",
    cause: "a binding lacks the service account of the operator or of a cluster",
    ...again,
    needs: [...needs, "ecs"],
    wants: "rbac",
    judge: perSite(({ binding, wanted }, { names }) => {
      if (binding === undefined || wanted === undefined) return undefined;
      const found = listSubjects(binding);
      const missing = subjectsBeyond(listSubjects(wanted.binding), found);
      // of a placeholder in their place its own check tells
      if (missing.length === 0 || leftovers(binding, names).length > 0) return undefined;
      const groups = missing.map((subject) => findCoveringGroup(subject, found));
      const [group] = groups;
      if (group !== undefined && !groups.includes(undefined)) {
        const cause = `it is for ${missing.map(subjectLabel).join(", ")} by the group ${group.name}, which has other accounts as well`;
        const [entry] = listEntries(wanted.binding, { grants: [], subjects: [group] });
        const fix = `nothing, as long as every account of the group may have the access; else run reapply-rbac --drop-local ${String(entry)}, which names the accounts in its place`;
        return on(binding, cause, { field: "subjects", severity: "warning", fix });
      }
      return on(binding, `it is not for ${missing.map(subjectLabel).join(", ")}`, {
        field: "subjects",
      });
    }),
  }),
  warning("RBAC-ROLE-REF", "Facts 6", {
    title: "Every binding is for the Role beside it",
    cause: "a binding is for another role than the release's, and cannot be changed, only replaced",
    ...byTool(
      "run reapply-rbac: it replaces the binding without a moment without access",
      "reapply-rbac",
    ),
    needs: [...needs, "ecs"],
    wants: "rbac",
    judge: perSite(({ binding, wanted }, { facts }) => {
      if (binding === undefined || wanted === undefined) return undefined;
      const [found, meant] = [readRoleRef(binding), readRoleRef(wanted.binding)];
      if (found === meant) return undefined;
      const { gained } = compareRules(readRules(findBound(binding, facts)), readRules(wanted.role));
      const lacks = gained.length === 0 ? "" : `, and lacks ${few(grantLines(gained))}`;
      return on(binding, `it is for ${found}, not ${meant}${lacks}`, {
        field: "roleRef",
        severity: gained.length === 0 ? "warning" : "error",
      });
    }),
  }),
  shared(rbacFindings.aggregated, {
    title: "Every ClusterRole that is made of others gives all that the release's Role gives",
    needs: [...needs, "ecs"],
    wants: "rbac",
    judge: perSite(({ role, wanted }) => {
      if (wanted === undefined || !isAggregated(role)) return undefined;
      const { gained } = compareRules(readRules(role), readRules(wanted.role));
      return gained.length === 0 ? undefined : describeAggregated(role, gained);
    }),
  }),
  shared(rbacFindings.behind, {
    title: "Every Role gives all that the release's gives",
    needs: [...needs, "ecs"],
    wants: "rbac",
    judge: perSite(({ role, wanted }) => {
      if (role === undefined || wanted === undefined || isAggregated(role)) return undefined;
      const { gained } = compareRules(readRules(role), readRules(wanted.role));
      if (gained.length === 0) return undefined;
      return on(role, `it lacks ${grantLines(gained).join("; ")}`, { field: "rules" });
    }),
  }),
  shared(rbacFindings.beyond, {
    title: "No Role gives more than the release's",
    needs: [...needs, "ecs"],
    wants: "rbac",
    judge: perSite(({ role, wanted, local }) => {
      if (role === undefined || wanted === undefined || isAggregated(role)) return undefined;
      const { lost } = compareRules(readRules(role), readRules(wanted.role));
      const isLocal = isAmong(local.grants);
      const others = lost.filter((grant) => !isLocal(grant));
      if (others.length === 0) return undefined;
      return on(role, `it also gives ${grantLines(others).join("; ")}`, { field: "rules" });
    }),
  }),
  shared(rbacFindings.local, {
    title: "Roles and bindings hold nothing that a person added",
    needs: [...needs, "ecs"],
    wants: "rbac",
    judge: perSite(({ local, ...held }) => localFindings(held, local)),
  }),
  shared(rbacFindings.otherOperator, {
    title: "No other operator is bound in a managed namespace",
    needs,
    judge: perSite(({ binding }, { facts, names }) => {
      const known = { operatorNamespace: facts.namespace, names, existing: listExisting(facts) };
      const others = otherOperators(binding, known);
      // a placeholder stands for this operator
      const real = others.filter((name) => leftovers(name, names).length === 0);
      if (binding === undefined || real.length === 0) return undefined;
      return on(binding, `it is for the operator of ${real.join(", ")} too`);
    }),
  }),
  shared(rbacFindings.subjectsGone, {
    title: "Every binding is for accounts of namespaces that exist",
    needs,
    judge: perSite(({ binding }, { facts, names }) => {
      const existing = listExisting(facts);
      const gone = listSubjects(binding).filter((one) => isGone(one, { existing, names }));
      if (binding === undefined || gone.length === 0) return undefined;
      const cause = `it is for ${gone.map(subjectLabel).join(", ")}, whose namespace does not exist`;
      const says = "remove them once the operator is at its release";
      const remedies = [tool(says, "reapply-rbac", "--mode=contract")];
      return on(binding, cause, { field: "subjects", remedies });
    }),
  }),
  shared(
    { ...rbacFindings.owned, severity: "warning" },
    {
      title: "Nobody else writes the roles and bindings",
      needs,
      judge: perSite(({ role, binding }, { facts }) =>
        [role, binding].flatMap((object) => judgeOwner(object, facts.left)),
      ),
    },
  ),
];

/** The role that a binding is for. */
function findBound(binding: KubeObject, facts: Facts): KubeObject | undefined {
  const [kind, ...rest] = readRoleRef(binding).split("/");
  const name = rest.join("/");
  return kind === "Role"
    ? factNamed(facts, "roles", { name, namespace: readNamespace(binding) })
    : factNamed(facts, "clusterRoles", { name });
}

function judgeOwner(
  object: KubeObject | undefined,
  left: LeftMarks | undefined,
): readonly CheckResult[] {
  // what a controller has left is said by the run that writes it
  const owner = object && findLivingOwner(object, left);
  if (object === undefined || owner === undefined) return [];
  return [on(object, chooseCause(owner, `${owner.name} owns it`), { fix: owner.way })];
}

const source = "Facts 6";

/** The checks of the operator's own role, of cluster-wide ones and of leftovers. */
export const rbacReachChecks: readonly Check[] = [
  ofSymptom(rbacSymptoms.ownAbsent),
  ofSymptom(rbacSymptoms.ownBinding),
  error("RBAC-LABEL-ROLE-ABSENT", source, {
    title: "The operator may look for namespaces where it finds them by a label",
    cause: "the operator finds its namespaces by a label, and may not list namespaces",
    ...again,
    needs: [...settingNeeds, "clusterRoles", "clusterRoleBindings"],
    judge: judgeLabelRole,
  }),
  warning("RBAC-MANAGED-HAS-CLUSTER", source, {
    title: "No managed namespace is another operator's own",
    cause: text`a managed namespace holds an ${ec}: an operator of its own watches it too`,
    fix: "take the namespace off the list: two operators must not watch one namespace",
    needs: [...settingNeeds, "ecs"],
    judge: ({ facts, managed }) =>
      facts.objects.ecs
        .filter((ec) => managed.includes(readNamespace(ec)))
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

function judgeLabelRole(situation: CheckContext): readonly CheckResult[] {
  const { configured, deployment, facts, names } = situation;
  if (configured.is !== "label") return [];
  const binding = factNamed(facts, "clusterRoleBindings", { name: names.rbac.labelBinding });
  const role = facts.objects.clusterRoles.find(
    (one) => `ClusterRole/${readName(one)}` === readRoleRef(binding),
  );
  const verbs = grantsOf(readRules(role))
    .filter(({ group, resource }) => group === "" && resource === "namespaces")
    .map(({ verb }) => verb);
  const account = deployment && operatorAccount(deployment, facts);
  if (["list", "watch"].every((verb) => verbs.includes(verb))) {
    const isHeld = binding === undefined || account === undefined || isFor(binding, account);
    return isHeld ? [] : [omit(missesAccount(binding, account), "remedies")];
  }
  const object = `ClusterRoleBinding/${names.rbac.labelBinding}`;
  const cause =
    binding === undefined ? "it does not exist" : "its role does not list and watch namespaces";
  return [{ object, cause }];
}

function judgeStale({ configured, facts, managed, names }: CheckContext, shared_: boolean) {
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
          `namespace ${readNamespace(binding)} is not managed, and it is left there${also}`,
        );
      }),
    );
  return cutOff(found);
}
