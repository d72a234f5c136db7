/** What `status` takes. */
import { namespace, ec, ecShort, text } from "../../domain/names/text";
import { duration } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { advisoriesFlags, probeFlags, withLimit } from "../../cmdutil/common-flags";

/** Options of `status`. */
export type StatusFlags = FlagsOf<typeof status>;

/** The API server is asked for a dozen lists at each look. */
const shortestMs = 100;

/** `status`. */
export const status = spec({
  path: "status",
  kind: "Status",
  group: groups.look,
  summary: text`Show how far an upgrade is: operator, ${ec}, databases, webhook, what to run next`,
  description: text`Show on one screen how far an upgrade is: the operator, every ${ec} with the columns of its listing and its
rollout, the databases by version, the webhook, the RBAC of the managed namespaces, what stands against them
and against the next step, and the command to run next; check makes all other checks. Nothing is written. Whether
the webhook works is seen by dry runs: a good edit has to pass, and a bad one has to be refused.

Each component is Healthy, Progressing, Stalled with its cause, Absent, or Unknown where it may not be read. The
exit code is 0 whenever the cluster could be read, also when something stalls; 4 when nothing at all may be read.
With the name of an ${ec}, that ${ec} and the databases that belong to it are shown; 3 when there is none of that name.`,
  examples: {
    "Show the state now": text`status -n ${namespace}`,
    "Show one cluster and its databases": text`status ${ecShort} -n ${namespace}`,
    "Show every namespace that has an operator": "status -A",
    "Name the databases of each version, and what the pods run": text`status -n ${namespace} -o wide`,
    "Follow an upgrade": text`status -n ${namespace} --watch`,
    "Wait in a script until everything is healthy": text`status -n ${namespace} --until healthy --timeout 30m`,
    "Compare with the files of a release": text`status -n ${namespace} --release ./release`,
    "Read only, without dry runs": text`status -n ${namespace} --no-probe`,
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
    ...probeFlags("status"),
    ...advisoriesFlags,
  },
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  shows: () => true,
  watches: (read) => read.on("watch") || read.isGiven("until"),
  judge: (options, read) => {
    const untilFine = read.isGiven("until");
    const watch = options.watch || untilFine;
    if (options.intervalMs < shortestMs) read.problems.push("--interval: at least 100ms");
    if (read.isGiven("interval") && !watch) read.missing.push("--interval: only with --watch");
    if (options.everywhere && watch) {
      read.problems.push("--all-namespaces: a watch is of one namespace: give it with -n instead");
    }
    return withLimit({ ...options, watch, untilFine }, read);
  },
});
