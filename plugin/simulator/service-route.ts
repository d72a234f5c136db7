/** Who answers behind a Service: its name, its port and its selector decide, as in a cluster. */
import { kinds } from "../domain/kube/kinds";
import { selects } from "../domain/kube/selectors";
import type { Names } from "../domain/names/names";
import { asArray, asString, getOwn, getPath, isObject } from "../domain/base/values";
import type { KubeObject } from "../ports/kubernetes";
import type { ServiceRoute } from "./admission/entries";
import type { StateView } from "./model";

/** Where the program listens, which starts it; undefined for want of a key pair. */
export interface Played {
  readonly namespace: string;
  readonly names: Names;
  readonly port: (() => Promise<number>) | undefined;
}

type Called = Parameters<ServiceRoute>[0];

/**
 * A Service of the operator's namespace leads to the program where it has the operator's name for it, or
 * selects the operator's pods. Of several ready endpoints each is called in turn; one of a pod that does
 * not listen refuses, and so does a Service that has none. What others run is not known.
 */
export function routeTo(played: Played): ServiceRoute {
  const { names, port } = played;
  const calls = new Map<string, number>();
  return async (service, state) => {
    const endpoints = readyIn(service, state);
    const refused = refuseConnection(
      state.get(kinds.service, service.name, service.namespace),
      service,
    );
    const leads = leadsToOperator(service, state, played);
    if (leads === undefined) return endpoints?.length === 0 ? refused : undefined;
    const call = calls.get(service.name) ?? 0;
    calls.set(service.name, call + 1);
    const called = leads ? endpoints?.[call % endpoints.length] : undefined;
    if (called === undefined || !isPodListening(called, state, names)) return refused;
    return port === undefined ? refused : { host: "127.0.0.1", port: await port() };
  };
}

/** Whether calls of a Service arrive at the operator's container; undefined for one that is not the operator's. */
function leadsToOperator(
  service: Called,
  state: StateView,
  played: Pick<Played, "namespace" | "names">,
): boolean | undefined {
  if (service.namespace !== played.namespace) return undefined;
  const stored = state.get(kinds.service, service.name, service.namespace);
  const template = operatorTemplate(state, played);
  const selected = isSelecting(stored, template);
  if (service.name !== played.names.webhook.service && selected !== true) return undefined;
  return selected !== false && isListening(stored, service, { template, names: played.names });
}

function refuseConnection(
  service: KubeObject | undefined,
  { port }: Called,
): { readonly refused: string } {
  const address = asString(getPath(service, ["spec", "clusterIP"])) ?? "10.96.0.1";
  return { refused: `dial tcp ${address}:${port}: connect: connection refused` };
}

/** Endpoints that are ready, with an address each; undefined where no slice tells of the Service. */
function readyIn({ namespace, name }: Called, state: StateView): readonly unknown[] | undefined {
  const slices = state
    .list(kinds.endpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
  if (slices.length === 0) return undefined;
  return slices
    .flatMap((slice) => asArray(getOwn(slice, "endpoints")))
    .filter((endpoint) => getPath(endpoint, ["conditions", "ready"]) !== false)
    .filter((endpoint) => asArray(getOwn(endpoint, "addresses")).length > 0);
}

function operatorTemplate(
  state: StateView,
  { namespace, names }: Pick<Played, "namespace" | "names">,
): unknown {
  const deployment = state.get(kinds.deployment, names.operator.deployment, namespace);
  return getPath(deployment, ["spec", "template"]);
}

/** Whether the selector means the operator's pods; undefined where nothing tells. */
function isSelecting(service: KubeObject | undefined, template: unknown): boolean | undefined {
  const selector = getPath(service, ["spec", "selector"]);
  if (!isObject(selector) || Object.keys(selector).length === 0 || template === undefined)
    return undefined;
  const labels = getPath(template, ["metadata", "labels"]);
  const known = isObject(labels) ? (labels as Readonly<Record<string, string>>) : {};
  return selects({ matchLabels: selector }, known);
}

/** Whether the port leads to one that the admission container opens; one that tells of none opens any. */
function isListening(
  service: KubeObject | undefined,
  { port }: Called,
  { template, names }: { readonly template: unknown; readonly names: Names },
): boolean {
  const entry = asArray(getPath(service, ["spec", "ports"])).find(
    (one) => getOwn(one, "port") === port,
  );
  const target = getOwn(entry, "targetPort") ?? port;
  const containers = asArray(getPath(template, ["spec", "containers"]));
  const own = containers.find((one) => getOwn(one, "name") === names.operator.admissionContainer);
  const open = asArray(getOwn(own, "ports"));
  if (open.length === 0) return true;
  return open.some((one) => [getOwn(one, "containerPort"), getOwn(one, "name")].includes(target));
}

/** A pod that is known and has no admission container answers nobody. */
function isPodListening(endpoint: unknown, state: StateView, names: Names): boolean {
  const name = asString(getPath(endpoint, ["targetRef", "name"]));
  const namespace = asString(getPath(endpoint, ["targetRef", "namespace"]));
  const pod = name === undefined ? undefined : state.get(kinds.pod, name, namespace);
  if (pod === undefined) return true;
  return asArray(getPath(pod, ["spec", "containers"])).some(
    (one) => getOwn(one, "name") === names.operator.admissionContainer,
  );
}
