/** The finding codes of a recovery, each with its cause, way out and source. */
import { codesOf, type Explained, findingIn } from "../findings";

const { error, warning } = codesOf({ prefix: "FREEZE-", source: "S97" });

/** What may be found where an upgrade does not go on, by what it is about. */
export const recoveryFindings = {
  actionFailed: error(
    "ACTION-FAILED",
    "the action that was started over the REST API ended without success",
    "mend what its error says, then run again",
    "S92",
  ),
  actionRuns: error(
    "ACTION-RUNS",
    "an action is at work on the database: nothing is changed while it runs",
    "run again when it has ended, or at once with --wait",
    "S92",
  ),
  apiUnread: warning(
    "API-UNREAD",
    "the cluster's REST API was not asked: what runs is judged from the resources alone",
    "give the CA of its certificate with --api-ca, so that databases and modules are judged as they run",
    "S101",
  ),
  causeUnknown: error(
    "CAUSE-UNKNOWN",
    "the upgrade does not go on, and license, digests, databases, modules and pods show no cause",
    "see the lines of the operator's log and the events that are shown beside",
    "S97",
  ),
  databaseApart: warning(
    "DATABASE-APART",
    "the database runs another version or module than its resource asks for, and the resource is not brought in line here",
    "change the active-active database instead, on one of the clusters that take part",
    "S100",
  ),
  moduleAbsent: error(
    "MODULE-ABSENT",
    "databases use a module of which no build is installed",
    "install it: recover --apply --module FILE",
    "S99",
  ),
  modulesApart: warning(
    "MODULES-APART",
    "the database uses other modules of the user's own than its resource lists",
    "edit the module list of the resource so that it says what the database uses",
    "S99",
  ),
  moduleUnfit: error(
    "MODULE-UNFIT",
    "no installed build of a module that databases use fits their engine version",
    "install a build that fits: recover --apply --module FILE",
    "S99",
  ),
  notResumed: error(
    "NOT-RESUMED",
    "the causes are gone, and the operator does not go on",
    "see the operator's log; restarting its pod makes it look anew",
    "S97",
  ),
  versionUnbundled: error(
    "VERSION-UNBUNDLED",
    "the release that is asked for does not bundle the engine version that a database runs",
    "upgrade the database to a version that the release bundles, or ask for a later release",
    "S126",
  ),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const recoveryFinding = findingIn(recoveryFindings);

/** Every code, for the catalogue. */
export const recoveryCodes: readonly Explained[] = Object.values(recoveryFindings);
