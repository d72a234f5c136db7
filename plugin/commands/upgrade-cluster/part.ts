/** The parts of the clusters: the automatic upgrade switched off (auto-off.ts), and an EC upgraded (upgrade.ts; S10-S14, S51). */
import type { UpgradeClusterOptions, EcResource } from "./read";
import { asString, getPath, pick } from "../../domain/base/values";
import { isSameRelease } from "../../domain/base/versions";
import { prerequisiteCodes } from "../../domain/checks/prerequisites";
import { operatorRelease, ownClusters } from "../../domain/engine-cluster/operator";
import { type Facts, isKnown, isOpenShift } from "../../domain/facts/facts";
import { type Needs, together } from "../../domain/facts/needs";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { type KubeObject, readName } from "../../domain/kube/objects";
import { ofKind } from "../../domain/kube/typed";
import { type Names, readName as readTyped } from "../../domain/names/names";
import { imagesOn, inRegistry } from "../../domain/release/images";
import { makePartRun, type PartRun } from "../../cmdutil/part-command";
import type { PartStage, UpgradePart, PartInputs } from "../../cmdutil/upgrade-part";
import type { Part } from "../../kernel/part";
import { makeSimplePart, type PartRunOptions } from "../../kernel/simple-part";
import { describeAutoOff } from "./auto-off";
import { describeUpgrade } from "./upgrade";
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
  needs: listNeeds,
  makeParts: async (inputs, stage) => {
    const clusters = ownClusters(inputs.facts).map(readName);
    const { takeFields } = inputs.flags;
    return [autoOffPart({ clusters, takeFields }, await makeRun(inputs, stage, []))];
  },
};

export const cluster: UpgradePart = {
  id: "cluster",
  title: "Upgrade the cluster",
  because: "soon after the operator, which until then manages no database",
  source: "S10-S14, S48-S50",
  gate: skipClusters,
  settles: {
    codes: ["CLUSTER-TAG-OF-OPERATOR", "CLUSTER-NOT-TAKEN-UP", "POD-IMAGE", "DATABASE-CHANNEL"],
  },
  blockedBy: prerequisiteCodes,
  needs: listNeeds,
  makeParts: async (inputs, stage) =>
    await Promise.all(
      ownClusters(inputs.facts).map(async (ec) =>
        clusterPart(makeFlags(inputs, ec, stage), await makeRun(inputs, stage, [readName(ec)])),
      ),
    ),
};

async function makeRun(
  { context, flags }: PartInputs,
  { isUnderWay }: PartStage,
  args: readonly string[],
): Promise<PartRun> {
  const run = await makePartRun(context, args, flags);
  return { ...run, wait: run.wait || isUnderWay };
}

/** By name, where they may be read. */
function listNeeds({ facts, context }: PartInputs): readonly Needs[] {
  const { names, namespace } = facts;
  const known = isKnown(facts, "ecs") ? ownClusters(facts).map(readName) : [undefined];
  return known.map((name) => clusterNeeds({ names, namespace, name, ...pick(context, "advised") }));
}

function makeFlags(inputs: PartInputs, ec: KubeObject, stage: PartStage): ClusterFlags {
  const { auto, takeFields, skip, stallAfterMs, limited } = inputs.flags;
  const target = chooseTarget(inputs, ec);
  const imageRepository = chooseRepository(inputs, ec);
  return {
    ...{ auto, takeFields, skip, stallAfterMs, limited },
    skipMayMiss: true,
    operatorBefore: operatorRelease(inputs.facts).version,
    definitionAhead: findDefinition(inputs, stage),
    ...(target !== undefined && { target }),
    ...(imageRepository !== undefined && { imageRepository }),
  };
}

/** As the operator's part brings it, by bundle or by chart. */
function findDefinition(
  { facts: { names } }: PartInputs,
  { definitions }: PartStage,
): CustomResourceDefinition | undefined {
  const name = `${names.ec.plural}.${names.group}`;
  return ofKind(definitions, "CustomResourceDefinition").find((each) => readName(each) === name);
}

/** An image of that release that an EC has already is its own choice, unless a person gives the tag. */
function chooseTarget(
  { facts, flags, clusterTag }: PartInputs,
  ec: KubeObject,
): string | undefined {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const isKept = flags.clusterTarget === undefined && isSameRelease(tag, clusterTag);
  return isKept ? tag : clusterTag;
}

/** With a tag of its own a cluster no longer has the operator's image: it then pulls from the same registry (S17). */
function chooseRepository({ facts, flags }: PartInputs, ec: KubeObject): string | undefined {
  const { registry, auto } = flags;
  if (registry === undefined || auto) return undefined;
  if (asString(getPath(ec, facts.names.ecFields.repository)) !== undefined) return undefined;
  return inRegistry(imagesOn(readPlatform(facts), "cluster", facts.names)[0], registry);
}

const readPlatform = (facts: Facts) => (isOpenShift(facts) ? "openshift" : "kubernetes");

/** Flags of `upgrade-cluster`, judged. */
export interface ClusterFlags extends Omit<UpgradeClusterOptions, keyof PartRun | "name"> {
  readonly takeFields: readonly string[];
  readonly stallAfterMs: number;
  readonly limited: boolean;
}

/** The upgrade of the EC that the argument names. */
export function clusterPart(flags: ClusterFlags, run: PartRun): Part {
  const [typed = ""] = run.args;
  const named = (names: Names) => ({ ...flags, ...run, name: readTyped(typed, names).name });
  // read once for the plan and the act: a part is made anew for another plan
  const resource: EcResource = {};
  return makeSimplePart(
    {
      command: "upgrade-cluster",
      needs: (names) => clusterNeeds({ ...named(names), names }),
    },
    {
      describe: (ports) => describeUpgrade(ports, named(ports.names), resource),
      options: { ...flags, ...run },
    },
  );
}

/** Which clusters, and fields that may be taken from their managers. */
export interface AutoOffFlags {
  readonly clusters: readonly string[];
  readonly takeFields: readonly string[];
}

/** Switches the automatic upgrade of these clusters off, where databases use user-defined modules (S51, S124). */
export function autoOffPart(
  { clusters, ...flags }: AutoOffFlags,
  run: Pick<PartRun, "namespace"> & PartRunOptions,
): Part {
  const { namespace } = run;
  return makeSimplePart(
    {
      command: "auto-off",
      needs: (names) => together(clusters.map((name) => clusterNeeds({ names, namespace, name }))),
    },
    { describe: (ports) => describeAutoOff(ports, clusters, run), options: { ...flags, ...run } },
  );
}
