/** What is planned for all databases from one look, and what stands against it. */
import { accept, requireMatched } from "../../domain/checks/selection";
import { withOperator } from "../../domain/engine-cluster/operator";
import { databaseFinding, isLeftOut } from "../../domain/database/findings";
import { type DatabasePlan, participantFindings, planDatabase } from "../../domain/database/plan";
import { deletingCluster } from "../../domain/engine-cluster/deletion";
import { selectDatabases } from "../../domain/database/target";
import type { Finding } from "../../domain/base/findings";
import { type Names, isNamed, readName } from "../../domain/names/names";
import { bounded } from "../../domain/base/values";
import type { Patch } from "../../domain/kube/change";
import {
  databaseResources,
  type DatabaseSnapshot,
  type UpgradeDatabaseDeps,
  type UpgradeDatabaseOptions,
} from "./read";
import { keeping, losesData } from "../../domain/database/bdb";
import { UsageError } from "../../domain/base/errors";
import { notConfirmed, requireYes } from "../../kernel/permissions";
import type { Session } from "../../kernel/session";
import type { ApiDatabase } from "../../ports/rest-api";

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

/** Plans them all, and tells every problem of every one at once. */
export function planDatabases(
  {
    facts,
    participants,
    chosen,
  }: DatabaseSnapshot & { readonly chosen: ReadonlySet<string> | undefined },
  options: UpgradeDatabaseOptions,
): DatabasePlans {
  const { databases: names, everywhere, via, assumeOperator, skip } = options;
  const selection = { names, everywhere, via, ...(chosen !== undefined && { chosen }) };
  const { targets, findings } = selectDatabases(facts, selection);
  const each = targets.map((target) => planDatabase(facts, target, options));
  const some = each.filter(({ blocks }) => !isLeftOut(blocks));
  // where there is no other, it is the run that is blocked
  const plans = some.length > 0 ? some : each;
  const eaadbs = plans
    .filter(({ target }) => target.kind === "eaadb" && via === "resource")
    .map(({ target: { object }, edits }) => ({ object, changes: edits.length > 0 }));
  const ahead = assumeOperator === undefined ? facts : withOperator(facts, assumeOperator);
  const clusters = [...new Set(targets.flatMap(({ ec }) => ec ?? []))];
  const all = [
    ...clusters.flatMap((ec) => deletingCluster(facts, ec) ?? []),
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
    leftOut: some.length > 0 ? each.filter(({ blocks }) => isLeftOut(blocks)) : [],
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
    risk: "the shards of the database restart; its version cannot be downgraded",
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

/** Asks once before fields are taken from their managers. */
export async function confirmTaking(
  { deps, session }: { readonly deps: UpgradeDatabaseDeps; readonly session: Session },
  plans: readonly DatabasePlan[],
): Promise<void> {
  const taken = plans.filter((plan) => session.conflictsOf(databasePatch(deps.names, plan)).takes);
  if (taken.length === 0) return;
  const shown = bounded(taken.map(({ label }) => label));
  const fields = session.taking.takeFields.join(", ");
  await requireYes(deps, `Take ${fields} of ${shown} from its manager?`);
}

/** Asks once before a number replaces a channel: the database would follow no release by itself any more. */
export async function confirmLeaving(
  deps: UpgradeDatabaseDeps,
  plans: readonly DatabasePlan[],
): Promise<void> {
  const leaving = plans.flatMap(({ label, leaves, edits }) =>
    leaves === undefined ? [] : [`${leaves} of ${label} by ${String(edits[0]?.to)}`],
  );
  if (leaving.length === 0) return;
  const question = `Replace the channel ${bounded(leaving)}? From then on they follow no release by themselves.`;
  await requireYes(deps, question);
}

/** A database, with what the REST API has just said of it. */
export interface DataLossRisk {
  readonly plan: DatabasePlan;
  readonly bdb: ApiDatabase;
}

/** Each database whose data may go has to be typed by its name; a yes to everything is not a name (S83, S84). */
export async function confirmLoss(
  deps: UpgradeDatabaseDeps,
  { confirmed, request }: UpgradeDatabaseOptions,
  all: readonly DataLossRisk[],
): Promise<void> {
  const lossy = all.filter(({ bdb }) => losesData(bdb, request));
  const typed = confirmed.map((name) => readName(name, deps.names));
  const open = lossy.filter(({ plan }) => !typed.some((one) => isNamed(one, plan.target)));
  deps.recorder.findings(lossy.map(lossFinding));
  const unsaid: string[] = [];
  for (const { plan, bdb } of open) {
    const { name = "" } = plan.target.object.metadata;
    const question = `${plan.label} is ${keeping(bdb)}, and its data may be lost. Type its name to continue:`;
    const answer = await deps.typed(question);
    if (answer === undefined) unsaid.push(name);
    else if (answer.trim() !== name) throw notConfirmed();
  }
  if (unsaid.length === 0) return;
  const flags = unsaid.map((name) => `--confirm ${name}`).join(" ");
  throw new UsageError(`the data of ${unsaid.join(", ")} may be lost, and that is not confirmed`, {
    hint: `if it may, add ${flags}`,
  });
}

function lossFinding({ plan, bdb }: DataLossRisk): Finding {
  const cause = `its data may be lost: it is ${keeping(bdb)}`;
  return databaseFinding("dataMayGo", { object: plan.label, cause });
}
