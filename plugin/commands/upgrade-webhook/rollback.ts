/** The way back of a swap: what was written is taken back, and what was there before is proven. */
import { EngineError, exitCodes } from "../../domain/base/errors";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { isKind } from "../../domain/kube/typed";
import { sameJson } from "../../domain/base/values";
import {
  readCaBundle,
  configurationResource,
  listEntries,
  findEntry,
} from "../../domain/admission/configuration";
import type { Apply, Change, Create, Delete, Rewrite } from "../../domain/kube/change";
import type { Session } from "../../kernel/session";
import type { SwapDeps } from "./read";
import { tally } from "../../domain/admission/gap";
import type { Outcome } from "../../kernel/part";
import { Prober } from "../../readers/prober";

/** What a run has done so far, and so what there is to undo. */
export interface Undo {
  /** The new configuration as written, undefined when it was right already. */
  readonly written: ValidatingWebhookConfiguration | undefined;
  /** Its content before, undefined when there was none. */
  readonly before: ValidatingWebhookConfiguration | undefined;
  /** The old configuration, once it was deleted. */
  readonly deleted: ValidatingWebhookConfiguration | undefined;
  /** Nothing but the CA was written: nothing else is put back. */
  readonly isCaOnly?: boolean;
}

interface Context {
  readonly undo: Undo;
  readonly because: string;
  readonly next: string | undefined;
  readonly watch: Prober | undefined;
  /** The entry that refused before the run, where the webhook worked then. */
  readonly worked: { readonly entry: string } | undefined;
}

/** Undoes in the order that leaves no moment without what was there before. */
export async function rollBack(
  deps: SwapDeps,
  session: Session,
  context: Context,
): Promise<Outcome> {
  const { because, next, undo } = context;
  try {
    for (const change of listUndoChanges(undo)) {
      const is = change.verb === "delete" ? "is still there" : "reads back otherwise than saved";
      await session.undo(change, new NotAsSavedError(`${objectLabel(change.object)} ${is}`));
    }
    const proven = await proveAsBefore(deps, context);
    const end = proven ? "is proven to work again" : "reads back as it was";
    return {
      code: exitCodes.rolledBack,
      reason: `${because}; the change was rolled back, what was there before ${end}`,
      next:
        next ??
        "find out why in the log of the pod behind the Service, fix it, then run the same command again",
    };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return {
      code: exitCodes.rollbackIncomplete,
      reason: `${because}; the rollback is incomplete: ${error.message}`,
      next: manualSteps(deps, undo),
    };
  }
}

/** The writes that take back what was done: the old configuration first. */
function listUndoChanges({ written, before, deleted, isCaOnly }: Undo): readonly Change[] {
  if (isCaOnly === true && written !== undefined) return [buildCaRestore(before, written)];
  const back = deleted === undefined ? [] : [buildRestore(deleted)];
  if (written === undefined) return back;
  if (before !== undefined) return [...back, buildRestore(before, written)];
  const why = "it did not exist before";
  const remove: Delete = {
    verb: "delete",
    id: "rollback.delete",
    object: written,
    why,
    ...rollbackTexts,
  };
  return [...back, remove];
}

/** What writes that are never planned say all the same. */
const rollbackTexts = {
  resource: configurationResource,
  risk: "none, it takes back what this run has written",
  isHarmless: true,
  reverse: "run the same command again",
} as const;

/** The CAs as they were, entry by entry; the rest is somebody else's. */
function buildCaRestore(
  before: ValidatingWebhookConfiguration | undefined,
  written: ValidatingWebhookConfiguration,
): Rewrite {
  const saved = ({ name }: ValidatingWebhook): string =>
    readCaBundle(findEntry(before, String(name)));
  const operations = listEntries(written).flatMap((entry, index) => {
    const [ours, value] = [readCaBundle(entry), saved(entry)];
    const [name, path] = [`/webhooks/${index}/name`, `/webhooks/${index}/clientConfig/caBundle`];
    if (ours === value) return [];
    return [
      { op: "test", path: name, value: entry.name },
      { op: "test", path, value: ours },
      { op: "replace", path, value },
    ];
  });
  return {
    verb: "rewrite",
    id: "rollback.restore",
    object: written,
    operations,
    why: "to put back what was there",
    ...rollbackTexts,
    holds: (stored) =>
      isKind(stored, written.kind) &&
      listEntries(stored).every((entry) => readCaBundle(entry) === saved(entry)),
  };
}

/** What was saved, without what the server gave it, made again or in the place of what was written. */
function buildRestore(
  saved: ValidatingWebhookConfiguration,
  live?: ValidatingWebhookConfiguration,
): Apply | Create | Rewrite {
  const { labels, annotations, name } = saved.metadata;
  const metadata = {
    ...(name !== undefined && { name }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  const object = { ...saved, metadata };
  const back = {
    id: "rollback.restore",
    why: "to put back what was there",
    ...rollbackTexts,
    holds: (stored: KubeObject) =>
      sameJson(stored["webhooks"], saved.webhooks) && sameJson(stored.metadata.labels, labels),
  };
  if (live === undefined) return { verb: "create", object, ...back };
  if (listEntries(saved).length < 2) return { verb: "apply", object, live, force: true, ...back };
  // an apply would make this tool the owner of a person's entries
  const replaced = [
    { op: "replace", path: "/webhooks", value: saved.webhooks },
    { op: "add", path: "/metadata/labels", value: labels ?? {} },
    { op: "add", path: "/metadata/annotations", value: annotations ?? {} },
    { op: "replace", path: "/metadata/resourceVersion", value: live.metadata.resourceVersion },
  ];
  return { verb: "rewrite", object: live, operations: replaced, ...back };
}

async function proveAsBefore(deps: SwapDeps, { watch, worked }: Context): Promise<boolean> {
  if (watch === undefined || worked === undefined) return false;
  // an interrupt does not cut the proof of a rollback short
  const prober = new Prober({ ...deps, signal: new AbortController().signal }, watch.pair, {
    ours: watch.ours,
  });
  const proof = await prober.settle({
    entry: worked.entry,
    quietMs: 300,
    pairs: 2,
    limitMs: 10_000,
  });
  // what was wrong ends with the proof of what was put back
  watch.include(prober);
  deps.recorder.probe({ phase: "rolled-back", ...tally(prober.countObservations(), prober.ours) });
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
