/**
 * The swap, make before break (domain facts 4.3): the new configuration is written once with its
 * CA in it, proven, and only then is the old one deleted. The cluster's state is the only memory.
 */
import {
  EngineError,
  exitCodes,
  UnknownOutcomeError,
  BlockedError,
} from "../../domain/base/errors";
import { requireMatched } from "../../domain/checks/selection";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { probedBy, probeNeed, swapWrites } from "./needs";
import { configurationResource } from "../../domain/admission/configuration";
import { differencesOf } from "../../domain/admission/wanted";
import { type SwapPlan, planSwap } from "./plan";
import type { Apply } from "../../domain/kube/change";
import { dryRunSays } from "../../kernel/runner";
import { ChangedError, replanned } from "../../kernel/send";
import {
  requireHome,
  requireNeeds,
  requirePermissions,
  requireYes,
} from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import type { Report } from "../../kernel/report";
import { injectionsIn, renderInjection } from "../../domain/admission/injector";
import {
  applyOf,
  changesOf,
  deleteOf,
  fittingApply,
  rollBack,
  takeOutOf,
  type Undo,
} from "./changes";
import {
  type JudgedSecret,
  needsOf,
  readConfigurations,
  readPrerequisites,
  type SwapDeps,
  type SwapOptions,
} from "./read";
import { pairsIn, setStage } from "./stage";
import { standing, UnprovenError, WebhookVerifier } from "./verifier";

/** Runs the swap; expected ends of every kind come back as a report. */
export async function swapWebhook(deps: SwapDeps, options: SwapOptions): Promise<Report> {
  const swap = new Swap(deps, options);
  try {
    return deps.recorder.success(await swap.run());
  } catch (error) {
    return await swap.end(error);
  }
}

const command = "upgrade-webhook";

/** A plan with its apply as it has to be sent. */
interface Ready {
  readonly plan: SwapPlan;
  readonly apply: Apply | undefined;
}

class Swap {
  readonly #session: Session;
  #state = "nothing was written";
  #secret: Pick<JudgedSecret, "caBundle" | "facts"> = { caBundle: "" };
  #isConfirmed = false;
  #undo: Undo | undefined;
  #witness: WebhookVerifier | undefined;

  constructor(
    private readonly deps: SwapDeps,
    private readonly options: SwapOptions,
  ) {
    this.#session = new Session(deps, {
      ...options,
      others: [deps.names.webhookFieldManager],
      during: (write) => this.#witness?.during(write) ?? write,
    });
  }

  async run(): Promise<string> {
    const { deps, options } = this;
    await requireNeeds(deps, command, needsOf(deps, options));
    const { namespace, secret } = await readPrerequisites(deps, options);
    this.#secret = secret;
    const plan = await this.#plan();
    deps.recorder.findings(plan.findings);
    this.#tellInjector(plan);
    const stage = await setStage(deps, options, { plan, namespace });
    const pairs = stage === undefined ? [] : pairsIn(stage);
    deps.recorder.needs.declare(command, needsOf(deps, options, pairs));
    await requirePermissions(deps, [
      ...swapWrites(deps.names, plan),
      ...pairs.map(probedBy).map(probeNeed),
    ]);
    const witness = await WebhookVerifier.open(deps, stage);
    this.#witness = witness;
    if (stage === undefined) deps.recorder.findings([probeSkipped(deps)]);
    if (options.dryRun !== "none") return await this.#rehearse(plan, witness);
    if (changesOf(deps, plan).length === 0) return await this.#standing(plan, witness);
    return await this.#swap(plan, witness);
  }

  async #plan(): Promise<SwapPlan> {
    const { deps, options } = this;
    const read = await readConfigurations(deps, options);
    const plan = planSwap({
      ...options,
      ...read,
      caBundle: this.#secret.caBundle,
      certificate: this.#secret.facts,
      names: deps.names,
    });
    const errors = plan.findings.filter(({ severity }) => severity === "error");
    this.#session.requireStaying(changesOf(deps, plan));
    if (errors.length === 0) {
      // where nothing is to be done any more, the same command again is no mistake
      if (changesOf(deps, plan).length > 0) requireMatched(options.skip, plan.findings);
      return plan;
    }
    const conflicts = errors.some(({ code }) => code !== "WEBHOOK-LOSES-RULES");
    throw new BlockedError(conflicts ? exitCodes.conflict : exitCodes.blocked, plan.findings);
  }

  /** What caBundle holds is not this tool's where an injector writes it. */
  #tellInjector({ live }: SwapPlan): void {
    const { recorder, names } = this.deps;
    for (const injection of injectionsIn(live === undefined ? [] : [live], names)) {
      const object = `${configurationResource.kind}/${injection.configuration}`;
      const why = `${renderInjection(injection)}; the other fields are written as usual`;
      recorder.done({ id: "webhook.injector", action: "read", object, why }, "done");
    }
  }

  /** A dry run: the writes are told as planned, the state found is probed. */
  async #rehearse(plan: SwapPlan, witness: WebhookVerifier): Promise<string> {
    const { deps, options } = this;
    const session = this.#session;
    const changes = changesOf(deps, plan);
    for (const change of changes) {
      const tried = change.verb === "apply" && options.dryRun === "server";
      const sent = tried ? await fittingApply(deps, session, plan) : change;
      session.tell(change, await session.rehearse(sent));
    }
    await witness.before("found", plan);
    return dryRunSays(changes.length);
  }

  /** Nothing to write: the state found is proven as it stands. */
  async #standing(plan: SwapPlan, witness: WebhookVerifier): Promise<string> {
    const { recorder, names } = this.deps;
    const object = `${configurationResource.kind}/${names.webhook.configuration}`;
    recorder.findings(await requireHome(this.deps, false));
    const why = "it is up to date";
    recorder.done({ id: "webhook.apply", action: "apply", object, why }, "unchanged");
    await witness.prove("found", standing).catch(async (error: unknown) => {
      await witness.requireUnhindered();
      witness.requireServed(plan);
      throw error;
    });
    witness.reportGap();
    return "already up to date, nothing was written";
  }

  async #swap(first: SwapPlan, witness: WebhookVerifier): Promise<string> {
    const ready = await this.#ready(first);
    await requireHome(this.deps, true);
    await this.#confirm(ready.plan);
    const { broken } = await witness.before("before", ready.plan);
    const plan = await this.#apply(ready);
    const replaces = plan.remove !== undefined || plan.takeOut !== undefined;
    if (replaces) {
      const proven = await witness.proveFirst(broken, plan.apply !== undefined);
      if (proven && plan.apply !== undefined) {
        this.#state = "the new configuration is written and proven, the old one is untouched";
      }
      if (plan.takeOut !== undefined) await this.#takeOut(plan.takeOut);
      if (plan.remove !== undefined) await this.#delete(plan.remove);
    }
    const last = replaces ? "after" : "new";
    await witness.prove(last);
    await witness.proveGuarded(last);
    witness.reportGap();
    return replaces
      ? "the new webhook configuration is in force, the old one is gone"
      : "the webhook configuration is in force";
  }

  /** What someone changed meanwhile is read and planned again. */
  async #ready(first: SwapPlan): Promise<Ready> {
    const { deps } = this;
    return await replanned(deps, first, {
      work: async (plan) => ({
        plan,
        apply: plan.apply && (await fittingApply(deps, this.#session, plan)),
      }),
      again: () => this.#planAgain(),
    });
  }

  async #planAgain(): Promise<SwapPlan> {
    const { deps } = this;
    const plan = await this.#plan();
    // once it is written, the same object may be written again; what is deleted stays what was named
    if (this.#undo !== undefined) this.#session.confirm([applyOf(deps, plan)]);
    if (this.#isConfirmed) this.#session.requireConfirmed(changesOf(deps, plan));
    await requirePermissions(deps, swapWrites(deps.names, plan));
    return plan;
  }

  /** Asks before the first write of a run that deletes or takes over (cli contract, Output). */
  async #confirm(plan: SwapPlan): Promise<void> {
    const { deps } = this;
    const changes = changesOf(deps, plan);
    const takesOver = plan.findings.some(({ code }) => code === "WEBHOOK-OTHER-NAMESPACE");
    if (plan.remove !== undefined || plan.takeOut !== undefined || takesOver) {
      const acts = changes.map((change) => {
        const act = change.verb === "rewrite" ? `${String(change.does)} of` : change.verb;
        return `${act} ${objectLabel(change.object)}`;
      });
      await requireYes(deps, `On ${deps.cluster.server}: ${acts.join(", then ")}?`);
    }
    this.#session.confirm(changes);
    this.#isConfirmed = true;
  }

  /** Writes the new configuration and reads it back; the plan that it came to. */
  async #apply(first: Ready): Promise<SwapPlan> {
    return await replanned(this.deps, first, {
      work: async ({ plan, apply }) => {
        if (apply === undefined) return plan;
        const written = await this.#session.send(apply);
        this.#undo = { written, before: plan.live, deleted: undefined };
        this.#state =
          "the new configuration is written and not yet proven, the old one is untouched";
        await this.#readBack(plan);
        return plan;
      },
      again: async () => await this.#ready(await this.#planAgain()),
    });
  }

  /** What is stored has to be what was written; not canceled by an interrupt. */
  async #readBack({ wanted }: SwapPlan): Promise<void> {
    const { cluster, names, recorder } = this.deps;
    const ref = { resource: configurationResource, name: names.webhook.configuration };
    const object = objectLabel(wanted);
    const why = "to see what is stored";
    await recorder.step({ id: "webhook.read-back", action: "read", object, why }, async () => {
      const stored = await cluster.get(ref, { signal: new AbortController().signal });
      const left = stored === undefined ? ["metadata.name"] : differencesOf(stored, wanted);
      if (left.length === 0) return { result: "done", value: undefined };
      throw new ChangedError(`${object} reads back otherwise than written, at ${left.join(", ")}`);
    });
  }

  /** Out of the object as this run has written it, where it has. */
  async #takeOut({ object, why }: NonNullable<SwapPlan["takeOut"]>): Promise<void> {
    const live = this.#undo?.written ?? object;
    const written = await this.#session.send(takeOutOf(this.deps, { object: live, why }));
    this.#undo = { deleted: undefined, ...this.#undo, before: object, written };
    this.#state =
      "the new configuration is written, the old entry is taken out of it, the last proof is missing";
  }

  async #delete(remove: NonNullable<SwapPlan["remove"]>): Promise<void> {
    await this.#session.send(deleteOf(this.deps, remove));
    this.#undo = { written: undefined, before: undefined, ...this.#undo, deleted: remove.object };
    this.#state =
      "the new configuration is written, the old one is deleted, the last proof is missing";
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
      const report = await this.#rollBack(this.#undo, error);
      if (report.exit.code === exitCodes.rollbackIncomplete) return report;
      return { ...report, exit: { ...report.exit, code: error.exitCode } };
    }
    const isKnown = !(error instanceof UnknownOutcomeError);
    return this.deps.recorder.report({
      code: error.exitCode,
      reason: isKnown ? `${error.message}; ${this.#state}` : error.message,
      next: "run the same command again: it resumes from the state of the cluster",
    });
  }

  async #endUnproven(error: UnprovenError): Promise<Report> {
    this.#witness?.reportGap();
    if (this.#undo !== undefined) return await this.#rollBack(this.#undo, error);
    return this.deps.recorder.report({
      code: exitCodes.rolledBack,
      reason: `${error.message}; nothing was changed`,
      next: error.hint ?? "",
    });
  }

  async #rollBack(undo: Undo, { message: because, hint: next }: EngineError): Promise<Report> {
    const { gap: watch, worked } = this.#witness ?? {};
    return await rollBack(this.deps, this.#session, { undo, because, next, watch, worked });
  }
}

/** Without a probe the end is unproven, and the report says so. */
function probeSkipped({ names }: SwapDeps): Finding {
  return {
    code: "PROBE-SKIPPED",
    severity: "warning",
    object: `${configurationResource.kind}/${names.webhook.configuration}`,
    cause:
      "no probe was made: it is unproven that the webhook answers and that it refuses a bad edit",
    fix: "run again without --no-probe; it writes nothing when all is up to date",
    source: "Facts 4.3",
  };
}
