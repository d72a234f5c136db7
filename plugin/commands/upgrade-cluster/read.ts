/** Reads what the upgrade of an EC is planned from. */
import type { Skip } from "../../domain/base/skip";
import { factNamed, type Facts } from "../../domain/facts/facts";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import type { Resource } from "../../domain/kube/objects";
import { listOfCluster } from "../../domain/references/secrets";
import type { RunPorts } from "../../kernel/world";
import { ecResource, readClusterFacts } from "../../readers/engine-cluster";
import { requireGround } from "../../readers/ground";
import { readDefinition, readReferred, withDefinition } from "../../readers/snapshot";
import { listClusterPlanKeys } from "./needs";

/** The flags of the command, judged. */
export interface UpgradeClusterOptions {
  /** The operator's and the EC's. */
  readonly namespace: string;
  readonly name: string;
  /** The tag to write; with `auto` the one that is expected. */
  readonly target?: string;
  readonly auto: boolean;
  readonly imagePullPolicy?: string;
  readonly imageRepository?: string;
  /** The definition of the EC that earlier parts of a whole upgrade bring. */
  readonly definitionAhead?: CustomResourceDefinition | undefined;
  /** Release of the operator before this upgrade, where it is known. */
  readonly operatorBefore?: string | undefined;
  readonly takeFields: readonly string[];
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
  /** A part of a whole upgrade, which sees to it that each --skip matches something. */
  readonly skipMayMiss?: true;
  /** No progress for so long, and a cause in the data: stalled. */
  readonly stallAfterMs: number;
  /** Longest time for a whole wait; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** What a plan is made from. */
export interface ClusterFacts {
  readonly facts: Facts;
  readonly resource: Resource;
}

/** The version by which ECs are read and written, once it is known. */
export interface EcResource {
  resource?: Resource;
}

/** Throws 3 where what the upgrade stands on is being deleted; keeps in `known` by which version ECs are read. */
export async function readBeforeUpgrade(
  deps: RunPorts,
  { namespace, name }: UpgradeClusterOptions,
  known: EcResource,
): Promise<ClusterFacts> {
  const resource = (known.resource ??= await ecResource(deps));
  await requireGround(deps, "upgrade-cluster", { namespace, clusters: [name] });
  const [facts, definition] = await Promise.all([
    readClusterFacts(deps, { namespace, resource }, listClusterPlanKeys(deps)),
    readDefinition(deps, "ec"),
  ]);
  const ec = factNamed(facts, "ecs", { name, namespace });
  const seen = await readReferred(deps, facts, ec === undefined ? [] : listOfCluster(facts, ec));
  return { facts: withDefinition(seen, definition), resource };
}
