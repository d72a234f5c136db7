/** The resource of a database that the REST API has upgraded. */
import { bdbVersion } from "../../domain/databases/bdb";
import { databaseFinding } from "../../domain/databases/codes";
import { type DatabasePlan, type DatabaseWish, planDatabase } from "../../domain/databases/plan";
import { targetNow } from "../../domain/databases/target";
import { formatEngineVersion } from "../../domain/versions";
import type { ApiDatabase } from "../cluster-api";
import type { Result } from "../report";
import { bringInLine } from "./by-resource";
import type { WriteContext } from "./follow";
import { databasePatch } from "./plan";

/** The resource follows, so that the operator does not undo it; where it may not be written, that is told. */
export async function alongside(
  context: WriteContext,
  before: DatabasePlan,
  bdb: ApiDatabase,
): Promise<Result> {
  const { deps, options, poller } = context;
  const runs = before.version ?? bdbVersion(bdb);
  const wish: DatabaseWish = {
    via: options.via,
    ...(runs !== undefined && { version: formatEngineVersion(runs) }),
  };
  const { facts } = await poller.now();
  const target = targetNow(facts, before.target);
  const plan = target && planDatabase(facts, { ...target, named: true }, wish);
  const because =
    plan === undefined ? "it was deleted meanwhile" : hindranceOf(context, plan, before);
  if (plan === undefined || because !== undefined) {
    const cause = `the database runs ${bdb.version ?? "the new version"}, and its resource is left as it is: ${because ?? ""}`;
    deps.recorder.findings([databaseFinding("notInLine", { object: before.label, cause })]);
    return "unchanged";
  }
  // the version that a confirmed call has led to is confirmed with it
  if (plan.edits.length > 0) context.session.confirm([databasePatch(deps.names, plan)]);
  return await bringInLine(context, { facts, plan });
}

/** Why the resource is not written; undefined where it is, or is as wanted. */
function hindranceOf(
  context: WriteContext,
  plan: DatabasePlan,
  before: DatabasePlan,
): string | undefined {
  return hindrance(plan, before) ?? unasked(context, plan, before);
}

function hindrance(
  { edits, target, blocks, leaves }: DatabasePlan,
  before: DatabasePlan,
): string | undefined {
  if (edits.length === 0) return undefined;
  // only what was planned was asked about
  if (leaves !== undefined && before.edits.length === 0) return `it follows the channel ${leaves}`;
  if (target.instanceOf !== undefined) {
    return `it is an instance of ${target.instanceOf}, which has to ask for the version instead`;
  }
  return blocks.length === 0 ? undefined : blocks.map(({ cause }) => cause).join("; ");
}

/** Another owner or manager holds it, and what was not planned was asked about neither. */
function unasked(
  { deps, session }: WriteContext,
  plan: DatabasePlan,
  before: DatabasePlan,
): string | undefined {
  const { conflicts, takes } = session.conflictsOf(databasePatch(deps.names, plan));
  const [first] = conflicts;
  if (first !== undefined) return first.cause;
  const wasAsked = before.edits.length > 0;
  return takes && !wasAsked ? "its fields were not said to be taken" : undefined;
}
