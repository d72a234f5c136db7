/** The writes of a swap as values, the apply fitted by dry run; and the way back, sent and proven. */
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { webhookFinding } from "../../domain/admission/findings";
import { type KubeObject, readName, objectLabel } from "../../domain/kube/objects";
import { differences } from "../../domain/kube/differences";
import { isPersons } from "../../domain/kube/owners";
import type { ChangedField } from "../../domain/kube/planned-write";
import { getPath, getOwn, sameJson } from "../../domain/base/values";
import type { Names } from "../../domain/names/names";
import {
  readCaBundle,
  callsSame,
  configurationResource,
  listEntries,
  entryNames,
  findEntry,
} from "../../domain/admission/configuration";
import { listDifferences } from "../../domain/admission/wanted";
import { listCas } from "./ca-only";
import type { SwapPlan } from "./plan";
import {
  type Apply,
  type Change,
  type Create,
  type Delete,
  listPermissions,
  type Rewrite,
} from "../../domain/kube/change";
import type { Session } from "../../kernel/session";
import { requirePermissions } from "../../kernel/permissions";
import { requireTaken } from "../../kernel/send";
import type { SwapDeps } from "./read";
import { tally } from "../../domain/admission/gap";
import type { Outcome } from "../../kernel/part";
import { Prober } from "../../readers/prober";

/** All writes of a plan, in their order. */
export function listChanges(deps: SwapDeps, plan: SwapPlan): readonly Change[] {
  const { apply, takeOut, remove } = plan;
  return [
    ...(apply ? [buildApply(deps, plan)] : []),
    ...(takeOut ? [buildTakeOut(deps, takeOut)] : []),
    ...(remove ? [buildDelete(deps, remove)] : []),
  ];
}

/** The one apply: created where none was, changed in place where one is. */
export function buildApply({ names }: SwapDeps, plan: SwapPlan): Apply {
  const { apply, live, wanted } = plan;
  return {
    verb: "apply",
    id: "webhook.apply",
    resource: configurationResource,
    object:
      plan.isCaOnly === true
        ? { ...pickHead(wanted), webhooks: listCas(plan) }
        : withoutUrl(pickOwnPart(plan, names), live),
    live,
    why: apply?.why ?? "",
    ...(apply?.source !== undefined && { source: apply.source }),
    does: live === undefined ? ["create it"] : plan.differences.map((path) => `change ${path}`),
    changes: plannedChanges(plan, names.webhook.secret),
    risk: "while it is wrong it blocks every database edit, or lets bad ones through",
    reverse:
      live === undefined
        ? "the run deletes it again when the proof fails"
        : "the run saves the object and puts it back when the proof fails",
    holds: (stored) => listDifferences(stored, wanted).length === 0,
  };
}

function pickHead({ apiVersion, kind, metadata: { name } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { ...(name !== undefined && { name }) } };
}

/** Of a person's entries the apply owns the CA alone; in the object that is wanted they are whole. */
function pickOwnPart({ wanted }: SwapPlan, { webhook }: Names): KubeObject {
  const own = findEntry(wanted, webhook.entry);
  const webhooks = listEntries(wanted).flatMap((entry) => {
    if (entry === own) return [entry];
    const name = getOwn(entry, "name");
    return callsSame(entry, own) ? [{ name, clientConfig: { caBundle: readCaBundle(entry) } }] : [];
  });
  return { ...wanted, webhooks };
}

/** A url set by hand goes away only when the apply says null: service and url exclude each other. */
function withoutUrl(object: KubeObject, live: KubeObject | undefined): KubeObject {
  const withUrl = listEntries(live).filter(
    (entry) => getPath(entry, ["clientConfig", "url"]) !== undefined,
  );
  const webhooks = listEntries(object).map((entry) =>
    withUrl.some((found) => getOwn(found, "name") === getOwn(entry, "name"))
      ? { ...entry, clientConfig: { ...(getOwn(entry, "clientConfig") as object), url: null } }
      : entry,
  );
  return { ...object, webhooks };
}

/**
 * Field by field, so that a configuration that comes to exist meanwhile is a narrower write. Each apply
 * carries the certificate of that moment, which the operator may renew between plan and write.
 */
function plannedChanges({ live, wanted }: SwapPlan, secret: string): readonly ChangedField[] {
  const { apiVersion, kind } = wanted;
  const webhooks = listEntries(wanted).map((entry) => ({
    name: getOwn(entry, "name"),
    clientConfig: {},
  }));
  const found = differences(live ?? { apiVersion, kind, metadata: {}, webhooks }, wanted);
  return [
    ...found
      .filter(({ field }) => !field.endsWith(".caBundle"))
      .map(({ field, wanted: to }) => ({ path: field, to })),
    { path: ".webhooks.clientConfig.caBundle", to: `the certificate in Secret/${secret}` },
  ];
}

/** The old entry goes out of the new configuration; what stands beside it there stays as it is. */
export function buildTakeOut(
  { names }: Pick<SwapDeps, "names">,
  { object, ...because }: NonNullable<SwapPlan["takeOut"]>,
): Rewrite {
  const { configuration, oldEntry: name } = names.webhook;
  const index = entryNames(object).indexOf(name);
  const remove = { op: "remove", path: `/webhooks/${index}` };
  const test = { op: "test", path: `/webhooks/${index}/name`, value: name };
  const { resourceVersion: value } = object.metadata;
  const patch = ["kubectl", "patch", configurationResource.plural, configuration, "--type=json"];
  return {
    verb: "rewrite",
    id: "webhook.take-out-old",
    resource: configurationResource,
    object,
    operations: [remove, { op: "replace", path: "/metadata/resourceVersion", value }],
    ...because,
    does: [`take ${name} out`],
    changes: [{ path: `webhooks[name=${name}]`, to: null }],
    risk: "nothing, once the new one is proven: it is taken out only then",
    isHarmless: true,
    reverse: "the run saves the object; the report prints the command that puts it back",
    kubectl: [...patch, "-p", JSON.stringify([test, remove])],
    holds: (stored) => findEntry(stored, name) === undefined,
  };
}

/** The deletion of the old configuration. */
export function buildDelete(
  { names }: Pick<SwapDeps, "names">,
  { object, ...because }: NonNullable<SwapPlan["remove"]>,
): Delete {
  return {
    verb: "delete",
    id: "webhook.delete-old",
    resource: configurationResource,
    object,
    ...because,
    putBack: "create",
    risk: "nothing, once the new one is proven: it is deleted only then",
    isHarmless: true,
    reverse: "the run saves the object; the report prints the command that makes it again",
    kubectl: ["kubectl", "delete", configurationResource.plural, names.webhook.oldConfiguration],
  };
}

/**
 * The apply as it has to be sent, found out by dry run: over a person's own fields, or in the place
 * of the object as it is. Refuses where someone else would be overruled (5).
 */
export async function fitApply(deps: SwapDeps, session: Session, plan: SwapPlan): Promise<Apply> {
  const apply = buildApply(deps, plan);
  const { ours } = session.taking;
  const drops = plan.isCaOnly === true && hasApplied(plan.live, ours);
  const tried = drops ? { ...apply, object: withoutManagers(plan.wanted) } : apply;
  const { held, stored } = await session.rehearseOver(tried, (causes) => {
    requireTaken(causes, plan.wanted, session.taking);
  });
  if (drops) return await buildReplacement(deps, plan, apply);
  // what no cluster can try yet is tried when it is planned again
  const left = stored === undefined ? [] : listDifferences(stored, plan.wanted);
  if (left.length === 0) return { ...apply, force: held.length > 0 };
  // an apply leaves list entries of other managers in place; a person's own may be replaced
  if (plan.live !== undefined && !isPersons(plan.live, ours)) {
    throw new BlockedError(exitCodes.conflict, [leftOver(plan, left)]);
  }
  return await buildReplacement(deps, plan, apply);
}

/** In the place of the object as it is: what an apply leaves in place goes, what it would drop stays. */
async function buildReplacement(
  deps: SwapDeps,
  { wanted }: SwapPlan,
  apply: Apply,
): Promise<Apply> {
  const needs = "to remove what an apply leaves in place";
  const replace: Apply = { ...apply, verb: "update", object: wanted, needs };
  await requirePermissions(deps, listPermissions(replace));
  return replace;
}

/** An apply of the CA alone would take away what this tool has applied beside it. */
function hasApplied(live: KubeObject | undefined, ours: readonly string[]): boolean {
  const managers = live?.metadata.managedFields ?? [];
  return managers.some(
    ({ manager, operation }) => operation === "Apply" && ours.includes(String(manager)),
  );
}

/** As an apply has to be sent. */
function withoutManagers(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}

function leftOver({ wanted }: SwapPlan, fields: readonly string[]): Finding {
  const line = `kubectl edit validatingwebhookconfiguration ${readName(wanted)}`;
  return webhookFinding("fieldLeftOver", {
    object: objectLabel(wanted),
    field: fields.join(", "),
    cause: "another manager set it, and an apply cannot remove what others own",
    fix: `remove it, then run again, with: ${line}`,
  });
}

/** What a run has done so far, and so what there is to undo. */
export interface Undo {
  /** The new configuration as written, undefined when it was right already. */
  readonly written: KubeObject | undefined;
  /** Its content before, undefined when there was none. */
  readonly before: KubeObject | undefined;
  /** The old configuration, once it was deleted. */
  readonly deleted: KubeObject | undefined;
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
function buildCaRestore(before: KubeObject | undefined, written: KubeObject): Rewrite {
  const saved = (entry: unknown): string =>
    readCaBundle(findEntry(before, String(getOwn(entry, "name"))));
  const operations = listEntries(written).flatMap((entry, index) => {
    const [ours, value] = [readCaBundle(entry), saved(entry)];
    const [name, path] = [`/webhooks/${index}/name`, `/webhooks/${index}/clientConfig/caBundle`];
    if (ours === value) return [];
    return [
      { op: "test", path: name, value: getOwn(entry, "name") },
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
    holds: (stored) => listEntries(stored).every((entry) => readCaBundle(entry) === saved(entry)),
  };
}

/** What was saved, without what the server gave it, made again or in the place of what was written. */
function buildRestore(saved: KubeObject, live?: KubeObject): Apply | Create | Rewrite {
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
      sameJson(getOwn(stored, "webhooks"), getOwn(saved, "webhooks")) &&
      sameJson(stored.metadata.labels, labels),
  };
  if (live === undefined) return { verb: "create", object, ...back };
  if (listEntries(saved).length < 2) return { verb: "apply", object, live, force: true, ...back };
  // an apply would make this tool the owner of a person's entries
  const replaced = [
    { op: "replace", path: "/webhooks", value: getOwn(saved, "webhooks") },
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
