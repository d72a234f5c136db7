/** Puts back what was there before the swap, and proves it (exit 7, or 8 where that failed). */
import { EngineError, exitCodes } from "../../domain/errors";
import { type KubeObject, objectLabel } from "../../domain/objects";
import { own, sameJson } from "../../domain/values";
import { configurationResource } from "../../domain/webhook/configuration";
import { tally } from "../../domain/webhook/probe";
import type { Apply, Change, Create, Delete } from "../engine/change";
import type { Session } from "../engine/session";
import type { Report } from "../report";
import type { SwapDeps } from "./deps";
import { Prober } from "./prober";

/** What a run has done so far, and so what there is to undo. */
export interface Undo {
  /** The new configuration as written, undefined when it was right already. */
  readonly written: KubeObject | undefined;
  /** Its content before, undefined when there was none. */
  readonly before: KubeObject | undefined;
  /** The old configuration, once it was deleted. */
  readonly deleted: KubeObject | undefined;
}

interface Context {
  readonly undo: Undo;
  readonly because: string;
  readonly watch: Prober | undefined;
  /** The entry that refused before the run, where the webhook worked then. */
  readonly worked: { readonly entry: string } | undefined;
}

/** Undoes in the order that leaves no moment without what was there before. */
export async function rollBack(
  deps: SwapDeps,
  session: Session,
  context: Context,
): Promise<Report> {
  const { recorder } = deps;
  const { because, undo } = context;
  try {
    for (const change of wayBack(undo)) {
      const is = change.verb === "delete" ? "is still there" : "reads back otherwise than saved";
      await session.undo(change, new NotAsSavedError(`${objectLabel(change.object)} ${is}`));
    }
    const proven = await proveAsBefore(deps, context);
    const end = proven ? "is proven to work again" : "reads back as it was";
    return recorder.report({
      code: exitCodes.rolledBack,
      reason: `${because}; the change was rolled back, what was there before ${end}`,
      next: "see why in the log of the pod behind the Service, mend it, then run the same command again",
    });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return recorder.report({
      code: exitCodes.rollbackIncomplete,
      reason: `${because}; the roll-back is incomplete: ${error.message}`,
      next: manualSteps(deps, undo),
    });
  }
}

/** The writes that take back what was done: the old configuration first. */
function wayBack({ written, before, deleted }: Undo): readonly Change[] {
  const back = deleted === undefined ? [] : [restored(deleted)];
  if (written === undefined) return back;
  if (before !== undefined) return [...back, restored(before, written)];
  const why = "it did not exist before";
  const remove: Delete = { verb: "delete", id: "rollback.delete", object: written, why, ...told };
  return [...back, remove];
}

/** What writes that are never planned say all the same. */
const told = {
  resource: configurationResource,
  risk: "none, it takes back what this run has written",
  reverse: "run the same command again",
};

/** What was saved, without what the server gave it, made again or in the place of what was written. */
function restored(saved: KubeObject, live?: KubeObject): Apply | Create {
  const { labels, annotations, name } = saved.metadata;
  const metadata = {
    ...(name !== undefined && { name }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  return {
    ...(live === undefined ? { verb: "create" } : { verb: "apply", live, force: true }),
    id: "rollback.restore",
    object: { ...saved, metadata },
    why: "to put back what was there",
    ...told,
    holds: (stored) =>
      sameJson(own(stored, "webhooks"), own(saved, "webhooks")) &&
      sameJson(stored.metadata.labels, labels),
  };
}

async function proveAsBefore(deps: SwapDeps, { watch, worked }: Context): Promise<boolean> {
  if (watch === undefined || worked === undefined) return false;
  // an interrupt does not cut the proof of a roll-back short
  const prober = new Prober({ ...deps, signal: new AbortController().signal }, watch.pair);
  const proof = await prober.settle({
    entry: worked.entry,
    quietMs: 300,
    pairs: 2,
    limitMs: 10_000,
  });
  deps.recorder.probe({ phase: "rolled-back", ...tally(prober.counting()) });
  if (proof.is !== "proven") {
    throw new NotAsSavedError(`what was put back does not work as before: ${proof.because}`);
  }
  return true;
}

function manualSteps({ command, names }: SwapDeps, { written, before, deleted }: Undo): string {
  const { configuration } = names.webhook;
  const remove = ["kubectl", "delete", "validatingwebhookconfiguration", configuration];
  const isNew = written !== undefined && before === undefined;
  const steps = [
    ...(deleted === undefined ? [] : ["run the printed kubectl create for the old configuration"]),
    ...(before === undefined ? [] : ["run the printed kubectl replace for the new one"]),
    ...(isNew ? [command(remove)] : []),
  ];
  return `${steps.join("; then ")} (the files under backups hold what was there)`;
}

/** What was put back is not what was saved. */
class NotAsSavedError extends EngineError {
  readonly code = "ROLLBACK-INCOMPLETE";
  readonly exitCode = exitCodes.rollbackIncomplete;
}
