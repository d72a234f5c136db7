/** What `upgrade-cluster` takes. */
import { namespace, ec, ecShort, text } from "../../domain/names/text";
import { tag } from "../../cmdutil/flags";
import { groups, spec } from "../../cmdutil/spec";
import {
  advisoriesFlags,
  skipFlag,
  stallFlag,
  takeFlag,
  withLimit,
} from "../../cmdutil/common-flags";

/** `upgrade-cluster`. */
export const upgradeCluster = spec({
  path: "upgrade-cluster",
  kind: "UpgradeCluster",
  group: groups.upgrade,
  summary: text`Upgrade a cluster (${ec}) to the operator's release, and follow its pods to the end`,
  description: text`Upgrade a cluster (${ec}) to the release of its operator, and follow the rolling upgrade of its pods to the end.

License, databases, modules, images, operator and state are checked first: what is missing ends the run before
anything is written. Then one patch writes the image tag, or with --auto the automatic upgrade; fields of other
managers are named, not taken. The end is proven by facts: every pod on the new revision, ready and with the
wanted image, state Running. A stalled rollout ends with its cause; --timeout, when it is given, limits
the whole wait. Running the command again is safe: it continues from the state found.`,
  examples: {
    "Show what would be written": text`upgrade-cluster ${ecShort} -n ${namespace} --target 8.0.2-17 --dry-run=server`,
    "Upgrade by the image tag": text`upgrade-cluster ${ecShort} -n ${namespace} --target 8.0.2-17`,
    "With images from your own repository": text`upgrade-cluster ${ecShort} --target 8.0.2-17 --image-repository mirror/engine`,
    "Let the operator bring its own release, now and after each of its upgrades": text`upgrade-cluster ${ecShort} -n ${namespace} --auto`,
  },
  argument: { name: "NAME", help: text`Name of the ${ec}`, kinds: ["ec"] },
  flags: {
    target: {
      ...tag("8.0.2-17"),
      offers: "tag",
      help: "Image tag to upgrade to; with --auto it only has to be what the operator brings",
    },
    auto: { help: "Switch the automatic upgrade on instead of writing a tag" },
    "image-repository": { value: "IMAGE", help: "Repository of the cluster's image" },
    "image-pull-policy": {
      value: "POLICY",
      help: text`Pull policy of the image; IfNotPresent where the ${ec} has none`,
      choices: ["Always", "IfNotPresent", "Never"],
    },
    ...takeFlag("Fields to take from their present manager, separated by commas"),
    ...stallFlag("Time without progress after which a cause in the data counts as a stall"),
    ...skipFlag,
    ...advisoriesFlags,
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  judge: (options, read) => {
    if (options.target === undefined && !options.auto) {
      read.missing.push("--target: give the tag to upgrade to, or --auto");
    }
    return withLimit(options, read);
  },
});
