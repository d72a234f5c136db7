/**
 * The work behind actions, as time passes: what is due is done when somebody looks, so that a
 * virtual clock plays it in no time and nothing runs in the background.
 */
import type { Clock } from "../../run/ports";
import type { Action, StoredModule, UpgradePlan, Work, WorkTimes } from "./model";
import { deeds } from "./shards";
import type { ClusterStore } from "./store";
import { nextRow, type Phase, type Situation } from "./upgrade-machine";

/** Of a small database on a quiet cluster. */
export const usualTimes: WorkTimes = {
  queuedMs: 1000,
  batchMs: 5000,
  failoverMs: 2000,
  finishMs: 1000,
  installMs: 3000,
};

type Upgrading = Extract<Work, { does: "upgrade" }>;

/** Starts work and carries it on. */
export class Works {
  constructor(
    readonly store: ClusterStore,
    private readonly clock: Clock,
    private readonly times: WorkTimes = usualTimes,
  ) {}

  /** Begins an upgrade that was judged; the database is busy until it has ended. */
  upgrade(plan: UpgradePlan): Action {
    const bdb = this.store.bdbs.get(plan.bdb);
    if (bdb !== undefined) this.store.put({ ...bdb, status: "active-change-pending" });
    const due = this.clock.now() + this.times.queuedMs;
    const work: Upgrading = { does: "upgrade", due, phase: "queued", plan };
    return this.#begin({ name: "SMUpgradeBDB", bdb: plan.bdb, work });
  }

  /** Begins to install a module on every node. */
  install(module: StoredModule): Action {
    const due = this.clock.now() + this.times.installMs;
    return this.#begin({ name: "install_module", work: { does: "install", due, module } });
  }

  #begin(parts: Pick<Action, "name" | "bdb" | "work">): Action {
    const uid = this.store.nextUid("action");
    const action: Action = {
      ...parts,
      uid,
      status: "pending",
      progress: 0,
      createdAt: this.clock.now(),
    };
    this.store.putAction(action);
    return action;
  }

  /** Does everything that is due by now, in the order of time. */
  advance(): void {
    for (let due = this.#due(); due !== undefined; due = this.#due())
      this.#step(due.action, due.work);
  }

  /** The present, by the clock that everything here goes by. */
  get now(): number {
    return this.clock.now();
  }

  /** When the next of it is due; undefined where nothing is under way. */
  get dueAt(): number | undefined {
    const all = [...this.store.actions.values()].flatMap(({ work }) => work?.due ?? []);
    return all.length === 0 ? undefined : all.reduce((one, other) => Math.min(one, other));
  }

  #due(): { readonly action: Action; readonly work: Work } | undefined {
    const open = [...this.store.actions.values()].flatMap((action) =>
      action.work === undefined || action.work.due > this.clock.now()
        ? []
        : [{ action, work: action.work }],
    );
    return open.toSorted((one, other) => one.work.due - other.work.due)[0];
  }

  #step(action: Action, work: Work): void {
    if (work.does === "upgrade") {
      this.#stepUpgrade(action, work);
      return;
    }
    this.store.modules.set(work.module.uid, work.module);
    this.store.putAction(ended(action, "completed"));
  }

  #stepUpgrade(action: Action, work: Upgrading): void {
    const bdb = this.store.bdbs.get(work.plan.bdb);
    const broken = this.store.failing.get(work.plan.bdb);
    const row = bdb && nextRow(work.phase, situationOf(work.plan, broken));
    if (bdb === undefined || row === undefined) {
      this.store.putAction(ended(action, "failed", "the database is gone"));
      return;
    }
    // shards that do not come up run what they ran
    const does = row.does === "restart a batch" && broken !== undefined ? "nothing" : row.does;
    const done = deeds[does](bdb, work.plan);
    this.store.put(done.bdb);
    if (row.to === "completed" || row.to === "failed") {
      this.store.putAction(ended(action, row.to, broken));
      return;
    }
    const due = work.due + this.#timeOf(row.to);
    const next: Upgrading = { ...work, plan: done.plan, phase: row.to, due };
    const progress = progressOf(done.plan);
    this.store.putAction({ ...action, status: "active", progress, work: next });
  }

  #timeOf(phase: Phase): number {
    const { batchMs, failoverMs, finishMs } = this.times;
    if (phase === "failover" || phase === "roles-back") return failoverMs;
    return phase === "finishing" ? finishMs : batchMs;
  }
}

function situationOf(plan: UpgradePlan, broken: string | undefined): Situation {
  const { replicas, masters, guarded, preserveRoles } = plan;
  return {
    replicas: replicas.length,
    masters: masters.length,
    guarded,
    preserveRoles,
    broken: broken !== undefined,
  };
}

/** What is not a restart takes its time too: all restarted is not yet done. */
function progressOf({ replicas, masters, restarts }: UpgradePlan): number {
  const left = replicas.length + masters.length;
  return restarts === 0 ? 50 : Math.floor(((restarts - left) / restarts) * 95);
}

function ended(action: Action, how: "completed" | "failed", error?: string): Action {
  const rest = { ...action };
  delete rest.work;
  if (how === "completed") return { ...rest, status: how, progress: 100 };
  return { ...rest, status: how, ...(error !== undefined && { error }) };
}
