/** The parts of the whole upgrade in the order that leaves no gap (S9; domain facts 12). */

/** One part: a command of its own, done as a step of the procedure. */
export interface UpgradePart {
  /** Stable: shown to people, used in documents. */
  readonly id: UpgradePartId;
  readonly title: string;
  /** Why it has its place. */
  readonly because: string;
  readonly source: string;
}

/** The names of the parts. */
export type UpgradePartId =
  | "auto-off"
  | "rbac-expand"
  | "operator"
  | "webhook"
  | "cluster"
  | "scc"
  | "rbac-contract"
  | "databases";

/** Every part, in order. */
export const upgradeParts: readonly UpgradePart[] = [
  {
    id: "auto-off",
    title: "Switch the automatic upgrade off",
    because:
      "databases use modules of their own, so the cluster must not follow the operator at once",
    source: "S51, S124",
  },
  {
    id: "rbac-expand",
    title: "Widen RBAC in the managed namespaces",
    because: "the old operator keeps what it needs, and the new one can start",
    source: "S34",
  },
  {
    id: "operator",
    title: "Upgrade the operator",
    because: "it comes first; it manages no database until the cluster has followed",
    source: "S9, S15-S23",
  },
  {
    id: "webhook",
    title: "Reapply the admission webhook",
    because: "the new admission server has to be ready before it is called",
    source: "S24-S30",
  },
  {
    id: "cluster",
    title: "Upgrade the cluster",
    because: "soon after the operator, which until then manages no database",
    source: "S10-S14, S48-S50",
  },
  {
    id: "scc",
    title: "Unbind the old SCC",
    because: "the pods run unprivileged once all of them are new",
    source: "S33",
  },
  {
    id: "rbac-contract",
    title: "Narrow RBAC to the new release",
    because: "nothing needs the old rules any more",
    source: "S34",
  },
  {
    id: "databases",
    title: "Upgrade the databases",
    because: "they come last: a database has the versions that its cluster bundles",
    source: "S9, S61-S67",
  },
];
