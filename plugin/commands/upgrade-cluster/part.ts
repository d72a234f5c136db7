/** What `upgrade` knows of the clusters: the automatic upgrade switched off, and each EC upgraded (S10-S14, S51). */
import { asString, getPath } from "../../domain/base/values";
import { isSameRelease } from "../../domain/base/versions";
import { prerequisiteCodes } from "../../domain/checks/prerequisites";
import { operatorRelease, ownClusters } from "../../domain/engine-cluster/operator";
import { type Facts, isKnown, isOpenShift } from "../../domain/facts/facts";
import type { Needs } from "../../domain/facts/needs";
import { type KubeObject, readName } from "../../domain/kube/objects";
import { imagesOn, inRegistry } from "../../domain/release/images";
import { makeJobRun } from "../../cmdutil/run-part";
import type { PartStage, UpgradePart, UpgradeWish } from "../../cmdutil/upgrade-part";
import type { JobRun } from "../../kernel/job";
import { autoOffPart, type ClusterFlags, clusterPart } from "./job";
import { clusterNeeds } from "./needs";
import { skipClusters } from "./gate";

export const autoOff: UpgradePart = {
  id: "auto-off",
  title: "Switch the automatic upgrade off",
  because:
    "databases use user-defined modules, so the cluster must not follow the operator at once",
  source: "S51, S124",
  gate: skipClusters,
  settles: { codes: ["CLUSTER-AUTO-USER-MODULES"] },
  needs: needsOf,
  parts: async (wish, stage) => {
    const clusters = ownClusters(wish.facts).map(readName);
    const { takeFields } = wish.flags;
    return [autoOffPart({ clusters, takeFields }, await jobRun(wish, stage, []))];
  },
};

export const cluster: UpgradePart = {
  id: "cluster",
  title: "Upgrade the cluster",
  because: "soon after the operator, which until then manages no database",
  source: "S10-S14, S48-S50",
  gate: skipClusters,
  settles: { codes: ["CLUSTER-TAG-OF-OPERATOR", "CLUSTER-NOT-TAKEN-UP", "POD-IMAGE"] },
  blockedBy: prerequisiteCodes,
  needs: needsOf,
  parts: async (wish, stage) =>
    await Promise.all(
      ownClusters(wish.facts).map(async (ec) =>
        clusterPart(flagsFor(wish, ec, stage), await jobRun(wish, stage, [readName(ec)])),
      ),
    ),
};

async function jobRun(
  { context, flags }: UpgradeWish,
  { waits }: PartStage,
  args: readonly string[],
): Promise<JobRun> {
  const run = await makeJobRun(context, args, flags);
  return { ...run, wait: run.wait || waits };
}

/** By name, where they may be read. */
function needsOf({ facts }: UpgradeWish): readonly Needs[] {
  const { names, namespace } = facts;
  const known = isKnown(facts, "ecs") ? ownClusters(facts).map(readName) : [undefined];
  return known.map((name) => clusterNeeds({ names, namespace, name }));
}

function flagsFor(wish: UpgradeWish, ec: KubeObject, stage: PartStage): ClusterFlags {
  const { auto, takeFields, skip, stallAfterMs, limited } = wish.flags;
  const target = targetFor(wish, ec);
  const imageRepository = repositoryFor(wish, ec);
  return {
    ...{ auto, takeFields, skip, stallAfterMs, limited },
    skipMayMiss: true,
    operatorBefore: operatorRelease(wish.facts).version,
    definitionAhead: stage.isPlanned("operator") ? findDefinition(wish) : undefined,
    ...(target !== undefined && { target }),
    ...(imageRepository !== undefined && { imageRepository }),
  };
}

/** As the release has it; a chart's own are not looked at. */
function findDefinition({ contents, facts: { names } }: UpgradeWish): KubeObject | undefined {
  const name = `${names.ec.plural}.${names.group}`;
  return contents?.definitions.find(({ metadata }) => metadata.name === name);
}

/** An image of that release that an EC has already is its own choice, unless a person gives the tag. */
function targetFor({ facts, flags, clusterTag }: UpgradeWish, ec: KubeObject): string | undefined {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const isKept = flags.clusterTarget === undefined && isSameRelease(tag, clusterTag);
  return isKept ? tag : clusterTag;
}

/** With a tag of its own a cluster no longer has the operator's image: it then pulls from the same registry (S17). */
function repositoryFor({ facts, flags }: UpgradeWish, ec: KubeObject): string | undefined {
  const { registry, auto } = flags;
  if (registry === undefined || auto) return undefined;
  if (asString(getPath(ec, facts.names.ecFields.repository)) !== undefined) return undefined;
  return inRegistry(imagesOn(platformOf(facts), "cluster", facts.names)[0], registry);
}

const platformOf = (facts: Facts) => (isOpenShift(facts) ? "openshift" : "kubernetes");
