/** Plans a swap: reads, judges, opens the probes, and tries each write by dry run; `swap.ts` carries it out. */
import type { PlannedChange } from "../../domain/kube/change";
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { configurationResource } from "../../domain/admission/configuration";
import { webhookFinding, webhookFindings } from "../../domain/admission/findings";
import { describeConsequence } from "../../domain/admission/consequence";
import { injectionsIn, renderInjection } from "../../domain/admission/injector";
import { probedBy, probeNeed } from "../../domain/admission/needs";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import { objectLabel } from "../../domain/kube/objects";
import { type Planned, makeStopped } from "../../kernel/part";
import { MissingPermissionsError, requirePermissions } from "../../kernel/permissions";
import { type Projection, unchanged } from "../../kernel/projection";
import type { Session } from "../../kernel/session";
import { describeDryRun } from "../../kernel/simple-part";
import type { World } from "../../kernel/world";
import { buildApply, fitApply, listChanges } from "./changes";
import {
  openSession,
  planSwapFromCluster,
  prepareSwap,
  type ReadySwap,
  planPermittedSwap,
  requireFit,
  type SwapContext,
} from "./plan-now";
import type { SwapPartWish } from "./input";
import { readLeftOut } from "./left-out";
import { listNeeds, swapCommand, swapWrites } from "./needs";
import type { SwapPlan } from "./plan";
import { chooseProbes, pairsIn } from "./probes";
import { projectSwap } from "./projection";
import { readSwapFacts, type SwapDeps, type SwapFacts } from "./read";
import { actOnSwap } from "./swap";
import { trialStep } from "./trial";
import { WebhookVerifier } from "./verifier";

/** Plans a swap; what stands against it is a value. */
export class SwapPlanning {
  readonly #deps: SwapDeps;
  readonly #session: Session;

  constructor(
    private readonly world: World,
    private readonly wish: SwapPartWish,
  ) {
    const { judgeSecret, probeName } = wish;
    this.#deps = { ...world, judgeSecret, probeName };
    this.#session = openSession(world, wish);
  }

  async plan(): Promise<Planned> {
    const { wish, world } = this;
    wish.requireInput?.();
    const read = await readSwapFacts(this.#deps, wish, world.waits);
    if (read.is === "awaited") return { ...nothing, waitsFor: read.on, limit: read.limit };
    const swapping = this.#makeContext(read);
    const plan = await planSwapFromCluster(swapping);
    try {
      requireFit(swapping, plan);
      return await this.#makePlanned(swapping, read, plan);
    } catch (error) {
      if (!isObstacle(error)) throw error;
      const writes = listChanges(this.#deps, plan).map((change) => ({ change }));
      return makeStopped(error, this.#project({ plan, writes, read }));
    }
  }

  #makeContext({ secret }: SwapFacts): SwapContext {
    return { deps: this.#deps, options: this.wish, session: this.#session, secret };
  }

  #project(of: Swapped): Projection {
    const isServerOpen = of.read.openUntil !== undefined;
    return projectSwap({ ...of, isServerOpen }, this.world.names);
  }

  async #makePlanned(swapping: SwapContext, read: SwapFacts, first: SwapPlan): Promise<Planned> {
    const { world, wish } = this;
    const deps = this.#deps;
    world.tell(first.findings);
    this.#tellInjector(first);
    const leftOut = await readLeftOut(deps, wish, first);
    world.tell(leftOut.findings);
    const verifier = await this.#openVerifier(read, first);
    const { ready, writes } = await this.#tryWrites(swapping, first, verifier);
    const plan = verifier.dropNeedlessTrial(ready.plan);
    return {
      writes,
      ...(read.openUntil !== undefined && { waitsFor: read.openUntil }),
      questions: listQuestions(deps, plan),
      expects: { code: exitCodes.ok, reason: describeDryRun(listChanges(deps, plan).length) },
      after: this.#project({ plan, writes, read }),
      act: async (ports) => await actOnSwap({ ports, wish, verifier, read, ready, leftOut }),
    };
  }

  /** What caBundle holds is not this tool's where an injector writes it. */
  #tellInjector({ live }: SwapPlan): void {
    const { recorder, names } = this.world;
    for (const injection of injectionsIn(live === undefined ? [] : [live], names)) {
      const object = `${configurationResource.kind}/${injection.configuration}`;
      const why = `${renderInjection(injection)}; the other fields are written as usual`;
      recorder.addStep({ id: "webhook.injector", action: "read", object, why }, "done");
    }
  }

  /** The probes, opened over the state found, once all that the plan takes is allowed. */
  async #openVerifier({ namespace }: SwapFacts, plan: SwapPlan): Promise<WebhookVerifier> {
    const { world, wish } = this;
    const { names, recorder } = world;
    const stage = await chooseProbes(this.#deps, wish, { plan, namespace });
    const pairs = stage === undefined ? [] : pairsIn(stage);
    recorder.needs.declare(swapCommand, listNeeds(names, wish, pairs));
    await requirePermissions(world, [
      ...swapWrites(names, plan),
      ...pairs.map(probedBy).map(probeNeed),
    ]);
    const verifier = await WebhookVerifier.open(this.#deps, stage);
    if (stage === undefined) world.tell([probeSkipped(names.webhook.configuration, plan)]);
    // which writes there will be depends on what is seen of the state found
    else if (plan.trial !== undefined) await verifier.look();
    return verifier;
  }

  /** The writes as they have to be sent; of a dry run they are told as planned, and the state found is probed. */
  async #tryWrites(
    swapping: SwapContext,
    plan: SwapPlan,
    verifier: WebhookVerifier,
  ): Promise<Tried> {
    const { dryRun } = this.world;
    const { deps, session } = swapping;
    if (dryRun === "none") {
      const ready = await prepareSwap(swapping, plan, () => planPermittedSwap(swapping));
      const told = listChanges(deps, verifier.dropNeedlessTrial(ready.plan));
      return { ready, writes: told.map((change) => ({ change })) };
    }
    const writes: PlannedChange[] = [];
    const apply =
      plan.apply && dryRun === "server"
        ? await fitApply(deps, session, plan)
        : plan.apply && buildApply(deps, plan);
    const told = verifier.dropNeedlessTrial(plan);
    const sent = listChanges(deps, told, apply);
    for (const [index, change] of listChanges(deps, told).entries()) {
      writes.push(session.tellPlanned(change, await session.tryOut(sent[index] ?? change)));
    }
    // an upgrade that is under way looks again before its write, and tells that
    if (this.wish.isProbed !== true) await verifier.probeState("found", plan);
    return { ready: { plan, apply }, writes };
  }
}

interface Tried {
  readonly ready: ReadySwap;
  readonly writes: readonly PlannedChange[];
}

interface Swapped {
  readonly plan: SwapPlan;
  readonly writes: readonly PlannedChange[];
  readonly read: SwapFacts;
}

/** A plan of nothing; what is waited for is planned again. */
const nothing: Planned = {
  writes: [],
  questions: [],
  expects: { code: exitCodes.ok, reason: describeDryRun(0) },
  after: unchanged,
  act: () => Promise.reject(new Error("a plan that waits is not carried out")),
};

/** What the plan itself runs into. */
function isObstacle(error: unknown): boolean {
  return error instanceof BlockedError || error instanceof MissingPermissionsError;
}

/** Asked before the first write of a run that deletes or takes over (cli contract, Output). */
function listQuestions(deps: SwapDeps, plan: SwapPlan): readonly string[] {
  const takesOver = plan.findings.some(({ code }) => code === webhookFindings.otherNamespace.code);
  const { remove, takeOut, isCaOnly } = plan;
  const replaces = remove !== undefined || takeOut !== undefined || isCaOnly === true;
  if (listChanges(deps, plan).length === 0 || (!replaces && !takesOver)) return [];
  const acts = listChanges(deps, plan).map((change) => {
    const act = change.verb === "rewrite" ? `${String(change.does)} of` : change.verb;
    const label = objectLabel(change.object);
    if (change.id === trialStep) return `${act} ${label} with failurePolicy Ignore`;
    const isAfter = change.verb === "apply" && plan.trial !== undefined;
    return `${act} ${label}${isAfter ? " with failurePolicy Fail once a refusal was seen" : ""}`;
  });
  const limit = isCaOnly === true ? ", its CA and nothing else" : "";
  return [`${acts.join(", then ")}${limit}?`];
}

/** Without a probe the end is unproven, and the report says so. */
function probeSkipped(configuration: string, { trial }: SwapPlan): Finding {
  const object = `${kinds.webhookConfiguration.kind}/${configuration}`;
  const { cause } = webhookFindings.probeSkipped;
  if (trial === undefined) return webhookFinding("probeSkipped", { object });
  const risk = `failurePolicy Fail takes the place of Ignore all the same: where calls fail, ${describeConsequence(["Fail"])} from then on`;
  return webhookFinding("probeSkipped", {
    ...{ object, cause: `${cause}; ${risk}` },
    fix: "leave --no-probe out: then Fail is written only after a refusal was seen",
  });
}
