/** What is planned for all databases from one look, and what stands against it. */
import { accept, requireMatched } from "../../domain/checks/selection";
import { withOperator } from "../../domain/cluster/operator";
import { databaseFinding } from "../../domain/databases/codes";
import { type DatabasePlan, participantFindings, planDatabase } from "../../domain/databases/plan";
import { selectDatabases } from "../../domain/databases/target";
import type { Finding } from "../../domain/findings";
import type { Names } from "../../domain/names";
import { bounded } from "../../domain/status/verdict";
import type { Patch } from "../engine/change";
import type { UpgradeDatabaseOptions } from "./deps";
import { databaseResources, type Seen } from "./read";

/** The plans for all databases that are meant. */
export interface DatabasePlans {
  readonly plans: readonly DatabasePlan[];
  /** Exit 3. */
  readonly blocks: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** What waiting may lift: an EC that is not Running (S98). */
  readonly busy: readonly Finding[];
  /** Whether clusters that take part have to be read. */
  readonly isActiveActive: boolean;
}

/** Plans them all, and tells every problem of every one at once. */
export function planDatabases(
  { facts, participants, chosen }: Seen & { readonly chosen: ReadonlySet<string> | undefined },
  options: UpgradeDatabaseOptions,
): DatabasePlans {
  const { databases: names, everywhere, via, assumeOperator, skip } = options;
  const selection = { names, everywhere, via, ...(chosen !== undefined && { chosen }) };
  const { targets, findings } = selectDatabases(facts, selection);
  const plans = targets.map((target) => planDatabase(facts, target, options));
  const eaadbs = plans
    .filter(({ target }) => target.kind === "eaadb" && via === "resource")
    .map(({ target: { object }, edits }) => ({ object, changes: edits.length > 0 }));
  const ahead = assumeOperator === undefined ? facts : withOperator(facts, assumeOperator);
  const all = [
    ...findings,
    ...participantFindings(ahead, eaadbs, participants),
    ...plans.flatMap(({ blocks, warnings }) => [...blocks, ...warnings]),
  ];
  if (options.skipMayMiss !== true) requireMatched(skip, all);
  const found = accept(all, skip);
  const busy = plans.flatMap((plan) => plan.busy);
  const waits = options.wait && options.dryRun === "none";
  return {
    plans,
    blocks: gathered([...found.filter(isError), ...(waits ? [] : busy)]),
    warnings: gathered(found.filter((finding) => !isError(finding))),
    busy,
    isActiveActive: eaadbs.length > 0,
  };
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}

/** So many objects are named. */
const namedAtMost = 10;

/** What is said of several objects alike becomes one finding that names them. */
export function gathered(findings: readonly Finding[]): readonly Finding[] {
  const groups = new Map<string, Finding & { readonly objects: readonly string[] }>();
  for (const finding of findings) {
    const key = JSON.stringify({ ...finding, object: undefined });
    const before = groups.get(key)?.objects ?? [];
    groups.set(key, { ...finding, objects: [...before, finding.object ?? ""] });
  }
  return [...groups.values()].map(({ objects, ...finding }) =>
    objects.length === 1 ? finding : { ...finding, object: bounded(objects, namedAtMost) },
  );
}

/** The one write of a database's upgrade: a patch of its version alone (S61, S62). */
export function databasePatch(
  names: Names,
  { target, edits, owned }: Pick<DatabasePlan, "target" | "edits" | "owned">,
): Patch {
  const { namespace = "" } = target.object.metadata;
  return {
    verb: "patch",
    id: "database.patch",
    resource: databaseResources(names)[target.kind],
    object: target.object,
    edits,
    risk: "the shards of the database restart; its version is not lowered again",
    reverse: "none once the upgrade has begun; the run saves the old value",
    where: ["--namespace", namespace],
    owned,
    dropped: (lost, object) =>
      lost.map(({ path }) => databaseFinding("fieldPruned", { object, field: path.join(".") })),
  };
}

/** An instance follows its active-active database, and is not written itself. */
export function isWritten({ edits, target }: DatabasePlan): boolean {
  return edits.length > 0 && target.instanceOf === undefined;
}
