/** `upgrade-webhook` as a part: planned over a cluster, and carried out by swap.ts (S24-S30). */
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { webhookFinding } from "../../domain/admission/findings";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import { objectLabel } from "../../domain/kube/objects";
import { injectionsIn, renderInjection } from "../../domain/admission/injector";
import { configurationResource } from "../../domain/admission/configuration";
import { hindranceFinding } from "../../domain/admission/refusers";
import {
  type Outcome,
  type Planned,
  type PlannedChange,
  type ProvablePart,
  stopped,
} from "../../kernel/part";
import type { Acting, World } from "../../kernel/world";
import { MissingPermissionsError, requirePermissions } from "../../kernel/permissions";
import { type Projection, unchanged } from "../../kernel/projection";
import type { ExitReport } from "../../kernel/report";
import { describeDryRun } from "../../kernel/simple-part";
import { Session } from "../../kernel/session";
import { readDefaults } from "../../cmdutil/spec";
import type { UpgradePart, UpgradeWish } from "../../cmdutil/upgrade-part";
import { readSnapshot } from "../../readers/snapshot";
import { probedFacts, probeWebhook } from "../../readers/webhook-probe";
import { buildApply, listChanges, fitApply } from "./changes";
import { upgradeWebhook } from "./flags";
import { readWish, type SwapPartWish } from "./input";
import { probedAnywhere, probedBy, probeNeed } from "../../domain/admission/needs";
import { listNeeds, swapNeeds, swapWrites } from "./needs";
import { webhookOwner, skipWebhook } from "./gate";
import { projectSwap } from "./projection";
import type { SwapPlan } from "./plan";
import { readPrerequisites, type SwapDeps, type SwapFacts } from "./read";
import { pairsIn, chooseProbes } from "./probes";
import { SwapAct } from "./swap";
import {
  prepareSwap,
  replanSwap,
  requireFit,
  planSwapFromCluster,
  type ReadySwap,
  type SwapContext,
} from "./planning";
import { WebhookVerifier } from "./verifier";

const command = "upgrade-webhook";

/** Puts the new webhook in the place of the old one. */
export function swapPart(wish: SwapPartWish): ProvablePart {
  return {
    command,
    needs: (names) => listNeeds(names, wish),
    plan: async (world) => await new SwapPlanning(world, wish).plan(),
    prove: async (world) => await proveSwap(world, wish),
  };
}

class SwapPlanning {
  readonly #deps: SwapDeps;
  readonly #session: Session;

  constructor(
    private readonly world: World,
    private readonly wish: SwapPartWish,
  ) {
    const { judgeSecret, probeName } = wish;
    this.#deps = { ...world, judgeSecret, probeName };
    this.#session = new Session(world, sessionOptions(wish, world));
  }

  async plan(): Promise<Planned> {
    const { wish, world } = this;
    wish.requireInput?.();
    const read = await readPrerequisites(this.#deps, wish, world.waits);
    if (read.is === "awaited") return { ...nothing, waitsFor: read.on, limit: read.limit };
    const swapping = this.#swapping(read);
    const plan = await planSwapFromCluster(swapping);
    try {
      requireFit(swapping, plan);
      return await this.#planned(swapping, read, plan);
    } catch (error) {
      if (!isObstacle(error)) throw error;
      const writes = listChanges(this.#deps, plan).map((change) => ({ change }));
      return stopped(error, this.#after({ plan, writes, read }));
    }
  }

  #swapping({ secret }: SwapFacts): SwapContext {
    return { deps: this.#deps, options: this.wish, session: this.#session, secret };
  }

  #after(of: Swapped): Projection {
    const isServerOpen = of.read.openUntil !== undefined;
    return projectSwap({ ...of, isServerOpen }, this.world.names);
  }

  async #planned(swapping: SwapContext, read: SwapFacts, first: SwapPlan): Promise<Planned> {
    const { world, wish } = this;
    const deps = this.#deps;
    world.tell(first.findings);
    this.#tellInjector(first);
    const verifier = await this.#verifier(read, first);
    const { ready, writes } = await this.#tried(swapping, first, verifier);
    const { plan } = ready;
    return {
      writes,
      ...(read.openUntil !== undefined && { waitsFor: read.openUntil }),
      questions: listQuestions(deps, plan),
      expects: { code: exitCodes.ok, reason: describeDryRun(listChanges(deps, plan).length) },
      after: this.#after({ plan, writes, read }),
      act: async (ports) => await carryOut({ ports, wish, verifier, read, ready }),
    };
  }

  /** What caBundle holds is not this tool's where an injector writes it. */
  #tellInjector({ live }: SwapPlan): void {
    const { recorder, names } = this.world;
    for (const injection of injectionsIn(live === undefined ? [] : [live], names)) {
      const object = `${configurationResource.kind}/${injection.configuration}`;
      const why = `${renderInjection(injection)}; the other fields are written as usual`;
      recorder.done({ id: "webhook.injector", action: "read", object, why }, "done");
    }
  }

  /** The probes, opened over the state found, once all that the plan takes is allowed. */
  async #verifier({ namespace }: SwapFacts, plan: SwapPlan): Promise<WebhookVerifier> {
    const { world, wish } = this;
    const { names, recorder } = world;
    const stage = await chooseProbes(this.#deps, wish, { plan, namespace });
    const pairs = stage === undefined ? [] : pairsIn(stage);
    recorder.needs.declare(command, listNeeds(names, wish, pairs));
    await requirePermissions(world, [
      ...swapWrites(names, plan),
      ...pairs.map(probedBy).map(probeNeed),
    ]);
    const verifier = await WebhookVerifier.open(this.#deps, stage);
    if (stage === undefined) world.tell([probeSkipped(names.webhook.configuration)]);
    return verifier;
  }

  /** The writes as they have to be sent; of a dry run they are told as planned, and the state found is probed. */
  async #tried(swapping: SwapContext, plan: SwapPlan, verifier: WebhookVerifier): Promise<Tried> {
    const { dryRun } = this.world;
    const { deps, session } = swapping;
    if (dryRun === "none") {
      const ready = await prepareSwap(swapping, plan, () => replanSwap(swapping));
      return { ready, writes: listChanges(deps, ready.plan).map((change) => ({ change })) };
    }
    const writes: PlannedChange[] = [];
    const apply =
      plan.apply && dryRun === "server"
        ? await fitApply(deps, session, plan)
        : plan.apply && buildApply(deps, plan);
    for (const change of listChanges(deps, plan)) {
      const sent = change.verb === "apply" ? (apply ?? change) : change;
      writes.push(session.tell(change, await session.rehearse(sent)));
    }
    // an upgrade that is under way looks again before its write, and tells that
    if (this.wish.isUnderWay !== true) await verifier.before("found", plan);
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

interface ActWish {
  readonly ports: Acting;
  readonly wish: SwapPartWish;
  readonly verifier: WebhookVerifier;
  readonly read: SwapFacts;
  readonly ready: ReadySwap;
}

async function carryOut({ ports, wish, verifier: opened, read, ready }: ActWish): Promise<Outcome> {
  const { judgeSecret, probeName } = wish;
  const deps: SwapDeps = { ...ports, judgeSecret, probeName };
  const verifier = opened.toldTo(deps);
  const session = new Session(ports, {
    ...sessionOptions(wish, { ...ports, dryRun: "none" }),
    during: (write) => verifier.during(write),
  });
  const { secret } = read;
  return await new SwapAct({ deps, options: wish, session, secret, verifier }, ready).act();
}

function sessionOptions(wish: SwapPartWish, { names, dryRun }: Pick<World, "names" | "dryRun">) {
  const { fieldManager, takeFields, shows } = wish;
  return { fieldManager, takeFields, shows, dryRun, others: [names.webhookFieldManager] };
}

/** Asked before the first write of a run that deletes or takes over (cli contract, Output). */
function listQuestions(deps: SwapDeps, plan: SwapPlan): readonly string[] {
  const takesOver = plan.findings.some(({ code }) => code === "WEBHOOK-OTHER-NAMESPACE");
  const { remove, takeOut, isCaOnly } = plan;
  const replaces = remove !== undefined || takeOut !== undefined || isCaOnly === true;
  if (listChanges(deps, plan).length === 0 || (!replaces && !takesOver)) return [];
  const acts = listChanges(deps, plan).map((change) => {
    const act = change.verb === "rewrite" ? `${String(change.does)} of` : change.verb;
    return `${act} ${objectLabel(change.object)}`;
  });
  const limit = isCaOnly === true ? ", its CA and nothing else" : "";
  return [`${acts.join(", then ")}${limit}?`];
}

/** Without a probe the end is unproven, and the report says so. */
function probeSkipped(configuration: string): Finding {
  const object = `${kinds.webhookConfiguration.kind}/${configuration}`;
  return webhookFinding("probeSkipped", { object });
}

/**
 * Exit 7 where it was seen not to work, 3 where somebody else refuses what would prove it; any other
 * cause that is not the webhook's leaves it unproven.
 */
async function proveSwap(
  world: World,
  { namespace, probeName: name, probePair: own }: SwapPartWish,
): Promise<ExitReport> {
  const facts = await readSnapshot(world, namespace, probedFacts);
  const outcome = await probeWebhook(world, facts, { name, phase: "found", own });
  if (outcome.is === "proven") {
    return { code: exitCodes.ok, reason: "it was seen refusing a bad edit" };
  }
  if (outcome.is === "open") return { code: exitCodes.ok, reason: `unproven: ${outcome.because}` };
  if (outcome.is === "elsewhere") {
    const found = new BlockedError(exitCodes.blocked, [hindranceFinding(outcome.hindrance)]);
    return world.recorder.endByError(found, { tell: world.tell });
  }
  return {
    code: exitCodes.rolledBack,
    reason: `the proof failed: ${outcome.because}; this run wrote nothing of it`,
    next: "find out why in the log of the pod behind the webhook's Service, fix it, then run again",
  };
}

/** What `upgrade` knows of it. */
export const webhook: UpgradePart = {
  id: "webhook",
  title: "Reapply the admission webhook",
  because: "the new admission server has to be ready before it is called",
  source: "S24-S30",
  gate: skipWebhook,
  settles: { areas: ["webhook", "certificate"] },
  needs: ({ facts: { names, namespace }, flags }) => [
    swapNeeds({
      ...{ names, namespace, service: names.webhook.service },
      probed: flags.probe ? probedAnywhere(names) : [],
    }),
  ],
  parts: async (wish, { waits }) => [await makePart(wish, waits)],
  prove: (wish) => {
    if (webhookOwner(wish.facts) === undefined || !wish.flags.probe) return undefined;
    return async (world) => await (await makePart(wish, false)).prove(world);
  },
};

async function makePart(
  { context, flags, opened }: UpgradeWish,
  wait: boolean,
): Promise<ProvablePart> {
  const { takeFields, probe, probeFile } = flags;
  const own = { ...readDefaults(upgradeWebhook), takeFields, probe, probeFile };
  const isUnderWay = wait && !context.options.wait;
  return swapPart({ ...(await readWish(context, own, opened)), wait, isUnderWay });
}
