/** Why nothing is behind a Service: its selector, the pods that it finds, and those that it misses (Facts 4.5). */
import type { Finding } from "../base/findings";
import { isDeleting } from "../kube/deletion";
import { type KubeObject, nameOf, namespaceOf, objectLabel } from "../kube/objects";
import { ownerOf } from "../kube/owners";
import { podTrouble } from "../rollout/stateful-set";
import { asArray, bounded, few, getOwn, getPath, isObject, sameJson } from "../base/values";
import { webhookFinding } from "./findings";

/** A Service without a ready endpoint, and what runs beside it. */
export interface EndpointFacts {
  readonly service: KubeObject;
  /** Those of its namespace; undefined where they could not be read. */
  readonly pods?: readonly KubeObject[] | undefined;
  /** Deployments whose pods it may select. */
  readonly deployments?: readonly KubeObject[] | undefined;
}

/** One key of a selector with the value that it asks for. */
type Asked = readonly [key: string, value: string];

/** What keeps the Service without endpoints, and the command that changes it. */
export function judgeEndpoints(facts: EndpointFacts): Finding {
  const { service } = facts;
  return webhookFinding("noEndpoints", { object: objectLabel(service), ...explain(facts) });
}

type Explanation = Pick<Finding, "cause" | "fix"> & Partial<Pick<Finding, "field">>;

function explain({ service, pods, deployments = [] }: EndpointFacts): Explanation {
  const asked = askedBy(service);
  if (asked.length === 0) {
    return {
      field,
      cause: "the Service has no selector, so that no pod is behind it: every call would fail",
      fix: "give it the selector of the release with: upgrade-operator --release SOURCE",
    };
  }
  if (pods === undefined) return plain;
  const alive = pods.filter((pod) => !isDeleting(pod) && !isOver(pod));
  const selected = alive.filter((pod) => lacks(labelsOf(pod), asked).length === 0);
  if (selected.length > 0) return explainSelected(selected);
  const workload = deployments.find(
    (one) => lacks(getPath(one, templateLabels), asked).length === 0,
  );
  if (workload !== undefined) return explainWorkload(workload);
  return explainSelector(service, asked, alive);
}

const field = "spec.selector";
const templateLabels = ["spec", "template", "metadata", "labels"];

const plain: Explanation = {
  cause: "the Service has no ready endpoint: every call would fail",
  fix: "restart the pod behind the Service and wait for it, or run again with --wait",
};

function askedBy(service: KubeObject): readonly Asked[] {
  const selector = getPath(service, ["spec", "selector"]);
  return Object.entries(isObject(selector) ? selector : {}).map(([key, value]) => [
    key,
    String(value),
  ]);
}

function labelsOf({ metadata }: KubeObject): unknown {
  return metadata.labels;
}

/** What the selector asks for and the labels do not have. */
function lacks(labels: unknown, asked: readonly Asked[]): readonly Asked[] {
  return asked.filter(([key, value]) => getOwn(labels, key) !== value);
}

/** A pod that has ended is no endpoint, whatever its labels. */
function isOver(pod: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(String(getPath(pod, ["status", "phase"])));
}

function explainSelected(selected: readonly KubeObject[]): Explanation {
  const troubled = selected.map((pod) => ({ pod, trouble: podTrouble(pod) }));
  for (const { pod, trouble } of troubled) {
    if (trouble === undefined) continue;
    return {
      cause: `the Service has no ready endpoint, ${objectLabel(pod)} behind it is not ready (${trouble.because}): every call would fail`,
      fix: `repair the pod and wait for it, or run again with --wait; what keeps it: ${lineOn("describe pod", pod)}`,
    };
  }
  return {
    cause: `the Service has no endpoint, although its selector finds ${few(selected.map(objectLabel))}, which is ready: every call would fail`,
    fix: `run again in a minute, or with --wait; if it stays so, replace what is behind it with: ${selected.map((pod) => lineOn("delete pod", pod))[0]}`,
  };
}

function explainWorkload(workload: KubeObject): Explanation {
  return {
    cause: `the Service has no endpoint, ${objectLabel(workload)}, whose pods its selector finds, has none: every call would fail`,
    fix: `have its pods started and wait for them, or run again with --wait; what keeps them: ${lineOn("describe deployment", workload)}`,
  };
}

/** No pod has all that the selector asks for. */
function explainSelector(
  service: KubeObject,
  asked: readonly Asked[],
  pods: readonly KubeObject[],
): Explanation {
  const near = nearestTo(service, asked, pods);
  const [first] = near;
  const isCarried = (pair: Asked): boolean =>
    pods.some((pod) => lacks(labelsOf(pod), [pair]).length === 0);
  if (first === undefined) {
    const missing = asked.filter((pair) => !isCarried(pair));
    const shown = renderPairs(missing.length === 0 ? asked : missing);
    return {
      field,
      cause: `the Service has no endpoint: its selector asks for ${shown}, which no pod carries: every call would fail`,
      fix: `start the pod that carries it, or give the Service the selector of the release with upgrade-operator --release SOURCE; what runs there: kubectl get pods --show-labels --namespace=${namespaceOf(service)}`,
    };
  }
  const stale = lacks(labelsOf(first), asked);
  const whose = stale.some(isCarried) ? `${nameOf(first)} does not carry` : "no pod carries";
  const owner = ownerOf(service);
  const beside = owner === undefined ? "" : ` (${owner.name} owns the Service: ${owner.way})`;
  const selector = Object.fromEntries(stale.map(([key]) => [key, null]));
  const patch = JSON.stringify({ spec: { selector } });
  return {
    field,
    cause: `the Service has no endpoint: its selector asks for ${renderPairs(stale)}, which ${whose}; without it ${few(near.map(objectLabel))} would match: every call would fail`,
    fix: `take it out of the selector${beside} with: ${lineOn("patch service", service)} --type=merge --patch='${patch}'`,
  };
}

/** The pods that meet most of the selector and may listen where the Service sends to; of one kind. */
function nearestTo(
  service: KubeObject,
  asked: readonly Asked[],
  pods: readonly KubeObject[],
): readonly KubeObject[] {
  const missing = new Map<KubeObject, readonly Asked[]>(
    pods
      .filter((pod) => mayListen(pod, service))
      .map((pod) => [pod, lacks(labelsOf(pod), asked)] as const)
      .filter(([, lacked]) => lacked.length < asked.length),
  );
  const fewest = Math.min(...[...missing.values()].map(({ length }) => length));
  const [best] = [...missing.values()].filter(({ length }) => length === fewest);
  return [...missing].flatMap(([pod, lacked]) => (sameJson(lacked, best) ? [pod] : []));
}

/** A pod that says where it listens, and names none of the ports that the Service sends to, is another one's. */
function mayListen(pod: KubeObject, service: KubeObject): boolean {
  const ports = asArray(getPath(pod, ["spec", "containers"])).flatMap((container) =>
    asArray(getOwn(container, "ports")),
  );
  const targets = asArray(getPath(service, ["spec", "ports"])).map(
    (port) => getOwn(port, "targetPort") ?? getOwn(port, "port"),
  );
  const isTarget = (port: unknown): boolean =>
    ["containerPort", "name"].some((key) => targets.includes(getOwn(port, key)));
  return ports.length === 0 || targets.length === 0 || ports.some(isTarget);
}

function renderPairs(pairs: readonly Asked[]): string {
  return bounded(pairs.map(([key, value]) => `${key}=${value}`));
}

function lineOn(act: string, object: KubeObject): string {
  return `kubectl ${act} ${nameOf(object)} --namespace=${namespaceOf(object)}`;
}
