/** Puts back what was there before the swap, and proves it (exit 7, or 8 where that failed). */
import { EngineError, exitCodes } from "../../domain/errors";
import type { KubeObject } from "../../domain/objects";
import { own, sameJson } from "../../domain/values";
import { configurationLabel } from "../../domain/webhook/plan";
import { tally } from "../../domain/webhook/probe";
import type { Report } from "../report";
import type { SwapDeps, SwapOptions } from "./deps";
import { Prober } from "./prober";
import { deleteAsRead, putBack, readStored } from "./writes";

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
  readonly watch?: Prober | undefined;
  /** The entry that refused before the run, where the webhook worked then. */
  readonly worked?: { readonly entry: string } | undefined;
}

/** Undoes in the order that leaves no moment without what was there before. */
export async function rollBack(
  deps: SwapDeps,
  options: SwapOptions,
  context: Context,
): Promise<Report> {
  const { recorder } = deps;
  const { because } = context;
  try {
    await undo(deps, options, context.undo);
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
      next: manualSteps(deps, context.undo),
    });
  }
}

async function undo(
  deps: SwapDeps,
  options: SwapOptions,
  { written, before, deleted }: Undo,
): Promise<void> {
  if (deleted !== undefined) await restore(deps, options, { saved: deleted, written: undefined });
  if (written === undefined) return;
  if (before !== undefined) {
    await restore(deps, options, { saved: before, written });
    return;
  }
  const info = {
    id: "rollback.delete",
    action: "delete",
    object: configurationLabel(written),
    why: "it did not exist before",
  } as const;
  await deps.recorder.step(info, async () => {
    await deleteAsRead(deps, written, info.why);
    if ((await readStored(deps, written.metadata.name ?? "")) !== undefined) {
      throw new NotAsSavedError(`${info.object} is still there`);
    }
    return { result: "deleted", value: undefined };
  });
}

async function restore(
  deps: SwapDeps,
  options: SwapOptions,
  back: { readonly saved: KubeObject; readonly written: KubeObject | undefined },
): Promise<void> {
  const { saved } = back;
  const object = configurationLabel(saved);
  await deps.recorder.step(
    { id: "rollback.restore", action: "apply", object, why: "to put back what was there" },
    async () => {
      await putBack(deps, options, back);
      const read = await readStored(deps, saved.metadata.name ?? "");
      if (!sameContent(read, saved))
        throw new NotAsSavedError(`${object} reads back otherwise than saved`);
      return { result: back.written === undefined ? "created" : "changed", value: undefined };
    },
  );
}

function sameContent(read: KubeObject | undefined, saved: KubeObject): boolean {
  return (
    read !== undefined &&
    sameJson(own(read, "webhooks"), own(saved, "webhooks")) &&
    sameJson(read.metadata.labels, saved.metadata.labels)
  );
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

function manualSteps(deps: SwapDeps, { written, before, deleted }: Undo): string {
  const files = "the files under backups hold what was there";
  const steps = [
    ...(deleted === undefined ? [] : ["run the printed kubectl create for the old configuration"]),
    ...(before === undefined ? [] : ["run the printed kubectl replace for the new one"]),
    ...(written !== undefined && before === undefined
      ? [
          deps.command([
            "kubectl",
            "delete",
            "validatingwebhookconfiguration",
            written.metadata.name ?? "",
          ]),
        ]
      : []),
  ];
  return `${steps.join("; then ")} (${files})`;
}

/** What was put back is not what was saved. */
class NotAsSavedError extends EngineError {
  readonly code = "ROLLBACK-INCOMPLETE";
  readonly exitCode = exitCodes.rollbackIncomplete;
}
