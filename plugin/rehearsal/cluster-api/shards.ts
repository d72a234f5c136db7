/** What an upgrade does to a database's shards: restarts, failovers, and the new version taken over. */
import { type Bdb, runsWith, type Shard, type UpgradePlan } from "./model";
import type { Deed } from "./upgrade-machine";

/** A database and what is left to do about it. */
export interface Done {
  readonly bdb: Bdb;
  readonly plan: UpgradePlan;
}

/** Every deed of the table. */
export const deeds: Readonly<Record<Deed, (bdb: Bdb, plan: UpgradePlan) => Done>> = {
  nothing: (bdb, plan) => ({ bdb, plan }),
  "restart a batch": restarted,
  "fail over": (bdb, plan) => ({ bdb: failedOver(bdb), plan }),
  "take over": (bdb, plan) => ({ bdb: takenOver(bdb, plan), plan }),
  "give up": (bdb, plan) => ({ bdb: { ...bdb, status: "active" }, plan }),
};

/** Shards of a new database: the masters, each with its replica where it is replicated. */
export function shardsOf(
  count: number,
  { version, modules, replication }: Pick<Bdb, "version" | "modules" | "replication">,
): readonly Shard[] {
  const runs = runsWith(version, modules);
  const roles = replication ? (["master", "replica"] as const) : (["master"] as const);
  return Array.from({ length: count }).flatMap((_, slot) =>
    roles.map((role, index) => ({ uid: slot * roles.length + index + 1, role, runs, restarts: 0 })),
  );
}

/** As many as may restart at once (S86): replicas first, or all sorts where none guards the data. */
function restarted(bdb: Bdb, plan: UpgradePlan): Done {
  const { replicas, masters, atOnce, guarded } = plan;
  const waiting = guarded && replicas.length > 0 ? replicas : [...replicas, ...masters];
  const batch = new Set(waiting.slice(0, atOnce));
  const runs = runsWith(plan.version, plan.modules);
  const left = (uids: readonly number[]) => uids.filter((uid) => !batch.has(uid));
  return {
    bdb: {
      ...bdb,
      discarded: bdb.discarded || plan.discards,
      shards: bdb.shards.map((shard) =>
        batch.has(shard.uid) ? { ...shard, runs, restarts: shard.restarts + 1 } : shard,
      ),
    },
    plan: { ...plan, replicas: left(replicas), masters: left(masters) },
  };
}

const otherRole = { master: "replica", replica: "master" } as const;

function failedOver(bdb: Bdb): Bdb {
  const shards = bdb.shards.map((shard) => ({ ...shard, role: otherRole[shard.role] }));
  return { ...bdb, shards, failovers: bdb.failovers + 1 };
}

function takenOver(bdb: Bdb, { version, modules, crdtProtocol }: UpgradePlan): Bdb {
  const protocol = crdtProtocol === undefined ? {} : { crdtProtocol };
  return { ...bdb, ...protocol, version, modules, status: "active" };
}
