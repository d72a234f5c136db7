/** `check`, `status` and `recover`. */
import { namespace, ec, ecShort, text } from "../../domain/names/text";
import { parseCode } from "../../domain/checks/selection";
import { compareEngineVersions, parseEngineVersion } from "../../domain/base/versions";
import { duration, type FlagReader, list, tag } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { apiFlags, skipFlag, stallFlag, withApi, withLimit } from "../../cmdutil/common-flags";

/** Options of `check`. */
export type CheckFlags = FlagsOf<typeof check>;

/** Options of `status`. */
export type StatusFlags = FlagsOf<typeof status>;

/** Options of `recover`. */
export type RecoverFlags = FlagsOf<typeof recover>;

/** `check`. */
export const check = spec({
  path: "check",
  kind: "Check",
  group: groups.upgrade,
  summary: "Check whether an upgrade can start: every prerequisite, nothing is written",
  description: `Check whether an upgrade can start: the prerequisites of the procedure, and what is known to go wrong. Nothing
is written: one list of each kind is read, and everything is judged from that one look.

Findings are errors, which block an upgrade (exit code 3), or warnings. What may not be read ends the run with
exit code 4 and the Role to ask for; nothing is claimed about it. Each finding has its cause and its fix;
explain CODE says more. A finding that you can live with is accepted with --skip: it is still shown.`,
  examples: {
    "Check the cluster as it is": text`check -n ${namespace}`,
    "Check whether an upgrade to a release can start, by its files": text`check -n ${namespace} --release ./release --target 8.0.2-2`,
    "Fail on warnings too, except for one that you accept": text`check -n ${namespace} --strict --skip DATABASE-VOLATILE`,
    "See every check, without a cluster": "check --list",
  },
  flags: {
    target: { ...tag("8.0.2-2"), help: "Operator release to upgrade to, as 8.0.2-2" },
    release: {
      value: "SOURCE",
      file: true,
      help: "Its files: a folder, a .tar.gz, or an https URL, which may hold {tag}",
    },
    sha256: { value: "HEX", goesWith: "release", help: "SHA-256 that the release must have" },
    only: { value: "CODES", ...list, offers: "code", help: "Checks to make, separated by commas" },
    ...skipFlag,
    strict: { help: "Let warnings block as errors do" },
    "allow-unread": { help: "Continue without what may not be read; it is not judged" },
    list: { help: "List the checks and ask no cluster" },
  },
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  judge: ({ only, skip, ...options }, read) => ({
    ...options,
    selection: {
      ...(read.given("only") && { only: only.map(parseCode) }),
      ...(skip.length > 0 && { skip }),
    },
  }),
});

/** The API server is asked for a dozen lists at each look. */
const shortestMs = 100;

/** `status`. */
export const status = spec({
  path: "status",
  kind: "Status",
  group: groups.look,
  summary: text`Show how far an upgrade is: operator, ${ec}, databases, webhook, what to run next`,
  description: text`Show on one screen how far an upgrade is: the operator, every ${ec} with the columns of its listing and its
rollout, the databases by version, the webhook, the RBAC of the managed namespaces, the findings of check, and the
command to run next. Nothing is written; with --probe dry runs are sent.

Each component is Healthy, Progressing, Stalled with its cause, Absent, or Unknown where it may not be read. The
exit code is 0 whenever the cluster could be read, also when something stalls; 4 when nothing at all may be read.
With the name of an ${ec}, that ${ec} and the databases that belong to it are shown; 3 when there is none of that name.`,
  examples: {
    "Show the state now": text`status -n ${namespace}`,
    "Show one cluster and its databases": text`status ${ecShort} -n ${namespace}`,
    "Show every namespace that has an operator": "status -A",
    "Follow an upgrade": text`status -n ${namespace} --watch`,
    "Wait in a script until everything is healthy": text`status -n ${namespace} --until healthy --timeout 30m`,
    "Compare with the files of a release, and prove the webhook": text`status -n ${namespace} --release ./release --probe`,
  },
  argument: { name: "NAME", help: text`Name of the ${ec} to show`, kinds: ["ec"], optional: true },
  flags: {
    "all-namespaces": {
      key: "everywhere",
      short: "A",
      help: "Show every namespace that has an operator; -n is ignored",
    },
    watch: { short: "w", help: "Show it again when something changes, until interrupted" },
    interval: { ...duration("5s"), key: "intervalMs", help: "Interval between two reads" },
    until: {
      value: "VERDICT",
      choices: ["healthy", "fine"],
      help: "Watch until every component is healthy (fine means the same); 124 when --timeout comes first",
    },
    release: {
      value: "RELEASE",
      file: true,
      help: "Release to compare with: a folder, a .tar.gz or an https URL; else the shipped roles",
    },
    probe: {
      help: "Prove the webhook by dry runs of an edit to pass and one to be refused",
    },
  },
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  shows: () => true,
  watches: (read) => read.on("watch") || read.given("until"),
  judge: (options, read) => {
    const untilFine = read.given("until");
    const watch = options.watch || untilFine;
    if (options.intervalMs < shortestMs) read.problems.push("--interval: at least 100ms");
    if (read.given("interval") && !watch) read.missing.push("--interval: only with --watch");
    if (options.probe && watch) read.problems.push("--probe and --watch: give one of the two");
    if (options.everywhere && watch) {
      read.problems.push("--all-namespaces: a watch is of one namespace: give it with -n instead");
    }
    return withLimit({ ...options, watch, untilFine }, read);
  },
});

/** `recover`. */
export const recover = spec({
  path: "recover",
  kind: "Recover",
  group: groups.look,
  summary: "Find why an upgrade is frozen, show the documented recovery, or do it",
  description: text`Find why the upgrade of a cluster (${ec}) is frozen, and show the documented recovery filled in with the real
names; with --apply do it.

The causes come from the data: versions and modules of the databases, license, image digests, states and pods; the
operator's log and events are shown as well. With --api-ca (or --api-insecure) the cluster's REST API is asked
for what really runs. Exit code 0 says that nothing is frozen, 3 that something is.

With --apply versions are posted over the REST API, one action at a time; then the run waits until the ${ec} is
Running, sets the databases' resources to what runs, and checks that the operator acts on them. It asks before the
first change. Running it again continues from the state found. A module that is missing is installed first, by the
line of "modules install" that is printed: until then the run ends with 3, and run again after it, it continues.`,
  examples: {
    "See why it makes no progress": text`recover -n ${namespace} --api-ca ca.pem`,
    "Upgrade the databases that are too old, and bring them in line": text`recover -n ${namespace} --apply --engine-version 7.2 --api-ca ca.pem`,
    "Remove image digests": text`recover -n ${namespace} --apply --drop-digests`,
  },
  flags: {
    ec: {
      value: "NAME",
      kinds: ["ec"],
      help: text`Name of the ${ec}; else the only one of the namespace`,
    },
    apply: { help: "Remove the causes instead of showing how" },
    "engine-version": {
      value: "VERSION",
      read: readVersion,
      help: "Version for the databases that are too old for the upgrade",
    },
    "drop-digests": {
      help: "Remove the digests that block an automatic upgrade",
    },
    ...stallFlag("Time without progress after which a wait is given up"),
    ...apiFlags,
  },
  cluster: true,
  place: "operator",
  settles: true,
  reads: (read) => !read.on("apply"),
  shows: (read) => read.on("apply"),
  judge: (options, read) => withLimit(withApi(options, read), read),
});

const lowest = { major: 7, minor: 2 };

function readVersion(read: FlagReader, name: string): string | undefined {
  const typed = read.text(name);
  const version = parseEngineVersion(typed);
  if (typed !== undefined && version === undefined) {
    read.problems.push(`--${name}: ${JSON.stringify(typed)} is not a version such as 7.2`);
  }
  if (version !== undefined && compareEngineVersions(version, lowest) < 0) {
    read.problems.push(`--${name}: before 7.2 the upgrade would stay frozen`);
  }
  return typed;
}
