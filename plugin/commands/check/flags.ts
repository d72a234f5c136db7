/** What `check` takes. */
import { namespace, text } from "../../domain/names/text";
import { parseCode } from "../../domain/checks/selection";
import { list, tag } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { advisoriesFlags, probeFlags, skipFlag } from "../../cmdutil/common-flags";

/** Options of `check`. */
export type CheckFlags = FlagsOf<typeof check>;

/** `check`. */
export const check = spec({
  path: "check",
  kind: "Check",
  group: groups.upgrade,
  summary: "Check whether an upgrade can start: every prerequisite, nothing is written",
  description: `Check whether an upgrade can start: the prerequisites of the procedure, and what is known to go wrong. Nothing
is written: one list of each kind is read, and everything is checked from that one look. Whether the webhook works
is seen by dry runs: a good edit has to pass, and a bad one has to be refused.

Findings are errors or warnings. Errors block an upgrade (exit code 3), except those that the upgrade itself fixes:
they are named, and the exit code is 0. What may not be read ends the run with exit code 4 and the Role to ask for;
nothing is claimed about it. Each finding has its cause and its fix; explain CODE says more. A finding that you can
live with is accepted with --skip: it is still shown.`,
  examples: {
    "Check the cluster as it is": text`check -n ${namespace}`,
    "Check whether an upgrade to a release can start, by its files": text`check -n ${namespace} --release ./release --target 8.0.2-2`,
    "Fail on warnings too, except for one that you accept": text`check -n ${namespace} --strict --skip DATABASE-VOLATILE`,
    "See every check, without a cluster": "check --list",
  },
  flags: {
    target: {
      ...tag("8.0.2-2"),
      offers: "release",
      help: "Operator release to upgrade to, for example 8.0.2-2",
    },
    release: {
      value: "SOURCE",
      file: true,
      help: "Its files: a folder, a .tar.gz, or an https URL, which may hold {tag}",
    },
    sha256: { value: "HEX", goesWith: "release", help: "SHA-256 that the release must have" },
    only: { value: "CODES", ...list, offers: "code", help: "Checks to make, separated by commas" },
    ...skipFlag,
    strict: { help: "Let warnings block as errors do" },
    ...probeFlags("check"),
    ...advisoriesFlags,
    "allow-unread": { help: "Continue without what may not be read; it is not checked" },
    list: { help: "List the checks and ask no cluster" },
  },
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  judge: ({ only, skip, ...options }, read) => ({
    ...options,
    selection: {
      ...(read.isGiven("only") && { only: only.map(parseCode) }),
      ...(skip.length > 0 && { skip }),
    },
  }),
});
