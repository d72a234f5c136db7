/**
 * Finds why an upgrade is frozen and, when asked to, takes the causes away: over the REST API first,
 * the resources when the EC is Running (S97-S103, S113). The cluster's state is the only memory.
 */
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import { distinct, type Finding } from "../../domain/findings";
import { objectLabel } from "../../domain/objects";
import { recoveryFinding } from "../../domain/recovery/codes";
import type { Evidence } from "../../domain/recovery/classify";
import { planRecovery, type RecoveryPlan } from "../../domain/recovery/plan";
import type { ClusterApi } from "../cluster-api";
import { ecResource } from "../cluster/read";
import { requirePermissions } from "../engine/permissions";
import { requireHome, requireYes } from "../engine/confirm";
import { Session } from "../engine/session";
import { givenUp, waitFor } from "../engine/wait";
import { BlockedError } from "../engine/recorder";
import type { Report } from "../report";
import { applyRecovery, callsOf, followUpgrade, type Planned, plannedSteps } from "./apply";
import type { RecoverContext, RecoverDeps, RecoverOptions } from "./deps";
import { lookAt, type Look, readEvidence, readPermissions } from "./look";
import { runningActions } from "./rest";
import { foreseenEdits, writePermissions } from "./edits";

/** How it ended, and what was seen first; undefined where it could not be looked. */
export interface Recovery {
  readonly report: Report;
  readonly look: Look | undefined;
  readonly evidence: readonly Evidence[];
}

/** Looks, or recovers; expected ends of every kind come back as a report. */
export async function recover(deps: RecoverDeps, options: RecoverOptions): Promise<Recovery> {
  const run = new Recover(deps, options);
  const report = await run.run().catch((error: unknown) => run.end(error));
  return { report, look: run.look, evidence: run.evidence };
}

class Recover {
  look: Look | undefined;
  evidence: readonly Evidence[] = [];
  readonly #session: Session;
  #begun = false;

  constructor(
    private readonly deps: RecoverDeps,
    private readonly options: RecoverOptions,
  ) {
    this.#session = new Session(deps, options);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    await requirePermissions(deps, readPermissions(deps, options));
    const resource = await ecResource(deps);
    const api = await this.#connected();
    try {
      const context = { deps, options, session: this.#session, resource, api };
      const look = await lookAt(context, options.apply ? undefined : this.#unread);
      this.look = look;
      this.evidence = await readEvidence(deps, look);
      deps.recorder.findings(look.freeze.warnings);
      if (look.api === undefined) deps.recorder.findings([recoveryFinding("apiUnread", {})]);
      return await (options.apply ? this.#apply(context, look) : this.#shown(look));
    } finally {
      api?.close();
    }
  }

  /** The report for an end by an error; once something is changed, that is told. */
  end(error: unknown): Report {
    const { recorder } = this.deps;
    if (!this.#begun) return recorder.failure(error);
    const next = "run the same command again: it goes on from the state found";
    return recorder.failure(error, { stands: "what was done before stays", next });
  }

  /** Looking goes on without it, changing does not. */
  async #connected(): Promise<ClusterApi | undefined> {
    const { api } = this.deps;
    return await api?.connect().catch((error: unknown) => {
      if (this.options.apply || !(error instanceof EngineError)) throw error;
      this.#unread(error);
      return undefined;
    });
  }

  readonly #unread = ({ message }: EngineError): void => {
    this.deps.recorder.note(`the REST API is not asked: ${message}`);
  };

  #shown({ freeze }: Look): Report {
    const { recorder } = this.deps;
    const causes = freeze.causes.map(({ finding }) => finding);
    recorder.findings(causes);
    if (freeze.is !== "frozen" && freeze.apart.length === 0) return recorder.success(freeze.says);
    return recorder.report({
      code: exitCodes.blocked,
      reason: reasonOf(freeze.says, causes),
      next: "follow the procedure, or run the last command of it",
    });
  }

  async #apply(context: RecoverContext, look: Look): Promise<Report> {
    const { deps, options } = this;
    const { freeze } = look;
    if (freeze.is !== "frozen" && freeze.apart.length === 0) {
      const done = freeze.is === "standing" || options.dryRun !== "none";
      return deps.recorder.success(done ? freeze.says : await followUpgrade(context, look));
    }
    const plan = await this.#fitPlan(context, look);
    if (options.dryRun !== "none") {
      const steps = await plannedSteps(context, { look, plan });
      return deps.recorder.success(`dry run: ${steps} steps planned, nothing was changed`);
    }
    await this.#confirm(context, { look, plan });
    this.#begun = true;
    return deps.recorder.success(await applyRecovery(context, { look, plan }));
  }

  /** Everything that stands against it is told at once, and nothing is changed then. */
  async #fitPlan({ api }: RecoverContext, look: Look): Promise<RecoveryPlan> {
    const { deps, options } = this;
    const modules = options.modules.map(({ module }) => module);
    const { engineVersion, dropDigests } = options;
    const wish = { modules, dropDigests, ...(engineVersion !== undefined && { engineVersion }) };
    const plan = planRecovery(look, wish);
    const { blocks, problems, installs, upgrades } = plan;
    if (blocks.length > 0) {
      throw new BlockedError(exitCodes.blocked, [
        ...blocks,
        ...look.freeze.causes.map(({ finding }) => finding).filter((one) => !blocks.includes(one)),
      ]);
    }
    const missing = installs.length + upgrades.length > 0 && api === undefined;
    const needs = missing ? ["--api-ca: give the CA of the REST API, which has to be asked"] : [];
    if (problems.length + needs.length > 0) {
      deps.recorder.findings(look.freeze.causes.map(({ finding }) => finding));
      throw new UsageError([...problems, ...needs], { hint: "run again with these flags" });
    }
    const edits = foreseenEdits(look, plan);
    const conflicts = edits.flatMap((edit) => this.#session.conflictsOf(edit).conflicts);
    if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, distinct(conflicts));
    await requirePermissions(deps, writePermissions(deps.names, edits));
    if (api !== undefined) await this.#quiet(look, plan, api);
    return plan;
  }

  /** No action may be at work on what is to be changed. */
  async #quiet({ freeze }: Look, { upgrades }: RecoveryPlan, api: ClusterApi): Promise<void> {
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
      total: { ms: options.limitMs ?? options.stallAfterMs, end: givenUp },
    });
  }

  async #confirm(context: RecoverContext, { look, plan }: Planned): Promise<void> {
    const { installs, upgrades, digests } = plan;
    await requireHome(this.deps, true);
    const what = [
      ...installs.map(({ name, version }) => `install module ${name} ${version ?? ""}`.trimEnd()),
      ...upgrades.map(({ database, version }) => `upgrade ${database.label} to ${version}`),
      ...digests.map(({ path }) => `remove ${path.join(".")}`),
      "bring the resources in line with what runs",
    ];
    const question = `Recover ${objectLabel(look.ec)}: ${what.join(", ")}?`;
    await requireYes(this.deps, question);
    this.#session.confirm(foreseenEdits(look, plan));
    this.#session.confirmCalls(callsOf(context, plan));
  }
}

function reasonOf(says: string, causes: readonly Finding[]): string {
  const why = causes.map(({ object, cause }) => [object, cause].filter(Boolean).join(": "));
  return why.length === 0
    ? `${says}: resources ask for less than what runs`
    : `${says}: ${why.join("; ")}`;
}
