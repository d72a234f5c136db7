/**
 * The procedure of a whole upgrade, written once (S9; domain facts 12): `upgrade` plans and does its parts in this
 * order, `status` names the first that has something left to do, and what each part settles or cannot begin without
 * decides which findings of `check` stand against it.
 */
import type { Area } from "./checks/check";
import {
  clusterStep,
  constraintStep,
  databaseStep,
  lackingStep,
  type NextFacts,
  type NextStep,
  operatorStep,
  pressingStep,
  rbacStep,
  webhookStep,
} from "./status/next";
import {
  databasesSkip,
  type Intent,
  noClusters,
  rolesSkip,
  sccSkip,
  webhookSkip,
} from "./upgrade/gates";

/** The names of the parts: stable, shown to people, used in documents. */
export type PartId =
  | "auto-off"
  | "rbac-expand"
  | "operator"
  | "webhook"
  | "cluster"
  | "scc"
  | "rbac-contract"
  | "databases";

/** One part of the procedure. */
export interface Part {
  readonly id: PartId;
  readonly title: string;
  /** Why it has its place. */
  readonly because: string;
  readonly source: string;
  /** Why a whole upgrade leaves it out here; undefined: it is done. */
  readonly gate?: (intent: Intent) => string | undefined;
  /** What of it is left to do; a part without a command of its own has nothing to name. */
  readonly next?: (facts: NextFacts) => NextStep | undefined;
  /** Checks whose findings do not stand against an upgrade: the part judges this itself, and brings it in order. */
  readonly settles?: { readonly areas?: readonly Area[]; readonly codes?: readonly string[] };
  /** Checks without which it may not begin, whichever of the two an upgrade begins with. */
  readonly blockedBy?: readonly string[];
}

/** Without these an upgrade freezes (S113, S121-S127). */
const freezing: readonly string[] = [
  "PLATFORM-UNSUPPORTED",
  "PLATFORM-EDGE",
  "PLATFORM-VERSION-UNKNOWN",
  "OPERATOR-TOO-OLD",
  "OPERATOR-VERSION-UNKNOWN",
  "RELEASE-PATH",
  "CLUSTER-LICENSE",
  "CLUSTER-LICENSE-UNKNOWN",
  "LICENSE-EXPIRED",
  "CLUSTER-DATABASE-OLD",
  "CLUSTER-DATABASE-UNKNOWN",
  "CLUSTER-AUTO-USER-MODULES",
  "CLUSTER-MODULE-UNDEFINED",
  "MODULE-OS-BASE",
  "MODULE-RELEASE",
  "ACTIVE-ACTIVE-OPERATOR",
];

/** Every part, in order. */
export const procedure: readonly Part[] = [
  {
    id: "auto-off",
    title: "Switch the automatic upgrade off",
    because:
      "databases use modules of their own, so the cluster must not follow the operator at once",
    source: "S51, S124",
    gate: noClusters,
    settles: { codes: ["CLUSTER-AUTO-USER-MODULES"] },
  },
  {
    id: "rbac-expand",
    title: "Widen RBAC in the managed namespaces",
    because: "the old operator keeps what it needs, and the new one can start",
    source: "S34",
    gate: rolesSkip,
    next: lackingStep,
    settles: { areas: ["rbac"] },
  },
  {
    id: "operator",
    title: "Upgrade the operator",
    because: "it comes first; it manages no database until the cluster has followed",
    source: "S9, S15-S23",
    next: operatorStep,
    settles: {
      areas: ["definitions"],
      codes: [
        "OPERATOR-OWNED",
        "OPERATOR-NOT-READY",
        "OPERATOR-IMAGES-DIFFER",
        "OPERATOR-REGISTRY",
        "OPERATOR-ACCOUNT-ABSENT",
      ],
    },
    blockedBy: freezing,
  },
  {
    id: "webhook",
    title: "Reapply the admission webhook",
    because: "the new admission server has to be ready before it is called",
    source: "S24-S30",
    gate: webhookSkip,
    next: webhookStep,
    settles: { areas: ["webhook", "certificate"] },
  },
  {
    id: "cluster",
    title: "Upgrade the cluster",
    because: "soon after the operator, which until then manages no database",
    source: "S10-S14, S48-S50",
    gate: noClusters,
    next: clusterStep,
    blockedBy: freezing,
  },
  {
    id: "scc",
    title: "Unbind the old SCC",
    because: "the pods run unprivileged once all of them are new",
    source: "S33",
    gate: sccSkip,
    next: constraintStep,
    settles: { areas: ["scc"] },
  },
  {
    id: "rbac-contract",
    title: "Narrow RBAC to the new release",
    because: "nothing needs the old rules any more",
    source: "S34",
    gate: rolesSkip,
    next: rbacStep,
    settles: { areas: ["rbac"] },
  },
  {
    id: "databases",
    title: "Upgrade the databases",
    because: "they come last: a database has the versions that its cluster bundles",
    source: "S9, S61-S67",
    gate: databasesSkip,
    next: databaseStep,
  },
];

/** What is next: what cannot wait for any part, else the first part that has something left to do. */
export function nextStep(facts: NextFacts): NextStep | undefined {
  for (const step of [pressingStep, ...procedure.flatMap(({ next }) => next ?? [])]) {
    const found = step(facts);
    if (found !== undefined) return found;
  }
  return undefined;
}
