/** What `upgrade` takes. */
import { namespace, text } from "../../domain/names/text";
import { type FlagReader, tag } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import {
  mayDiscardFlag,
  participantFlag,
  skipFlag,
  advisoriesFlags,
  stallFlag,
  withLimit,
} from "../../cmdutil/common-flags";
import { operatorFlags, judgeOperator } from "../../cmdutil/operator-flags";
import { partIds, type PartId } from "../../domain/base/part-ids";

/** Options of `upgrade`. */
export type UpgradeFlags = FlagsOf<typeof upgrade>;

/** What a person may name: the parts as the plan shows them, and the first of the two for RBAC by its command. */
const partNames = ["rbac", ...partIds];

/** `upgrade`. */
export const upgrade = spec({
  path: "upgrade",
  kind: "Upgrade",
  group: groups.upgrade,
  summary:
    "Upgrade operator, webhook, RBAC, clusters and databases in the order that leaves no gap",
  description: `Upgrade everything, in the order that leaves no gap: RBAC widened, operator, admission webhook, clusters, the
old SCC unbound, RBAC narrowed, and with --engine-version the databases.

The prerequisites are checked first; one that is missing ends the run before anything is written. Then every
part is planned, and the whole plan is shown: each write with its reason, permission, risk, way back and kubectl
command. It asks once. A plan that was saved with --plan-out is bound to the cluster, to the release and to the
spec of each object, and is refused when one of them has changed, or when something is found that it did not
have. Running the command again resumes: what is done is up to date, and is not written again.

From before the first part to the end the webhook is probed by dry runs, and the report says how long edits were stopped
or let through, and what was not observed.

With --only some of the parts are done, in the same order and with the same proofs. rbac is rbac-expand; RBAC is
narrowed only where rbac-contract is named. A part that needs one that is neither named nor done is refused, as its
own command refuses it.`,
  examples: {
    "Show the whole plan": text`upgrade -n ${namespace} --release ./release --dry-run=client`,
    "Carry it out without a question": text`upgrade -n ${namespace} --release ./release.tar.gz --target 8.0.2-2 --yes`,
    "Save the plan for review": text`upgrade -n ${namespace} --release ./release --plan-out plan.json`,
    "Carry out the reviewed plan": text`upgrade -n ${namespace} --release ./release --plan plan.json`,
    "Only the webhook, RBAC and the old SCC": text`upgrade -n ${namespace} --release ./release --only webhook,rbac,scc`,
    "The databases too": text`upgrade -n ${namespace} --release ./release --engine-version 8.0`,
    "An operator that was installed with its chart": text`upgrade -n ${namespace} --chart ./chart --release-name operator --version 8.0.2-2`,
  },
  flags: {
    ...operatorFlags,
    "cluster-target": {
      ...tag("8.0.2-17"),
      offers: "tag",
      help: "Image tag of the clusters; absent: the one that belongs to the release",
    },
    auto: { help: "Let the clusters follow the operator by themselves" },
    "engine-version": {
      value: "VERSION",
      offers: "version",
      help: "Version to upgrade all databases to at the end; absent: none is written, and those on a channel follow their cluster",
    },
    ...mayDiscardFlag,
    ...participantFlag,
    only: {
      value: "PARTS",
      repeat: true,
      read: readParts,
      offers: partNames,
      help: "Do only these parts of the plan, separated by commas: rbac, webhook, scc, ...",
    },
    ...stallFlag("Time without progress after which a cause in the data counts as a stall"),
    ...skipFlag,
    ...advisoriesFlags,
    "probe-file": {
      value: "FILE",
      file: true,
      help: "Two objects to prove the webhook with: the first must pass, the second must be refused",
    },
    "no-probe": { help: "Prove neither webhook nor RBAC; the report says what is unproven" },
    "plan-out": {
      value: "FILE",
      file: true,
      help: "Save the plan there, and write nothing else",
    },
    plan: { value: "FILE", file: true, help: "Carry out this plan if it still holds" },
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  needsRelease: true,
  judge: (options, read) => {
    read.requireOne("plan", "plan-out");
    if (options.probeFile !== undefined && !options.probe) {
      read.problems.push("--probe-file and --no-probe: give one of the two");
    }
    return withLimit(judgeOperator(options, read), read);
  },
});

/** In the order of the procedure, whatever was typed; none: all of them. */
function readParts(read: FlagReader, name: string): readonly PartId[] {
  const typed = read.list(name);
  for (const part of typed.filter((each) => !partNames.includes(each))) {
    read.problems.push(`--${name}: ${JSON.stringify(part)} is not one of ${partNames.join(", ")}`);
  }
  const named = typed.map((part) => (part === "rbac" ? "rbac-expand" : part));
  return partIds.filter((known) => named.includes(known));
}
