/** The finding codes of a recovery, each with its cause, way out and source. */
import { byTool } from "../base/remedy";
import { error, type Explained, warning } from "../base/findings";
import { bindFindings } from "../names/codes";

/** What may be found where an upgrade makes no progress, by what it is about. */
export const recoveryFindings = {
  actionFailed: error("FREEZE-ACTION-FAILED", "S92", {
    cause: "the action that was started over the REST API ended without success",
    fix: "fix what its error says, then run again",
  }),
  actionRuns: error("FREEZE-ACTION-RUNS", "S92", {
    cause: "an action is running on the database: nothing is changed while it runs",
    fix: "run again when it has ended, or at once with --wait",
  }),
  apiUnread: warning("FREEZE-API-UNREAD", "S101", {
    cause: "the cluster's REST API was not asked: what runs is known only from the resources",
    fix: "give the CA of its certificate with --api-ca, so that databases and modules are checked as they run",
  }),
  causeUnknown: error("FREEZE-CAUSE-UNKNOWN", "S97", {
    cause:
      "the upgrade makes no progress, and license, digests, databases, modules and pods show no cause",
    fix: "read the lines of the operator's log and the events that are shown",
  }),
  databaseApart: warning("FREEZE-DATABASE-APART", "S100", {
    cause:
      "the database runs another version or module than its resource asks for, and this command does not change the resource",
    fix: "change the active-active database instead, on one of the participating clusters",
  }),
  moduleAbsent: error("FREEZE-MODULE-ABSENT", "S99", {
    cause: "databases use a module that is not installed",
    fix: "install it with modules install FILE, then run recover again",
  }),
  modulesApart: warning("FREEZE-MODULES-APART", "S99", {
    cause: "the database uses other user-defined modules than its resource lists",
    fix: "edit the module list of the resource to match what the database uses",
  }),
  moduleUnfit: error("FREEZE-MODULE-UNFIT", "S99", {
    cause: "no installed build of a module that databases use fits their engine version",
    fix: "install a build that fits with modules install FILE, then run recover again",
  }),
  notSeen: warning("FREEZE-NOT-SEEN", "S97", {
    cause: "lists could not be read: what keeps the upgrade is checked without them",
    fix: "run again as a user who may list them",
  }),
  notResumed: error("FREEZE-NOT-RESUMED", "S97", {
    cause: "the causes are gone, and the operator does not continue",
    fix: "see the operator's log; restarting its pod makes it check again",
  }),
  unproven: error("FREEZE-UNPROVEN", "Facts 11", {
    cause: "a step that was planned is no longer proven safe, and was not taken",
    ...byTool("run recover again: it checks what there is now", "recover"),
  }),
  versionUnbundled: error("FREEZE-VERSION-UNBUNDLED", "S126", {
    cause: "the release that is asked for does not bundle the engine version that a database runs",
    fix: "upgrade the database to a version that the release bundles, or ask for a later release",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const recoveryFinding = bindFindings(recoveryFindings);
