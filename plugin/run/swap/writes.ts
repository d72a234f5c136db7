/** The writes of a swap: each is noted before it is sent and after its outcome was seen. */
import { ApiError, exitCodes } from "../../domain/errors";
import { type KubeObject, preconditionsOf, type Ref } from "../../domain/objects";
import { at, own, sameJson } from "../../domain/values";
import { configurationResource, entriesOf } from "../../domain/webhook/configuration";
import { judgeConflict } from "../../domain/webhook/conflicts";
import { differencesOf } from "../../domain/webhook/differences";
import { configurationLabel, type Plan } from "../../domain/webhook/plan";
import { isPersonsManager } from "../../domain/owners";
import { certain, ChangedError, changedSince, noted } from "../outcome";
import { BlockedError } from "../recorder";
import type { SwapDeps, SwapOptions } from "./deps";
import { requirePermissions } from "../ledger";
import { replacePermission } from "./permissions";

/** The reference of a configuration by name. */
export function configurationRef(name: string): Ref {
  return { resource: configurationResource, name };
}

/** The stored configuration, read to the end even when the run was interrupted meanwhile. */
export async function readStored(
  { cluster }: SwapDeps,
  name: string,
): Promise<KubeObject | undefined> {
  return await cluster.get(configurationRef(name), { signal: new AbortController().signal });
}

/** Reads the new configuration back: what is stored has to be what was written. */
export async function readBack(deps: SwapDeps, plan: Plan): Promise<void> {
  const object = configurationLabel(plan.wanted);
  const why = "to see what is stored";
  await deps.recorder.step({ id: "webhook.read-back", action: "read", object, why }, async () => {
    const stored = await readStored(deps, deps.names.webhook.configuration);
    const left = stored === undefined ? ["metadata.name"] : differencesOf(stored, plan.wanted);
    if (left.length > 0) {
      throw new ChangedError(`${object} reads back otherwise than written, at ${left.join(", ")}`);
    }
    return { result: "done", value: undefined };
  });
}

/** How the one write is sent. */
export type Manner = "apply" | "apply-forced" | "replace";

/** Asks by dry run how the write has to be sent; refuses where somebody else would be overruled. */
export async function rehearseApply(
  deps: SwapDeps,
  options: SwapOptions,
  plan: Plan,
): Promise<Manner> {
  const ours = [options.fieldManager, deps.names.fieldManager, deps.names.webhookFieldManager];
  let manner: Manner = "apply";
  let outcome: KubeObject;
  try {
    outcome = await send(deps, options, { plan, manner, dryRun: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    if (error.causes.length === 0) throw changedSince(error, configurationLabel(plan.wanted));
    const object = configurationLabel(plan.wanted);
    const { takeFields } = options;
    const verdict = judgeConflict({ causes: error.causes, object, ours, takeFields });
    if (verdict.is === "refuse") throw new BlockedError(exitCodes.conflict, verdict.findings);
    manner = "apply-forced";
    outcome = await send(deps, options, { plan, manner, dryRun: true });
  }
  const left = differencesOf(outcome, plan.wanted);
  if (left.length === 0) return manner;
  // an apply leaves list entries of other managers in place; a person's own may be replaced
  const managers = (plan.live?.metadata.managedFields ?? []).map(({ manager }) => manager ?? "");
  if (!managers.every((manager) => isPersonsManager(manager, ours))) {
    throw new BlockedError(exitCodes.conflict, [leftOver(plan, left)]);
  }
  await requirePermissions(deps, [replacePermission(deps)]);
  return "replace";
}

/** The one write: the complete object, bound to the uid and resourceVersion that were read. */
export async function applyWanted(
  deps: SwapDeps,
  options: SwapOptions,
  from: { readonly plan: Plan; readonly manner: Manner },
): Promise<KubeObject> {
  const { plan } = from;
  const label = configurationLabel(plan.wanted);
  const seen = async (): Promise<KubeObject | undefined> => {
    const found = await readStored(deps, deps.names.webhook.configuration);
    return found !== undefined && differencesOf(found, plan.wanted).length === 0
      ? found
      : undefined;
  };
  return await noted(
    deps,
    { action: "apply", object: label, why: plan.apply?.why ?? "" },
    async () =>
      await certain({ send: () => send(deps, options, { ...from, dryRun: false }), seen, label }),
  );
}

async function send(
  { cluster }: SwapDeps,
  { fieldManager }: SwapOptions,
  how: { readonly plan: Plan; readonly manner: Manner; readonly dryRun: boolean },
): Promise<KubeObject> {
  const { plan, manner, dryRun } = how;
  const metadata = {
    ...plan.wanted.metadata,
    ...(plan.live !== undefined && preconditionsOf(plan.live)),
  };
  const object = { ...plan.wanted, metadata };
  if (manner === "replace") return await cluster.update(object, { fieldManager, dryRun });
  return await cluster.apply(withoutUrl(object, plan.live), {
    fieldManager,
    force: manner === "apply-forced",
    dryRun,
  });
}

/** A url set by hand goes away only when the apply says null: service and url exclude each other. */
function withoutUrl(object: KubeObject, live: KubeObject | undefined): KubeObject {
  const withUrl = entriesOf(live).filter(
    (entry) => at(entry, ["clientConfig", "url"]) !== undefined,
  );
  const webhooks = entriesOf(object).map((entry) =>
    withUrl.some((found) => own(found, "name") === own(entry, "name"))
      ? { ...entry, clientConfig: { ...(own(entry, "clientConfig") as object), url: null } }
      : entry,
  );
  return { ...object, webhooks };
}

/** Deletes an object only if it is still the one that was read. */
export async function deleteAsRead(deps: SwapDeps, object: KubeObject, why: string): Promise<void> {
  const { name = "" } = object.metadata;
  const label = configurationLabel(object);
  const send = async (): Promise<true> => {
    await deps.cluster.delete(configurationRef(name), preconditionsOf(object));
    return true;
  };
  const seen = async (): Promise<true | undefined> =>
    (await readStored(deps, name)) === undefined ? true : undefined;
  await noted(deps, { action: "delete", object: label, why }, () => certain({ send, seen, label }));
}

/** Creates or applies a saved object again, without what the server gave it. */
export async function putBack(
  deps: SwapDeps,
  options: SwapOptions,
  { saved, written }: { readonly saved: KubeObject; readonly written: KubeObject | undefined },
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
  const send = async (): Promise<KubeObject> => {
    if (written === undefined) return await deps.cluster.create(object, { fieldManager });
    const metadata = { ...object.metadata, ...preconditionsOf(written) };
    return await deps.cluster.apply({ ...object, metadata }, { fieldManager, force: true });
  };
  const seen = async (): Promise<KubeObject | undefined> => {
    const stored = await readStored(deps, name ?? "");
    return sameJson(own(stored, "webhooks"), own(saved, "webhooks")) ? stored : undefined;
  };
  return await noted(
    deps,
    { action: "apply", object: label, why: "to put back what was there" },
    async () => await certain({ send, seen, label }),
  );
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
