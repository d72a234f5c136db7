/** The cluster once the operator is upgraded, for what is planned after it. */
import type { PlannedChange } from "../../domain/kube/change";
import { nameAwaited } from "../../domain/base/awaited";
import { operatorRelease, withOperator } from "../../domain/engine-cluster/operator";
import type { Facts } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, refTo } from "../../domain/kube/objects";
import { selects } from "../../domain/kube/selectors";
import { countReplicas, isThere } from "../../domain/rollout/deployment";
import { listImages } from "../../domain/operator/wanted";
import { asArray, getOwn, getPath, isObject, sameJson, withValue } from "../../domain/base/values";
import { isSameRelease } from "../../domain/base/versions";
import {
  projectWrites,
  joinProjections,
  type Projection,
  unchanged,
} from "../../kernel/projection";

/**
 * What is written, with the Deployment ready; pods of another template are gone. Nobody can know the endpoints to
 * come.
 */
export function projectBundle(facts: Facts, writes: readonly PlannedChange[]): Projection {
  const [live] = deploymentsIn(facts);
  const isDefinition = ({ change }: PlannedChange): boolean => change.resource === kinds.definition;
  const definitions = projectWrites(writes.filter(isDefinition)).stored;
  const left = { ...projectWrites(writes.filter((write) => !isDefinition(write))), definitions };
  const planned = left.stored.find((object) => isOperatorsOwn(object, facts));
  const wanted = planned ?? live;
  if (wanted === undefined) return left;
  const old = listPods(facts, (pod) => !runs(pod, wanted) || isOtherTemplate(wanted, live));
  const isSettled = planned === undefined && old.length === 0 && isReady(wanted);
  return joinProjections(left, {
    ...unchanged,
    stored: [readyNow(wanted)],
    gone: old.map((pod) => refTo(kinds.pod, pod)),
    unknown: isSettled ? [] : listEndpoints(facts),
  });
}

/** The operator ready at that release, where what is written is not known: by a chart, or since it cannot be yet. */
export function projectAssumed(
  facts: Facts,
  version: string | undefined,
  definitions: readonly KubeObject[] = [],
): Projection {
  if (version === undefined) return { ...unchanged, definitions };
  const isChanged = !isSameRelease(operatorRelease(facts).version, version);
  const gone = listPods(facts, () => isChanged).map((pod) => refTo(kinds.pod, pod));
  const stored = deploymentsIn(withOperator(facts, version));
  return { ...unchanged, stored, gone, unknown: listEndpoints(facts), definitions };
}

/** Nobody knows the names of EndpointSlices to come. */
function listEndpoints({ names, namespace }: Facts): Projection["unknown"] {
  return [
    {
      resource: kinds.endpointSlice,
      namespace,
      until: nameAwaited(
        `${kinds.deployment.kind}/${namespace}/${names.operator.deployment}`,
        "to be ready",
      ),
    },
  ];
}

/** What helm renders, and the definitions that the chart brings. */
export interface ChartAhead {
  readonly objects: readonly unknown[];
  readonly definitions: readonly KubeObject[];
}

/** The operator as helm renders it, ready; else at the release that the chart is named after. */
export function projectChart(
  facts: Facts,
  { objects, definitions }: ChartAhead,
  version: string,
): Projection {
  const { namespace } = facts;
  const object = objects
    .filter(isObject)
    .map((one) => withValue(one, ["metadata", "namespace"], namespace) as KubeObject)
    .find((one) => isOperatorsOwn(one, facts));
  if (object === undefined) return projectAssumed(facts, version, definitions);
  const [live] = deploymentsIn(facts);
  const told = { id: "operator.chart", why: "helm renders it so", risk: "", reverse: "" };
  const change = { verb: "apply", resource: kinds.deployment, object, live, ...told } as const;
  return { ...projectBundle(facts, [{ change }]), definitions };
}

function isOperatorsOwn({ kind, metadata }: KubeObject, { names, namespace }: Facts): boolean {
  const { deployment } = names.operator;
  return (
    kind === kinds.deployment.kind &&
    metadata.name === deployment &&
    metadata.namespace === namespace
  );
}

function deploymentsIn(facts: Facts): readonly KubeObject[] {
  return facts.objects.deployments.filter((object) =>
    isOperatorsOwn({ ...object, kind: kinds.deployment.kind }, facts),
  );
}

/** The operator's pods, as far as its Deployment of today selects them. */
function listPods(facts: Facts, isMeant: (pod: KubeObject) => boolean): readonly KubeObject[] {
  const selectors = deploymentsIn(facts).map((one) => getPath(one, ["spec", "selector"]));
  return facts.objects.pods.filter(
    (pod) =>
      pod.metadata.namespace === facts.namespace &&
      selectors.some((selector) => selects(selector, pod.metadata.labels ?? {})) &&
      isMeant(pod),
  );
}

/** A pod of an earlier run's template may be there still, although nothing is left to write. */
function runs(pod: KubeObject, deployment: KubeObject): boolean {
  const wanted = listImages(deployment);
  return asArray(getPath(pod, ["spec", "containers"])).every(
    (container) => wanted.get(String(getOwn(container, "name"))) === getOwn(container, "image"),
  );
}

function isOtherTemplate(wanted: KubeObject, live: KubeObject | undefined): boolean {
  const path = ["spec", "template"];
  return !sameJson(getPath(wanted, path), getPath(live, path));
}

function isReady(deployment: KubeObject): boolean {
  const counts = countReplicas(deployment);
  return counts.observed >= counts.generation && counts.wanted > 0 && isThere(counts);
}

function readyNow(deployment: KubeObject): KubeObject {
  const replicas = Number(getPath(deployment, ["spec", "replicas"]) ?? 1);
  const { generation: observedGeneration } = deployment.metadata;
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
  const status = { observedGeneration, ...counts, availableReplicas: replicas };
  return withValue(deployment, ["status"], status) as KubeObject;
}
