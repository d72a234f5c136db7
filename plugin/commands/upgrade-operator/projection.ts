/** The cluster once the operator is upgraded, for what is planned after it. */
import type { Deployment, Pod } from "../../domain/kube/models";
import type { PlannedChange } from "../../domain/kube/change";
import { nameAwaited } from "../../domain/base/awaited";
import { operatorRelease, withOperator } from "../../domain/engine-cluster/operator";
import type { Facts } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, refTo } from "../../domain/kube/objects";
import { selects } from "../../domain/kube/selectors";
import { countReplicas, isThere } from "../../domain/rollout/deployment";
import { listImages } from "../../domain/operator/wanted";
import { isObject, sameJson, withValue } from "../../domain/base/values";
import { isSameRelease } from "../../domain/base/versions";
import {
  projectWrites,
  joinProjections,
  type Projection,
  unchanged,
} from "../../kernel/projection";
import { isKind } from "../../domain/kube/typed";

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

function isOperatorsOwn(
  object: KubeObject,
  { names, namespace }: Facts,
): object is KubeObject & Deployment {
  const { metadata } = object;
  return (
    isKind(object, "Deployment") &&
    metadata.name === names.operator.deployment &&
    metadata.namespace === namespace
  );
}

function deploymentsIn(facts: Facts): readonly Deployment[] {
  return facts.objects.deployments.filter((object) => isOperatorsOwn(object, facts));
}

/** The operator's pods, as far as its Deployment of today selects them. */
function listPods(facts: Facts, isMeant: (pod: Pod) => boolean): readonly Pod[] {
  const selectors = deploymentsIn(facts).map((one) => one.spec?.selector);
  return facts.objects.pods.filter(
    (pod) =>
      pod.metadata.namespace === facts.namespace &&
      selectors.some((selector) => selects(selector, pod.metadata.labels ?? {})) &&
      isMeant(pod),
  );
}

/** A pod of an earlier run's template may be there still, although nothing is left to write. */
function runs({ spec }: Pod, deployment: KubeObject): boolean {
  const wanted = listImages(deployment);
  return (spec?.containers ?? []).every(({ name, image }) => wanted.get(String(name)) === image);
}

function isOtherTemplate(wanted: Deployment, live: Deployment | undefined): boolean {
  return !sameJson(wanted.spec?.template, live?.spec?.template);
}

function isReady(deployment: Deployment): boolean {
  const counts = countReplicas(deployment);
  return counts.observed >= counts.generation && counts.wanted > 0 && isThere(counts);
}

function readyNow(deployment: Deployment): Deployment {
  const replicas = deployment.spec?.replicas ?? 1;
  const { generation: observedGeneration } = deployment.metadata;
  const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas };
  const status = { observedGeneration, ...counts, availableReplicas: replicas };
  return { ...deployment, status };
}
