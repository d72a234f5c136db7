/** Sets the probe up: where it may go, with which kinds, and what each can prove. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { kinds } from "../../domain/kinds";
import type { KubeObject } from "../../domain/objects";
import { own } from "../../domain/values";
import { entriesOf, entryOf, matchesResource } from "../../domain/webhook/configuration";
import type { Plan } from "../../domain/webhook/plan";
import { labelsFor, selects } from "../../domain/kube/selectors";
import { pairFromStored, pairsFor, type Pair } from "../../domain/webhook/probe";
import { BlockedError } from "../engine/recorder";
import type { SwapDeps, SwapOptions } from "./deps";

/** The pairs of a swap: `gap` is watched throughout, `proofs` are tried in order. */
export interface Stage {
  readonly gap: Pair;
  /** Pairs of kinds that the old configuration does not match. */
  readonly beyondOld: readonly Pair[];
  /** Pairs of further kinds that were guarded before: they have to be guarded after, too. */
  readonly guarded: readonly Pair[];
}

/** Builds the pairs; stops with 3 when no edit could be made that the entry matches. */
export async function setStage(
  deps: SwapDeps,
  options: SwapOptions,
  from: { readonly plan: Plan; readonly namespace: KubeObject },
): Promise<Stage | undefined> {
  if (!options.probe) return undefined;
  const { plan } = from;
  if (options.probePair !== undefined) {
    const pair = await asServed(deps, options.probePair);
    await requireUnshared(deps, plan, pair);
    return stageOf([pair], plan, deps);
  }
  const entry = entryOf(plan.wanted, deps.names.webhook.entry);
  const namespace = await probeNamespace(deps, plan, from.namespace);
  const labels = labelsFor(own(entry, "objectSelector"));
  if (labels === undefined) throw blocked(unselectable("objectSelector"));
  const served = await deps.cluster.serves(deps.names.group, deps.names.version);
  const pairs = pairsFor(entry, {
    names: deps.names,
    namespace,
    name: deps.probeName,
    labels,
  }).filter(({ resource }) => (served ?? []).some(({ plural }) => plural === resource.plural));
  if (pairs.length === 0) throw blocked(noKind(deps));
  return stageOf(pairs, plan, deps);
}

/** A stored object of the pair's kind and namespace as a pair, undefined when there is none. */
export async function storedPair(deps: SwapDeps, pair: Pair): Promise<Pair | undefined> {
  const { namespace } = pair.accept.metadata;
  const stored = await deps.cluster.list(pair.resource, {
    ...(namespace !== undefined && { namespace }),
    limit: 1,
  });
  const first = stored?.[0];
  const usable = first !== undefined && first.metadata.deletionTimestamp === undefined;
  return usable ? pairFromStored(first, pair.resource, deps.names) : undefined;
}

/** A pair of one's own names its kind; the plural is the API server's to say. */
async function asServed({ cluster }: SwapDeps, pair: Pair): Promise<Pair> {
  const served = await cluster.serves(pair.resource.group, pair.resource.version);
  const resource = served?.find(({ kind }) => kind === pair.resource.kind);
  return resource === undefined ? pair : { ...pair, resource };
}

function stageOf(pairs: readonly Pair[], plan: Plan, deps: SwapDeps): Stage | undefined {
  const [gap, ...further] = pairs;
  if (gap === undefined) return undefined;
  const group = deps.names.group;
  const matchedBy =
    (configuration: KubeObject | undefined) =>
    ({ resource: { plural } }: Pair): boolean =>
      entriesOf(configuration).some((entry) =>
        matchesResource(entry, { group, plural, operation: "CREATE" }),
      );
  const byOld = matchedBy(plan.old);
  const byLive = matchedBy(plan.live);
  const writes = plan.apply !== undefined || plan.remove !== undefined;
  return {
    gap,
    // the first decides: a right to edit the others would be asked for in vain
    beyondOld: plan.old === undefined ? [] : pairs.filter((pair) => !byOld(pair)).slice(0, 1),
    guarded: writes ? further.filter((pair) => byOld(pair) || byLive(pair)) : [],
  };
}

/** The operator's, else another that is selected; none where an entry of the same name judges too. */
async function probeNamespace(
  deps: SwapDeps,
  { wanted, namesakes }: Plan,
  operators: KubeObject,
): Promise<string> {
  const selector = own(entryOf(wanted, deps.names.webhook.entry), "namespaceSelector");
  const fits = ({ metadata }: KubeObject): boolean =>
    metadata.deletionTimestamp === undefined && selects(selector, metadata.labels ?? {});
  const unshared = (namespace: KubeObject): boolean =>
    fits(namespace) && !namesakes.some((entry) => selectsNamespace(entry, namespace));
  if (unshared(operators)) return operators.metadata.name ?? "";
  const all = (await deps.cluster.list(kinds.namespace)) ?? [];
  const found = all.find(unshared);
  if (found !== undefined) return found.metadata.name ?? "";
  throw blocked(all.some(fits) ? ambiguous(deps) : unselectable("namespaceSelector"));
}

/** A pair of one's own has its namespace: who else judges it there cannot be told from our entry. */
async function requireUnshared(deps: SwapDeps, { namesakes }: Plan, pair: Pair): Promise<void> {
  if (namesakes.length === 0) return;
  const { namespace: name = "" } = pair.accept.metadata;
  const namespace = await deps.cluster.get({ resource: kinds.namespace, name });
  if (namespace === undefined) return;
  if (namesakes.some((entry) => selectsNamespace(entry, namespace))) throw blocked(ambiguous(deps));
}

function selectsNamespace(entry: unknown, { metadata }: KubeObject): boolean {
  return selects(own(entry, "namespaceSelector"), metadata.labels ?? {});
}

function blocked(finding: Finding): BlockedError {
  return new BlockedError(exitCodes.blocked, [finding]);
}

function unselectable(field: "namespaceSelector" | "objectSelector"): Finding {
  return {
    code: "PROBE-NO-MATCH",
    severity: "error",
    field: `webhooks[0].${field}`,
    object: "Probe",
    cause: `nothing in this cluster is selected by the ${field}, so no edit can prove the webhook`,
    fix: "label a namespace so that it is selected, or go without proof with --no-probe",
    source: "domain facts 4.3",
  };
}

function ambiguous({ names }: SwapDeps): Finding {
  return {
    code: "PROBE-AMBIGUOUS",
    severity: "error",
    object: "Probe",
    cause: `another configuration has an entry ${names.webhook.entry} too: a refusal would not prove which of the two it came from`,
    fix: "delete that configuration if nobody needs it, or go without proof with --no-probe",
    source: "cli contract, upgrade-webhook",
  };
}

function noKind({ names }: SwapDeps): Finding {
  return {
    code: "PROBE-NO-KIND",
    severity: "error",
    object: "Probe",
    cause: `none of the kinds that the entry matches is served in ${names.group}/${names.version}`,
    fix: "install the operator's custom resource definitions first, or go without proof with --no-probe",
    source: "S16",
  };
}
