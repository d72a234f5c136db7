/**
 * The work behind actions, as time passes: what is due is done when someone looks, so that a
 * virtual clock plays it in no time and nothing runs in the background.
 */
import type { Clock } from "../../ports/kubernetes";
import {
  type RestAction,
  type Bdb,
  type ClusterStore,
  type Phase,
  runsWith,
  type StoredModule,
  type BdbUpgrade,
  type Work,
} from "./state";

/** What the way on depends on. */
export interface UpgradeState {
  /** Shards that still have to restart. */
  readonly replicas: number;
  readonly masters: number;
  /** Replicas take over while masters restart. */
  readonly guarded: boolean;
  readonly preserveRoles: boolean;
  /** The shards that were just restarted did not come up. */
  readonly broken: boolean;
}

/** What is done on the way into a state. */
type Effect = "nothing" | "restart a batch" | "fail over" | "take over" | "give up";

/** One way from one state to another; the first whose condition holds is taken. */
interface Row {
  readonly from: Phase;
  readonly holds: (situation: UpgradeState) => boolean;
  readonly to: Phase;
  readonly does: Effect;
}

const row = (from: Phase, to: Phase, does: Effect) => ({
  when: (holds: Row["holds"]): Row => ({ from, to, does, holds }),
});
const always = () => true;
const isBroken = ({ broken }: UpgradeState) => broken;
const replicasLeft = ({ replicas }: UpgradeState) => replicas > 0;
const mastersLeft = ({ masters }: UpgradeState) => masters > 0;
const nothingLeft = ({ replicas, masters }: UpgradeState) => replicas + masters === 0;

/**
 * Every way there is. The specification shows none (S74): these are the rehearsal's own, made of what it
 * says the fields do (S80–S86).
 */
export const upgradeRows: readonly Row[] = [
  row("queued", "finishing", "nothing").when(nothingLeft),
  row("queued", "replicas", "restart a batch").when((now) => now.guarded && replicasLeft(now)),
  row("queued", "failover", "fail over").when(({ guarded }) => guarded),
  row("queued", "in-place", "restart a batch").when(always),
  row("replicas", "failed", "give up").when(isBroken),
  row("replicas", "replicas", "restart a batch").when(replicasLeft),
  row("replicas", "failover", "fail over").when(mastersLeft),
  row("replicas", "finishing", "nothing").when(always),
  row("failover", "masters", "restart a batch").when(always),
  row("masters", "failed", "give up").when(isBroken),
  row("masters", "masters", "restart a batch").when(mastersLeft),
  row("masters", "roles-back", "fail over").when(({ preserveRoles }) => preserveRoles),
  row("masters", "finishing", "nothing").when(always),
  row("roles-back", "finishing", "nothing").when(always),
  row("in-place", "failed", "give up").when(isBroken),
  row("in-place", "in-place", "restart a batch").when((now) => !nothingLeft(now)),
  row("in-place", "finishing", "nothing").when(always),
  row("finishing", "completed", "take over").when(always),
];

/** The way on; undefined where an upgrade has ended. */
export function nextRow(from: Phase, situation: UpgradeState): Row | undefined {
  return upgradeRows.find((one) => one.from === from && one.holds(situation));
}

/** A database and what is left to do about it. */
interface Done {
  readonly bdb: Bdb;
  readonly plan: BdbUpgrade;
}

const deeds: Readonly<Record<Effect, (bdb: Bdb, plan: BdbUpgrade) => Done>> = {
  nothing: (bdb, plan) => ({ bdb, plan }),
  "restart a batch": restartShards,
  "fail over": (bdb, plan) => {
    const other = { master: "replica", replica: "master" } as const;
    const shards = bdb.shards.map((shard) => ({ ...shard, role: other[shard.role] }));
    return { bdb: { ...bdb, shards, failovers: bdb.failovers + 1 }, plan };
  },
  "take over": (bdb, plan) => {
    const { version, modules, crdtProtocol } = plan;
    const protocol = crdtProtocol === undefined ? {} : { crdtProtocol };
    return { bdb: { ...bdb, ...protocol, version, modules, status: "active" }, plan };
  },
  "give up": (bdb, plan) => ({ bdb: { ...bdb, status: "active" }, plan }),
};

/** As many as may restart at once (S86): replicas first, or all sorts where none guards the data. */
function restartShards(bdb: Bdb, plan: BdbUpgrade): Done {
  const { replicas, masters, atOnce, guarded } = plan;
  const waiting = guarded && replicas.length > 0 ? replicas : [...replicas, ...masters];
  const batch = new Set(waiting.slice(0, atOnce));
  const runs = runsWith(plan.version, plan.modules);
  const listLeft = (uids: readonly number[]) => uids.filter((uid) => !batch.has(uid));
  const shards = bdb.shards.map((shard) =>
    batch.has(shard.uid) ? { ...shard, runs, restarts: shard.restarts + 1 } : shard,
  );
  return {
    bdb: { ...bdb, discarded: bdb.discarded || plan.discards, shards },
    plan: { ...plan, replicas: listLeft(replicas), masters: listLeft(masters) },
  };
}

/** How long each part takes: of a small database on a quiet cluster. */
const usualTimes = {
  queuedMs: 1000,
  batchMs: 5000,
  failoverMs: 2000,
  finishMs: 1000,
  installMs: 3000,
};

/** How long each part of the work takes. */
export type WorkTimes = Readonly<typeof usualTimes>;

type Upgrading = Extract<Work, { does: "upgrade" }>;

/** Starts work and carries it on. */
export class Works {
  constructor(
    readonly store: ClusterStore,
    private readonly clock: Clock,
    private readonly times: WorkTimes = usualTimes,
  ) {}

  /** Begins an upgrade that was judged; the database is busy until it has ended. */
  upgrade(plan: BdbUpgrade): RestAction {
    const bdb = this.store.bdbs.get(plan.bdb);
    if (bdb !== undefined) this.store.put({ ...bdb, status: "active-change-pending" });
    const due = this.now + this.times.queuedMs;
    const work: Upgrading = { does: "upgrade", due, phase: "queued", plan };
    return this.#begin({ name: "SMUpgradeBDB", bdb: plan.bdb, work });
  }

  /** Begins to install a module on every node. */
  install(module: StoredModule): RestAction {
    const due = this.now + this.times.installMs;
    return this.#begin({ name: "install_module", work: { does: "install", due, module } });
  }

  #begin(parts: Pick<RestAction, "name" | "bdb" | "work">): RestAction {
    const fresh = { status: "pending", progress: 0, createdAt: this.now } as const;
    const action: RestAction = { ...parts, uid: this.store.nextUid("action"), ...fresh };
    this.store.putAction(action);
    return action;
  }

  /** Does everything that is due by now, in the order of time. */
  advance(): void {
    for (let due = this.#next(); due !== undefined && due.work.due <= this.now; due = this.#next())
      this.#step(due.action, due.work);
  }

  /** The present, by the clock that everything here goes by. */
  get now(): number {
    return this.clock.now();
  }

  /** When the next of it is due; undefined where nothing is under way. */
  get dueAt(): number | undefined {
    return this.#next()?.work.due;
  }

  #next(): { readonly action: RestAction; readonly work: Work } | undefined {
    const open = [...this.store.actions.values()].flatMap((action) =>
      action.work === undefined ? [] : [{ action, work: action.work }],
    );
    return open.toSorted((one, other) => one.work.due - other.work.due)[0];
  }

  #step(action: RestAction, work: Work): void {
    if (work.does === "upgrade") {
      this.#stepUpgrade(action, work);
      return;
    }
    this.store.modules.set(work.module.uid, work.module);
    this.store.putAction(endAction(action, "completed"));
  }

  #stepUpgrade(action: RestAction, work: Upgrading): void {
    const bdb = this.store.bdbs.get(work.plan.bdb);
    const broken = this.store.failing.get(work.plan.bdb);
    const next = bdb && nextRow(work.phase, describeSituation(work.plan, broken));
    if (bdb === undefined || next === undefined) {
      this.store.putAction(endAction(action, "failed", "the database is gone"));
      return;
    }
    // shards that do not come up run what they ran
    const does = next.does === "restart a batch" && broken !== undefined ? "nothing" : next.does;
    const { bdb: after, plan } = deeds[does](bdb, work.plan);
    this.store.put(after);
    if (next.to === "completed" || next.to === "failed") {
      this.store.putAction(endAction(action, next.to, broken));
      return;
    }
    const due = work.due + this.#timeOf(next.to);
    const going = { ...work, plan, phase: next.to, due };
    this.store.putAction({
      ...action,
      status: "active",
      progress: computeProgress(plan),
      work: going,
    });
  }

  #timeOf(phase: Phase): number {
    const { batchMs, failoverMs, finishMs } = this.times;
    if (phase === "failover" || phase === "roles-back") return failoverMs;
    return phase === "finishing" ? finishMs : batchMs;
  }
}

function describeSituation(plan: BdbUpgrade, broken: string | undefined): UpgradeState {
  const { replicas, masters } = plan;
  const left = { replicas: replicas.length, masters: masters.length };
  return { ...plan, ...left, broken: broken !== undefined };
}

/** What is not a restart takes its time too: all restarted is not yet done. */
function computeProgress({ replicas, masters, restarts }: BdbUpgrade): number {
  const left = replicas.length + masters.length;
  return restarts === 0 ? 50 : Math.floor(((restarts - left) / restarts) * 95);
}

function endAction(action: RestAction, how: "completed" | "failed", error?: string): RestAction {
  const rest = { ...action };
  delete rest.work;
  if (how === "completed") return { ...rest, status: how, progress: 100 };
  return { ...rest, status: how, ...(error !== undefined && { error }) };
}
