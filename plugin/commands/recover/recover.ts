/**
 * Finds why an upgrade is frozen and, when asked to, takes the causes away: over the REST API first,
 * the resources when the EC is Running (S97-S103, S113).
 */
import { requireYes } from "../../kernel/world";
import { ClusterApiPermissionError } from "../../domain/rest-api/errors";
import { explainUnread, findLostQuorum } from "./unread-api";
import { agreed } from "./agreed";
import { EngineError, exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
import { distinct, type Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { planRecovery, type RecoveryPlan } from "./plan";
import { canApply } from "./by-hand";
import type { Evidence } from "../../domain/recovery/evidence";
import type { ClusterApi } from "../../ports/rest-api";
import { ecResource } from "../../readers/engine-cluster";
import {
  buildDigestEdit,
  buildLineEdits,
  buildRollChange,
  describeRollStep,
  listForeseenEdits,
  listRollPermissions,
  listWritePermissions,
} from "./changes";
import { requireHome } from "../../kernel/journal";
import { requireNeeds, requirePermissions } from "../../kernel/permissions";
import { requireGround } from "../../readers/ground";
import { isSameSpec, Session } from "../../kernel/session";
import { makeGivenUpError, waitFor } from "../../kernel/wait";
import type { Report } from "../../kernel/report";
import {
  type RecoverySnapshot,
  lookAt,
  listNeeds,
  readEvidence,
  type RecoverContext,
  type RecoverDeps,
  type RecoverOptions,
} from "./read";
import {
  callsOf,
  confirmed,
  describeUpgrade,
  NotResumedError,
  resumed,
  runningActions,
  upgrade,
} from "./rest-api";
import { applyRoll } from "./roll";
import { renderTerm } from "../../domain/names/names";
import type { Apart } from "../../domain/recovery/line";
import { getPath } from "../../domain/base/values";
import { type Patch, changeRef } from "../../domain/kube/change";

/** How it ended, and what was seen first; undefined where it could not be looked. */
export interface Recovery {
  readonly report: Report;
  readonly look: RecoverySnapshot | undefined;
  readonly evidence: readonly Evidence[];
}

/** Looks, or recovers; expected ends of every kind come back as a report. */
export async function recover(deps: RecoverDeps, options: RecoverOptions): Promise<Recovery> {
  const run = new Recover(deps, options);
  const report = await run.run().catch((error: unknown) => run.end(error));
  return { report, look: run.look, evidence: run.evidence };
}

class Recover {
  look: RecoverySnapshot | undefined;
  evidence: readonly Evidence[] = [];
  readonly #session: Session;
  #begun = false;
  /** The REST API was asked, and has refused the login. */
  #refused: ClusterApiPermissionError | undefined;
  /** The REST API was asked, and could not be read. */
  #failed: EngineError | undefined;

  constructor(
    private readonly deps: RecoverDeps,
    private readonly options: RecoverOptions,
  ) {
    this.#session = new Session(deps, options);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    await requireNeeds(deps, "recover", listNeeds(deps, options));
    await requireGround(deps, "upgrade-cluster", { ...options, clusters: [options.name] });
    const resource = await ecResource(deps);
    const api = await this.#connected();
    try {
      const context = { deps, options, session: this.#session, resource, api };
      const look = await lookAt(context, options.apply ? undefined : this.#unread);
      this.look = look;
      this.evidence = await readEvidence(deps, look);
      deps.recorder.addFindings(look.freeze.warnings);
      if (look.api === undefined && this.#refused === undefined) {
        deps.recorder.addFindings([explainUnread(this.#failed)]);
      }
      return await (options.apply ? this.#apply(context, look) : this.#shown(look));
    } finally {
      api?.close();
    }
  }

  /** The report for an end by an error; once something is changed, that is told. */
  end(error: unknown): Report {
    const { recorder } = this.deps;
    if (!this.#begun) return recorder.failure(error);
    const next = "run the same command again: it continues from the state found";
    return recorder.failure(error, { stands: "what was done before stays", next });
  }

  /** Looking continues without it, changing does not. */
  async #connected(): Promise<ClusterApi | undefined> {
    const { api } = this.deps;
    return await api?.connect().catch((error: unknown) => {
      if (this.options.apply || !(error instanceof EngineError)) throw error;
      this.#unread(error);
      return undefined;
    });
  }

  readonly #unread = (error: EngineError): void => {
    if (error instanceof ClusterApiPermissionError && error.finding !== undefined) {
      this.#refused = error;
    }
    this.#failed = error;
    this.deps.recorder.note(`the REST API is not asked: ${error.message}`);
  };

  #shown(look: RecoverySnapshot): Report {
    const { freeze } = look;
    const { recorder } = this.deps;
    const causes = [
      ...freeze.mismatches,
      ...findLostQuorum(this.#failed, look),
      ...listCauses(freeze),
    ];
    recorder.addFindings(causes);
    if (this.#refused !== undefined) return recorder.failure(this.#refused);
    if (causes.length === 0 && freeze.is !== "frozen" && freeze.apart.length === 0) {
      return recorder.success(freeze.says);
    }
    return recorder.report({
      code: exitCodes.blocked,
      reason: joinCauses(freeze.says, causes),
      next: canApply({ freeze, apart: freeze.apart })
        ? "follow the procedure, or run the last command of it"
        : "follow the procedure",
    });
  }

  async #apply(context: RecoverContext, look: RecoverySnapshot): Promise<Report> {
    const { deps, options } = this;
    const { freeze } = look;
    if (freeze.mismatches.length > 0) {
      const findings = [...freeze.mismatches, ...listCauses(freeze)];
      throw new BlockedError(exitCodes.blocked, findings);
    }
    if (freeze.is !== "frozen" && freeze.apart.length === 0) {
      const done = freeze.is === "standing" || options.dryRun !== "none";
      return deps.recorder.success(done ? freeze.says : await followUpgrade(context, look));
    }
    const plan = await this.#fitPlan(context, look);
    await deps.present?.(listCauses(freeze));
    if (options.dryRun !== "none") {
      const steps = await plannedSteps(context, { look, plan });
      return deps.recorder.success(
        `dry run: ${steps} ${steps === 1 ? "step" : "steps"} planned, nothing was changed`,
      );
    }
    await this.#confirm({ look, plan });
    this.#begun = true;
    return deps.recorder.success(await applyRecovery(context, { look, plan }));
  }

  /** Everything that stands against it is told at once, and nothing is changed then. */
  async #fitPlan({ api }: RecoverContext, look: RecoverySnapshot): Promise<RecoveryPlan> {
    const { deps, options } = this;
    const { engineVersion, dropDigests, mayDiscardData } = options;
    const wish = {
      dropDigests,
      mayDiscardData,
      ...(engineVersion !== undefined && { engineVersion }),
    };
    const plan = planRecovery(look, wish);
    const { blocks, problems, upgrades, warnings } = plan;
    deps.recorder.addFindings(warnings);
    if (blocks.length > 0) {
      throw new BlockedError(exitCodes.blocked, [
        ...blocks,
        ...listCauses(look.freeze).filter((one) => !blocks.includes(one)),
      ]);
    }
    const missing = upgrades.length > 0 && api === undefined;
    const needs = missing ? ["--api-ca: give the CA of the REST API, which has to be asked"] : [];
    if (problems.length + needs.length > 0) {
      deps.recorder.addFindings(listCauses(look.freeze));
      throw new UsageError([...problems, ...needs], { hint: "run again with these flags" });
    }
    const edits = listForeseenEdits(look, plan);
    const rolls = plan.rolls.map((step) => buildRollChange(step, look.facts));
    const conflicts = [...rolls, ...edits].flatMap(
      (change) => this.#session.findConflicts(change).conflicts,
    );
    if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, distinct(conflicts));
    deps.recorder.needs.declare("recover", listNeeds(deps, options, look));
    await requirePermissions(deps, [
      ...listRollPermissions(rolls),
      ...listWritePermissions(deps.names, edits),
    ]);
    if (api !== undefined) await this.#quiet(look, plan, api);
    return plan;
  }

  /** No action may be at work on what is to be changed. */
  async #quiet(
    { freeze }: RecoverySnapshot,
    { upgrades }: RecoveryPlan,
    api: ClusterApi,
  ): Promise<void> {
    const { deps, options } = this;
    const raised = new Set(upgrades.map(({ uid }) => uid));
    const touched = freeze.databases.filter(
      ({ uid, status }) =>
        (uid !== undefined && raised.has(uid)) || (status !== undefined && status !== "active"),
    );
    await waitFor(deps, {
      look: async () => {
        const [first, ...others] = await runningActions(deps, api, touched);
        if (first === undefined) return { is: "done", value: undefined };
        if (!options.wait || options.dryRun !== "none") {
          const findings = [first, ...others].map(({ finding }) => finding);
          throw new BlockedError(exitCodes.blocked, findings);
        }
        return { is: "moving", on: first.on };
      },
      beforeWrite: true,
      total: { ms: options.limitMs ?? options.stallAfterMs, end: makeGivenUpError },
    });
  }

  async #confirm({ look, plan }: PlannedRecovery): Promise<void> {
    const { upgrades, digests, rolls } = plan;
    await requireHome(this.deps, true);
    const edits = listForeseenEdits(look, plan);
    const what = [
      ...rolls.map(describeRollStep),
      ...upgrades.map(describeUpgrade),
      ...digests.map(({ path }) => `remove ${path.join(".")}`),
      ...(edits.length + upgrades.length > 0 ? ["bring the resources in line with what runs"] : []),
    ];
    const question = `Recover ${objectLabel(look.ec)}: ${what.join(", ")}?`;
    await requireYes(this.deps, question);
    const changes = rolls.map((step) => buildRollChange(step, look.facts));
    this.#session.noteConfirmed([...changes, ...edits]);
    this.#session.noteConfirmedCalls(callsOf(plan));
  }
}

function listCauses({ causes }: RecoverySnapshot["freeze"]): readonly Finding[] {
  return causes.map(({ finding }) => finding);
}

function joinCauses(says: string, causes: readonly Finding[]): string {
  const why = causes.map(({ object, cause }) => [object, cause].filter(Boolean).join(": "));
  return why.length === 0
    ? `${says}: resources ask for less than what runs`
    : `${says}: ${why.join("; ")}`;
}

/** What is to be done, and on what it was planned. */
interface PlannedRecovery {
  readonly look: RecoverySnapshot;
  readonly plan: RecoveryPlan;
}

/** Nothing moves for so long: resources are brought in line early, the operator may wait for them (S123). */
const earlyMs = 60_000;

/** Records what would be done; the API server judges the edits where it is asked to. */
export async function plannedSteps(
  context: RecoverContext,
  { look, plan }: PlannedRecovery,
): Promise<number> {
  const calls = callsOf(plan);
  for (const { step } of calls) context.deps.recorder.addStep(step, "planned");
  const rolls = plan.rolls.map((step) => buildRollChange(step, look.facts));
  const changes = [...rolls, ...listForeseenEdits(look, plan)];
  for (const change of changes) await context.session.planWrite(change);
  return calls.length + changes.length;
}

/** Does it all; says how it ended. */
async function applyRecovery(
  context: RecoverContext,
  { look, plan }: PlannedRecovery,
): Promise<string> {
  await applyRoll(context, plan.rolls);
  await overRest(context, plan);
  for (const edit of buildDigestEdit(look, plan, context.resource)) await write(context, edit);
  const now = await lookAt(context);
  const early = await goOn(context, now);
  const later = await lookAt(context);
  await writeLines(context, later);
  const written = early ? now : later;
  for (const apart of written.freeze.apart) await confirm(context, apart);
  return await agreed(context);
}

/** Nothing is to be changed any more: what an earlier run has set going is seen to its end. */
async function followUpgrade(context: RecoverContext, look: RecoverySnapshot): Promise<string> {
  await goOn(context, look);
  const { freeze } = await lookAt(context);
  const { observedGeneration } = context.deps.names.edbFields;
  for (const database of freeze.databases) {
    const edb = database.target?.object;
    if (edb === undefined || getPath(edb, observedGeneration) === edb.metadata.generation) continue;
    await confirm(context, { database, edb });
  }
  return await agreed(context);
}

async function overRest(context: RecoverContext, plan: RecoveryPlan): Promise<void> {
  const { api } = context;
  if (plan.upgrades.length === 0) return;
  if (api === undefined) throw new UsageError("the REST API has to be asked: give --api-ca");
  for (const wanted of plan.upgrades) await upgrade({ ...context, api }, wanted);
}

/** Waits for Running; true when the resources had to be brought in line before. */
async function goOn(context: RecoverContext, look: RecoverySnapshot): Promise<boolean> {
  const { deps } = context;
  const { ec, freeze } = look;
  const early = freeze.apart.length > 0 && freeze.state === "Upgrade";
  const info = {
    id: "recover.resume",
    action: "wait",
    object: objectLabel(ec),
    why: `until the operator has continued and the ${renderTerm(deps.names.ec)} is Running`,
  } as const;
  return await deps.recorder.step(info, async () => {
    try {
      const why = await resumed(context, look, early ? earlyMs : undefined);
      deps.recorder.passNoReturn(`the upgrade of ${objectLabel(ec)} has continued`);
      return { result: "done", value: false, why };
    } catch (error) {
      if (!early || !(error instanceof NotResumedError)) throw error;
    }
    deps.recorder.note("the operator does not continue: the resources are brought in line at once");
    await writeLines(context, look);
    return { result: "done", value: true, why: await resumed(context, look) };
  });
}

async function writeLines(
  context: RecoverContext,
  { freeze, facts }: RecoverySnapshot,
): Promise<void> {
  const { deps, session } = context;
  const edits = buildLineEdits(freeze.apart, facts);
  // a resource that asks for less than what runs by now would have the operator undo the remedy
  for (const edit of edits) {
    if (!session.isConfirmed(edit)) continue;
    await write(context, edit);
    deps.recorder.passNoReturn("it runs this version already", objectLabel(edit.object));
  }
  session.requireSendable(edits);
}

/** A status that was written meanwhile is no conflict. */
async function write({ deps, session }: RecoverContext, patch: Patch): Promise<void> {
  await session.send(patch, async (error) => {
    const object = await deps.cluster.get(changeRef(patch), { signal: deps.signal });
    if (object === undefined || !isSameSpec(object, patch.object)) throw error;
    return { ...patch, object };
  });
}

/** Sees that the operator has acted on an edit. */
async function confirm(
  context: RecoverContext,
  apart: Pick<Apart, "edb" | "database">,
): Promise<void> {
  const { name = "", namespace = "" } = apart.edb.metadata;
  const info = {
    id: `recover.confirm.${namespace}.${name}`,
    action: "wait",
    object: objectLabel(apart.edb),
    why: "until the operator has acted on it, and both agree",
  } as const;
  await context.deps.recorder.step(info, async () => {
    const why = await confirmed(context, apart);
    return { result: "done", value: undefined, why };
  });
}
