/**
 * Watches the swap through its probes: what worked before, what is proven after each write, and
 * how long anything was wrong in between (cli contract, Probe).
 */
import { kubectl, renderFix } from "../../domain/base/remedy";
import { nameAwaited } from "../../domain/base/awaited";
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import type { Names } from "../../domain/names/names";
import { sameJson } from "../../domain/base/values";
import type { ValidatingWebhook } from "../../domain/kube/models";
import { listTyped } from "../../ports/typed";
import { objectLabel } from "../../domain/kube/objects";
import { webhookFinding } from "../../domain/admission/findings";
import {
  readCaBundle,
  callsSame,
  listEntries,
  findEntry,
  nameField,
} from "../../domain/admission/configuration";
import {
  explainUnproven,
  type FailurePolicy,
  listPolicies,
} from "../../domain/admission/consequence";
import { judgeAnswers } from "../../domain/admission/faults";
import { answersInTurn, measureGap, tally, wrongWindows } from "../../domain/admission/gap";
import type { SwapPlan } from "./plan";
import { longestPauseMs } from "../../domain/admission/outage";
import {
  type Observation,
  type ProbePair,
  type Proof,
  findLastWrong,
  measureFailing,
  wasSeenBroken,
} from "../../domain/admission/probe";
import {
  adviceFor,
  type Hindrance,
  hindranceFinding,
  lastRefuser,
} from "../../domain/admission/refusers";
import type { Prober, ProofWanted } from "../../readers/prober";
import { reportHole, reportUnseen } from "../../readers/outage-watch";
import { openProber } from "../../readers/webhook-probe";
import type { SwapDeps } from "./read";
import type { ProbePlan } from "./probes";
import { policiesFound } from "./trial";

const roundsBefore = 3;
const quietMs = 1_000;
const patienceMs = 2_000;
const proofLimitMs = 15_000;
/** Without a write of ours there is nothing to spread: the answers count at once. */
export const limitsWithoutWrite = { quietMs: 0, limitMs: 5_000 };

/** The proof did not come: what was written is put back. */
export class UnprovenError extends EngineError {
  readonly code = "UNPROVEN";
  readonly exitCode = exitCodes.rolledBack;

  constructor(
    message: string,
    /** What the webhook's own answers show of it. */
    readonly findings: readonly Finding[],
    hint: string,
  ) {
    super(message, { hint });
  }
}

interface Watch {
  readonly throughout: Prober;
  /** Probers of kinds that the old configuration does not match. */
  readonly beyondOld: readonly Prober[];
  /** Probers of further kinds that were guarded before the run. */
  readonly guarded: readonly Prober[];
  /** Probers of what entries that people added match. */
  readonly further: readonly Prober[];
  /** An entry of the operator's was there before the run. */
  readonly isLive: boolean;
}

/** The probes of one swap. */
export class WebhookVerifier {
  /** The entry that refused bad edits before the run, where the webhook worked then. */
  worked: { readonly entry: string } | undefined;
  /** Good edits passed before the run, whether the webhook answered or not: failurePolicy Ignore was in force. */
  #passed = false;
  /** What is in force does with edits whose call fails. */
  #policies: readonly FailurePolicy[] = [];

  private constructor(
    private readonly deps: SwapDeps,
    private readonly watch: Watch | undefined,
    /** When the run that acts began. */
    private readonly begun = -Infinity,
  ) {}

  /** Opens the probes; a fresh object that someone else refuses gives way to a stored one. */
  static async open(deps: SwapDeps, stage: ProbePlan | undefined): Promise<WebhookVerifier> {
    if (stage === undefined) return new WebhookVerifier(deps, undefined);
    const { ours } = stage;
    const throughout = await openProber(deps, stage.throughout, { ours });
    const opened = new Map([[stage.throughout, throughout]]);
    const open = async (pairs: readonly ProbePair[]): Promise<readonly Prober[]> => {
      for (const pair of pairs) {
        if (!opened.has(pair)) opened.set(pair, await openProber(deps, pair, { ours }));
      }
      return pairs.flatMap((pair) => opened.get(pair) ?? []);
    };
    const beyondOld = await open(stage.beyondOld);
    const guarded = await open(stage.guarded);
    const further = await open(stage.further);
    const { isLive } = stage;
    return new WebhookVerifier(deps, { throughout, beyondOld, guarded, further, isLive });
  }

  /** The same probes for the act: what they show is told to its recorder. */
  handTo(deps: SwapDeps): WebhookVerifier {
    return new WebhookVerifier(deps, this.watch, deps.clock.now());
  }

  /** The prober that watches throughout, undefined without a probe. */
  get gap(): Prober | undefined {
    return this.watch?.throughout;
  }

  /** Those whose answers are wanted before and after. */
  get #all(): ReadonlySet<Prober> {
    const { watch } = this;
    return new Set(watch && [watch.throughout, ...watch.guarded, ...watch.further]);
  }

  /** True while good edits are stopped that passed before the run. */
  get harms(): boolean {
    return this.#passedBefore && measureFailing(this.gap?.observations ?? []) > 0;
  }

  get #passedBefore(): boolean {
    return this.worked !== undefined || this.#passed;
  }

  /** The plan without its trial where nothing can be seen, or a refusal was: then Fail is written at once. */
  dropNeedlessTrial(plan: SwapPlan): SwapPlan {
    const { throughout, beyondOld = [], guarded = [], further = [] } = this.watch ?? {};
    const all = [throughout, ...beyondOld, ...guarded, ...further];
    const isNeeded = throughout !== undefined && !all.some((prober) => prober?.refused);
    return isNeeded ? plan : { ...plan, trial: undefined };
  }

  /** Of the entry that this run has written. */
  notePolicies(entry: ValidatingWebhook | undefined): void {
    this.#policies = listPolicies([entry]);
  }

  /** A few rounds over the state found. */
  async look(): Promise<void> {
    for (const prober of this.#all) {
      await prober.look(roundsBefore);
    }
  }

  /**
   * A few rounds over the state found: says whether the old entry fails its calls, and keeps in `worked` what a
   * rollback has to bring back. Throws 3 where nothing could be proven.
   */
  async probeState(phase: string, plan: SwapPlan): Promise<{ readonly broken: boolean }> {
    const gap = this.gap;
    if (gap === undefined) return { broken: false };
    this.#policies = policiesFound(plan, this.deps.names);
    await this.look();
    const counts = tally(gap.countObservations(), gap.ours);
    this.deps.recorder.probe({ phase, ...counts });
    await this.requireUnhindered();
    this.requireServed(plan);
    this.#passed = plan.trial !== undefined && counts.accept.ok > 0;
    const works = counts.accept.ok === counts.accept.of && counts.deny.ok === counts.deny.of;
    const entry = counts.deny.by.split(", ")[0] ?? "";
    if (works && entry !== "") this.worked = { entry };
    const old = plan.oldEntries.map(({ name }) => String(name));
    return {
      broken: !mendsOld(plan, this.deps.names) && wasSeenBroken(gap.observations, [...old, ""]),
    };
  }

  /** Throws 3 where somebody else refuses what would have to prove the webhook. */
  async requireUnhindered(): Promise<void> {
    const { throughout, guarded = [], further = [] } = this.watch ?? {};
    // of a kind that was never seen refused nothing is proven
    const asked = [
      ...(throughout ? [throughout] : []),
      ...further,
      ...guarded.filter(({ refused }) => refused),
    ];
    for (const { hindrance } of new Set(asked)) {
      if (hindrance !== undefined && (await this.#stays(hindrance))) {
        throw new BlockedError(exitCodes.blocked, [hindranceFinding(hindrance)]);
      }
    }
  }

  /**
   * Throws 3 where an entry fails for want of trust with the very CA that it will have: the pod
   * serves another certificate than the Secret's, and no write of the run changes that.
   */
  requireServed({ live, old, wanted }: SwapPlan): void {
    const { names } = this.deps;
    const answer = this.gap?.observations.findLast(({ twin }) => twin === "accept")?.answer;
    if (answer?.is !== "failed" || !answer.detail.includes("x509: ")) return;
    const own = findEntry(wanted, names.webhook.entry);
    const failing = [live, old].find((object) =>
      listEntries(object).some(
        (entry) =>
          entry.name === answer.by &&
          callsSame(entry, own) &&
          readCaBundle(entry) === readCaBundle(own),
      ),
    );
    if (failing === undefined) return;
    const { namespace } = this.deps.cluster;
    const { deployment } = names.operator;
    throw new BlockedError(exitCodes.blocked, [
      webhookFinding("servesOther", {
        object: objectLabel(failing),
        field: `${nameField(answer.by)}.clientConfig.caBundle`,
        cause: `it has the CA of the Secret, and what the webhook serves is refused all the same: ${answer.detail}`,
        remedies: [
          {
            ...kubectl(
              "restart the pod behind the Service so that it serves the pair of the Secret",
              ...["rollout", "restart", `deployment/${deployment}`, `--namespace=${namespace}`],
            ),
            then: { says: "run again" },
          },
        ],
      }),
    ]);
  }

  /** A webhook that validates beside one that is not written yet may still come second. */
  async #stays({ twin, refuser }: Hindrance): Promise<boolean> {
    const hides = twin === "deny" && refuser.kind === "webhook";
    return !hides || this.watch?.isLive === true || (await mutates(this.deps, refuser.name));
  }

  /** The first proof, before the old one goes: false where it has to follow, for want of a kind. */
  async proveFirst(broken: boolean, applied: boolean): Promise<boolean> {
    const watch = this.watch;
    if (watch === undefined) return false;
    const limits = applied ? {} : limitsWithoutWrite;
    if (!broken) {
      // a kind that the old entry does not match shows the new entry's answers alone
      const alone = watch.beyondOld.find((prober) => this.#refuses(prober) && passes(prober));
      await this.prove("new", limits, alone ?? watch.throughout);
      // what hides the webhook from the other kind is met before anything is deleted
      if (alone !== undefined && !watch.throughout.refused)
        await this.prove("new", limits, watch.throughout);
      return true;
    }
    for (const prober of watch.beyondOld) {
      const proof = await this.#settle(prober, limits);
      this.deps.recorder.probe({ phase: "new", ...tally(prober.countObservations(), prober.ours) });
      if (proof.is === "proven") return true;
      if (this.#refuses(prober)) throw this.#unproven(proof, prober);
    }
    this.deps.recorder.note(
      "the broken old webhook fails every edit that could prove the new one: it goes first, the proof follows",
    );
    return false;
  }

  #unproven(proof: Proof, prober: Prober): UnprovenError {
    const { names } = this.deps;
    const { namespace } = this.deps.cluster;
    const policies = this.#policies;
    const { observations, ours } = prober;
    const wrong = findLastWrong(observations);
    const because = proof.is === "waiting" ? explainUnproven(proof.because, policies, wrong) : "";
    const recent = observations.slice(-recentAnswers);
    const refuser = lastRefuser(recent, "accept", ours) ?? lastRefuser(recent, "deny", ours);
    const object = `${kinds.webhookConfiguration.kind}/${names.webhook.configuration}`;
    const finding = judgeAnswers(prober.countObservations(), {
      ...{ ours, object, policies, namespace, names },
    });
    const again = "run the same command again";
    const ways = refuser && renderFix([{ ...adviceFor(refuser), then: { says: again } }]);
    const step = ways ?? finding?.fix;
    const hint =
      refuser === undefined && step !== undefined ? `${again} after this step: ${step}` : step;
    const findings = refuser === undefined && finding !== undefined ? [finding] : [];
    const log = `find out why in the log of the pod behind the Service, fix it, then ${again}`;
    return new UnprovenError(`the proof failed: ${because}`, findings, hint ?? log);
  }

  #refuses(prober: Prober): boolean {
    return prober.pair.resource.plural !== this.deps.names.erc.plural;
  }

  /** Probes on while a write is under way. */
  async probeDuring<T>(work: Promise<T>): Promise<T> {
    return this.watch === undefined ? await work : await this.watch.throughout.during(work);
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
    this.deps.recorder.probe({ phase, ...tally(prober.countObservations(from), prober.ours) });
    if (proof.is !== "proven") throw this.#unproven(proof, prober);
  }

  /** What was seen refused before the run has to be refused by the new entry, kind by kind. */
  async proveGuarded(phase: string): Promise<void> {
    const { guarded = [], further = [] } = this.watch ?? {};
    for (const prober of new Set([...guarded, ...further])) {
      const name = `${phase}: ${prober.pair.kind}`;
      if (prober.refused) await this.prove(name, limitsWithoutWrite, prober);
      // which edits of a kind a server refuses is its own; that it answers is what can be proven
      else if (further.includes(prober))
        await this.prove(name, { ...limitsWithoutWrite, entry: undefined }, prober);
    }
  }

  async #settle(prober: Prober, limits: Partial<ProofWanted>): Promise<Proof> {
    const wanted = {
      entry: this.deps.names.webhook.entry,
      quietMs,
      pairs: 3,
      limitMs: proofLimitMs,
      // where nothing worked before there is nothing to hurry back to
      ...(this.#passedBefore && { failingMs: patienceMs }),
      ...limits,
    };
    return await prober.settle(wanted, {
      also: prober === this.gap ? undefined : this.gap,
      onWait: (because, ms) => {
        this.deps.recorder.noteWaiting(
          nameAwaited(
            `${kinds.webhookConfiguration.kind}/${this.deps.names.webhook.configuration}`,
            because,
          ),
          ms / 1000,
        );
      },
    });
  }

  /** Puts the seconds of bypass and outage into the report. */
  reportGap(): void {
    const gap = this.gap;
    if (gap === undefined || gap.observations.length === 0) return;
    const { recorder } = this.deps;
    const seen = omitBeforeQuestion(gap.tellObservations(), this.begun);
    const timed = <T extends { from: number; to: number }>({ from, to, ...rest }: T) => ({
      ...rest,
      ...recorder.stretch(from, to),
    });
    const { holes, unseen } = wrongWindows(seen, gap.ours);
    const unobserved = reportUnseen(unseen, recorder);
    recorder.keep({
      gap: {
        ...measureGap(holes),
        method: `${seen.length} server-side dry runs of ${gap.pair.kind} over fresh connections`,
        windows: holes.map((hole) => reportHole(hole, recorder)),
        ...(unobserved.length > 0 && { unobserved }),
        answers: answersInTurn(seen).map(timed),
      },
    });
  }
}

/** As long as a question waits nobody probes: what was seen before one that waited long is no part of the swap. */
function omitBeforeQuestion(seen: readonly Observation[], begun: number): readonly Observation[] {
  const last = seen.findLast(({ from }) => from < begun);
  const hasWaited = last !== undefined && begun - last.to > longestPauseMs;
  return hasWaited ? seen.filter(({ from }) => from >= begun) : seen;
}

/** The one write also gives the old entry the CA that it lacks: then it does not stand in the way. */
function mendsOld({ old, oldEntries, wanted }: SwapPlan, { webhook }: Names): boolean {
  const called = findEntry(wanted, webhook.entry)?.clientConfig?.service;
  return (
    old === undefined &&
    oldEntries.every(({ clientConfig }) => sameJson(clientConfig?.service, called))
  );
}

/** True where good edits passed, or failed only for want of a webhook that answers: nobody else refuses this kind. */
function passes(prober: Prober): boolean {
  return prober.observations.some(
    ({ twin, answer }) => twin === "accept" && (answer.is === "accepted" || answer.is === "failed"),
  );
}

/** Whether it is a mutating webhook, which is asked before all that validate; false where none may be listed. */
async function mutates({ cluster, signal }: SwapDeps, entry: string): Promise<boolean> {
  try {
    const found = (await listTyped(cluster, kinds.mutatingConfiguration, { signal })) ?? [];
    return found.flatMap(listEntries).some(({ name }) => name === entry);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineError) return false;
    throw error;
  }
}

/** Of both twins, every bad one among them. */
const recentAnswers = 12;
