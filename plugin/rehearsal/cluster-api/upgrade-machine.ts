/**
 * The states of an upgrade and the ways between them, as one table. The specification shows none
 * (S74): these are the rehearsal's own, made of what it says the fields do (S80–S86).
 */

/** Where an upgrade is. */
export type Phase =
  | "queued"
  | "replicas"
  | "failover"
  | "masters"
  | "in-place"
  | "roles-back"
  | "finishing"
  | "completed"
  | "failed";

/** What the way on depends on. */
export interface Situation {
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
export type Deed = "nothing" | "restart a batch" | "fail over" | "take over" | "give up";

/** One way from one state to another; the first whose condition holds is taken. */
export interface Row {
  readonly from: Phase;
  /** The condition in words. */
  readonly when: string;
  readonly holds: (situation: Situation) => boolean;
  readonly to: Phase;
  readonly does: Deed;
}

const always = () => true;
const isBroken = ({ broken }: Situation) => broken;
const replicasLeft = ({ replicas }: Situation) => replicas > 0;
const mastersLeft = ({ masters }: Situation) => masters > 0;
const nothingLeft = ({ replicas, masters }: Situation) => replicas + masters === 0;
const batch = "restart a batch";
const lost = {
  when: "a shard does not come up",
  holds: isBroken,
  to: "failed",
  does: "give up",
} as const;

/** Every way there is. */
export const upgradeRows: readonly Row[] = [
  {
    from: "queued",
    when: "no shard has to restart",
    holds: nothingLeft,
    to: "finishing",
    does: "nothing",
  },
  {
    from: "queued",
    when: "replicas keep the data, some have to restart",
    holds: (now) => now.guarded && replicasLeft(now),
    to: "replicas",
    does: batch,
  },
  {
    from: "queued",
    when: "replicas keep the data, all of them are done",
    holds: ({ guarded }) => guarded,
    to: "failover",
    does: "fail over",
  },
  { from: "queued", when: "no replica keeps the data", holds: always, to: "in-place", does: batch },
  { from: "replicas", ...lost },
  { from: "replicas", when: "replicas are left", holds: replicasLeft, to: "replicas", does: batch },
  {
    from: "replicas",
    when: "masters are left",
    holds: mastersLeft,
    to: "failover",
    does: "fail over",
  },
  { from: "replicas", when: "nothing is left", holds: always, to: "finishing", does: "nothing" },
  {
    from: "failover",
    when: "the replicas have taken over",
    holds: always,
    to: "masters",
    does: batch,
  },
  { from: "masters", ...lost },
  {
    from: "masters",
    when: "former masters are left",
    holds: mastersLeft,
    to: "masters",
    does: batch,
  },
  {
    from: "masters",
    when: "nothing is left, roles are to be kept",
    holds: ({ preserveRoles }) => preserveRoles,
    to: "roles-back",
    does: "fail over",
  },
  { from: "masters", when: "nothing is left", holds: always, to: "finishing", does: "nothing" },
  {
    from: "roles-back",
    when: "the roles are as before",
    holds: always,
    to: "finishing",
    does: "nothing",
  },
  { from: "in-place", ...lost },
  {
    from: "in-place",
    when: "shards are left",
    holds: (now) => !nothingLeft(now),
    to: "in-place",
    does: batch,
  },
  { from: "in-place", when: "nothing is left", holds: always, to: "finishing", does: "nothing" },
  {
    from: "finishing",
    when: "all shards run what was asked for",
    holds: always,
    to: "completed",
    does: "take over",
  },
];

/** The way on; undefined where an upgrade has ended. */
export function nextRow(from: Phase, situation: Situation): Row | undefined {
  return upgradeRows.find((row) => row.from === from && row.holds(situation));
}
