/** The finding codes of RBAC, each with its cause, its way out and its source. */
import { byTool } from "../base/remedy";
import { error, type Finding, warning } from "../base/findings";
import { type KubeObject, objectLabel } from "../kube/objects";
import { type Grant, grantLines, listAggregationLabels } from "../kube/role-rules";
import { bindFindings, type Code } from "../names/codes";
import { ec, text } from "../names/text";

const again = byTool("run reapply-rbac", "reapply-rbac");

/** The codes by what they are about. */
export const rbacFindings = {
  aggregated: error("RBAC-AGGREGATED", "S34", {
    cause:
      "a ClusterRole that a controller makes of others gives the access, and lacks rules of the release's: what is written to it is undone",
    fix: "give the rules to a ClusterRole of your own that has the label by which the other finds its parts",
  }),
  beyond: warning("RBAC-ROLE-BEYOND", "S18", {
    cause: "a Role has rules of another release, which this one does not have",
    ...byTool(
      "run reapply-rbac --mode=contract after the operator's upgrade",
      ...["reapply-rbac", "--mode=contract"],
    ),
  }),
  bindingAbsent: error("RBAC-BINDING-ABSENT", "Facts 6", {
    cause: "a managed namespace lacks the RoleBinding: the operator fails and stops",
    ...again,
  }),
  behind: warning("RBAC-ROLE-BEHIND", "S34", {
    cause: "a Role lacks rules of the release's: the new operator could not do its work there",
    ...byTool("run reapply-rbac before the operator is upgraded: it only adds", "reapply-rbac"),
  }),
  early: error("RBAC-CONTRACT-EARLY", "Facts 6", {
    cause:
      "the operator that runs is older than the roles: it still uses permissions that they do not have",
    ...byTool(
      "run it after the operator's upgrade; until then, run reapply-rbac without --mode, which only adds",
      "reapply-rbac",
    ),
  }),
  escalation: error("RBAC-ESCALATION", "S34", {
    cause:
      "the role grants permissions that you do not have, and nobody may grant more than they have",
    fix: "ask an administrator with these permissions, or with escalate and bind on the role, to run this or to grant you the printed role",
  }),
  forbidden: error("RBAC-FORBIDDEN", "S34", {
    cause: "you may not write roles or bindings in this namespace",
    fix: "ask an administrator to apply the printed roles, then run again",
  }),
  labelNone: warning("RBAC-LABEL-NONE", "Facts 6", {
    cause: "the operator finds its namespaces by a label that no namespace has",
    fix: "label the namespaces, or correct the label",
  }),
  labelRoleAbsent: error("RBAC-LABEL-ROLE-ABSENT", "Facts 6", {
    cause: "the operator finds its namespaces by a label, and may not list namespaces",
    ...again,
  }),
  labelValue: warning("RBAC-LABEL-VALUE", "Facts 6", {
    cause:
      "the operator looks for a label without a value, and this namespace gives it one: releases differ on whether it counts",
    fix: "give the label an empty value, or name the namespaces as a list",
  }),
  listAndLabel: warning("RBAC-LIST-AND-LABEL", "Facts 6", {
    cause:
      "the operator is told its namespaces both as a list and by a label: only the list counts",
    fix: "remove the one that is not meant",
  }),
  local: warning("RBAC-LOCAL", "S18", {
    cause: "a role or binding has what no known release had: a person added it, and it is kept",
    fix: "nothing, as long as it is intended; else run reapply-rbac with --drop-local",
  }),
  managedHasCluster: warning("RBAC-MANAGED-HAS-CLUSTER", "Facts 6", {
    cause: text`a managed namespace holds an ${ec}: an operator of its own watches it too`,
    fix: "take the namespace off the list: two operators must not watch one namespace",
  }),
  namespaceAbsent: error("RBAC-NAMESPACE-ABSENT", "Facts 6", {
    cause: "the namespace does not exist; an operator that is told to manage it stops",
    fix: "create the namespace, or take it off the operator's list",
  }),
  namespaceLost: error("RBAC-NAMESPACE-LOST", "Facts 6", {
    cause:
      "a managed namespace that is being deleted has lost its Role or RoleBinding: an operator that starts stops there",
    fix: "take it off the operator's list, or recreate it when it is gone",
  }),
  namespaceTerminating: error("RBAC-NAMESPACE-TERMINATING", "Facts 6", {
    cause: "the namespace is being deleted, nothing can be created in it",
    fix: "take it off the operator's list, or recreate it when it is gone",
  }),
  noCluster: error("RBAC-NO-CLUSTER", "S34", {
    cause:
      "the binding is also for the cluster's service account, and the operator's namespace holds no cluster resource that names one",
    fix: "create the cluster resource first, or name the account with --ec-service-account",
  }),
  noConfiguration: error("RBAC-NO-CONFIGURATION", "S34", {
    cause: "neither the operator's Deployment nor its ConfigMap is in this namespace",
    fix: "give the operator's namespace with -n, or the namespaces with --namespaces",
  }),
  notListed: warning("RBAC-NOT-CONFIGURED", "Facts 6", {
    cause: "the namespaces given differ from those that the operator is told to manage",
    fix: "give the operator's own list, or change what it is told: RBAC first, then the list",
  }),
  notProven: error("RBAC-NOT-PROVEN", "S34", {
    cause:
      "role and binding are written, but an access review still denies a rule of theirs to the account",
    fix: "run again; if it stays so, check whether the API server uses another authorizer than RBAC",
  }),
  otherOperator: error("RBAC-OTHER-OPERATOR", "Facts 6", {
    cause:
      "the binding is for the operator of another namespace, which would lose its access; two operators must not watch one namespace",
    fix: "take the namespace off that operator's list first, or accept it with --skip RBAC-OTHER-OPERATOR=OBJECT",
  }),
  owned: error("RBAC-OWNED", "S18", {
    cause: "Helm, OLM or a GitOps controller owns the object and would undo or fight the change",
    fix: "make the change through that owner",
  }),
  ownAbsent: error("RBAC-OWN-ROLE-ABSENT", "S16", {
    cause: "the operator's own Role or RoleBinding is absent: it can do nothing in its namespace",
    fix: "apply the bundle's Role and RoleBinding again",
  }),
  ownBinding: error("RBAC-OWN-BINDING", "S16", {
    cause:
      "the operator's own RoleBinding is for another account or for another Role, so that the operator lacks its permissions",
    fix: "have upgrade-operator write the binding again, with --release and the release that runs",
  }),
  placeholder: error("RBAC-PLACEHOLDER", "Facts 6", {
    cause: "a placeholder of the files was left in a role or binding, which gives access to nobody",
    ...again,
  }),
  refused: error("RBAC-REFUSED", "S34", {
    cause: "the API server refused the write",
    fix: "fix what it names, then run again: only what is missing is written",
  }),
  releaseUnknown: error("RBAC-RELEASE-UNKNOWN", "Facts 6", {
    cause:
      "the operator's release is not known, or older than those whose roles come with this tool",
    fix: "give the release's own files with --release",
  }),
  roleAbsent: error("RBAC-ROLE-ABSENT", "Facts 6", {
    cause: "a managed namespace lacks the Role: the operator fails and stops",
    ...again,
  }),
  roleRef: warning("RBAC-ROLE-REF", "Facts 6", {
    cause: "a binding is for another role than the release's, and cannot be changed, only replaced",
    ...byTool(
      "run reapply-rbac: it replaces the binding without a moment without access",
      "reapply-rbac",
    ),
  }),
  settingHidden: warning("RBAC-SETTING-HIDDEN", "Facts 6", {
    cause: "an entry of the Deployment says something else than the ConfigMap, and wins",
    fix: "remove one of the two",
  }),
  settingUnused: warning("RBAC-SETTING-UNUSED", "Facts 6", {
    cause: "the ConfigMap holds settings, and the Deployment does not take its environment from it",
    fix: "add the ConfigMap to envFrom of both containers again, as the bundle has it",
  }),
  stale: warning("RBAC-STALE", "S34", {
    cause: "a role and binding of this operator are left in a namespace that it does not manage",
    ...byTool(
      "run reapply-rbac with --prune to delete them; they are saved first",
      ...["reapply-rbac", "--prune"],
    ),
  }),
  staleShared: warning("RBAC-STALE-SHARED", "S34", {
    cause:
      "a binding of this operator is left in a namespace that it does not manage, and is for others too",
    fix: "take this operator's account out of it by hand: --prune leaves it as it is",
  }),
  subjects: error("RBAC-SUBJECTS", "Facts 6", {
    cause: "a binding lacks the service account of the operator or of a cluster",
    ...again,
  }),
  subjectsGone: warning("RBAC-SUBJECTS-GONE", "Facts 6", {
    cause:
      "a binding is for accounts of a namespace that does not exist: they give no access until a namespace of that name is created again",
    fix: "remove them with reapply-rbac --mode=contract, once the operator is at its release",
  }),
  template: error("RBAC-TEMPLATE", "S34", {
    cause: "the release's files for managed namespaces lack the expected Role and RoleBinding",
    fix: "give the whole release, or the files with reapply-rbac --template",
  }),
  unproven: warning("RBAC-UNPROVEN", "S34", {
    cause:
      "role and binding are up to date, but that the accounts may use them is not proven: you may create neither a SubjectAccessReview nor, in this namespace, a LocalSubjectAccessReview",
    fix: "ask an administrator to apply the printed roles, then run again, which proves it",
  }),
  unknownConfiguration: error("RBAC-CONFIGURATION-UNKNOWN", "Facts 6", {
    cause: "the operator's setting comes from a place that is not read here",
    fix: "give the namespaces with --namespaces",
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** A finding of one of the codes. */
export const rbacFinding = bindFindings(rbacFindings);

/** An aggregated ClusterRole that lacks something. */
export function describeAggregated(
  role: KubeObject,
  gained: readonly Grant[],
): Pick<Finding, "object" | "field" | "cause" | "fix"> {
  return {
    object: objectLabel(role),
    field: "rules",
    cause: `a controller makes it of other ClusterRoles, and it lacks ${grantLines(gained).join("; ")}`,
    fix: renderAggregatedWay(role),
  };
}

/** How an aggregated ClusterRole gets more rules. */
export function renderAggregatedWay(role: KubeObject): string {
  const labels = listAggregationLabels(role);
  const found =
    labels.length === 0
      ? "that its aggregationRule selects"
      : `with the label by which it finds its parts: kubectl label clusterrole NAME ${labels.join(" ")}`;
  return `give the rules to a ClusterRole of your own, ${found}`;
}
