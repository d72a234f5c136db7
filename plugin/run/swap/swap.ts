/**
 * The swap, make before break (domain facts 4.3): the new configuration is written once with its
 * CA in it, proven, and only then is the old one deleted. The cluster's state is the only memory.
 */
import type { Act } from "../../domain/confirmed";
import { EngineError, exitCodes, UnknownOutcomeError } from "../../domain/errors";
import type { KubeObject } from "../../domain/objects";
import { configurationLabel, planSwap, type Plan } from "../../domain/webhook/plan";
import { requirePermissions } from "../ledger";
import { requireHome } from "../engine/session";
import { ChangedError, requireConfirmed } from "../outcome";
import { BlockedError } from "../recorder";
import type { Report } from "../report";
import { actsOf, confirm } from "./confirm";
import type { SwapDeps, SwapOptions } from "./deps";
import {
  probePermissions,
  readPermissions,
  usualProbePermissions,
  writePermissions,
} from "./permissions";
import {
  readConfigurations,
  readLivingNamespaces,
  readOperator,
  readPrerequisites,
  type Found,
} from "./read";
import { rollBack, type Undo } from "./rollback";
import { setStage } from "./stage";
import { applyInfo, deleteInfo, probeSkipped } from "./steps";
import { standing, UnprovenError, Witness } from "./witness";
import { rehearseSwap } from "./dry-run";
import { applyWanted, deleteAsRead, type Manner, readBack, rehearseApply } from "./writes";

const planAttempts = 3;
/** Runs the swap; expected ends of every kind come back as a report. */
export async function swapWebhook(deps: SwapDeps, options: SwapOptions): Promise<Report> {
  const swap = new Swap(deps, options);
  try {
    return deps.recorder.success(await swap.run());
  } catch (error) {
    return await swap.end(error);
  }
}

interface Swapping {
  readonly first: Plan;
  readonly found: Found;
  readonly witness: Witness;
}

interface Ready {
  readonly plan: Plan;
  readonly manner: Manner;
}

class Swap {
  #state = "nothing was written";
  #undo: Undo | undefined;
  #confirmed: readonly Act[] | undefined;
  #witness: Witness | undefined;

  constructor(
    private readonly deps: SwapDeps,
    private readonly options: SwapOptions,
  ) {}

  async run(): Promise<string> {
    const { deps, options } = this;
    await requirePermissions(deps, readPermissions(deps, options), [
      ...writePermissions(deps, undefined),
      ...usualProbePermissions(deps, options),
    ]);
    const found = await readPrerequisites(deps, options);
    const plan = await this.#plan(found);
    deps.recorder.findings(plan.findings);
    const stage = await setStage(deps, options, { plan, namespace: found.namespace });
    const pairs = stage === undefined ? [] : [stage.gap, ...stage.beyondOld, ...stage.guarded];
    await requirePermissions(deps, [
      ...writePermissions(deps, plan),
      ...probePermissions([...new Set(pairs)]),
    ]);
    const witness = await Witness.open(deps, stage);
    this.#witness = witness;
    if (stage === undefined) deps.recorder.findings([probeSkipped(deps)]);
    if (options.dryRun !== "none") return await rehearseSwap(deps, options, { plan, witness });
    if (plan.apply === undefined && plan.remove === undefined) return await this.#standing(witness);
    return await this.#swap({ first: plan, found, witness });
  }

  /** The report for an end by an error; after a write, the state is described or undone. */
  async end(error: unknown): Promise<Report> {
    const { recorder, signal } = this.deps;
    if (error instanceof UnprovenError) return await this.#endUnproven(error);
    if (this.#undo === undefined && !signal.aborted) return recorder.failure(error);
    if (!(error instanceof EngineError)) throw error;
    if (this.#undo !== undefined) this.#witness?.reportGap();
    if (error instanceof BlockedError) recorder.findings(error.findings);
    return await this.#endMidway(error);
  }

  async #endMidway(error: EngineError): Promise<Report> {
    if (this.#undo !== undefined && this.#witness?.harms === true) {
      // the new webhook fails where the old one worked: not left like that
      const report = await this.#rollBack(this.#undo, error.message);
      if (report.exit.code === exitCodes.rollbackIncomplete) return report;
      return { ...report, exit: { ...report.exit, code: error.exitCode } };
    }
    const known = !(error instanceof UnknownOutcomeError);
    return this.deps.recorder.report({
      code: error.exitCode,
      reason: known ? `${error.message}; ${this.#state}` : error.message,
      next: "run the same command again: it resumes from the state of the cluster",
    });
  }

  async #endUnproven(error: UnprovenError): Promise<Report> {
    this.#witness?.reportGap();
    if (this.#undo === undefined) {
      return this.deps.recorder.report({
        code: exitCodes.rolledBack,
        reason: `${error.message}; nothing was changed`,
        next: error.hint ?? "",
      });
    }
    return await this.#rollBack(this.#undo, error.message);
  }

  async #rollBack(undo: Undo, because: string): Promise<Report> {
    const { gap: watch, worked } = this.#witness ?? {};
    return await rollBack(this.deps, this.options, { undo, because, watch, worked });
  }

  async #plan(found: Found): Promise<Plan> {
    const { deps, options } = this;
    const configurations = await readConfigurations(deps);
    const plan = planSwap({
      ...options,
      configurations,
      caBundle: found.secret.caBundle,
      livingNamespaces: await readLivingNamespaces(deps, configurations),
      shippedFor: options.shippedTemplate === true ? await readOperator(deps, options) : undefined,
      names: deps.names,
    });
    const errors = plan.findings.filter(({ severity }) => severity === "error");
    if (errors.length === 0) return plan;
    const conflicts = errors.some(({ code }) => code !== "WEBHOOK-LOSES-RULES");
    throw new BlockedError(conflicts ? exitCodes.conflict : exitCodes.blocked, plan.findings);
  }

  /** Nothing to write: the state found is proven as it stands. */
  async #standing(witness: Witness): Promise<string> {
    const { deps } = this;
    const label = `ValidatingWebhookConfiguration/${deps.names.webhook.configuration}`;
    deps.recorder.findings(await requireHome(deps, false));
    deps.recorder.done(
      { id: "webhook.apply", action: "apply", object: label, why: "it is as wanted" },
      "unchanged",
    );
    await witness.prove("found", standing);
    this.#witness?.reportGap();
    return "already as wanted, nothing was written";
  }

  async #swap({ first, found, witness }: Swapping): Promise<string> {
    const { deps } = this;
    const ready = await this.#ready(first, found);
    await requireHome(deps, true);
    await confirm(deps, ready.plan);
    this.#confirmed = actsOf(ready.plan);
    const { broken } = await witness.before("before", ready.plan.old);
    const plan = await this.#apply(ready, found);
    if (plan.remove !== undefined) {
      const proven = await witness.proveFirst(broken, plan.apply !== undefined);
      if (proven && plan.apply !== undefined) {
        this.#state = "the new configuration is written and proven, the old one is untouched";
      }
      await this.#delete(plan.remove);
    }
    const last = plan.remove === undefined ? "new" : "after";
    await witness.prove(last);
    await witness.proveGuarded(last);
    this.#witness?.reportGap();
    return plan.remove === undefined
      ? "the webhook configuration is in force"
      : "the new webhook configuration is in force, the old one is gone";
  }

  /** How the write has to be sent; what somebody changed meanwhile is read and planned again. */
  async #ready(first: Plan, found: Found): Promise<Ready> {
    let plan = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (plan.apply === undefined) return { plan, manner: "apply" };
        return { plan, manner: await rehearseApply(this.deps, this.options, plan) };
      } catch (error) {
        plan = await this.#planAgain(error, { attempt, found });
      }
    }
  }

  async #apply(first: Ready, found: Found): Promise<Plan> {
    let ready = first;
    for (let attempt = 1; ready.plan.apply !== undefined; attempt += 1) {
      try {
        await this.#applyOnce(ready.plan, ready.manner);
        break;
      } catch (error) {
        ready = await this.#ready(await this.#planAgain(error, { attempt, found }), found);
      }
    }
    return ready.plan;
  }

  async #planAgain(
    error: unknown,
    { attempt, found }: { readonly attempt: number; readonly found: Found },
  ): Promise<Plan> {
    if (!(error instanceof ChangedError) || attempt >= planAttempts) throw error;
    this.deps.recorder.note(`${error.message}: reading and planning again`);
    const plan = await this.#plan(found);
    this.#requireConfirmed(plan);
    await requirePermissions(this.deps, writePermissions(this.deps, plan));
    return plan;
  }

  /** Once it is written, the same object may be written again; what is deleted stays what was named. */
  #requireConfirmed(plan: Plan): void {
    if (this.#confirmed === undefined) return;
    const ours = this.#undo === undefined ? [] : actsOf({ ...plan, remove: undefined });
    requireConfirmed([...this.#confirmed, ...ours], actsOf(plan));
  }

  async #applyOnce(plan: Plan, manner: Manner): Promise<void> {
    const { deps, options } = this;
    if (plan.live !== undefined) await this.#save(plan.live, "replace");
    deps.signal.throwIfAborted();
    const written = await deps.recorder.step(applyInfo(plan), async () => {
      const value = await this.#during(applyWanted(deps, options, { plan, manner }));
      return { result: plan.live === undefined ? "created" : "changed", value };
    });
    this.#undo = { written, before: plan.live, deleted: undefined };
    this.#state = "the new configuration is written and not yet proven, the old one is untouched";
    await readBack(deps, plan);
  }

  async #delete(remove: NonNullable<Plan["remove"]>): Promise<void> {
    const { deps } = this;
    await this.#save(remove.object, "create");
    deps.signal.throwIfAborted();
    await deps.recorder.step(deleteInfo(remove), async () => {
      await this.#during(deleteAsRead(deps, remove.object, remove.why));
      return { result: "deleted", value: undefined };
    });
    this.#undo = { written: undefined, before: undefined, ...this.#undo, deleted: remove.object };
    this.#state =
      "the new configuration is written, the old one is deleted, the last proof is missing";
  }

  async #save(object: KubeObject, verb: "create" | "replace"): Promise<void> {
    const { journal, recorder, command } = this.deps;
    const file = await journal.save(object);
    recorder.backup({
      object: configurationLabel(object),
      file,
      command: command(["kubectl", verb, "-f", file]),
    });
  }

  async #during<T>(work: Promise<T>): Promise<T> {
    return await (this.#witness?.during(work) ?? work);
  }
}
