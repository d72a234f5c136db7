/** What the commands for advisories take. */
import { advisoriesFlags } from "../../cmdutil/common-flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";

/** Options of `advisories lint` and `advisories test`. */
export type SourceFlags = FlagsOf<typeof advisoriesLint>;

/** Options of `advisories list`. */
export type ListFlags = FlagsOf<typeof advisoriesList>;

const source = {
  name: "SOURCE",
  file: true,
  repeat: true,
  help: "File of advisories, a folder of them, or an https URL",
} as const;

const { "advisories-sha256": sha256 } = advisoriesFlags;

/** `advisories lint`. */
export const advisoriesLint = spec({
  path: "advisories lint",
  kind: "AdvisoriesLint",
  group: groups.rules,
  summary: "Check files of advisories: every row, its ranges, conditions and texts",
  description: `Check files of advisories as check and the plans read them: the keys of every row, its ranges, the words and the types
of its conditions, and that its texts tell a person something. Every problem is named with file, line and column.
Exit code 3 where a row has one, 2 where a file cannot be read at all. Needs no cluster.

A row whose texts say nothing without what is in their braces is judged all the same by the other commands.`,
  examples: {
    "Check a file": "advisories lint own.yaml",
    "Check all files of a folder": "advisories lint advisories/",
    "Show the problems in a pull request on GitHub": "advisories lint advisories/ -o github",
  },
  argument: source,
  flags: { "advisories-sha256": sha256 },
  cluster: false,
  verdicts: true,
  ends: [3, 69],
});

/** `advisories test`. */
export const advisoriesTest = spec({
  path: "advisories test",
  kind: "AdvisoriesTest",
  group: groups.rules,
  summary: "Run the examples of files of advisories: what has to fire, and what has to stay silent",
  description: `Run the examples of files of advisories: each row has one in which it has to fire and one in which it has to stay
silent, and may have one in which it cannot be judged. Exit code 3 where an example has another end, or where a row
cannot be judged. Needs no cluster.`,
  examples: {
    "Run the examples of a file": "advisories test own.yaml",
    "Run them in a pipeline": "advisories test advisories/ -o junit",
  },
  argument: source,
  flags: { "advisories-sha256": sha256 },
  cluster: false,
  verdicts: true,
  ends: [3, 69],
});

/** `advisories list`. */
export const advisoriesList = spec({
  path: "advisories list",
  kind: "Advisories",
  group: groups.rules,
  summary: "List the advisories: what is known to go wrong in which upgrade",
  description: `List the advisories that the tool ships, with those of --advisories, which replace rows of the same code. explain CODE
shows one in full. Needs no cluster; check tells which of them apply to one.`,
  examples: {
    "List those that the tool ships": "advisories list",
    "List them with your own, and where each comes from":
      "advisories list --advisories own.yaml -o wide",
  },
  flags: advisoriesFlags,
  cluster: false,
  ends: [69],
});
