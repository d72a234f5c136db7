/** What a person has to say yes to before the first write: data that may go, fields that are taken. */
import { databaseFinding } from "../../domain/databases/codes";
import { keeping, losesData } from "../../domain/databases/bdb";
import type { DatabasePlan } from "../../domain/databases/plan";
import { UsageError } from "../../domain/errors";
import { isNamed, readName } from "../../domain/names";
import type { Finding } from "../../domain/findings";
import { bounded } from "../../domain/status/verdict";
import { notConfirmed, requireYes } from "../engine/confirm";
import { type Session } from "../engine/session";
import type { ApiDatabase } from "../cluster-api";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import { databasePatch } from "./plan";

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
export interface Lossy {
  readonly plan: DatabasePlan;
  readonly bdb: ApiDatabase;
}

/** Each database whose data may go has to be typed by its name; a yes to everything is no name (S83, S84). */
export async function confirmLoss(
  deps: UpgradeDatabaseDeps,
  { confirmed, request }: UpgradeDatabaseOptions,
  all: readonly Lossy[],
): Promise<void> {
  const lossy = all.filter(({ bdb }) => losesData(bdb, request));
  const typed = confirmed.map((name) => readName(name, deps.names));
  const open = lossy.filter(({ plan }) => !typed.some((one) => isNamed(one, plan.target)));
  deps.recorder.findings(lossy.map(lossFinding));
  const unsaid: string[] = [];
  for (const { plan, bdb } of open) {
    const { name = "" } = plan.target.object.metadata;
    const question = `${plan.label} is ${keeping(bdb)}, and its data may be lost. Type its name to go on:`;
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

function lossFinding({ plan, bdb }: Lossy): Finding {
  const cause = `its data may be lost: it is ${keeping(bdb)}`;
  return databaseFinding("dataMayGo", { object: plan.label, cause });
}
