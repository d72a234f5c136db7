/** Which edits prove a swap: pairs that its entries match, and where they are sent. */
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { webhookFinding } from "../../domain/admission/findings";
import { labelsFor } from "../../domain/kube/selectors";
import { kinds } from "../../domain/kube/kinds";
import type { ValidatingWebhook } from "../../domain/kube/models";
import type { KubeObject } from "../../domain/kube/objects";
import {
  listEntries,
  findEntry,
  findSource,
  matchesResource,
  selectsNamespace,
} from "../../domain/admission/configuration";
import { fixByOwner } from "../../domain/admission/owned";
import {
  findIdlePart,
  type Idle,
  isProvable,
  isUnshared,
  describeAmbiguous,
  reportIdle,
  describeNoKind,
} from "../../domain/admission/selected";
import type { SwapPlan } from "./plan";
import { type ProbePair, pairsFor, type ProbeContext } from "../../domain/admission/probe";
import type { SwapDeps, SwapOptions } from "./read";

/** The pairs of edits that prove a swap, by what each is for. */
export interface ProbePlan {
  /** Sent from before the first write to the end: its answers make the gap of the report. */
  readonly throughout: ProbePair;
  /** Pairs of kinds that the old configuration does not match. */
  readonly beyondOld: readonly ProbePair[];
  /** Pairs of further kinds that were guarded before: they have to be guarded after, too. */
  readonly guarded: readonly ProbePair[];
  /** Pairs of what entries that people added match: these have to be answered after, too. */
  readonly further: readonly ProbePair[];
  /** The entries of the product's webhook, by name: their answers are those of the webhook. */
  readonly ours: readonly string[];
  /** One of them is in the cluster already. */
  readonly isLive: boolean;
}

/** Each once. */
export function pairsIn({
  throughout,
  beyondOld,
  guarded,
  further,
}: ProbePlan): readonly ProbePair[] {
  return [...new Set([throughout, ...beyondOld, ...guarded, ...further])];
}

/** Builds the pairs; stops with 3 when no edit could be made that the entry matches. */
export async function chooseProbes(
  deps: SwapDeps,
  options: SwapOptions,
  from: { readonly plan: SwapPlan; readonly namespace: KubeObject },
): Promise<ProbePlan | undefined> {
  if (!options.probe) return undefined;
  const { plan } = from;
  if (options.probePair !== undefined) {
    const pair = await asServed(deps, options.probePair);
    await requireUnshared(deps, plan, pair);
    return buildProbePlan([pair], [], { plan, deps });
  }
  const entry = findEntry(plan.wanted, deps.names.webhook.entry);
  const namespace = await probeNamespace(deps, plan, from.namespace);
  const labels = labelsFor(entry?.objectSelector) ?? {};
  const idle = findIdlePart(entry);
  if (idle !== undefined) throw blocked(reportUnselected(deps, plan, idle));
  const served = await deps.cluster.serves(deps.names.group, deps.names.version);
  const listPairs = (
    one: ValidatingWebhook | undefined,
    place: Pick<ProbeContext, "namespace" | "labels">,
  ) =>
    pairsFor(one, { names: deps.names, name: deps.probeName, ...place }).filter(({ resource }) =>
      (served ?? []).some(({ plural }) => plural === resource.plural),
    );
  const pairs = listPairs(entry, { namespace: namespace.metadata.name ?? "", labels });
  if (pairs.length === 0) throw blocked(webhookFinding("probeNoKind", describeNoKind(deps.names)));
  const further = await furtherPlaces(deps, plan, namespace);
  const beside = further.flatMap(({ entry: one, ...place }) => listPairs(one, place));
  return buildProbePlan(pairs, beside, { plan, deps });
}

/** Where an edit meets an entry that a person added: in the probe's namespace if it can be, else another. */
async function furtherPlaces(
  deps: SwapDeps,
  { further }: SwapPlan,
  namespace: KubeObject,
): Promise<
  readonly (Pick<ProbeContext, "namespace" | "labels"> & { readonly entry: ValidatingWebhook })[]
> {
  if (further.length === 0) return [];
  const all = [namespace, ...((await deps.cluster.list(kinds.namespace)) ?? [])];
  return further.flatMap((entry) => {
    const labels = labelsFor(entry.objectSelector);
    const found = all.find((one) => isProvable(entry, one));
    const name = found?.metadata.name;
    return labels === undefined || name === undefined ? [] : [{ entry, namespace: name, labels }];
  });
}

/** A pair of one's own names its kind; the plural is the API server's to say. */
async function asServed({ cluster }: SwapDeps, pair: ProbePair): Promise<ProbePair> {
  const served = await cluster.serves(pair.resource.group, pair.resource.version);
  const resource = served?.find(({ kind }) => kind === pair.resource.kind);
  return resource === undefined ? pair : { ...pair, resource };
}

function buildProbePlan(
  pairs: readonly ProbePair[],
  beside: readonly ProbePair[],
  { plan, deps }: { readonly plan: SwapPlan; readonly deps: SwapDeps },
): ProbePlan | undefined {
  const [gap, ...others] = pairs;
  if (gap === undefined) return undefined;
  const { group, webhook } = deps.names;
  const matchedBy =
    (entries: readonly ValidatingWebhook[]) =>
    ({ resource: { plural } }: ProbePair): boolean =>
      entries.some((entry) => matchesResource(entry, { group, plural, operation: "CREATE" }));
  const byOld = matchedBy(plan.oldEntries);
  const byLive = matchedBy(listEntries(plan.live));
  const writes = [plan.apply, plan.takeOut, plan.remove].some((write) => write !== undefined);
  // the same edit is sent once, whichever entries it meets
  const edits = new Map([...pairs, ...beside].reverse().map((pair) => [renderEdit(pair), pair]));
  const further = new Set(beside.map((pair) => edits.get(renderEdit(pair)) ?? pair));
  return {
    throughout: gap,
    // the first decides: a right to edit the others would be asked for in vain
    beyondOld: plan.oldEntries.length === 0 ? [] : pairs.filter((pair) => !byOld(pair)).slice(0, 1),
    guarded: writes ? others.filter((pair) => byOld(pair) || byLive(pair)) : [],
    further: [...further].filter((pair) => pair !== gap),
    isLive: plan.oldEntries.length > 0 || findEntry(plan.live, webhook.entry) !== undefined,
    ours: [
      webhook.entry,
      webhook.oldEntry,
      ...[...plan.oldEntries, ...plan.further].map(({ name }) => String(name)),
    ],
  };
}

function renderEdit({ accept }: ProbePair): string {
  return JSON.stringify(accept);
}

/** The operator's, else another that is selected; none where an entry of the same name judges too. */
async function probeNamespace(
  deps: SwapDeps,
  plan: SwapPlan,
  operators: KubeObject,
): Promise<KubeObject> {
  const { wanted, namesakes } = plan;
  const entry = findEntry(wanted, deps.names.webhook.entry);
  const fits = (namespace: KubeObject): boolean => isProvable(entry, namespace);
  const unshared = (namespace: KubeObject): boolean => isUnshared(entry, namesakes, namespace);
  if (unshared(operators)) return operators;
  const all = (await deps.cluster.list(kinds.namespace)) ?? [];
  const found = all.find(unshared);
  if (found !== undefined) return found;
  throw blocked(
    all.some(fits)
      ? webhookFinding("probeAmbiguous", describeAmbiguous(deps.names))
      : reportUnselected(deps, plan, "namespaceSelector"),
  );
}

/** A pair of one's own has its namespace: who else judges it there cannot be determined from our entry. */
async function requireUnshared(
  deps: SwapDeps,
  { namesakes }: SwapPlan,
  pair: ProbePair,
): Promise<void> {
  if (namesakes.length === 0) return;
  const { namespace: name = "" } = pair.accept.metadata;
  const namespace = await deps.cluster.get({ resource: kinds.namespace, name });
  if (namespace === undefined) return;
  if (namesakes.some((entry) => selectsNamespace(entry, namespace)))
    throw blocked(webhookFinding("probeAmbiguous", describeAmbiguous(deps.names)));
}

function blocked(finding: Finding): BlockedError {
  return new BlockedError(exitCodes.blocked, [finding]);
}

function reportUnselected(
  { names }: SwapDeps,
  { wanted, live, old }: SwapPlan,
  selector: Idle,
): Finding {
  const own = findEntry(wanted, names.webhook.entry);
  const { configuration = wanted, entry = own } = findSource({ live, old }, names) ?? {};
  const { remedies } = fixByOwner(configuration, { left: undefined });
  return reportIdle({ configuration, entry }, selector, remedies);
}
