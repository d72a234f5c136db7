/** What --apply does about the causes, and what it cannot do (S99, S100; domain facts 7, 10). */
import { withInstalled } from "../../domain/rest-api/modules";
import type { InstalledModule } from "../../domain/rest-api/records";
import { isTooOld } from "../../domain/engine-cluster/causes";
import type { FieldEdit } from "../../domain/kube/edits";
import { gate } from "../../domain/diagnosis/diagnose";
import { clusterSymptoms } from "../../domain/engine-cluster/symptoms";
import type { RequestWish } from "../../domain/database/bdb";
import { databaseFinding } from "../../domain/database/findings";
import { type DataKeeping, findRisk, mayLoseData } from "../../domain/database/keeping";
import { judgeNodes } from "../../domain/database/nodes";
import { readOffer, withOffer } from "../../domain/database/offer";
import { planDatabase } from "../../domain/database/plan";
import type { DatabaseTarget } from "../../domain/database/target";
import type { Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import type { KubeObject } from "../../domain/kube/objects";
import { getPath } from "../../domain/base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseEngineVersion,
} from "../../domain/base/versions";
import type { FreezeCause } from "../../domain/recovery/cause";
import type { Freeze } from "../../domain/recovery/classify";
import type { RollStep } from "../../domain/recovery/roll";
import type { ApiFacts, RecoveryDatabase } from "../../domain/recovery/databases";
import { renderVersion } from "../../domain/database/rollout";

/** What the person gives. */
export interface RecoveryWish {
  readonly engineVersion?: string;
  readonly dropDigests: boolean;
  /** Databases that keep nothing over a restart are upgraded all the same (S83). */
  readonly mayDiscardData?: boolean;
}

/** One call of S100. */
export interface DatabaseUpgrade {
  readonly database: RecoveryDatabase;
  readonly uid: number;
  /** A text, as the field of the request is (C22). */
  readonly version: string;
  /** The loss of its data is accepted; false where something keeps it, so that a later look is not accepted unseen. */
  readonly mayDiscardData: boolean;
}

/** The remedies; `problems` are flags that are missing or wrong, `blocks` what no flag fixes. */
export interface RecoveryPlan {
  readonly upgrades: readonly DatabaseUpgrade[];
  /** Of the roll, in the order in which they have to be done. */
  readonly rolls: readonly RollStep[];
  /** Of the EC. */
  readonly digests: readonly FieldEdit[];
  readonly problems: readonly string[];
  readonly blocks: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Whose causes, and what is known of the cluster. */
export interface Planning {
  readonly facts: Facts;
  readonly ec: KubeObject;
  readonly freeze: Freeze;
  readonly api: ApiFacts | undefined;
}

/** Plans the remedies of every cause; given again after them, the same flags plan nothing. */
export function planRecovery(planning: Planning, wish: RecoveryWish): RecoveryPlan {
  const plans = planning.freeze.causes.map((cause) => remedyOf(planning, cause, wish));
  const problems = plans.flatMap(({ problems }) => problems ?? []);
  return {
    upgrades: plans.flatMap(({ upgrades }) => upgrades ?? []),
    rolls: plans.flatMap(({ rolls }) => rolls ?? []),
    digests: plans.flatMap(({ digests }) => digests ?? []),
    problems: [...new Set(problems)],
    blocks: plans.flatMap(({ blocks }) => blocks ?? []),
    warnings: plans.flatMap(({ warnings }) => warnings ?? []),
  };
}

type Remedy = Partial<RecoveryPlan>;

function remedyOf(planning: Planning, cause: FreezeCause, wish: RecoveryWish): Remedy {
  switch (cause.is) {
    case "database":
      return upgradeOf(planning, cause.database, wish);
    case "digest":
      return digestOf(planning, cause.finding, wish);
    case "outdated":
    case "held":
      return { rolls: [cause] };
    case "module":
    case "license":
    case "other":
      return { blocks: [cause.finding] };
  }
}

function upgradeOf(
  planning: Planning,
  database: RecoveryDatabase,
  { engineVersion, mayDiscardData = false }: RecoveryWish,
): Remedy {
  const { label, uid, runs, keeping } = database;
  const version = parseEngineVersion(engineVersion);
  const choice = supported(planning);
  if (version === undefined) {
    const known = choice.length === 0 ? "" : `; the nodes can run ${choice.join(", ")}`;
    return { problems: [`--engine-version: give the version for ${label}${known}`] };
  }
  const text = formatEngineVersion(version);
  if (choice.length > 0 && !choice.includes(text)) {
    const problem = `--engine-version: the nodes cannot run ${text}, but ${choice.join(", ")}`;
    return { problems: [problem] };
  }
  if (runs !== undefined && compareEngineVersions(version, runs) <= 0) {
    return { problems: [`--engine-version: ${label} runs ${renderVersion(runs)} already`] };
  }
  const risks = judgeLoss(label, keeping, { mayDiscardData });
  const warnings = [
    ...risks.filter(({ severity }) => severity === "warning"),
    ...findNodesAway(planning),
  ];
  const blocks = [
    ...risks.filter(({ severity }) => severity === "error"),
    ...editBlocks(planning, database, version),
  ];
  if (uid === undefined) {
    return { blocks: [databaseFinding("uidUnknown", { object: label }), ...blocks], warnings };
  }
  const wanted = { mayDiscardData: mayLoseData(keeping, { mayDiscardData }) };
  return { upgrades: [{ database, uid, version: text, ...wanted }], blocks, warnings };
}

/** A roll takes its nodes away one by one, so that a node that is away is told and stops nothing. */
function findNodesAway({ api, ec, facts }: Planning): readonly Finding[] {
  const place = { name: String(ec.metadata.name), namespace: String(ec.metadata.namespace) };
  return judgeNodes(api?.nodes, place, facts.names).map(({ object, cause }) =>
    databaseFinding(
      "nodeAway",
      { severity: "warning", object, cause, fix: "bring the node back, or end its maintenance" },
      facts.names,
    ),
  );
}

/** Data that the upgrade loses, with the ways out that this command has. */
export function judgeLoss(
  object: string,
  keeping: DataKeeping,
  wish: Pick<RequestWish, "mayDiscardData">,
): readonly Finding[] {
  return findRisk(keeping, wish).map(({ code, cause }) =>
    code === undefined
      ? databaseFinding("volatile", { severity: "error", object, cause, fix: lossFixes.refused })
      : databaseFinding("dataMayGo", { object, cause, fix: lossFixes.accepted }),
  );
}

const lossFixes = {
  refused:
    "switch on replication or persistence, or accept the loss: run again with --may-discard-data",
  accepted: "nothing, if losing the data is acceptable; else run again without --may-discard-data",
};

/** What every node can run, 7.2 and later: the best proof that a version exists (domain facts 9). */
export function supported({ api }: Pick<Planning, "api">): readonly string[] {
  const [first, ...others] = api?.nodes ?? [];
  return (first?.supportedVersions ?? []).filter((version) => {
    const parsed = parseEngineVersion(version);
    return (
      parsed !== undefined &&
      !isTooOld(parsed) &&
      others.every((node) => node.supportedVersions.includes(version))
    );
  });
}

/** The edit that has to follow is judged before the call: a refused one would leave both apart. */
function editBlocks(
  { facts, api }: Planning,
  { target }: RecoveryDatabase,
  version: EngineVersion,
): readonly Finding[] {
  const wish = { version: formatEngineVersion(version), via: "api" } as const;
  const known = withModules(target, api?.modules ?? []);
  // what the nodes can run was judged with the flag
  const offer = readOffer(undefined, api?.policy, facts.names);
  const asked = known && withOffer(known, offer, facts.names);
  return asked === undefined ? [] : planDatabase(facts, asked, wish).blocks;
}

/** The EC as it will be when the edit is sent: what is installed counts. */
function withModules(
  target: DatabaseTarget | undefined,
  modules: readonly InstalledModule[],
): DatabaseTarget | undefined {
  if (target?.lookup.is !== "found") return target;
  const { lookup } = target;
  return { ...target, lookup: { ...lookup, cluster: withInstalled(lookup.cluster, modules) } };
}

/** An image is a field of the StatefulSet: it stays while that is made anew. */
function digestOf(
  { facts, ec }: Planning,
  finding: Finding,
  { dropDigests }: RecoveryWish,
): Remedy {
  const field = String(finding.field);
  const path = field.split(".");
  const blocks = gate([clusterSymptoms.resizing], "upgrade-cluster", { facts, clusters: [ec] });
  if (dropDigests && blocks.length > 0) return { blocks };
  if (dropDigests) return { digests: [{ path, from: getPath(ec, path), to: null }] };
  return { problems: [`--drop-digests: ${field} pins an image; give the flag to remove it`] };
}
