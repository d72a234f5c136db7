/** What every code of an unbinding means, for `explain`. */
import { ec, text } from "../names/text";
import { error, warning } from "../base/findings";
import { byTool } from "../base/remedy";
import { unprivilegedFrom } from "../release/unprivileged";
import { type Code, bindFindings } from "../names/codes";

/** The codes by what they are about. */
export const sccFindings = {
  adjustment: error("SCC-ADJUSTMENT", "S32", {
    cause: text`the ${ec} asks for automatic resource adjustment, which needs the constraint`,
    fix: "leave it bound while that is intended; else set the field to false, wait for the rolling update, then run again",
  }),
  adjustmentUnmet: error("SCC-ADJUSTMENT-UNMET", "S32", {
    cause: text`the ${ec} asks for automatic resource adjustment, and its account may not use the constraint`,
    fix: "apply the release's SCC and bind it with oc adm policy add-scc-to-user, or switch the adjustment off",
  }),
  ecNotRunning: error("SCC-EC-NOT-RUNNING", "Facts 5", {
    cause: text`the ${ec} is not in state Running: its pods may still be recreated`,
    fix: "wait until it is Running, then run again",
  }),
  fsGroup: warning("SCC-FSGROUP", "Facts 5", {
    cause: "a constraint's fsGroup range is malformed, as one old file had it",
    fix: "apply the release's SCC again",
  }),
  inUse: warning("SCC-IN-USE", "S33", {
    cause: "the constraint is kept, because other subjects or pods still use it",
    fix: "unbind those that no longer need it (other namespaces with -n), then run again",
  }),
  left: warning("SCC-LEFT", "S33", {
    cause: "nobody uses the old constraint any more, and it is still there",
    ...byTool("run unbind-scc: it deletes the constraint when nobody is left", "unbind-scc"),
  }),
  noEc: error("SCC-NO-EC", "S33", {
    cause: text`the namespace has no such ${ec}, so no service account to take the constraint from`,
    fix: text`give the namespace of the ${ec} with -n, and its name with --ec`,
  }),
  olderLeft: warning("SCC-OLDER-LEFT", "Facts 5", {
    cause: "the constraint of releases before 6.4.2-6 exists as well",
    fix: "remove it in the same way with unbind-scc --scc NAME",
  }),
  owned: error("SCC-OWNED", "Facts 5", {
    cause:
      "Helm, OLM or a GitOps controller owns the object and may undo the change: it is left as it is",
    fix: "make the change through that owner, then run again",
  }),
  podLeft: warning("SCC-POD-LEFT", "S33", {
    cause: text`a pod of the ${ec} runs under the constraint and needs nothing that it gives`,
    fix: "once its account is out of the constraint, delete the pods one at a time, each when every other one is ready, then run unbind-scc again",
  }),
  podOthers: warning("SCC-POD-OTHERS", "S31", {
    cause: text`a constraint that others made, and that gives more than the pods need, lets the ${ec}'s account use it and wins`,
    fix: "take the account out of that constraint, then delete the pods one at a time",
  }),
  podRunning: error("SCC-POD-RUNNING", "S33", {
    cause: text`a pod of the ${ec} still runs under the constraint`,
    fix: "wait until the rolling upgrade has recreated the pod, or delete the pod so that it is, then run again",
  }),
  privilegedUnmet: warning("SCC-PRIVILEGED-UNMET", "S31", {
    cause: text`pods before ${unprivilegedFrom} need the constraint, and the ${ec}'s account may not use it`,
    fix: "bind the release's SCC with oc adm policy add-scc-to-user",
  }),
  releaseOld: error("SCC-RELEASE-OLD", "S31", {
    cause: text`the operator or the ${ec} is older than 7.22.0-6, from which on nothing needs the constraint`,
    fix: text`upgrade the operator and the ${ec} first, then run again`,
  }),
  releaseUnknown: warning("SCC-RELEASE-UNKNOWN", "S31", {
    cause: text`neither the operator nor the ${ec} reports its release: that it runs unprivileged is known only from its pods`,
    fix: "check that both are at 7.22.0-6 or later",
  }),
  required: error("SCC-REQUIRED", "Facts 5", {
    cause: text`the pods of the ${ec} ask for the constraint, by annotation or by what they need: made again without it they would not start`,
    fix: "remove what asks for the constraint where it is made, wait until the pods are made again, then run again",
  }),
  roleLeft: warning("SCC-ROLE-LEFT", "Facts 5", {
    cause: "nobody is bound any more to the ClusterRole that granting the constraint made",
    fix: "delete it if you do not mean to grant the constraint again",
  }),
  stillBound: warning("SCC-STILL-BOUND", "S33", {
    cause: text`the ${ec} runs unprivileged, and its service account may still use the old constraint`,
    ...byTool("run unbind-scc", "unbind-scc"),
  }),
  unprivileged: warning("SCC-UNPRIVILEGED", "Facts 5", {
    cause: "the operator's Role does not grant the use of nonroot-v2, by which its pods run",
    fix: "apply the Role of the OpenShift bundle again",
  }),
  wayGroup: warning("SCC-WAY-GROUP", "S33", {
    cause:
      "the account may use the constraint as a member of a group; removing the group would remove it from all members",
    fix: "take the group out by hand if none of its members needs the constraint, then run again",
  }),
  wayRole: warning("SCC-WAY-ROLE", "S33", {
    cause:
      "the account may use the constraint by a role with a wildcard, or by one that also grants other things",
    fix: "take the account out of the binding, or the rule out of the role, by hand if it is not intended, then run again",
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** A finding of one of the codes. */
export const sccFinding = bindFindings(sccFindings);
