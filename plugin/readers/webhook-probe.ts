/** Probes the webhook in force by dry runs. */
import { products } from "../domain/facts/deletion";
import type { FactKey, Facts } from "../domain/facts/facts";
import type { Recorder } from "../kernel/recorder";
import type { SnapshotDeps } from "./snapshot";
import { type ProbeOutcome, hindranceCause } from "../domain/admission/refusers";
import { explainUnproven, listPolicies } from "../domain/admission/consequence";
import { entriesInForce, findEntry, readServiceNamespace } from "../domain/admission/configuration";
import { isProvable } from "../domain/admission/selected";
import { judgeAnswers } from "../domain/admission/faults";
import { tally } from "../domain/admission/gap";
import {
  findLastWrong,
  pairFromStored,
  type ProbePair,
  pairsFor,
  type Proof,
} from "../domain/admission/probe";
import type { ProbeAnswer } from "../domain/admission/answers";
import { probedBy, probeNeed } from "../domain/admission/needs";
import { EngineError } from "../domain/base/errors";
import { findMissingPermissions } from "../kernel/permissions";
import { labelsFor } from "../domain/kube/selectors";
import { Prober, type ProberDeps, type ProberOptions } from "./prober";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../domain/kube/models";

/** Nothing was written that would have to spread: what answers wrong for so long stays wrong. */
const wanted = { quietMs: 200, pairs: 2, limitMs: 5_000 };

const openingRounds = 3;

/** How many edits are sent at first. */
const looks = 3;

/** The lists that a probe is made from. */
export const probedFacts: readonly FactKey[] = [
  "namespaces",
  "webhookConfigurations",
  "edbs",
  "eaadbs",
  "ercs",
];

interface ProbeWanted {
  /** Of the probe's objects, which nothing else has. */
  readonly name: string;
  readonly phase?: string;
  /** A pair of one's own in place of the table's. */
  readonly own?: ProbePair | undefined;
}

/** What the twins showed; a cause that is not the webhook's leaves it open. */
export async function probeWebhook(
  deps: SnapshotDeps & { readonly recorder: Recorder },
  facts: Facts,
  { name, phase = "status", own }: ProbeWanted,
): Promise<ProbeOutcome> {
  const { entry } = facts.names.webhook;
  const pair = own ?? pickPair(facts, { name, entries: [entry] });
  if (typeof pair === "string") return { is: "open", because: pair };
  const prober = new Prober(deps, pair);
  await prober.look(looks);
  const proof: Proof =
    prober.hindrance === undefined
      ? await prober.settle({ ...wanted, entry })
      : { is: "waiting", because: hindranceCause(prober.hindrance) };
  deps.recorder.probe({ phase, ...tally(prober.countObservations(), prober.ours) });
  if (proof.is === "proven") return proof;
  const { names, namespace } = facts;
  const service = { namespace, name: names.webhook.service };
  const policies = listPolicies(
    facts.objects.webhookConfigurations
      .flatMap((one) => entriesInForce(one, service, names))
      .map((one) => one.entry),
  );
  const because = explainUnproven(proof.because, policies, findLastWrong(prober.observations));
  const { hindrance } = prober;
  if (hindrance !== undefined) return { is: "elsewhere", hindrance };
  const other = prober.observations.some(({ answer }) => answer.is === "other");
  if (other) return { is: "open", because };
  const object = `ValidatingWebhookConfiguration/${names.webhook.configuration}`;
  const answering = { ours: prober.ours, object, policies, namespace, names };
  const finding = judgeAnswers(prober.countObservations(), answering);
  return { is: "failed", because, ...(finding !== undefined && { finding }) };
}

/**
 * Longest that an API server waits for a webhook, whatever a configuration that comes in the meantime says (its
 * `timeoutSeconds` is 30 at most), and what it takes itself: its own verdict comes first, that the webhook did not answer.
 */
const inForceLimitMs = 35_000;

/** A prober of whichever configuration is in force, the old one too; else why there is none. */
export async function openInForce(
  deps: ProberDeps,
  facts: Facts,
  { name, own }: Pick<ProbeWanted, "name" | "own">,
): Promise<Prober | string> {
  const { entry, oldEntry } = facts.names.webhook;
  const entries = [entry, oldEntry];
  const pair = own ?? pickPair(facts, { name, entries });
  if (typeof pair === "string") return pair;
  return await openProber(deps, pair, { limitMs: inForceLimitMs });
}

/** What a pair is for. */
interface PairWanted extends Pick<ProbeWanted, "name"> {
  /** Names of entries, the first that is there counts. */
  readonly entries: readonly string[];
}

/** The entry of a namespace's webhook. */
export function pickEntry(
  configurations: readonly ValidatingWebhookConfiguration[],
  namespace: string,
  entries: readonly string[],
): ValidatingWebhook | undefined {
  return entries
    .flatMap((name) => configurations.map((one) => findEntry(one, name)))
    .find((found) => readServiceNamespace(found) === namespace);
}

/** The twins of a kind that the entry matches, in a namespace that it selects; else why there are none. */
function pickPair(facts: Facts, { name, entries }: PairWanted): ProbePair | string {
  const { names, namespace: operators, objects } = facts;
  const entry = pickEntry(objects.webhookConfigurations, operators, entries);
  if (entry === undefined) return "no configuration of this namespace can be probed";
  const namespace = objects.namespaces
    .filter((one) => isProvable(entry, one))
    .map(({ metadata }) => String(metadata.name))
    .sort((one, other) => Number(other === operators) - Number(one === operators))[0];
  const labels = labelsFor(entry.objectSelector);
  if (namespace === undefined || labels === undefined)
    return "nothing is selected by its selectors";
  const served = (["edb", "eaadb", "erc"] as const)
    .filter((kind) => !facts.unserved.has(products[kind]))
    .map((kind) => names[kind].plural);
  const pair = pairsFor(entry, { names, namespace, name, labels }).find(({ resource }) =>
    served.includes(resource.plural),
  );
  return pair ?? "none of the kinds that it matches is served";
}

/** A prober of a pair; a fresh object that someone else refuses gives way to a stored one. */
export async function openProber(
  deps: ProberDeps,
  pair: ProbePair,
  options: ProberOptions = {},
): Promise<Prober> {
  const fresh = new Prober(deps, pair, options);
  const answer = await askFirst(fresh);
  if (answer?.is !== "other" && answer?.is !== "refused") return fresh;
  const stored = await findStored(deps, pair);
  return stored === undefined ? fresh : new Prober(deps, stored, options);
}

/** One cut connection says nothing of a kind: it is asked again. */
async function askFirst(fresh: Prober): Promise<ProbeAnswer | undefined> {
  let answer: ProbeAnswer | undefined;
  for (let rounds = 0; rounds < openingRounds; rounds += 1) {
    await fresh.round();
    answer = fresh.observations.findLast(({ twin }) => twin === "accept")?.answer;
    if (answer?.is !== "other") break;
  }
  return answer;
}

async function findStored(deps: ProberDeps, pair: ProbePair): Promise<ProbePair | undefined> {
  try {
    const stored = await storedPair(deps, pair);
    const missing = await findMissingPermissions(
      deps.cluster,
      (stored === undefined ? [] : [stored]).map(probedBy).map(probeNeed),
    );
    return missing.length === 0 ? stored : undefined;
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof EngineError) return undefined; // not allowed to list: the fresh one has to do
    throw error;
  }
}

/** A stored object of the pair's kind and namespace as a pair, undefined when there is none. */
async function storedPair(deps: ProberDeps, pair: ProbePair): Promise<ProbePair | undefined> {
  const { namespace } = pair.accept.metadata;
  const stored = await deps.cluster.list(pair.resource, {
    ...(namespace !== undefined && { namespace }),
    limit: 1,
  });
  const first = stored?.[0];
  const usable = first !== undefined && first.metadata.deletionTimestamp === undefined;
  return usable ? pairFromStored(first, pair.resource, deps.names) : undefined;
}
