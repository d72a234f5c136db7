/** `upgrade`, as data. */
import type { UpgradeFlags } from "../commands/upgrade-flags";
import { defaultStallAfterMs } from "../domain/rollout/stateful-set";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { judgeOperatorFlags, operatorFlags } from "./operator-command";
import { skipFlag } from "./skip-flag";
import type { FlagReader } from "./values";

/** `upgrade`. */
export const upgrade: CommandEntry = {
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
done is as wanted, and is not written again.`,
  examples: [
    { does: "Show the whole plan", line: "upgrade -n engine --release ./release --dry-run=client" },
    {
      does: "Carry it out without a question",
      line: "upgrade -n engine --release ./release.tar.gz --target 8.0.2-2 --yes",
    },
    {
      does: "Save the plan to be looked at",
      line: "upgrade -n engine --release ./release --plan-out plan.json",
    },
    {
      does: "Carry out the plan that was looked at",
      line: "upgrade -n engine --release ./release --plan plan.json",
    },
    {
      does: "The databases too",
      line: "upgrade -n engine --release ./release --engine-version 8.0",
    },
    {
      does: "An operator that was installed with its chart",
      line: "upgrade -n engine --chart ./chart --release-name operator --version 8.0.2-2",
    },
  ],
  flags: [
    ...operatorFlags,
    {
      name: "cluster-target",
      value: "TAG",
      help: "Image tag of the clusters; absent: the one that belongs to the release",
    },
    { name: "auto", help: "Let the clusters follow the operator by themselves" },
    {
      name: "engine-version",
      value: "VERSION",
      help: "Version to upgrade all databases to at the end; absent: they stay as they are",
    },
    {
      name: "participant",
      value: "CONTEXT[/NAMESPACE]",
      repeat: true,
      help: "Other cluster that takes part in active-active databases; it is only read",
    },
    {
      name: "stall-after",
      value: "DURATION",
      fallback: "10m",
      help: "Time without progress after which a cause in the data counts as a stall",
    },
    skipFlag,
    { name: "no-probe", help: "Prove neither webhook nor RBAC; the report says what is unproven" },
    {
      name: "plan-out",
      value: "FILE",
      file: true,
      help: "Save the plan there, write nothing else",
    },
    { name: "plan", value: "FILE", file: true, help: "Carry out this plan if it still holds" },
  ],
  cluster: true,
  place: "operator",
  settles: true,
  needsRelease: true,
  prepare: prepare<UpgradeFlags>(judge, async () => {
    const { runUpgrade } = await import("../commands/upgrade.ts");
    const { upgradeText } = await import("../commands/upgrade-text.ts");
    return { run: runUpgrade, text: upgradeText };
  }),
};

function judge(read: FlagReader): UpgradeFlags {
  const clusterTarget = read.tag("cluster-target", "8.0.2-17");
  const plan = read.text("plan");
  const planOut = read.text("plan-out");
  const engineVersion = read.text("engine-version");
  if (plan !== undefined && planOut !== undefined) {
    read.problems.push("--plan and --plan-out: give one of the two");
  }
  return {
    ...judgeOperatorFlags(read),
    ...(clusterTarget !== undefined && { clusterTarget }),
    auto: read.on("auto"),
    ...(engineVersion !== undefined && { engineVersion }),
    participants: read.each("participant"),
    stallAfterMs: read.duration("stall-after", defaultStallAfterMs),
    probe: !read.on("no-probe"),
    limited: read.given("timeout"),
    ...(plan !== undefined && { plan }),
    ...(planOut !== undefined && { planOut }),
  };
}
