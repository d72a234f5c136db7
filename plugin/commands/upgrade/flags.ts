/** What `upgrade` takes. */
import { namespace, text } from "../../domain/names/text";
import { tag } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { participantFlag, skipFlag, stallFlag, withLimit } from "../../cmdutil/common-flags";
import { operatorFlags, judgeOperator } from "../../cmdutil/operator-flags";

/** Options of `upgrade`. */
export type UpgradeFlags = FlagsOf<typeof upgrade>;

/** `upgrade`. */
export const upgrade = spec({
  path: "upgrade",
  kind: "Upgrade",
  group: groups.upgrade,
  summary:
    "Upgrade operator, webhook, RBAC, clusters and databases in the order that leaves no gap",
  description: `Upgrade everything, in the order that leaves no gap: RBAC widened, operator, admission webhook, clusters, the
old SCC unbound, RBAC narrowed, and with --engine-version the databases.

The prerequisites are judged first; one that is missing ends the run before anything is written. Then every
part is planned, and the whole plan is shown: each write with its reason, permission, risk, way back and kubectl
command. It asks once. A plan that was saved with --plan-out is bound to the cluster, to the release and to the
state of each object, and is refused when one of them has changed. Running the command again resumes: what is
done is up to date, and is not written again.`,
  examples: {
    "Show the whole plan": text`upgrade -n ${namespace} --release ./release --dry-run=client`,
    "Carry it out without a question": text`upgrade -n ${namespace} --release ./release.tar.gz --target 8.0.2-2 --yes`,
    "Save the plan for review": text`upgrade -n ${namespace} --release ./release --plan-out plan.json`,
    "Carry out the reviewed plan": text`upgrade -n ${namespace} --release ./release --plan plan.json`,
    "The databases too": text`upgrade -n ${namespace} --release ./release --engine-version 8.0`,
    "An operator that was installed with its chart": text`upgrade -n ${namespace} --chart ./chart --release-name operator --version 8.0.2-2`,
  },
  flags: {
    ...operatorFlags,
    "cluster-target": {
      ...tag("8.0.2-17"),
      help: "Image tag of the clusters; absent: the one that belongs to the release",
    },
    auto: { help: "Let the clusters follow the operator by themselves" },
    "engine-version": {
      value: "VERSION",
      help: "Version to upgrade all databases to at the end; absent: they stay as they are",
    },
    ...participantFlag,
    ...stallFlag("Time without progress after which a cause in the data counts as a stall"),
    ...skipFlag,
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
  place: "operator",
  settles: true,
  needsRelease: true,
  judge: (options, read) => {
    read.oneOf("plan", "plan-out");
    if (options.probeFile !== undefined && !options.probe) {
      read.problems.push("--probe-file and --no-probe: give one of the two");
    }
    return withLimit(judgeOperator(options, read), read);
  },
});
