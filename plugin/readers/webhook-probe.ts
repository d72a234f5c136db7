/** Probes the webhook in force by dry runs. */
import type { FactKey, Facts } from "../domain/facts/facts";
import type { Recorder } from "../kernel/recorder";
import type { SnapshotDeps } from "./snapshot";
import { describeConditions } from "../domain/admission/unguarded";
import { explainUnproven, listPolicies } from "../domain/admission/consequence";
import { findEntry, readServiceNamespace } from "../domain/admission/configuration";
import { findUnevaluated, judgeAnswers, reportUnevaluated } from "../domain/admission/faults";
import { tally } from "../domain/admission/gap";
import {
  findLastWrong,
  judgeProof,
  type Observation,
  pairFromStored,
  type ProbePair,
  type Proof,
  type WantedEntry,
} from "../domain/admission/probe";
import { type PlannedProbe, planProbes, type ProbePlan } from "../domain/admission/probe-plan";
import {
  gatherOutcomes,
  type ProbeOutcome,
  type ProbedPair,
  readSeen,
} from "../domain/admission/probe-outcome";
import type { ProbeAnswer } from "../domain/admission/answers";
import { probedBy, probeNeed } from "../domain/admission/needs";
import { EngineError } from "../domain/base/errors";
import { renderForbidden } from "../domain/rollout/health";
import { countNoun } from "../domain/base/values";
import { readName } from "../domain/kube/objects";
import { renderTerm } from "../domain/names/names";
import { permissionLine } from "../domain/kube/permissions";
import { findMissingPermissions } from "../kernel/permissions";
import { Prober, type ProberDeps, type ProberOptions } from "./prober";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../domain/kube/models";

/** Right answers to each twin that are enough where nothing was written that would have to spread. */
const enough = { quietMs: 0, pairs: 2 };
/** So many looks tell what is wrong; while answers are right or may change, there are more. */
const usualLooks = 4;
const mostLooks = 12;
const pauseMs = 50;
/** An answer that took so long and then failed is not asked for again. */
const slowMs = 1_000;

/** The lists that a probe is made from. */
export const probedFacts: readonly FactKey[] = [
  "namespaces",
  "webhookConfigurations",
  "edbs",
  "eaadbs",
  "ercs",
];

/** How the webhook is probed. */
export interface ProbeWish {
  /** Of the probe's objects, which nothing else has. */
  readonly name: string;
  /** How many pairs at most; 0: none; absent: as many as are usual. */
  readonly most?: number;
  /** The cluster is that of a rehearsal. */
  readonly isPlayed?: boolean;
}

interface ProbeWanted extends ProbeWish {
  /** As the report calls it; absent: it is in no report. */
  readonly phase?: string;
  /** The one entry that has to be seen refusing; absent: any by which the webhook is called. */
  readonly entry?: string;
  /** A pair of one's own in place of the table's. */
  readonly own?: ProbePair | undefined;
}

type ProbeWorld = SnapshotDeps & { readonly recorder: Recorder };

/**
 * What the webhook in force does with good and bad edits. One pair is sent first: of a webhook that does not answer, the
 * others would only cost its time limit again.
 */
export async function probeWebhook(
  deps: ProbeWorld,
  facts: Facts,
  wanted: ProbeWanted,
): Promise<ProbeOutcome> {
  if (wanted.most === 0) return { is: "unasked", because: "not probed (--no-probe)" };
  const plan = planProbes(facts, wanted);
  if (typeof plan === "string") return { is: "open", because: plan };
  const { allowed, forbidden } = await findAllowed(deps, plan.probes);
  const [first, ...others] = allowed;
  if (first === undefined) {
    return { is: "unasked", forbidden: true, because: `not probed (${forbidden.join(", ")})` };
  }
  const examine = async (one: PlannedProbe): Promise<Examined> =>
    await examinePair({ ...deps, facts, plan, wanted }, one);
  const opening = await examine(first);
  const isDead = opening.outcome.is === "failed" && opening.isSlow;
  const rest = isDead ? [] : await Promise.all(others.map(examine));
  const all = [opening, ...rest];
  const { phase } = wanted;
  const observations = all.flatMap(({ prober }) => prober.countObservations());
  if (phase !== undefined) deps.recorder.probe({ phase, ...tally(observations, plan.ours) });
  return gatherOutcomes(
    all.map(({ prober: { pair }, outcome }) => [placeOf(pair, facts), outcome]),
    [
      ...plan.unprovable.map((kind) => `not provable: ${kind}`),
      ...forbidden,
      ...(plan.left === 0 ? [] : [`${countNoun(plan.left, "more pair")} (--probe=all)`]),
    ],
  );
}

/** Those that the user may send, and what it takes to send the others. */
async function findAllowed(
  { cluster }: Pick<ProbeWorld, "cluster">,
  probes: readonly PlannedProbe[],
): Promise<{ readonly allowed: readonly PlannedProbe[]; readonly forbidden: readonly string[] }> {
  const lineOf = ({ pair }: PlannedProbe): string => permissionLine(probeNeed(probedBy(pair)));
  const needs = new Map(probes.map((one) => [lineOf(one), probeNeed(probedBy(one.pair))]));
  const missing = await findMissingPermissions(cluster, [...needs.values()]);
  const lines = missing.map(permissionLine);
  // to see changes refused is more than one has to be allowed
  const needed = missing.filter(({ verb }) => verb !== "update");
  return {
    allowed: probes.filter((one) => !lines.includes(lineOf(one))),
    forbidden: needed.map((one) => renderForbidden(permissionLine(one))),
  };
}

interface Examination extends ProbeWorld {
  readonly facts: Facts;
  readonly plan: ProbePlan;
  readonly wanted: ProbeWanted;
}

interface Examined {
  readonly prober: Prober;
  readonly outcome: ProbeOutcome;
  /** Its last answer came late. */
  readonly isSlow: boolean;
}

async function examinePair(run: Examination, { pair, limitMs }: PlannedProbe): Promise<Examined> {
  const { plan, wanted, names } = run;
  const options = { ours: plan.ours, limitMs };
  const { prober, proof } = await look(new Prober(run, pair, options), run);
  const last = prober.observations.at(-1);
  const isSlow = isLate(last);
  if (proof.is === "proven") {
    const at = last?.to ?? run.clock.now();
    const pairs = [placeOf(pair, run.facts)];
    const isPlayed = wanted.isPlayed === true;
    return { prober, isSlow, outcome: { is: "proven", at, isPlayed, pairs, beside: [] } };
  }
  const { hindrance } = prober;
  if (hindrance !== undefined) return { prober, isSlow, outcome: { is: "elsewhere", hindrance } };
  const wrong = findLastWrong(prober.observations);
  const policies = listPolicies(plan.entries);
  const because = explainUnproven(proof.because, policies, wrong);
  const seen = readSeen(wrong);
  const object = `ValidatingWebhookConfiguration/${names.webhook.configuration}`;
  // one that is stored may break the rules already
  if (seen === "refuses" && pair.accept.metadata.uid !== undefined) {
    const either = "either it breaks a rule already, or the webhook refuses every change";
    const open: ProbeOutcome = { is: "open", because: `${because} (${either})`, isDoubt: true };
    return { prober, isSlow, outcome: open };
  }
  const condition = findUnevaluated(prober.observations, plan.entries);
  if (condition !== undefined) {
    const finding = reportUnevaluated(condition, { object, policies });
    const failed: ProbeOutcome = { is: "failed", because, seen: "unknown", policies, finding };
    return { prober, isSlow, outcome: failed };
  }
  if (prober.observations.some(({ answer }) => answer.is === "other"))
    return { prober, isSlow, outcome: { is: "open", because } };
  const { namespace } = run.facts;
  const conditions = plan.entries.flatMap(describeConditions);
  const answering = { ours: prober.ours, object, policies, namespace, names, conditions };
  const finding = judgeAnswers(prober.countObservations(), answering);
  const outcome: ProbeOutcome = {
    ...{ is: "failed", because, seen, policies },
    ...(finding !== undefined && { finding }),
  };
  return { prober, isSlow, outcome };
}

interface Looked {
  readonly prober: Prober;
  readonly proof: Proof;
}

/** As few looks as tell it. */
async function look(prober: Prober, { wanted, plan, clock, signal }: Examination): Promise<Looked> {
  const entry: WantedEntry = wanted.entry ?? plan.ours;
  for (let looks = 1; ; looks += 1) {
    await prober.glance();
    const proof = judgeProof(prober.countObservations(), { ...enough, entry });
    if (proof.is === "proven" || isTold(prober, proof, looks)) return { prober, proof };
    await clock.sleep(pauseMs, signal);
  }
}

function isLate(last: Observation | undefined): boolean {
  return last !== undefined && last.to - last.from >= slowMs;
}

function isTold(prober: Prober, proof: Proof, looks: number): boolean {
  const last = prober.observations.at(-1);
  if (isLate(last) && last?.answer.is === "failed") return true;
  if (prober.hindrance?.twin === "accept") return true;
  const mayChange = (proof.is === "waiting" && proof.isRight === true) || prober.mayTurn;
  return looks >= (mayChange ? mostLooks : usualLooks);
}

function placeOf({ kind, resource, accept }: ProbePair, { names }: Facts): ProbedPair {
  const known = [names.edb, names.eaadb, names.erc].find((one) => one.kind === kind);
  return {
    kind: known === undefined ? kind : renderTerm(known),
    version: resource.version,
    namespace: String(accept.metadata.namespace),
    ...(accept.metadata.uid !== undefined && { stored: readName(accept) }),
  };
}

const openingRounds = 3;

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
  const plan = planProbes(facts, { name, most: 1, own });
  if (typeof plan === "string") return plan;
  const [first] = plan.probes;
  return await openProber(deps, first.pair, { limitMs: inForceLimitMs });
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
