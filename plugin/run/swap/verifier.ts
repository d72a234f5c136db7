/**
 * Watches the swap through its probes: what worked before, what is proven after each write, and
 * how long anything was wrong in between (cli contract, Probe).
 */
import { EngineError, exitCodes } from "../../domain/errors";
import {
  type ProbeAnswer,
  answersInTurn,
  failingMs,
  gapOf,
  type Proof,
  seenBroken,
  tally,
  type ProbePair,
  pairFromStored,
  pairsFor,
  wrongWindows,
} from "../../domain/webhook/probe";
import type { KubeObject } from "../../domain/objects";
import {
  entriesOf,
  entryNames,
  entryOf,
  matchesResource,
} from "../../domain/webhook/configuration";
import { missingPermissions } from "../engine/permissions";
import { probePermissions, type SwapDeps, type SwapOptions } from "./read";
import { Prober, type ProofWanted } from "./prober";
import type { Finding } from "../../domain/findings";
import { kinds } from "../../domain/kinds";
import { getOwn } from "../../domain/values";
import type { SwapPlan } from "../../domain/webhook/plan";
import { labelsFor, selects } from "../../domain/kube/selectors";
import { BlockedError } from "../engine/recorder";

/** The pairs of a swap: `gap` is watched throughout, `proofs` are tried in order. */
interface ProbePlan {
  readonly gap: ProbePair;
  /** Pairs of kinds that the old configuration does not match. */
  readonly beyondOld: readonly ProbePair[];
  /** Pairs of further kinds that were guarded before: they have to be guarded after, too. */
  readonly guarded: readonly ProbePair[];
}

/** Builds the pairs; stops with 3 when no edit could be made that the entry matches. */
export async function setStage(
  deps: SwapDeps,
  options: SwapOptions,
  from: { readonly plan: SwapPlan; readonly namespace: KubeObject },
): Promise<ProbePlan | undefined> {
  if (!options.probe) return undefined;
  const { plan } = from;
  if (options.probePair !== undefined) {
    const pair = await asServed(deps, options.probePair);
    await requireUnshared(deps, plan, pair);
    return stageOf([pair], plan, deps);
  }
  const entry = entryOf(plan.wanted, deps.names.webhook.entry);
  const namespace = await probeNamespace(deps, plan, from.namespace);
  const labels = labelsFor(getOwn(entry, "objectSelector"));
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
export async function storedPair(deps: SwapDeps, pair: ProbePair): Promise<ProbePair | undefined> {
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
async function asServed({ cluster }: SwapDeps, pair: ProbePair): Promise<ProbePair> {
  const served = await cluster.serves(pair.resource.group, pair.resource.version);
  const resource = served?.find(({ kind }) => kind === pair.resource.kind);
  return resource === undefined ? pair : { ...pair, resource };
}

function stageOf(
  pairs: readonly ProbePair[],
  plan: SwapPlan,
  deps: SwapDeps,
): ProbePlan | undefined {
  const [gap, ...further] = pairs;
  if (gap === undefined) return undefined;
  const group = deps.names.group;
  const matchedBy =
    (configuration: KubeObject | undefined) =>
    ({ resource: { plural } }: ProbePair): boolean =>
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
  { wanted, namesakes }: SwapPlan,
  operators: KubeObject,
): Promise<string> {
  const selector = getOwn(entryOf(wanted, deps.names.webhook.entry), "namespaceSelector");
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
  if (namesakes.some((entry) => selectsNamespace(entry, namespace))) throw blocked(ambiguous(deps));
}

function selectsNamespace(entry: unknown, { metadata }: KubeObject): boolean {
  return selects(getOwn(entry, "namespaceSelector"), metadata.labels ?? {});
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
    source: "Facts 4.3",
  };
}

function ambiguous({ names }: SwapDeps): Finding {
  return {
    code: "PROBE-AMBIGUOUS",
    severity: "error",
    object: "Probe",
    cause: `another configuration has an entry ${names.webhook.entry} too: a refusal would not prove which of the two it came from`,
    fix: "delete that configuration if nobody needs it, or go without proof with --no-probe",
    source: "docs/guides/webhook-swap.md",
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

const roundsBefore = 3;
const openingRounds = 3;
const quietMs = 1_000;
const patienceMs = 2_000;
const proofLimitMs = 15_000;
/** Without a write of ours there is nothing to spread: the answers count at once. */
export const standing = { quietMs: 0, limitMs: 5_000 };

/** The proof did not come: what was written is put back. */
export class UnprovenError extends EngineError {
  readonly code = "UNPROVEN";
  readonly exitCode = exitCodes.rolledBack;
}

interface Watch {
  readonly gap: Prober;
  /** Probers of kinds that the old configuration does not match. */
  readonly beyondOld: readonly Prober[];
  /** Probers of further kinds that were guarded before the run. */
  readonly guarded: readonly Prober[];
}

/** The probes of one swap. */
export class WebhookVerifier {
  /** The entry that refused bad edits before the run, where the webhook worked then. */
  worked: { readonly entry: string } | undefined;

  private constructor(
    private readonly deps: SwapDeps,
    private readonly watch: Watch | undefined,
  ) {}

  /** Opens the probes; a fresh object that someone else refuses gives way to a stored one. */
  static async open(deps: SwapDeps, stage: ProbePlan | undefined): Promise<WebhookVerifier> {
    if (stage === undefined) return new WebhookVerifier(deps, undefined);
    const gap = await openProber(deps, stage.gap);
    const opened = new Map([[stage.gap, gap]]);
    const open = async (pairs: readonly ProbePair[]): Promise<readonly Prober[]> => {
      for (const pair of pairs) {
        if (!opened.has(pair)) opened.set(pair, await openProber(deps, pair));
      }
      return pairs.flatMap((pair) => opened.get(pair) ?? []);
    };
    const beyondOld = await open(stage.beyondOld);
    return new WebhookVerifier(deps, { gap, beyondOld, guarded: await open(stage.guarded) });
  }

  /** The prober that watches throughout, undefined without a probe. */
  get gap(): Prober | undefined {
    return this.watch?.gap;
  }

  /** True while calls fail that were answered before the run. */
  get harms(): boolean {
    return this.worked !== undefined && failingMs(this.gap?.observations ?? []) > 0;
  }

  /** A few rounds over the state found; says whether the old entry fails its calls. */
  async before(phase: string, old: KubeObject | undefined): Promise<{ readonly broken: boolean }> {
    const gap = this.gap;
    if (gap === undefined) return { broken: false };
    for (const prober of new Set([gap, ...(this.watch?.guarded ?? [])])) {
      for (let round = 0; round < roundsBefore; round += 1) await prober.round();
    }
    const counts = tally(gap.counting());
    this.deps.recorder.probe({ phase, ...counts });
    const works = counts.accept.ok === counts.accept.of && counts.deny.ok === counts.deny.of;
    const entry = counts.deny.by.split(", ")[0] ?? "";
    if (works && entry !== "") this.worked = { entry };
    return { broken: seenBroken(gap.observations, [...entryNames(old), ""]) };
  }

  /** The first proof, before the old one goes: false where it has to follow, for want of a kind. */
  async proveFirst(broken: boolean, applied: boolean): Promise<boolean> {
    const watch = this.watch;
    if (watch === undefined) return false;
    const limits = applied ? {} : standing;
    if (!broken) {
      // a kind that the old entry does not match shows the new entry's answers alone
      const alone = watch.beyondOld.find((prober) => this.#refuses(prober) && passes(prober));
      await this.prove("new", limits, alone ?? watch.gap);
      return true;
    }
    for (const prober of watch.beyondOld) {
      const proof = await this.#settle(prober, limits);
      this.deps.recorder.probe({ phase: "new", ...tally(prober.counting()) });
      if (proof.is === "proven") return true;
      if (this.#refuses(prober)) throw unproven(proof);
    }
    this.deps.recorder.note(
      "the broken old webhook fails every edit that could prove the new one: it goes first, the proof follows",
    );
    return false;
  }

  #refuses(prober: Prober): boolean {
    return prober.pair.resource.plural !== this.deps.names.erc.plural;
  }

  /** Probes on while a write is under way. */
  async during<T>(work: Promise<T>): Promise<T> {
    return this.watch === undefined ? await work : await this.watch.gap.during(work);
  }

  /** Settles and reports a phase; throws UnprovenError when the proof does not come. */
  async prove(
    phase: string,
    limits: Partial<ProofWanted> = {},
    prober: Prober | undefined = this.gap,
  ): Promise<void> {
    if (prober === undefined) return;
    const from = this.deps.clock.now();
    const proof = await this.#settle(prober, limits);
    this.deps.recorder.probe({ phase, ...tally(prober.counting(from)) });
    if (proof.is !== "proven") throw unproven(proof);
  }

  /** What was seen refused before the run has to be refused by the new entry, kind by kind. */
  async proveGuarded(phase: string): Promise<void> {
    for (const prober of this.watch?.guarded ?? []) {
      if (prober.refused) await this.prove(`${phase}: ${prober.pair.kind}`, standing, prober);
    }
  }

  async #settle(prober: Prober, limits: Partial<ProofWanted>): Promise<Proof> {
    const wanted = {
      entry: this.deps.names.webhook.entry,
      quietMs,
      pairs: 3,
      limitMs: proofLimitMs,
      // where nothing worked before there is nothing to hurry back to
      ...(this.worked !== undefined && { failingMs: patienceMs }),
      ...limits,
    };
    return await prober.settle(wanted, {
      also: prober === this.gap ? undefined : this.gap,
      onWait: (because, ms) => {
        this.deps.recorder.waiting(`proof: ${because}`, ms / 1000);
      },
    });
  }

  /** Puts the seconds of bypass and outage into the report. */
  reportGap(): void {
    const gap = this.gap;
    if (gap === undefined || gap.observations.length === 0) return;
    const { recorder } = this.deps;
    const seen = gap.counting();
    const timed = <T extends { from: number; to: number }>({ from, to, ...rest }: T) => ({
      ...rest,
      ...recorder.stretch(from, to),
    });
    recorder.keep({
      gap: {
        ...gapOf(seen),
        method: `${seen.length} server-side dry runs of ${gap.pair.kind} over fresh connections`,
        windows: wrongWindows(seen).map(timed),
        answers: answersInTurn(seen).map(timed),
      },
    });
  }
}

/** Only a webhook that fails its calls, such as the new one before its repair, was in the way. */
function passes(prober: Prober): boolean {
  return prober.observations.some(
    ({ twin, answer }) => twin === "accept" && (answer.is === "accepted" || answer.is === "failed"),
  );
}

function unproven(proof: Proof): UnprovenError {
  const because = proof.is === "waiting" ? proof.because : "";
  return new UnprovenError(`the proof failed: ${because}`, {
    hint: "find out why in the log of the pod behind the Service, fix it, then run again",
  });
}

/** One cut connection says nothing of a kind: it is asked again before another pair is taken. */
async function openProber(deps: SwapDeps, pair: ProbePlan["gap"]): Promise<Prober> {
  const fresh = new Prober(deps, pair);
  let answer: ProbeAnswer | undefined;
  for (let rounds = 0; rounds < openingRounds; rounds += 1) {
    await fresh.round();
    answer = fresh.observations.findLast(({ twin }) => twin === "accept")?.answer;
    if (answer?.is !== "other") break;
  }
  if (answer?.is !== "other" && answer?.is !== "refused") return fresh;
  const stored = await storedOf(deps, pair);
  return stored === undefined ? fresh : new Prober(deps, stored);
}

async function storedOf(
  deps: SwapDeps,
  pair: ProbePlan["gap"],
): Promise<ProbePlan["gap"] | undefined> {
  try {
    const stored = await storedPair(deps, pair);
    const missing = await missingPermissions(
      deps.cluster,
      probePermissions(stored === undefined ? [] : [stored]),
    );
    return missing.length === 0 ? stored : undefined;
  } catch (error) {
    deps.signal.throwIfAborted();
    if (error instanceof EngineError) return undefined; // not allowed to list: the fresh one has to do
    throw error;
  }
}
