/** What the operator at play does wrong on demand, each with what a run has to say of it. */

/** Why a pod never becomes ready. */
export type StuckReason = "ImagePullBackOff" | "CrashLoopBackOff" | "Unschedulable" | "NotReady";

/** Misbehaviour on demand; nothing of it is on by default. */
export interface Misbehaviour {
  /** Everything takes so many times as long. */
  readonly slow?: number;
  /** The renewed pod of this ordinal never becomes ready. */
  readonly stuckPod?: number;
  /** Why; a container that crashes when not given. */
  readonly stuckReason?: StuckReason;
  /** The EC says Running all the time, whatever its pods do. */
  readonly lyingStatus?: true;
  /** The image of the new operator cannot be pulled. */
  readonly operatorImagePull?: true;
  /** No quota is left for the pod of the new operator. */
  readonly operatorQuota?: true;
  /** The new operator crashes at its start. */
  readonly operatorCrash?: true;
  /** The pod of the new operator may not be made. */
  readonly operatorForbidden?: true;
  /** How long a stale Running is seen, instead of the usual. */
  readonly staleRunningMs?: number;
  /** The operator does not react to any EC: nothing comes of a new tag. */
  readonly deafOperator?: true;
  /** Pods are renewed, and the EC never leaves Upgrade. */
  readonly endlessUpgrade?: true;
  /** The upgrade of this database never ends. */
  readonly stuckDatabase?: string;
  /** Hook Jobs of a chart fail. */
  readonly failingJobs?: true;
}

/** A row for each, for documents and tests. */
export const misbehaviours: Readonly<Record<keyof Misbehaviour, string>> = {
  slow: "everything takes so many times as long",
  stuckPod: "the renewed pod of this ordinal never becomes ready",
  stuckReason: "why the pod is stuck",
  lyingStatus: "the cluster says Running all the time",
  operatorImagePull: "the image of the new operator cannot be pulled",
  operatorQuota: "no quota is left for the new operator's pod",
  operatorCrash: "the new operator crashes at its start",
  operatorForbidden: "the new operator's pod may not be made",
  staleRunningMs: "how long a stale Running is seen",
  deafOperator: "the operator does not react to the cluster resource",
  endlessUpgrade: "the cluster never leaves the state Upgrade",
  stuckDatabase: "the upgrade of this database never ends",
  failingJobs: "hook Jobs of a chart fail",
};
