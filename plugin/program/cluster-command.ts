/** `upgrade-cluster`, as data. */
import { defaultStallAfterMs } from "../domain/rollout/stateful-set";
import type { ClusterFlags } from "../run/cluster/upgrade";
import type { CommandEntry } from "./entry";
import { groups, prepareJob } from "./entry";
import { readSkips, skipFlag } from "./skip-flag";
import type { FlagReader } from "./values";

const pullPolicies = ["Always", "IfNotPresent", "Never"] as const;

/** `upgrade-cluster`. */
export const upgradeCluster: CommandEntry = {
  path: "upgrade-cluster",
  kind: "UpgradeCluster",
  group: groups.upgrade,
  summary: "Upgrade a cluster (EC) to the operator's release, and follow its pods to the end",
  description: `Upgrade a cluster (EC) to the release of its operator, and follow the rolling upgrade of its pods to the end.

License, databases, modules, images, operator and state are judged first: what is missing ends the run before
anything is written. Then one patch writes the image tag, or with --auto the automatic upgrade; fields of other
managers are named, not taken. The end is proven by facts: every pod on the new revision, ready and with the
wanted image, state Running. A roll that stands still ends with its cause; --timeout, when it is given, limits
the whole wait. Running the command again is safe: it goes on from the state found.`,
  examples: [
    {
      does: "Show what would be written",
      line: "upgrade-cluster ec -n engine --target 8.0.2-17 --dry-run=server",
    },
    { does: "Upgrade by the image tag", line: "upgrade-cluster ec -n engine --target 8.0.2-17" },
    {
      does: "With images of a repository of one's own",
      line: "upgrade-cluster ec --target 8.0.2-17 --image-repository mirror/engine",
    },
    {
      does: "Let the operator bring its own release, now and after each of its upgrades",
      line: "upgrade-cluster ec -n engine --auto",
    },
  ],
  argument: { name: "NAME", help: "Name of the EC", kinds: ["ec"] },
  flags: [
    {
      name: "target",
      value: "TAG",
      help: "Image tag to upgrade to; with --auto it only has to be what the operator brings",
    },
    { name: "auto", help: "Switch the automatic upgrade on instead of writing a tag" },
    { name: "image-repository", value: "IMAGE", help: "Repository of the cluster's image" },
    {
      name: "image-pull-policy",
      value: "POLICY",
      help: "Pull policy of the image; IfNotPresent where the EC has none",
      choices: pullPolicies,
    },
    {
      name: "take-fields",
      value: "FIELDS",
      repeat: true,
      help: "Fields to take from their present manager, separated by commas",
    },
    {
      name: "stall-after",
      value: "DURATION",
      fallback: "10m",
      help: "Time without progress after which a cause in the data counts as a stall",
    },
    skipFlag,
  ],
  cluster: true,
  place: "operator",
  settles: true,
  prepare: prepareJob("UpgradeCluster", judge, async () => {
    const { clusterJob } = await import("../run/cluster/upgrade.ts");
    return clusterJob;
  }),
};

function judge(read: FlagReader): ClusterFlags {
  const target = read.tag("target", "8.0.2-17");
  const auto = read.on("auto");
  const imageRepository = read.text("image-repository");
  const imagePullPolicy = read.given("image-pull-policy")
    ? read.choice("image-pull-policy", pullPolicies, "IfNotPresent")
    : undefined;
  if (target === undefined && !auto) {
    read.missing.push("--target: give the tag to upgrade to, or --auto");
  }
  return {
    ...(target !== undefined && { target }),
    auto,
    ...(imageRepository !== undefined && { imageRepository }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    takeFields: read.list("take-fields"),
    skip: readSkips(read),
    stallAfterMs: read.duration("stall-after", defaultStallAfterMs),
    limited: read.given("timeout"),
  };
}
