/** Plans the upgrade of databases: judges all of them from one look, and tries each write by dry run. */
import type { DatabaseContext } from "./context";
import type { PlannedChange } from "../../domain/kube/change";
import { type Awaited, nameFinding } from "../../domain/base/awaited";
import type { DatabasePlan } from "../../domain/database/plan";
import { BlockedError, exitCodes, UsageError } from "../../domain/base/errors";
import { boundList } from "../../domain/base/values";
import type { StepInfo } from "../../domain/kube/planned-write";
import { isNamed, readName } from "../../domain/names/names";
import { type Outcome, type Planned, makeStopped } from "../../kernel/part";
import { projectWrites, unchanged } from "../../kernel/projection";
import type { ActingPorts, World } from "../../kernel/world";
import { requirePermissions } from "../../kernel/permissions";
import { requireGround } from "../../readers/ground";
import { Apis, listEcs } from "./apis";
import { callStep, needsCall } from "./by-rest-api";
import { databasesCommand, listNeeds } from "./needs";
import { type DatabasePlans, groupFindings, isWritten, planDatabases } from "./plan";
import { askToLeave, askToTake, databasePatch, listWritePermissions } from "./changes";
import { type DatabaseSnapshot, readChosen } from "./read";
import { RunSummary } from "./summary";
import type { DatabasesPlanned } from "./upgrade";

/** Carries a plan out. */
type Carry = (ports: ActingPorts, plan: DatabasesPlanned) => Promise<Outcome>;

/** Which databases are meant: read once, however often it is planned. */
export interface Chosen {
  /** Absent: not yet read. */
  seen?: { readonly uids: ReadonlySet<string> | undefined };
}

/** What a planning is given beside its world. */
interface Given {
  readonly chosen: Chosen;
  readonly carry: Carry;
}

/** One planning. */
export class DatabasesPlanning {
  readonly #summary: RunSummary;
  readonly #apis: Apis;

  constructor(
    private readonly context: DatabaseContext,
    private readonly world: Pick<World, "dryRun" | "tell">,
    private readonly given: Given,
  ) {
    this.#summary = new RunSummary(world.dryRun);
    this.#apis = new Apis(context.deps, context.options, world.tell);
  }

  /** Throws EngineError where nothing could be read; what stands against it is a value. */
  async plan(): Promise<Planned> {
    const seen = await this.#takeLook();
    try {
      const all = this.#requireFit(seen);
      const [busy] = all.busy;
      if (busy !== undefined) return waiting(nameFinding(busy));
      this.world.tell([...all.warnings, ...this.#summary.leaveOut(all.leftOut)]);
      this.#summary.begin(all.plans);
      return await this.#makePlanned(await this.#requirePermitted(all));
    } catch (error) {
      const plan = makeStopped(error);
      return { ...plan, expects: { ...plan.expects, ...this.#summary.details() } };
    }
  }

  async #takeLook(): Promise<
    DatabaseSnapshot & { readonly chosen: ReadonlySet<string> | undefined }
  > {
    const { deps, options, poller } = this.context;
    const { chosen } = this.given;
    if (chosen.seen === undefined) {
      await requireGround(deps, "upgrade-database", options);
      chosen.seen = { uids: await readChosen(deps, options) };
    }
    return { ...(await poller.now()), chosen: chosen.seen.uids };
  }

  /** Every problem of every database at once, before anything is written. */
  #requireFit(seen: Parameters<typeof planDatabases>[0]): DatabasePlans {
    const { deps, options, poller, session } = this.context;
    const all = planDatabases(seen, options);
    const { plans, blocks, warnings } = all;
    poller.participants = all.isActiveActive;
    const patches = plans.map((plan) => databasePatch(deps.names, plan));
    const conflicts = patches.flatMap((patch) => session.findConflicts(patch).conflicts);
    if (blocks.length + conflicts.length === 0) return all;
    const code = blocks.length > 0 ? exitCodes.blocked : exitCodes.conflict;
    throw new BlockedError(code, [...blocks, ...groupFindings(conflicts), ...warnings]);
  }

  async #requirePermitted({ plans, leftOut }: DatabasePlans): Promise<DatabasesPlanned> {
    const { options } = this.context;
    await this.#requireWrites(plans);
    const met = options.via === "api" ? await this.#meetApis(plans) : { plans, leftOut: [] };
    const canary = this.#findCanary(met.plans);
    return { plans: met.plans, leftOut: [...leftOut, ...met.leftOut], canary, apis: this.#apis };
  }

  async #requireWrites(plans: readonly DatabasePlan[]): Promise<void> {
    const { deps, options } = this.context;
    const ecs = options.via === "api" ? listEcs(plans) : [];
    const reaching = ecs.flatMap((ec) => deps.api.permissions(ec));
    const listFor = (some: readonly DatabasePlan[]) => [
      ...listWritePermissions(deps.names, some),
      ...reaching,
    ];
    deps.recorder.needs.declare(databasesCommand, listNeeds(deps, options, listFor(plans)));
    await requirePermissions(deps, listFor(plans.filter(isWritten)));
  }

  /** Plans whose records in the REST API let them be called; the others are left out. */
  async #meetApis(plans: readonly DatabasePlan[]) {
    const { facts } = await this.context.poller.now();
    const met = await this.#apis.meet(plans, facts);
    this.#summary.begin(met.plans);
    this.world.tell(this.#summary.leaveOut(met.leftOut));
    return met;
  }

  #findCanary(plans: readonly DatabasePlan[]): DatabasesPlanned["canary"] {
    const { deps, options } = this.context;
    const { canary } = options;
    if (canary === undefined) return undefined;
    const typed = readName(canary, deps.names);
    const found = plans.find(({ target }) => isNamed(typed, target));
    if (found !== undefined) return { item: found, label: found.label };
    const all = boundList(plans.map(({ label }) => label));
    throw new UsageError(`--canary: ${canary} is not among the databases: ${all}`);
  }

  async #makePlanned(planned: DatabasesPlanned): Promise<Planned> {
    const { context, world } = this;
    const { plans } = planned;
    const { writes, calls } =
      world.dryRun === "none" ? this.#listUntried(plans) : await this.#tryWrites(plans);
    return {
      writes,
      ...(context.options.via === "api" && { calls }),
      questions: [...askToTake(context, plans), ...askToLeave(plans)],
      expects: { ...this.#summary.exit(undefined), ...this.#summary.details() },
      after: projectWrites(writes),
      act: async (ports) => await this.given.carry(ports, planned),
    };
  }

  #listUntried(plans: readonly DatabasePlan[]) {
    const { context } = this;
    const writes = plans.filter(isWritten).map((plan): PlannedChange => ({
      change: databasePatch(context.deps.names, plan),
    }));
    const calls = plans.flatMap((plan) => {
      const called = this.#apis.of(plan);
      return called === undefined ? [] : [callStep(plan, called.bdb, context)];
    });
    return { writes, calls };
  }

  async #tryWrites(plans: readonly DatabasePlan[]) {
    const writes: PlannedChange[] = [];
    const calls: StepInfo[] = [];
    for (const plan of plans) {
      const call = this.#planCall(plan);
      const isTried = !plan.passedOver && isWritten(plan);
      if (call !== undefined) {
        this.context.deps.recorder.addStep(call, "planned");
        calls.push(call);
      }
      if (isTried) writes.push(await this.#tryWrite(plan));
      if (plan.passedOver) this.#summary.add(plan, "skipped");
      else if (isTried || call !== undefined) this.#summary.add(plan, "planned");
      else this.#tellUnchanged(plan);
    }
    return { writes, calls };
  }

  async #tryWrite(plan: DatabasePlan): Promise<PlannedChange> {
    const { deps, session } = this.context;
    return await session.planWrite(databasePatch(deps.names, plan));
  }

  /** The call of a database that is not passed over; undefined where none is needed. */
  #planCall(plan: DatabasePlan): StepInfo | undefined {
    const called = this.#apis.of(plan);
    if (plan.passedOver || called === undefined) return undefined;
    return needsCall(called, plan, this.context)
      ? callStep(plan, called.bdb, this.context)
      : undefined;
  }

  #tellUnchanged(plan: DatabasePlan): void {
    const info = { id: "database.patch", action: "patch", object: plan.label } as const;
    const why = "the spec is up to date already";
    this.context.deps.recorder.addStep({ ...info, why }, "unchanged");
    this.#summary.add(plan, "unchanged");
  }
}

function waiting(waitsFor: Awaited): Planned {
  return {
    ...{ waitsFor, writes: [], questions: [], after: unchanged },
    expects: { code: exitCodes.ok, reason: "" },
    act: () => Promise.reject(new Error("a plan that waits is not carried out")),
  };
}
