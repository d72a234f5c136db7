/** The finding codes of RBAC, each with its cause, its way out and its source. */
import { codesOf, type Explained, findingIn } from "../findings";

const { error, warning } = codesOf({ source: "S34" });

/** The codes by what they are about. */
export const rbacFindings = {
  early: error(
    "RBAC-CONTRACT-EARLY",
    "the operator that runs is older than the roles: it still uses rights that they do not have",
    "run it after the operator's upgrade; until then, run reapply-rbac without --mode, which only adds",
    "domain facts 6",
  ),
  escalation: error(
    "RBAC-ESCALATION",
    "the role gives rights that you do not hold, and nobody may give what they do not hold",
    "have somebody with these rights, or with escalate and bind on the role, run this, or grant you the printed role",
  ),
  forbidden: error(
    "RBAC-FORBIDDEN",
    "you may not write roles or bindings in this namespace",
    "have somebody apply the printed roles, then run again",
  ),
  labelValue: warning(
    "RBAC-LABEL-VALUE",
    "the operator looks for a label without a value, and this namespace gives it one: releases differ on whether it counts",
    "give the label an empty value, or name the namespaces as a list",
    "domain facts 6",
  ),
  local: warning(
    "RBAC-LOCAL",
    "a role or binding has what no known release had: a person added it, and it is kept",
    "nothing, as long as it is wanted; else run reapply-rbac with --drop-local",
    "S18",
  ),
  namespaceAbsent: error(
    "RBAC-NAMESPACE-ABSENT",
    "the namespace does not exist; an operator that is told to manage it stops",
    "create the namespace, or take it off the operator's list",
    "domain facts 6",
  ),
  namespaceTerminating: error(
    "RBAC-NAMESPACE-TERMINATING",
    "the namespace is being deleted, nothing can be created in it",
    "take it off the operator's list, or create it anew when it is gone",
    "domain facts 6",
  ),
  noCluster: error(
    "RBAC-NO-CLUSTER",
    "the binding is also for the cluster's service account, and the operator's namespace holds no cluster resource that names one",
    "create the cluster resource first, or name the account with --ec-service-account",
  ),
  noConfiguration: error(
    "RBAC-NO-CONFIGURATION",
    "neither the operator's Deployment nor its ConfigMap is in this namespace",
    "give the operator's namespace with -n, or the namespaces with --namespaces",
  ),
  notListed: warning(
    "RBAC-NOT-CONFIGURED",
    "the namespaces given differ from those that the operator is told to manage",
    "give the operator's own list, or change what it is told: RBAC first, then the list",
    "domain facts 6",
  ),
  notProven: error(
    "RBAC-NOT-PROVEN",
    "role and binding are written, but an access review still denies a rule of theirs to the account",
    "run again; if it stays so, see whether the API server uses another authorizer than RBAC",
  ),
  otherOperator: error(
    "RBAC-OTHER-OPERATOR",
    "the binding is for the operator of another namespace, which would lose its access; two operators must not watch one namespace",
    "take the namespace off that operator's list first, or run with --take-over",
    "domain facts 6",
  ),
  owned: error(
    "RBAC-OWNED",
    "Helm, OLM or a GitOps controller owns the object and would undo or fight the change",
    "use that owner's own way of changing it",
    "S18",
  ),
  refused: error(
    "RBAC-REFUSED",
    "the API server refused the write",
    "mend what it names, then run again: only what is missing is written",
  ),
  releaseUnknown: error(
    "RBAC-RELEASE-UNKNOWN",
    "the operator's release is not known, or older than those whose roles come with this tool",
    "give the release's own files with --release",
    "domain facts 6",
  ),
  stale: warning(
    "RBAC-STALE",
    "a role and binding of this operator are left in a namespace that it does not manage",
    "run reapply-rbac with --prune to delete them; they are saved first",
  ),
  staleShared: warning(
    "RBAC-STALE-SHARED",
    "a binding of this operator is left in a namespace that it does not manage, and is for others too",
    "take this operator's account out of it by hand: --prune leaves it alone",
  ),
  unproven: warning(
    "RBAC-UNPROVEN",
    "role and binding are as wanted, but that the accounts may use them is not proven: you may create neither a SubjectAccessReview nor, in this namespace, a LocalSubjectAccessReview",
    "have somebody apply the printed roles and run again, which then proves it",
  ),
  unknownConfiguration: error(
    "RBAC-CONFIGURATION-UNKNOWN",
    "the operator's setting comes from a place that is not read here",
    "give the namespaces with --namespaces",
    "domain facts 6",
  ),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const rbacFinding = findingIn(rbacFindings);

/** Every code, for the catalogue. */
export const rbacCodes: readonly Explained[] = Object.values(rbacFindings);
