/** The operator: which version runs, and whether it is ready (S15, S19; domain facts 8). */
import { parseImage } from "../image";
import { factNamed, type Facts } from "../facts";
import { annotationOf, type KubeObject } from "../objects";
import { judgeDeployment } from "../rollout/deployment";
import { containerOf } from "../rollout/pods";
import { at, own } from "../values";
import { unreadVerdict, verdictOf, type Verdict } from "./verdict";

/** What is shown of the operator. */
export interface OperatorStatus {
  readonly deployment: string;
  /** The tag of its image; absent where it is pinned by digest alone. */
  readonly version?: string;
  /** What the chart says, where it came by one. */
  readonly chart?: { readonly version?: string; readonly operator?: string };
  /** As `kubectl get deployment` counts (S19). */
  readonly pods?: {
    readonly wanted: number;
    readonly ready: number;
    readonly upToDate: number;
    readonly available: number;
  };
  readonly verdict: Verdict;
}

/** The operator's part of the screen. */
export function operatorStatus(facts: Facts): OperatorStatus {
  const { names, namespace } = facts;
  const { deployment: name } = names.operator;
  const unread = unreadVerdict(facts, ["deployments"]);
  if (unread !== undefined) return { deployment: name, verdict: unread };
  const deployment = factNamed(facts, "deployments", { name });
  if (deployment === undefined) {
    const because = `there is no Deployment ${name} in namespace ${namespace}`;
    const fix = "give the operator's namespace with -n, or install the operator";
    return { deployment: name, verdict: { is: "stalled", because, fix } };
  }
  const version = operatorVersion(facts);
  const chart = chartOf(facts, deployment);
  return {
    deployment: name,
    ...(version !== undefined && { version }),
    ...(chart !== undefined && { chart }),
    pods: podsOf(deployment),
    verdict: rolloutVerdict(facts, name),
  };
}

/** The tag of the operator's image, else what the chart says of it (domain facts 8). */
export function operatorVersion(facts: Facts): string | undefined {
  const { names } = facts;
  const deployment = factNamed(facts, "deployments", { name: names.operator.deployment });
  const podSpec = at(deployment, ["spec", "template", "spec"]);
  const container = containerOf(podSpec, names.operator.container);
  return (
    parseImage(own(container, "image"))?.tag ??
    annotationOf(deployment, names.annotations.operatorVersion)
  );
}

/** Causes show in the pods: without them nothing is known of one that is not ready. */
function rolloutVerdict(facts: Facts, name: string): Verdict {
  const verdict = verdictOf(judgeDeployment(facts, name));
  const unread = unreadVerdict(facts, ["replicaSets", "pods", "events"]);
  if (verdict.is !== "moving" || unread === undefined) return verdict;
  return { is: "unknown", because: `${verdict.on}; ${unread.because}, so no cause is seen` };
}

function chartOf({ names }: Facts, deployment: KubeObject): OperatorStatus["chart"] {
  const version = annotationOf(deployment, names.annotations.chartVersion);
  const operator = annotationOf(deployment, names.annotations.operatorVersion);
  if (version === undefined && operator === undefined) return undefined;
  return {
    ...(version !== undefined && { version }),
    ...(operator !== undefined && { operator }),
  };
}

function podsOf(deployment: KubeObject): NonNullable<OperatorStatus["pods"]> {
  const count = (path: readonly string[], absent = 0): number => {
    const value = at(deployment, path);
    return typeof value === "number" ? value : absent;
  };
  return {
    wanted: count(["spec", "replicas"], 1),
    ready: count(["status", "readyReplicas"]),
    upToDate: count(["status", "updatedReplicas"]),
    available: count(["status", "availableReplicas"]),
  };
}
