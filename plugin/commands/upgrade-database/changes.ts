/** The write of a plan, what it needs, and what a person is asked before it. */
import { databaseFinding } from "../../domain/database/findings";
import type { DatabasePlan } from "../../domain/database/plan";
import { type Names, isNamed, readName } from "../../domain/names/names";
import { boundList, groupBy } from "../../domain/base/values";
import type { Patch } from "../../domain/kube/change";
import type { Permission } from "../../domain/kube/permissions";
import type { DatabaseTarget } from "../../domain/database/target";
import { databaseWrite } from "./needs";
import { databaseResources, type UpgradeDatabaseDeps, type UpgradeDatabaseOptions } from "./read";
import { describeKeeping, mayLoseData, readKeeping } from "../../domain/database/keeping";
import { CancelledError, UsageError } from "../../domain/base/errors";
import type { Session } from "../../kernel/session";
import type { ApiDatabase } from "../../ports/rest-api";

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
    backHolds: "until its upgrade begins",
    where: ["--namespace", namespace],
    owned,
    dropped: (lost, object) =>
      lost.map(({ path }) => databaseFinding("fieldPruned", { object, field: path.join(".") })),
  };
}

/** The question before fields are taken from their managers. */
export function askToTake(
  {
    deps,
    session,
  }: { readonly deps: Pick<UpgradeDatabaseDeps, "names">; readonly session: Session },
  plans: readonly DatabasePlan[],
): readonly string[] {
  const taken = plans.filter(
    (plan) => session.findConflicts(databasePatch(deps.names, plan)).takes,
  );
  if (taken.length === 0) return [];
  const shown = boundList(taken.map(({ label }) => label));
  const fields = session.taking.takeFields.join(", ");
  return [`Take ${fields} of ${shown} from its manager?`];
}

/** The question before a number replaces a channel: the database would follow no release by itself any more. */
export function askToLeave(plans: readonly DatabasePlan[]): readonly string[] {
  const leaving = plans.flatMap(({ label, leaves, edits }) =>
    leaves === undefined ? [] : [`${leaves} of ${label} by ${String(edits[0]?.to)}`],
  );
  if (leaving.length === 0) return [];
  return [
    `Replace the channel ${boundList(leaving)}? From then on they follow no release by themselves.`,
  ];
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
  const lossy = all
    .map(({ plan, bdb }) => ({ plan, keeping: readKeeping(plan.target, bdb, deps.names) }))
    .filter(({ keeping }) => mayLoseData(keeping, request));
  const typed = confirmed.map((name) => readName(name, deps.names));
  const open = lossy.filter(({ plan }) => !typed.some((one) => isNamed(one, plan.target)));
  const unsaid: string[] = [];
  for (const { plan, keeping } of open) {
    const { name = "" } = plan.target.object.metadata;
    const question = `${plan.label} is ${describeKeeping(keeping)}, and its data may be lost. Type its name to continue:`;
    const answer = await deps.typed(question);
    if (answer === undefined) unsaid.push(name);
    else if (answer.trim() !== name) throw new CancelledError();
  }
  if (unsaid.length === 0) return;
  const flags = unsaid.map((name) => `--confirm ${name}`).join(" ");
  throw new UsageError(`the data of ${unsaid.join(", ")} may be lost, and that is not confirmed`, {
    hint: `if it may, add ${flags}`,
  });
}

/** So many databases of a namespace are asked for by their names; beyond, the right to all is. */
const namedAtMost = 10;

/** What the writes need; get shows whether a write without an answer was done. */
export function listWritePermissions(
  names: Names,
  plans: readonly Pick<DatabasePlan, "target">[],
): readonly Permission[] {
  const places = groupBy(
    plans.map(({ target }) => target),
    ({ kind, object }) => `${kind} ${object.metadata.namespace ?? ""}`,
  );
  return [...places.values()].flatMap((there) => permissionsIn(names, there));
}

function permissionsIn(names: Names, there: readonly DatabaseTarget[]): readonly Permission[] {
  const [first] = there;
  if (first === undefined) return [];
  const { namespace = "" } = first.object.metadata;
  const resource = databaseResources(names)[first.kind];
  const named = there.map(({ object }) => ({ name: object.metadata.name }));
  const places = there.length > namedAtMost ? [{}] : named;
  return places.flatMap((who) => databaseWrite(resource, { namespace, ...who }));
}
