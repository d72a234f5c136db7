/** Sets the probe up: where it may go, with which kinds, and what each can prove. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { kinds } from "../../domain/kinds";
import type { KubeObject } from "../../domain/objects";
import { own } from "../../domain/values";
import { entriesOf, entryOf, matchesResource } from "../../domain/webhook/configuration";
import type { Plan } from "../../domain/webhook/plan";
import { labelsFor, selects } from "../../domain/webhook/selectors";
import { pairFromStored, pairsFor, type Pair } from "../../domain/webhook/twins";
import { BlockedError } from "../recorder";
import type { SwapDeps, SwapOptions } from "./deps";

/** The pairs of a swap: `gap` is watched throughout, `proofs` are tried in order. */
export interface Stage {
  readonly gap: Pair;
  /** Pairs of kinds that the old configuration does not match. */
  readonly beyondOld: readonly Pair[];
}

/** Builds the pairs; stops with 3 when no edit could be made that the entry matches. */
export async function setStage(
  deps: SwapDeps,
  options: SwapOptions,
  from: { readonly plan: Plan; readonly namespace: KubeObject },
): Promise<Stage | undefined> {
  if (!options.probe) return undefined;
  if (options.probePair !== undefined) {
    return stageOf([await asServed(deps, options.probePair)], from.plan, deps);
  }
  const entry = entryOf(from.plan.wanted, deps.names.webhook.entry);
  const namespace = await probeNamespace(deps, entry, from.namespace);
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
  return stageOf(pairs, from.plan, deps);
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
  const gap = pairs[0];
  if (gap === undefined) return undefined;
  if (plan.old === undefined) return { gap, beyondOld: [] };
  const group = deps.names.group;
  const beyondOld = pairs.filter(
    ({ resource }) =>
      !entriesOf(plan.old).some((entry) =>
        matchesResource(entry, { group, plural: resource.plural, operation: "CREATE" }),
      ),
  );
  // the first decides: a right to edit the others would be asked for in vain
  return { gap, beyondOld: beyondOld.slice(0, 1) };
}

async function probeNamespace(
  deps: SwapDeps,
  entry: unknown,
  operators: KubeObject,
): Promise<string> {
  const selector = own(entry, "namespaceSelector");
  const fits = ({ metadata }: KubeObject): boolean =>
    metadata.deletionTimestamp === undefined && selects(selector, metadata.labels ?? {});
  if (fits(operators)) return operators.metadata.name ?? "";
  const all = (await deps.cluster.list(kinds.namespace)) ?? [];
  const found = all.find(fits);
  if (found === undefined) throw blocked(unselectable("namespaceSelector"));
  return found.metadata.name ?? "";
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
