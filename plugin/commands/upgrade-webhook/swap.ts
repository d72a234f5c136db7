/**
 * The swap, make before break (domain facts 4.3): the new configuration is written once with its
 * CA in it, proven, and only then is the old one deleted. With --no-probe, and where the old one fails its own
 * calls, it goes without that proof. Where failurePolicy Ignore is in force and no refusal was seen, it is
 * written with Ignore first, and with Fail after that proof (trial.ts).
 */
import {
  EngineError,
  exitCodes,
  UnknownOutcomeError,
  BlockedError,
} from "../../domain/base/errors";
import type { ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { asKind } from "../../domain/kube/typed";
import { getTyped } from "../../ports/typed";
import { objectLabel } from "../../domain/kube/objects";
import { swapWrites } from "./needs";
import { configurationResource, findEntry } from "../../domain/admission/configuration";
import { listDifferences } from "../../domain/admission/wanted";
import type { SwapPlan } from "./plan";
import { ChangedError, workByPlan } from "../../kernel/send";
import { requirePermissions } from "../../kernel/permissions";
import type { Outcome } from "../../kernel/part";
import type { ActingPorts } from "../../kernel/world";
import { buildApply, listChanges, buildDelete, buildTakeOut } from "./changes";
import { limitsWithoutWrite, UnprovenError, type WebhookVerifier } from "./verifier";
import {
  openSession,
  planSwapFromCluster,
  prepareSwap,
  type ReadySwap,
  requireFit,
  type SwapContext,
} from "./plan-now";
import type { SwapPartWish } from "./input";
import type { LeftOut } from "./left-out";
import type { SwapDeps, SwapFacts } from "./read";
import { rollBack, type Undo } from "./rollback";
import { type ConfigurationApply, describeRefusal, stageApply, trialReason } from "./trial";

/** What is carried out, and with what. */
interface SwapTask {
  readonly ports: ActingPorts;
  readonly wish: SwapPartWish;
  /** Opened over the state found. */
  readonly verifier: WebhookVerifier;
  readonly read: SwapFacts;
  readonly ready: ReadySwap;
  readonly leftOut: LeftOut;
}

/** Carries a swap out, as it was planned. */
export async function actOnSwap(task: SwapTask): Promise<Outcome> {
  const { ports, wish, read, ready, leftOut } = task;
  const { judgeSecret, probeName } = wish;
  const deps: SwapDeps = { ...ports, judgeSecret, probeName };
  const verifier = task.verifier.handTo(deps);
  const session = openSession({ ...ports, dryRun: "none" }, wish, (write) =>
    verifier.probeDuring(write),
  );
  const { secret } = read;
  return await new SwapAct(
    { deps, options: wish, session, secret, verifier, leftOut },
    ready,
  ).act();
}

interface SwapActing extends SwapContext, Pick<SwapTask, "leftOut" | "verifier"> {}

class SwapAct {
  #state = "nothing was written";
  #undo: Undo | undefined;
  /** The new configuration has failurePolicy Ignore until a refusal is seen. */
  #isOnTrial = false;
  /** What the trial has written, and what was there before it. */
  #tried: Undo | undefined;

  constructor(
    private readonly own: SwapActing,
    private readonly ready: ReadySwap,
  ) {}

  async act(): Promise<Outcome> {
    const { deps, leftOut } = this.own;
    try {
      const isStanding = listChanges(deps, this.ready.plan).length === 0;
      const end = isStanding ? await this.#proveStanding() : await this.#swap();
      // what a proof in one namespace shows holds for no database that the entry leaves out
      const reason = leftOut.says === "" ? end : `${end}; ${leftOut.says}`;
      return { code: exitCodes.ok, reason };
    } catch (error) {
      return await this.#end(error);
    }
  }

  /** Nothing to write: the state found is proven as it stands. */
  async #proveStanding(): Promise<string> {
    const { deps, verifier } = this.own;
    const { recorder, names } = deps;
    verifier.notePolicies(findEntry(this.ready.plan.wanted, names.webhook.entry));
    const object = `${configurationResource.kind}/${names.webhook.configuration}`;
    const why = "it is up to date";
    recorder.addStep({ id: "webhook.apply", action: "apply", object, why }, "unchanged");
    await verifier.prove("found", limitsWithoutWrite).catch(async (error: unknown) => {
      await verifier.requireUnhindered();
      verifier.requireServed(this.ready.plan);
      throw error;
    });
    verifier.reportGap();
    return "already up to date, nothing was written";
  }

  async #swap(): Promise<string> {
    const { ready } = this;
    const { deps, session, verifier } = this.own;
    session.noteConfirmed(listChanges(deps, ready.plan));
    const { broken } = await verifier.probeState("before", ready.plan);
    const plan = await this.#apply(ready);
    const replaces = plan.remove !== undefined || plan.takeOut !== undefined;
    if (replaces) await this.#replaceOld(plan, broken);
    const last = replaces ? "after" : "new";
    if (this.#isOnTrial) {
      await verifier.prove(last, this.#undo === undefined ? limitsWithoutWrite : {});
      await this.#endTrial();
    }
    await verifier.prove(last);
    await verifier.proveGuarded(last);
    verifier.reportGap();
    const end = replaces
      ? "the new webhook configuration is in force, the old one is gone"
      : "the webhook configuration is in force";
    return this.#tried === undefined ? end : `${end}; it was ${trialReason}`;
  }

  /** The old one goes once the new one is proven; with Fail, where that is wanted. */
  async #replaceOld(applied: SwapPlan, broken: boolean): Promise<void> {
    const { verifier } = this.own;
    let plan = applied;
    let proven = await verifier.proveFirst(broken, this.#undo !== undefined);
    if (proven && this.#isOnTrial) {
      plan = await this.#endTrial();
      proven = await verifier.proveFirst(broken, true);
    }
    if (proven && plan.apply !== undefined) {
      this.#state = "the new configuration is written and proven, the old one is untouched";
    }
    if (plan.takeOut !== undefined) await this.#takeOut(plan.takeOut);
    if (plan.remove !== undefined) await this.#delete(plan.remove);
  }

  /** Writes the new configuration and reads it back, on trial where it has to be; the plan that it came to. */
  async #apply(first: ReadySwap): Promise<SwapPlan> {
    return await workByPlan(this.own.deps, first, {
      work: async ({ plan: planned, apply }) => {
        const plan = this.own.verifier.dropNeedlessTrial(planned);
        this.#isOnTrial = plan.trial !== undefined;
        if (apply === undefined) return plan;
        const { first: trial, last } = stageApply(apply, plan, this.own.deps.names);
        const write = this.#isOnTrial ? trial : last;
        if (write !== undefined) await this.#write(plan, write);
        return plan;
      },
      again: async () => {
        const plan = await this.#planAgain();
        return await prepareSwap(this.own, plan, () => this.#planAgain());
      },
    });
  }

  async #write(plan: SwapPlan, write: ConfigurationApply): Promise<void> {
    const { deps, session, verifier } = this.own;
    const wanted = plan.trial?.object ?? plan.wanted;
    const isMade = this.#tried !== undefined && this.#tried.before === undefined;
    const sent = await session.send(isMade ? { ...write, isMade } : write);
    const written = asKind(sent, configurationResource.kind);
    const { isCaOnly = false, live } = plan;
    const { before, deleted } = this.#tried ?? { before: live, deleted: undefined };
    this.#undo = { written, before, deleted, isCaOnly };
    if (this.#isOnTrial) this.#tried = this.#undo;
    verifier.notePolicies(findEntry(wanted, deps.names.webhook.entry));
    const how = this.#isOnTrial ? "written with failurePolicy Ignore" : "written";
    this.#state = `the new configuration is ${how} and not yet proven, the old one is untouched`;
    await this.#readBack(wanted);
  }

  /** The new entry was seen refusing: Fail is written over what is there by now. */
  async #endTrial(): Promise<SwapPlan> {
    const first = await this.#planAgain();
    const { plan, apply } = await prepareSwap(this.own, first, () => this.#planAgain());
    const why = describeRefusal(this.own.deps.names.webhook);
    return await this.#apply({ plan, apply: apply && { ...apply, why: `${apply.why}; ${why}` } });
  }

  /** Once it is written, the same object may be written again; what is deleted stays what was named. */
  async #planAgain(): Promise<SwapPlan> {
    const { deps, session } = this.own;
    const plan = await planSwapFromCluster(this.own);
    requireFit(this.own, plan);
    if (this.#undo !== undefined) session.noteConfirmed([buildApply(deps, plan)]);
    session.requireSendable(listChanges(deps, plan));
    await requirePermissions(deps, swapWrites(deps.names, plan));
    return plan;
  }

  /** What is stored has to be what was written; not canceled by an interrupt. */
  async #readBack(wanted: ValidatingWebhookConfiguration): Promise<void> {
    const { cluster, names, recorder } = this.own.deps;
    const ref = { resource: configurationResource, name: names.webhook.configuration };
    const object = objectLabel(wanted);
    const why = "to see what is stored";
    await recorder.step({ id: "webhook.read-back", action: "read", object, why }, async () => {
      const stored = await getTyped(cluster, ref, { signal: new AbortController().signal });
      const left = stored === undefined ? ["metadata.name"] : listDifferences(stored, wanted);
      if (left.length === 0) return { result: "done", value: undefined };
      throw new ChangedError(`${object} reads back otherwise than written, at ${left.join(", ")}`);
    });
  }

  /** Out of the object as this run has written it, where it has. */
  async #takeOut({ object, ...because }: NonNullable<SwapPlan["takeOut"]>): Promise<void> {
    const live = this.#undo?.written ?? object;
    const sent = await this.own.session.send(
      buildTakeOut(this.own.deps, { object: live, ...because }),
    );
    const written = asKind(sent, configurationResource.kind);
    this.#undo = { deleted: undefined, before: object, ...this.#undo, written };
    this.#state =
      "the new configuration is written, the old entry is taken out of it, the last proof is missing";
  }

  async #delete(remove: NonNullable<SwapPlan["remove"]>): Promise<void> {
    await this.own.session.send(buildDelete(this.own.deps, remove));
    this.#undo = { written: undefined, before: undefined, ...this.#undo, deleted: remove.object };
    this.#state =
      "the new configuration is written, the old one is deleted, the last proof is missing";
  }

  /** After a write, the state is described or undone; an error before it is thrown. */
  async #end(error: unknown): Promise<Outcome> {
    const { tell, recorder } = this.own.deps;
    if (error instanceof UnprovenError) return await this.#endUnproven(error);
    if (!(error instanceof EngineError)) throw error;
    if (this.#undo === undefined) {
      if (error instanceof UnknownOutcomeError) return recorder.endByError(error, { tell });
      throw error;
    }
    if (error instanceof BlockedError) tell(error.findings);
    return await this.#endMidway(this.#undo, error);
  }

  async #endMidway(undo: Undo, error: EngineError): Promise<Outcome> {
    if (this.own.verifier.harms) {
      // the new webhook fails where the old one worked: not left like that
      const end = await this.#rollBack(undo, error);
      return end.code === exitCodes.rollbackIncomplete ? end : { ...end, code: error.exitCode };
    }
    this.own.verifier.reportGap();
    const isKnown = !(error instanceof UnknownOutcomeError);
    return {
      code: error.exitCode,
      reason: isKnown ? `${error.message}; ${this.#state}` : error.message,
      next: "run the same command again: it resumes from the state of the cluster",
    };
  }

  async #endUnproven(error: UnprovenError): Promise<Outcome> {
    this.own.deps.tell(error.findings);
    const { hint } = error;
    const left = this.#isOnTrial ? "; failurePolicy Fail was not written" : "";
    const message = `${error.message}${left}`;
    if (this.#undo !== undefined) return await this.#rollBack(this.#undo, { message, hint });
    this.own.verifier.reportGap();
    return {
      code: exitCodes.rolledBack,
      reason: `${message}; nothing was changed`,
      next: hint ?? "",
    };
  }

  async #rollBack(
    undo: Undo,
    { message: because, hint: next }: Pick<EngineError, "message" | "hint">,
  ): Promise<Outcome> {
    const { deps, session, verifier } = this.own;
    const { gap: watch, worked } = verifier;
    const end = await rollBack(deps, session, { undo, because, next, watch, worked });
    verifier.reportGap();
    return end;
  }
}
