/** `status`, as data. */
import type { StatusFlags } from "../commands/status";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import type { FlagReader } from "./values";

/** `status`. */
export const status: CommandEntry = {
  path: "status",
  kind: "Status",
  group: groups.look,
  summary: "Show how far an upgrade is: operator, EC, databases, webhook, what to run next",
  description: `Show on one screen how far an upgrade is: the operator, every EC with the columns of its listing and its
roll-out, the databases by version, the webhook, the RBAC of the managed namespaces, the findings of check, and the
command to run next. Nothing is written; with --probe dry runs are sent.

Each component is fine, moving, stalled with its cause, or unknown where it may not be read. The exit code is 0
whenever the cluster could be read, also when something stalls; 4 when nothing at all may be read.`,
  examples: [
    { does: "Show the state now", line: "status -n engine" },
    { does: "Follow an upgrade", line: "status -n engine --watch" },
    {
      does: "Wait in a script until everything is fine",
      line: "status -n engine --until fine --timeout 30m",
    },
    {
      does: "Compare with the files of a release, and prove the webhook",
      line: "status -n engine --release ./release --probe",
    },
  ],
  flags: [
    { name: "watch", short: "w", help: "Show it again when something changes, until interrupted" },
    { name: "interval", value: "DURATION", fallback: "2s", help: "Time between two looks" },
    {
      name: "until",
      value: "VERDICT",
      choices: ["fine"],
      help: "Watch until every component is fine; 124 when --timeout comes first",
    },
    {
      name: "release",
      value: "RELEASE",
      file: true,
      help: "Release to compare with: a folder, a .tar.gz or an https URL; else the shipped roles",
    },
    {
      name: "probe",
      help: "Prove the webhook by dry runs of an edit to pass and one to be refused",
    },
  ],
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  prepare: prepare<StatusFlags>(judge, async () => {
    const { runStatus, statusText } = await import("../commands/status.ts");
    return { run: runStatus, text: statusText };
  }),
};

/** The API server is asked for a dozen lists at each look. */
const shortestMs = 100;

function judge(read: FlagReader): StatusFlags {
  const release = read.text("release");
  const until = read.given("until");
  const watch = read.on("watch") || until;
  const intervalMs = read.duration("interval", 2_000);
  read.choice("until", ["fine"], "fine");
  if (intervalMs < shortestMs) read.problems.push("--interval: at least 100ms");
  if (read.given("interval") && !watch) read.missing.push("--interval: only with --watch");
  if (read.on("probe") && watch) read.problems.push("--probe and --watch: give one of the two");
  return {
    ...(release !== undefined && { release }),
    probe: read.on("probe"),
    watch,
    untilFine: until,
    intervalMs,
    limited: read.given("timeout"),
  };
}
