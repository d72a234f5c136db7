/** The writes of a swap: each is noted before it is sent and after its outcome was seen. */
import { ApiError, EngineError, exitCodes, UnavailableError } from "../../domain/errors";
import type { KubeObject, Ref } from "../../domain/objects";
import { configurationResource } from "../../domain/webhook/configuration";
import { judgeConflict } from "../../domain/webhook/conflicts";
import { differencesOf } from "../../domain/webhook/differences";
import { configurationLabel, type Plan } from "../../domain/webhook/plan";
import { BlockedError } from "../recorder";
import type { SwapDeps, SwapOptions } from "./deps";

/** Somebody changed the object since it was read: read and plan again. */
export class ChangedError extends EngineError {
  readonly code = "CHANGED-SINCE-READ";
  readonly exitCode = exitCodes.conflict;
}

/** The reference of a configuration by name. */
export function configurationRef(name: string): Ref {
  return { resource: configurationResource, name };
}

/** Asks by dry run whether the apply would pass; whether it has to be forced. */
export async function rehearseApply(
  deps: SwapDeps,
  options: SwapOptions,
  plan: Plan,
): Promise<{ readonly force: boolean }> {
  const { fieldManager } = options;
  const apply = async (force: boolean): Promise<KubeObject> =>
    await deps.cluster.apply(plan.wanted, { fieldManager, force, dryRun: true });
  let force = false;
  let outcome: KubeObject;
  try {
    outcome = await apply(false);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const verdict = judgeConflict({
      causes: error.causes,
      object: configurationLabel(plan.wanted),
      ours: [fieldManager, deps.names.fieldManager, deps.names.webhookFieldManager],
      takeFields: options.takeFields,
    });
    if (verdict.is === "refuse") throw new BlockedError(exitCodes.conflict, verdict.findings);
    force = true;
    outcome = await apply(true);
  }
  const left = differencesOf(outcome, plan.wanted);
  if (left.length > 0) throw new BlockedError(exitCodes.conflict, [leftOver(plan, left)]);
  return { force };
}

/** The one write: the complete object, bound to the uid and resourceVersion that were read. */
export async function applyWanted(
  deps: SwapDeps,
  options: SwapOptions,
  from: { readonly plan: Plan; readonly force: boolean },
): Promise<KubeObject> {
  const { plan, force } = from;
  const { uid, resourceVersion } = plan.live?.metadata ?? {};
  const metadata = {
    ...plan.wanted.metadata,
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const label = configurationLabel(plan.wanted);
  const send = async (): Promise<KubeObject> =>
    await deps.cluster.apply(
      { ...plan.wanted, metadata },
      { fieldManager: options.fieldManager, force },
    );
  const seen = async (): Promise<KubeObject | undefined> => {
    const found = await deps.cluster.get(configurationRef(deps.names.webhook.configuration));
    return found !== undefined && differencesOf(found, plan.wanted).length === 0
      ? found
      : undefined;
  };
  return await noted(deps, { action: "apply", object: label, why: plan.apply?.why ?? "" }, () =>
    certain({ send, seen, label }),
  );
}

/** Deletes an object only if it is still the one that was read. */
export async function deleteAsRead(deps: SwapDeps, object: KubeObject, why: string): Promise<void> {
  const { name = "", uid, resourceVersion } = object.metadata;
  const label = configurationLabel(object);
  const send = async (): Promise<true> => {
    await deps.cluster.delete(configurationRef(name), {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    });
    return true;
  };
  const seen = async (): Promise<true | undefined> =>
    (await deps.cluster.get(configurationRef(name))) === undefined ? true : undefined;
  await noted(deps, { action: "delete", object: label, why }, () => certain({ send, seen, label }));
}

/** Creates or applies a saved object again, without what the server gave it. */
export async function putBack(
  deps: SwapDeps,
  options: SwapOptions,
  saved: KubeObject,
): Promise<KubeObject> {
  const { labels, annotations, name } = saved.metadata;
  const object: KubeObject = {
    ...saved,
    metadata: {
      ...(name !== undefined && { name }),
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
  };
  const { fieldManager } = options;
  const label = configurationLabel(saved);
  return await noted(
    deps,
    { action: "apply", object: label, why: "to put back what was there" },
    async () => {
      const present = await deps.cluster.get(configurationRef(name ?? ""));
      return present === undefined
        ? await deps.cluster.create(object, { fieldManager })
        : await deps.cluster.apply(object, { fieldManager, force: true });
    },
  );
}

async function noted<T>(
  deps: SwapDeps,
  write: { readonly action: string; readonly object: string; readonly why: string },
  act: () => Promise<T>,
): Promise<T> {
  const { action, object } = write;
  await deps.journal.intent(write);
  try {
    const value = await act();
    await deps.journal.outcome({ action, object, result: "done" });
    return value;
  } catch (error) {
    const result = error instanceof EngineError ? `failed: ${error.code}` : "failed";
    await deps.journal.outcome({ action, object, result });
    throw error;
  }
}

/** A broken connection leaves the outcome open: the object is read to see it. */
async function certain<T>(write: {
  readonly send: () => Promise<T>;
  readonly seen: () => Promise<T | undefined>;
  readonly label: string;
}): Promise<T> {
  try {
    return await write.send();
  } catch (error) {
    if (error instanceof UnavailableError) {
      const outcome = await write.seen();
      if (outcome !== undefined) return outcome;
    }
    throw changed(error, write.label);
  }
}

function changed(error: unknown, label: string): unknown {
  if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) return error;
  return new ChangedError(`${label} was changed or deleted by somebody else since it was read`, {
    cause: error,
    hint: "another run or a person is at work on it: run the same command again when they are done",
  });
}

function leftOver(plan: Plan, fields: readonly string[]) {
  return {
    code: "FIELD-LEFT-OVER",
    severity: "error",
    object: configurationLabel(plan.wanted),
    field: fields.join(", "),
    cause: "another manager set it, and an apply cannot take away what others own",
    fix: "remove it with kubectl edit validatingwebhookconfiguration, then run again",
    source: "domain facts 4.3",
  } as const;
}
