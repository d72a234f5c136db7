/** `check`, as data. */
import type { CheckFlags } from "../commands/check";
import { parseCode } from "../domain/checks/selection";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { readSkips, skipFlag } from "./skip-flag";
import type { FlagReader } from "./values";

/** `check`. */
export const check: CommandEntry = {
  path: "check",
  kind: "Check",
  group: groups.upgrade,
  summary: "Judge whether an upgrade may begin: every prerequisite, nothing is written",
  description: `Judge whether an upgrade may begin: the prerequisites of the procedure, and what is known to go wrong. Nothing
is written: one list of each kind is read, and everything is judged from that one look.

Findings are errors, which block an upgrade (exit code 3), or warnings. What may not be read ends the run with
exit code 4 and the Role to ask for; nothing is claimed about it. Each finding has its cause and its way out;
explain CODE says more. A finding that you can live with is accepted with --skip: it is still shown.`,
  examples: [
    { does: "Judge the cluster as it is", line: "check -n engine" },
    {
      does: "Judge whether a release may be upgraded to, by its files",
      line: "check -n engine --release ./release --target 8.0.2-2",
    },
    {
      does: "Let warnings count, but for one that is known",
      line: "check -n engine --strict --skip DATABASE-VOLATILE",
    },
    { does: "See every check, without a cluster", line: "check --list" },
  ],
  flags: [
    { name: "target", value: "TAG", help: "Operator release that is wanted, as 8.0.2-2" },
    {
      name: "release",
      value: "SOURCE",
      file: true,
      help: "Its files: a folder, a .tar.gz, or an https URL, which may hold {tag}",
    },
    { name: "sha256", value: "HEX", help: "SHA-256 that the release must have" },
    { name: "only", value: "CODES", repeat: true, help: "Checks to make, with commas between" },
    skipFlag,
    { name: "strict", help: "Let warnings block as errors do" },
    { name: "allow-unread", help: "Go without what may not be read; it is not judged" },
    { name: "list", help: "List the checks and ask no cluster" },
  ],
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  prepare: prepare<CheckFlags>(judge, async () => {
    const { runCheck, checkText } = await import("../commands/check.ts");
    return { run: runCheck, text: checkText };
  }),
};

function judge(read: FlagReader): CheckFlags {
  const target = read.tag("target", "8.0.2-2");
  const release = read.text("release");
  const sha256 = read.text("sha256");
  const only = read.list("only").map(parseCode);
  const skip = readSkips(read);
  if (sha256 !== undefined && release === undefined) {
    read.missing.push("--sha256: goes with --release");
  }
  return {
    ...(target !== undefined && { target }),
    ...(release !== undefined && { release }),
    ...(sha256 !== undefined && { sha256 }),
    selection: {
      ...(read.given("only") && { only }),
      ...(skip.length > 0 && { skip }),
    },
    strict: read.on("strict"),
    allowUnread: read.on("allow-unread"),
    list: read.on("list"),
  };
}
