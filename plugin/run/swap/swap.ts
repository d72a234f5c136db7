/**
 * The swap, make before break (domain facts 4.3): the new configuration is written once with its
 * CA in it, proven, and only then is the old one deleted. The cluster's state is the only memory.
 */
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import type { KubeObject } from "../../domain/objects";
import { differencesOf } from "../../domain/webhook/differences";
import { configurationLabel, planSwap, type Plan } from "../../domain/webhook/plan";
import { BlockedError } from "../recorder";
import type { Report } from "../report";
import type { SwapDeps, SwapOptions } from "./deps";
import {
  probePermissions,
  readPermissions,
  requirePermissions,
  writePermissions,
} from "./permissions";
import { readConfigurations, readLivingNamespaces, readPrerequisites, type Found } from "./read";
import { rollBack, type Undo } from "./rollback";
import { setStage } from "./stage";
import { applyInfo, deleteInfo, homeFinding, probeSkipped } from "./steps";
import { standing, UnprovenError, Witness } from "./witness";
import { rehearseSwap } from "./dry-run";
import { applyWanted, ChangedError, configurationRef, deleteAsRead, rehearseApply } from "./writes";

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

class Swap {
  #state = "nothing was written";
  #undo: Undo | undefined;
  #witness: Witness | undefined;

  constructor(
    private readonly deps: SwapDeps,
    private readonly options: SwapOptions,
  ) {}

  async run(): Promise<string> {
    const { deps, options } = this;
    await requirePermissions(
      deps,
      readPermissions(deps, options),
      writePermissions(deps, undefined),
    );
    const found = await readPrerequisites(deps, options);
    const plan = await this.#plan(found);
    deps.recorder.findings(plan.findings);
    const stage = await setStage(deps, options, { plan, namespace: found.namespace });
    const pairs = stage === undefined ? [] : [stage.gap, ...stage.beyondOld];
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
    const { recorder } = this.deps;
    this.#witness?.reportGap();
    if (error instanceof UnprovenError) {
      const undo = this.#undo;
      if (undo === undefined) {
        return recorder.report({
          code: exitCodes.rolledBack,
          reason: `${error.message}; nothing was changed`,
          next: error.hint ?? "",
        });
      }
      return await rollBack(this.deps, this.options, {
        undo,
        because: error.message,
        watch: this.#witness?.gap,
        worked: this.#witness?.worked,
      });
    }
    if (this.#undo === undefined || !(error instanceof EngineError)) return recorder.failure(error);
    if (error instanceof BlockedError) recorder.findings(error.findings);
    return recorder.report({
      code: error.exitCode,
      reason: `${error.message}; ${this.#state}`,
      next: "run the same command again: it resumes from the state of the cluster",
    });
  }

  async #plan(found: Found): Promise<Plan> {
    const { deps, options } = this;
    const configurations = await readConfigurations(deps);
    const plan = planSwap({
      ...options,
      configurations,
      caBundle: found.secret.caBundle,
      livingNamespaces: await readLivingNamespaces(deps, configurations),
      names: deps.names,
    });
    if (plan.findings.some(({ severity }) => severity === "error")) {
      throw new BlockedError(exitCodes.conflict, plan.findings);
    }
    return plan;
  }

  /** Nothing to write: the state found is proven as it stands. */
  async #standing(witness: Witness): Promise<string> {
    const { deps } = this;
    const label = `ValidatingWebhookConfiguration/${deps.names.webhook.configuration}`;
    const problem = await deps.journal.problem();
    if (problem !== undefined) deps.recorder.findings([homeFinding(problem)]);
    deps.recorder.done(
      { id: "webhook.apply", action: "apply", object: label, why: "it is as wanted" },
      "unchanged",
    );
    await witness.prove("found", standing);
    this.#witness?.reportGap();
    return "already as wanted, nothing was written";
  }

  async #swap({ first, found, witness }: Swapping): Promise<string> {
    const { deps, options } = this;
    const force =
      first.apply === undefined ? false : (await rehearseApply(deps, options, first)).force;
    const problem = await deps.journal.problem();
    if (problem !== undefined) {
      throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that can be written" });
    }
    await this.#confirm(first);
    const { broken } = await witness.before("before", first.old);
    const plan = await this.#apply({ plan: first, force }, found);
    if (plan.remove !== undefined) {
      await witness.proveFirst(broken, plan.apply !== undefined);
      await this.#delete(plan.remove);
    }
    await witness.prove(plan.remove === undefined ? "new" : "after");
    this.#witness?.reportGap();
    return plan.remove === undefined
      ? "the webhook configuration is in force"
      : "the new webhook configuration is in force, the old one is gone";
  }

  async #confirm(plan: Plan): Promise<void> {
    const takesOver = plan.findings.some(({ code }) => code === "WEBHOOK-OTHER-NAMESPACE");
    if (plan.remove === undefined && !takesOver) return;
    const acts = [
      ...(plan.apply === undefined ? [] : [`apply ${configurationLabel(plan.wanted)}`]),
      ...(plan.remove === undefined ? [] : [`delete ${configurationLabel(plan.remove.object)}`]),
    ];
    const { server } = this.deps.cluster;
    const sure = await this.deps.ask(`On ${server}: ${acts.join(", then ")}?`);
    if (!sure)
      throw new UsageError("not confirmed, nothing was written", {
        hint: "run again and answer yes",
      });
  }

  async #apply(
    first: { readonly plan: Plan; readonly force: boolean },
    found: Found,
  ): Promise<Plan> {
    let { plan, force } = first;
    for (let attempt = 1; plan.apply !== undefined; attempt += 1) {
      try {
        await this.#applyOnce(plan, force);
        return plan;
      } catch (error) {
        if (!(error instanceof ChangedError) || attempt >= planAttempts) throw error;
        this.deps.recorder.note(`${error.message}: reading and planning again`);
        plan = await this.#plan(found);
        if (plan.apply !== undefined) {
          ({ force } = await rehearseApply(this.deps, this.options, plan));
        }
      }
    }
    return plan;
  }

  async #applyOnce(plan: Plan, force: boolean): Promise<void> {
    const { deps, options } = this;
    if (plan.live !== undefined) await this.#save(plan.live, "replace");
    deps.signal.throwIfAborted();
    const written = await deps.recorder.step(applyInfo(plan), async () => {
      const value = await this.#during(applyWanted(deps, options, { plan, force }));
      return { result: plan.live === undefined ? "created" : "changed", value };
    });
    this.#undo = { written, before: plan.live, deleted: undefined };
    this.#state = "the new configuration is written and not yet proven, the old one is untouched";
    await deps.recorder.step(
      {
        id: "webhook.read-back",
        action: "read",
        object: configurationLabel(plan.wanted),
        why: "to see what is stored",
      },
      async () => {
        const stored = await deps.cluster.get(configurationRef(deps.names.webhook.configuration));
        const left = stored === undefined ? ["metadata.name"] : differencesOf(stored, plan.wanted);
        if (left.length > 0)
          throw new ChangedError(
            `${configurationLabel(plan.wanted)} reads back otherwise than written, at ${left.join(", ")}`,
          );
        return { result: "done", value: undefined };
      },
    );
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
