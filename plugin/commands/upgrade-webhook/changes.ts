/** The writes of a swap as values, the apply fitted by dry run. */
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kubectl } from "../../domain/base/remedy";
import { webhookFinding } from "../../domain/admission/findings";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { type KubeObject, readName, objectLabel } from "../../domain/kube/objects";
import { differences } from "../../domain/kube/differences";
import { isPersons } from "../../domain/kube/owners";
import type { ChangedField } from "../../domain/kube/planned-write";
import { asKind, isKind } from "../../domain/kube/typed";
import type { Names } from "../../domain/names/names";
import {
  readCaBundle,
  callsSame,
  configurationResource,
  listEntries,
  entryNames,
  findEntry,
  nameField,
} from "../../domain/admission/configuration";
import { listDifferences } from "../../domain/admission/wanted";
import { listCas } from "./ca-only";
import type { SwapPlan } from "./plan";
import { type ConfigurationApply, stageApply } from "./trial";
import {
  type Apply,
  type Change,
  type Delete,
  listPermissions,
  type Rewrite,
} from "../../domain/kube/change";
import type { Session } from "../../kernel/session";
import { requirePermissions } from "../../kernel/permissions";
import { requireTaken } from "../../kernel/send";
import type { SwapDeps } from "./read";

/** All writes of a plan, in their order; `apply` as it has to be sent, where that is known. */
export function listChanges(
  deps: SwapDeps,
  plan: SwapPlan,
  apply: ConfigurationApply | undefined = plan.apply && buildApply(deps, plan),
): readonly Change[] {
  const { takeOut, remove } = plan;
  return [
    ...(apply ? listApplies(apply, plan, deps.names) : []),
    ...(takeOut ? [buildTakeOut(deps, takeOut)] : []),
    ...(remove ? [buildDelete(deps, remove)] : []),
  ];
}

/** The apply, and the trial that goes before it. */
function listApplies(apply: ConfigurationApply, plan: SwapPlan, names: Names): readonly Apply[] {
  const { first, last } = stageApply(apply, plan, names);
  return first === undefined ? [last] : [first, last];
}

/** The apply: created where none was, changed in place where one is. */
export function buildApply({ names }: SwapDeps, plan: SwapPlan): ConfigurationApply {
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
    holds: (stored) =>
      isKind(stored, configurationResource.kind) && listDifferences(stored, wanted).length === 0,
  };
}

function pickHead({
  apiVersion,
  kind,
  metadata: { name },
}: ValidatingWebhookConfiguration): ValidatingWebhookConfiguration {
  return { apiVersion, kind, metadata: { ...(name !== undefined && { name }) } };
}

/** Of a person's entries the apply owns the CA alone; in the object that is wanted they are whole. */
function pickOwnPart({ wanted }: SwapPlan, { webhook }: Names): ValidatingWebhookConfiguration {
  const own = findEntry(wanted, webhook.entry);
  const webhooks = listEntries(wanted).flatMap((entry): readonly ValidatingWebhook[] => {
    if (entry === own) return [entry];
    const { name } = entry;
    return callsSame(entry, own) ? [{ name, clientConfig: { caBundle: readCaBundle(entry) } }] : [];
  });
  return { ...wanted, webhooks };
}

/** A url set by hand goes away only when the apply says null: service and url exclude each other. */
function withoutUrl(
  object: ValidatingWebhookConfiguration,
  live: ValidatingWebhookConfiguration | undefined,
): ValidatingWebhookConfiguration {
  const withUrl = listEntries(live).filter(({ clientConfig }) => clientConfig?.url !== undefined);
  const webhooks = listEntries(object).map((entry) =>
    withUrl.some(({ name }) => name === entry.name)
      ? { ...entry, clientConfig: { ...entry.clientConfig, url: null } }
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
  const webhooks = listEntries(wanted).map(({ name }) => ({ name, clientConfig: {} }));
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
    changes: [{ path: nameField(name), to: null }],
    risk: unprovenRisk,
    isHarmless: true,
    reverse: "the run saves the object; the report prints the command that puts it back",
    kubectl: [...patch, "-p", JSON.stringify([test, remove])],
    holds: (stored) =>
      isKind(stored, configurationResource.kind) && findEntry(stored, name) === undefined,
  };
}

const unprovenRisk =
  "nothing, once the new one is proven, which is waited for unless this one is broken or --no-probe is given";

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
    risk: unprovenRisk,
    isHarmless: true,
    reverse: "the run saves the object; the report prints the command that makes it again",
    kubectl: ["kubectl", "delete", configurationResource.plural, names.webhook.oldConfiguration],
  };
}

/**
 * The apply as it has to be sent, found out by dry run: over a person's own fields, or in the place
 * of the object as it is. Refuses where someone else would be overruled (5).
 */
export async function fitApply(
  deps: SwapDeps,
  session: Session,
  plan: SwapPlan,
): Promise<ConfigurationApply> {
  const apply = buildApply(deps, plan);
  const { ours } = session.taking;
  const drops = plan.isCaOnly === true && hasApplied(plan.live, ours);
  const tried = drops ? { ...apply, object: withoutManagers(plan.wanted) } : apply;
  const { held, stored } = await session.tryOver(tried, (causes) => {
    requireTaken(causes, plan.wanted, session.taking);
  });
  if (drops) return await requireReplacement(deps, plan, apply);
  // what no cluster can try yet is tried when it is planned again
  const seen = asKind(stored, configurationResource.kind);
  const left = seen === undefined ? [] : listDifferences(seen, plan.wanted);
  if (left.length === 0) return { ...apply, force: held.length > 0 };
  // an apply leaves list entries of other managers in place; a person's own may be replaced
  if (plan.live !== undefined && !isPersons(plan.live, ours)) {
    throw new BlockedError(exitCodes.conflict, [leftOver(plan, left)]);
  }
  return await requireReplacement(deps, plan, apply);
}

/** In the place of the object as it is, where that may be updated (4): what an apply leaves in place goes, what it would drop stays. */
async function requireReplacement(
  deps: SwapDeps,
  { wanted }: SwapPlan,
  apply: ConfigurationApply,
): Promise<ConfigurationApply> {
  const needs = "to remove what an apply leaves in place";
  const replace: ConfigurationApply = { ...apply, verb: "update", object: wanted, needs };
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
  const words = ["edit", "validatingwebhookconfiguration", readName(wanted)];
  return webhookFinding("fieldLeftOver", {
    object: objectLabel(wanted),
    field: fields.join(", "),
    cause: "another manager set it, and an apply cannot remove what others own",
    remedies: [{ ...kubectl("remove it", ...words), then: { says: "run again" } }],
  });
}
