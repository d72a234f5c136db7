/** Who answers behind a Service: its name, its port and its selector decide, as in a cluster. */
import { kinds } from "../domain/kube/kinds";
import { selects } from "../domain/kube/selectors";
import type { Names } from "../domain/names/names";
import { asString } from "../domain/base/values";
import type { Endpoint, PodTemplate, Service } from "../domain/kube/models";
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
  service: Service | undefined,
  { port }: Called,
): { readonly refused: string } {
  const address = asString(service?.spec?.clusterIP) ?? "10.96.0.1";
  return { refused: `dial tcp ${address}:${port}: connect: connection refused` };
}

/** Endpoints that are ready, with an address each; undefined where no slice tells of the Service. */
function readyIn({ namespace, name }: Called, state: StateView): readonly Endpoint[] | undefined {
  const slices = state
    .list(kinds.endpointSlice, namespace)
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
  if (slices.length === 0) return undefined;
  return slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .filter(({ addresses }) => (addresses ?? []).length > 0);
}

function operatorTemplate(
  state: StateView,
  { namespace, names }: Pick<Played, "namespace" | "names">,
): PodTemplate | undefined {
  const deployment = state.get(kinds.deployment, names.operator.deployment, namespace);
  return deployment?.spec?.template ?? undefined;
}

/** Whether the selector means the operator's pods; undefined where nothing tells. */
function isSelecting(
  service: Service | undefined,
  template: PodTemplate | undefined,
): boolean | undefined {
  const selector = service?.spec?.selector ?? {};
  if (Object.keys(selector).length === 0 || template === undefined) return undefined;
  return selects({ matchLabels: selector }, template.metadata?.labels ?? {});
}

/** Whether the port leads to one that the admission container opens; one that tells of none opens any. */
function isListening(
  service: Service | undefined,
  { port }: Called,
  { template, names }: { readonly template: PodTemplate | undefined; readonly names: Names },
): boolean {
  const entry = service?.spec?.ports?.find((one) => one.port === port);
  const target = entry?.targetPort ?? port;
  const { admissionContainer } = names.operator;
  const own = template?.spec?.containers?.find(({ name }) => name === admissionContainer);
  const open = own?.ports ?? [];
  if (open.length === 0) return true;
  return open.some(({ containerPort, name }) => [containerPort, name].includes(target));
}

/** A pod that is known and has no admission container answers nobody. */
function isPodListening({ targetRef }: Endpoint, state: StateView, names: Names): boolean {
  const pod = state.get(kinds.pod, targetRef?.name ?? "", targetRef?.namespace ?? undefined);
  if (pod === undefined) return true;
  const { admissionContainer } = names.operator;
  return pod.spec?.containers?.some(({ name }) => name === admissionContainer) === true;
}
