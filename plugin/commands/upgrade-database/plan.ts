/** What is planned for all databases from one look, and what stands against it. */
import type { Finding } from "../../domain/base/findings";
import { boundList, groupBy } from "../../domain/base/values";
import { formatEngineVersion } from "../../domain/base/versions";
import { judgeAct } from "../../domain/advisories/symptoms";
import { type AdvisedTarget, chooseRows } from "../../domain/checks/advisories";
import { accept, requireMatched } from "../../domain/checks/selection";
import { warnOfBackup } from "../../domain/database/backup";
import { acceptable, isLeftOut, lateCodes } from "../../domain/database/findings";
import {
  type DatabasePlan,
  type DatabaseWish,
  participantFindings,
  planDatabase,
} from "../../domain/database/plan";
import { judgeReplication, orderByReplication } from "../../domain/database/replication";
import type { DatabaseSubject } from "../../domain/database/subject";
import { databaseSymptoms } from "../../domain/database/symptoms";
import { selectDatabases } from "../../domain/database/target";
import { gate } from "../../domain/diagnosis/diagnose";
import { leaveSuperseded } from "../../domain/diagnosis/superseded";
import { findDeletingCluster } from "../../domain/engine-cluster/deletion";
import type { Facts } from "../../domain/facts/facts";
import type { Names } from "../../domain/names/names";
import type { DatabaseSnapshot, UpgradeDatabaseOptions } from "./read";

/** The plans for all databases that are meant. */
export interface DatabasePlans {
  readonly plans: readonly DatabasePlan[];
  /** Left out for what they themselves are doing, while others are upgraded. */
  readonly leftOut: readonly DatabasePlan[];
  /** Exit 3. */
  readonly blocks: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** What waiting may lift: an EC that is not Running (S98). */
  readonly busy: readonly Finding[];
  /** Whether clusters that take part have to be read. */
  readonly isActiveActive: boolean;
}

/** What the plans follow from. */
type PlanOptions = DatabaseWish &
  AdvisedTarget &
  Pick<UpgradeDatabaseOptions, "databases" | "everywhere" | "skip" | "skipMayMiss" | "wait">;

/** Plans them all, and tells every problem of every one at once. */
export function planDatabases(
  {
    facts,
    participants,
    chosen,
  }: DatabaseSnapshot & { readonly chosen: ReadonlySet<string> | undefined },
  options: PlanOptions,
): DatabasePlans {
  const { databases: names, everywhere, via, skip, wait } = options;
  const selection = { names, everywhere, via, ...(chosen !== undefined && { chosen }) };
  const { targets, findings } = selectDatabases(facts, selection);
  const each = targets.map((target) => planDatabase(facts, target, options));
  const some = each.filter(({ blocks }) => !isLeftOut(blocks));
  // where there is no other, it is the run that is blocked
  const plans = orderByReplication(some.length > 0 ? some : each, facts.names);
  const eaadbs = plans
    .filter(({ target }) => target.kind === "eaadb" && via === "resource")
    .map(({ target: { object }, edits }) => ({ object, changes: edits.length > 0 }));
  const clusters = [...new Set(targets.flatMap(({ ec }) => ec ?? []))];
  const all = [
    ...clusters.flatMap((ec) => findDeletingCluster(facts, ec) ?? []),
    ...findings,
    ...participantFindings(facts, eaadbs, participants),
    ...judgeReplication(facts, plans),
    ...judgeAdvisories(facts, plans, options),
    ...plans.flatMap(({ blocks, warnings }) => [...blocks, ...warnings]),
    // by the REST API its record is asked
    ...plans.flatMap(({ target, edits }) =>
      via === "api" || edits.length > 0 ? [] : acceptedBefore(facts, target, options),
    ),
  ];
  // The REST API tells later what its nodes and its records say.
  const knownLater: readonly string[] = via === "api" ? lateCodes : [];
  if (options.skipMayMiss !== true) {
    requireMatched(
      skip.filter(({ code }) => !knownLater.includes(code)),
      all,
    );
  }
  const found = leaveSuperseded(accept(all, skip));
  const busy = plans.flatMap((plan) => plan.busy);
  const blocks = groupFindings([...found.filter(isError), ...(wait ? [] : busy)]);
  return {
    plans,
    leftOut: some.length > 0 ? each.filter(({ blocks }) => isLeftOut(blocks)) : [],
    blocks,
    warnings: groupFindings([
      ...found.filter((finding) => !isError(finding)),
      // by the REST API its own record tells more
      ...(via === "api" || blocks.length > 0 ? [] : warnOfBackups(plans, facts.names)),
    ]),
    busy: wait ? busy : [],
    isActiveActive: eaadbs.length > 0,
  };
}

/** What is known of the releases that databases move to, by the version that each is to have. */
function judgeAdvisories(
  facts: Facts,
  plans: readonly DatabasePlan[],
  options: AdvisedTarget,
): readonly Finding[] {
  const moved = plans.filter(({ edits }) => edits.length > 0);
  const byVersion = groupBy(moved, ({ version }) => version && formatEngineVersion(version));
  return [...byVersion].flatMap(([engine, some]) =>
    judgeAct(chooseRows(options), "upgrade-database", {
      facts,
      wanted: { engine },
      databases: some.map(({ target }) => target.object),
    }),
  );
}

/** Of a database that is up to date: what was accepted before it was written is still accepted where a run is repeated. */
export function acceptedBefore(
  facts: Facts,
  database: DatabaseSubject,
  { skip }: Pick<PlanOptions, "skip">,
): readonly Finding[] {
  const scene = { facts, databases: [database] };
  const { references, volatile } = databaseSymptoms;
  const risks = gate([volatile, references], "upgrade-database", scene);
  return accept(risks, skip).filter(({ accepted }) => accepted === true);
}

function warnOfBackups(plans: readonly DatabasePlan[], names: Names): readonly Finding[] {
  return plans.filter(isWritten).map(({ target }) => warnOfBackup(target.object, undefined, names));
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}

/** What stands against it and is not accepted. */
export function listBlocks(
  blocks: readonly Finding[],
  { skip }: Pick<UpgradeDatabaseOptions, "skip">,
): readonly Finding[] {
  return accept(blocks, skip).filter(isError);
}

/** So many objects are named. */
const namedAtMost = 10;

/**
 * What is said of several objects alike, or of one twice, becomes one finding that names them; what is accepted by the
 * name of its object keeps it.
 */
export function groupFindings(findings: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding & { readonly objects: ReadonlySet<string> }>();
  for (const finding of findings) {
    const isNamed = acceptable.includes(finding.code);
    const key = JSON.stringify(isNamed ? finding : { ...finding, object: undefined });
    const before = groups.get(key)?.objects ?? [];
    groups.set(key, { ...finding, objects: new Set([...before, finding.object ?? ""]) });
  }
  return [...groups.values()].map(({ objects, ...finding }) =>
    objects.size === 1 ? finding : { ...finding, object: boundList([...objects], namedAtMost) },
  );
}

/** An instance follows its active-active database, and is not written itself. */
export function isWritten({ edits, target }: DatabasePlan): boolean {
  return edits.length > 0 && target.instanceOf === undefined;
}
