/** What every code of an unbinding means, for `explain`. */
import type { Explained } from "../findings";

/** The catalogue entries of every finding about a constraint. */
export const sccCodes: readonly Explained[] = [
  {
    code: "SCC-ADJUSTMENT",
    severity: "error",
    cause: "the EC asks for automatic resource adjustment, which needs the constraint",
    fix: "leave it bound while that is wanted; else set the field to false, wait for the rolling update, then run again",
    source: "S32",
  },
  {
    code: "SCC-EC-NOT-RUNNING",
    severity: "error",
    cause: "the EC is not in state Running: its pods may still be made anew",
    fix: "wait until it is Running, then run again",
    source: "domain facts 5",
  },
  {
    code: "SCC-IN-USE",
    severity: "warning",
    cause: "the constraint is kept, because other subjects or pods still use it",
    fix: "unbind those that no longer need it (other namespaces with -n), then run again",
    source: "S33",
  },
  {
    code: "SCC-NO-EC",
    severity: "error",
    cause: "the namespace has no such EC, so no service account to take the constraint from",
    fix: "give the namespace of the EC with -n, and its name with --ec",
    source: "S33",
  },
  {
    code: "SCC-OLDER-LEFT",
    severity: "warning",
    cause: "the constraint of releases before 6.4.2-6 exists as well",
    fix: "take it away in the same manner with unbind-scc --scc NAME",
    source: "domain facts 5",
  },
  {
    code: "SCC-OWNED",
    severity: "error",
    cause:
      "Helm, OLM or a GitOps controller owns the object and may undo the change: it is left alone",
    fix: "use that owner's own way, then run again",
    source: "domain facts 5",
  },
  {
    code: "SCC-POD-RUNNING",
    severity: "error",
    cause: "a pod of the EC still runs under the constraint",
    fix: "wait until the rolling upgrade has made the pod anew, or delete the pod so that it is, then run again",
    source: "S33",
  },
  {
    code: "SCC-RELEASE-OLD",
    severity: "error",
    cause:
      "the operator or the EC is older than 7.22.0-6, from which on nothing needs the constraint",
    fix: "upgrade the operator and the EC first, then run again",
    source: "S31",
  },
  {
    code: "SCC-RELEASE-UNKNOWN",
    severity: "warning",
    cause:
      "neither the operator nor the EC tells its release: that it runs unprivileged was judged by its pods alone",
    fix: "see that both are at 7.22.0-6 or later",
    source: "S31",
  },
  {
    code: "SCC-ROLE-LEFT",
    severity: "warning",
    cause: "nobody is bound any more to the ClusterRole that granting the constraint made",
    fix: "delete it if you do not mean to grant the constraint again",
    source: "domain facts 5",
  },
  {
    code: "SCC-WAY-GROUP",
    severity: "warning",
    cause:
      "the account may use the constraint as a member of a group; taking the group away would take it from all members",
    fix: "take the group out by hand if none of its members needs the constraint, then run again",
    source: "S33",
  },
  {
    code: "SCC-WAY-ROLE",
    severity: "warning",
    cause:
      "the account may use the constraint by a role with a wildcard, or by one that also grants other things",
    fix: "take the account out of the binding, or the rule out of the role, by hand if it is not wanted, then run again",
    source: "S33",
  },
];
