/** Whether what a Service selects listens where the Service sends to (Facts 4.5). */
import { kubectl, type Remedy } from "../base/remedy";
import { withRemedies } from "../rollout/progress";
import type { Finding } from "../base/findings";
import type {
  Container,
  ContainerPort,
  Deployment,
  EndpointSlice,
  Pod,
  Service,
  ServicePort,
} from "../kube/models";
import { objectLabel } from "../kube/objects";
import type { LeftMarks } from "../kube/owners";
import { selects } from "../kube/selectors";
import { type Names } from "../names/names";
import { few, getOwn, renderValue } from "../base/values";
import { webhookFinding } from "./findings";
import {
  listContainers,
  byPatch,
  describeOne,
  opens,
  seeObject,
  wordsOn,
  listPorts,
  readTarget,
  isPort,
  type Target,
} from "./service";

/** A Service with the pods that it selects, and one of its ports. */
export interface Selection {
  readonly service: Service;
  readonly port: ServicePort | undefined;
  readonly pods: readonly Pod[];
  /** Those of the namespace, to tell what makes a pod; undefined where they are not known. */
  readonly deployments: readonly Deployment[] | undefined;
  readonly names: Names;
  /** The objects whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/** The same, or endpoints that a person made, of which no port of a Service is the one. */
type Sent = Omit<Selection, "service"> & { readonly service: EndpointSlice | Service };

/** An error where the port that the Service sends to is not the webhook's in some pod. */
export function judgeTarget({ service, port, pods, names, left }: Sent): Finding | undefined {
  const target = readTarget(port);
  const right = pods.filter((pod) => opens(pod, target) === "yes");
  const leads = (pod: Pod): Lead =>
    opensOther(pod, target, right) ? "no" : leadsTo(pod, target, names);
  const closed = pods.filter((pod) => leads(pod) === "no");
  const missed = closed.length > 0 ? closed : pods.filter((pod) => leads(pod) === "unlikely");
  const [first] = missed;
  if (first === undefined) return undefined;
  const ports = service.kind === "Service" ? service.spec?.ports : undefined;
  const index = ports?.findIndex((one) => one === port);
  const path = `/spec/ports/${String(index)}/targetPort`;
  const value = findCommonPort(pods, names);
  const calls =
    missed.length < pods.length ? "every call that it gets fails" : "every call would fail";
  const but = closed.length > 0 ? "" : "unless a container that says no port listens there, ";
  return webhookFinding("targetPort", {
    ...(closed.length === 0 && { severity: "warning" }),
    object: objectLabel(service),
    field: `spec.ports[${String(index)}].targetPort`,
    cause: `it sends to port ${renderValue(target)}, ${describeMiss(missed, target, names)}${describePort(value)}: ${but}${calls}`,
    remedies: [
      value === undefined
        ? describeOne("send to the port on which the webhook listens", first)
        : sendTo(value, service, { patch: [{ op: "add", path, value }], left }),
    ],
  });
}

/** Endpoints that a person made, and the pods that have their addresses. */
export interface Addressed {
  readonly slices: readonly EndpointSlice[];
  readonly pods: readonly Pod[];
  readonly names: Names;
  readonly left?: LeftMarks | undefined;
}

/** An error where such an endpoint leads to a port that its pod does not open. */
export function judgeAddressed({ slices, pods, names, left }: Addressed): Finding | undefined {
  for (const slice of slices) {
    const [port, ...others] = slice.ports ?? [];
    const number = port?.port;
    const reached = listAddressed([slice], pods);
    if (number === undefined || others.length > 0) continue;
    const finding = judgeTarget({
      ...{ service: slice, port: { targetPort: number }, pods: reached },
      ...{ deployments: undefined, names },
    });
    if (finding === undefined) continue;
    const value = findCommonPort(reached, names);
    const patch = [{ op: "replace", path: "/ports/0/port", value }];
    const remedy =
      typeof value === "number"
        ? sendTo(value, slice, { patch, left })
        : seeObject("send to the port on which the webhook listens", slice);
    return { ...finding, field: "ports[0].port", ...withRemedies(remedy) };
  }
  return undefined;
}

function sendTo(
  port: Target,
  object: EndpointSlice | Service,
  how: Parameters<typeof byPatch>[2],
): Remedy {
  return byPatch(`send to port ${String(port)}, on which it listens`, object, how);
}

/** The pods that have the addresses of endpoints. */
export function listAddressed(
  slices: readonly EndpointSlice[],
  pods: readonly Pod[] | undefined = [],
): readonly Pod[] {
  const endpoints = slices.map((slice) => slice.endpoints);
  return pods.filter(({ status }) =>
    endpoints.some((all) =>
      all?.some(({ addresses }) => addresses?.includes(String(status?.podIP))),
    ),
  );
}

/** True where what opens the port in another pod says another port here. */
function opensOther(pod: Pod, target: Target, right: readonly Pod[]): boolean {
  const isTarget = (port: ContainerPort): boolean => isPort(port, target);
  const servers = right
    .flatMap(listContainers)
    .filter((container) => listPorts(container).some(isTarget))
    .map(({ name }) => name);
  return listContainers(pod)
    .filter(({ name }) => servers.includes(name))
    .map(listPorts)
    .some((ports) => ports.length > 0 && !ports.some(isTarget));
}

/** `unlikely`: the webhook's container says other ports, and one beside it says none and may listen there. */
type Lead = ReturnType<typeof opens> | "unlikely";

/** As `opens`; a name leads to the first container that has it, which may be one beside the webhook's. */
function leadsTo(pod: Pod, target: Target, names: Names): Lead {
  if (findNamesake(pod, target, names) !== undefined) return "no";
  const open = opens(pod, target);
  const containers = listContainers(pod);
  const own = containers.filter((one) => isAdmission(one, names)).flatMap(listPorts);
  if (open !== "unknown" || own.length === 0) return open;
  const maySay = containers.filter((one) => listPorts(one).length === 0);
  // the operator itself, which says no port either, serves no webhook
  const isOperator = ({ name }: Container): boolean => name === names.operator.container;
  return maySay.every(isOperator) ? "no" : "unlikely";
}

function describePort(value: Target): string {
  return value === undefined ? "" : `, and the webhook listens on ${renderValue(value)}`;
}

/** The container that takes the calls in the place of the webhook's, which has the same name for another port. */
function findNamesake(pod: Pod, target: Target, names: Names): Container | undefined {
  const named = listContainers(pod).flatMap((container) =>
    listPorts(container)
      .filter(({ name }) => name === target)
      .map(({ containerPort: number }) => ({
        container,
        number,
        isOwn: isAdmission(container, names),
      })),
  );
  const [first] = named;
  const own = named.find(({ isOwn }) => isOwn);
  return own === undefined || first?.number === own.number ? undefined : first?.container;
}

function describeMiss(pods: readonly Pod[], target: Target, names: Names): string {
  const shown = few(pods.map(objectLabel));
  const [other] = pods.flatMap((pod) => findNamesake(pod, target, names) ?? []);
  return other === undefined
    ? `which no container of ${shown} opens`
    : `which container ${String(other.name)} has before the webhook's in ${shown}`;
}

/** By which all pods are reached: a number, or a name where the numbers differ. */
function findCommonPort(pods: readonly Pod[], names: Names): Target {
  const [number, ...numbers] = pods.map((pod) => findListeningPort(pod, names));
  if (numbers.every((one) => one === number)) return number;
  const [name, ...others] = pods.map((pod) => listOwnPorts(pod, names)[0]?.name);
  return typeof name === "string" && others.every((one) => one === name) ? name : undefined;
}

/** The port that the admission container declares, or the only one of the pod. */
export function findListeningPort(pod: Pod, names: Names): Target {
  const ports = listOwnPorts(pod, names);
  const [first] = ports;
  return ports.length === 1 ? first?.containerPort : undefined;
}

/** Of the admission container, else of all. */
function listOwnPorts(pod: Pod, names: Names): readonly ContainerPort[] {
  const containers = listContainers(pod);
  const own = containers.filter((one) => isAdmission(one, names));
  return (own.length > 0 ? own : containers).flatMap(listPorts);
}

function isAdmission({ name }: Container, { operator }: Names): boolean {
  return name === operator.admissionContainer;
}

/** An error for each pod that does not listen, beside others that do: every call that meets it fails. */
export function judgeStrangers(selection: Selection): readonly Finding[] {
  const { service, port, pods, names } = selection;
  const target = readTarget(port);
  const right = pods.filter((pod) => opens(pod, target) === "yes");
  const meant = right.length > 0 ? right : pods.filter((pod) => hasAdmission(pod, names));
  const isStranger = (pod: Pod): boolean =>
    opens(pod, target) !== "yes" && !hasContainerOf(pod, meant);
  if (meant.length === 0) return [];
  const others = listOtherServers(selection, right);
  const strangers = [...pods.filter(isStranger), ...others];
  const own = meant.filter((pod) => !others.includes(pod));
  return strangers.map((pod) =>
    webhookFinding("strangerPod", {
      object: objectLabel(pod),
      field: "metadata.labels",
      cause: `${objectLabel(service)} selects it by its labels, and ${
        others.includes(pod)
          ? "what listens in it is not the webhook, whose containers and Secret it does not have"
          : `none of its containers opens port ${renderValue(target)}`
      }: every call that it gets fails`,
      remedies: [adviceOn(pod, selection, { meant: own, strangers })],
    }),
  );
}

/** Pods that listen on the port too, beside the webhook's, and have nothing of it: neither a container nor its Secret. */
function listOtherServers({ names }: Selection, listening: readonly Pod[]): readonly Pod[] {
  const own = listening.filter((pod) => hasAdmission(pod, names));
  return own.length === 0
    ? []
    : listening.filter(
        (pod) => !hasContainerOf(pod, own) && !mountsSecret(pod, names.webhook.secret),
      );
}

/** True where one of its containers has the name of one of theirs. */
function hasContainerOf(pod: Pod, others: readonly Pod[]): boolean {
  const known = new Set(others.flatMap(listContainers).map(({ name }) => name));
  return listContainers(pod).some(({ name }) => known.has(name));
}

function mountsSecret({ spec }: Pod, name: string): boolean {
  return spec?.volumes?.some(({ secret }) => secret?.secretName === name) === true;
}

function hasAdmission(pod: Pod, names: Names): boolean {
  return listContainers(pod).some((one) => isAdmission(one, names));
}

/** What a controller gives to each of its pods by itself. */
const generated = ["pod-template-hash", "controller-revision-hash"];

function adviceOn(
  pod: Pod,
  { service, deployments = [], left }: Selection,
  { meant, strangers }: { readonly meant: readonly Pod[]; readonly strangers: readonly Pod[] },
): Remedy {
  const labels = Object.entries(meant[0]?.metadata.labels ?? {});
  const carries = ({ metadata }: Pod, [key, value]: readonly [string, string]): boolean =>
    getOwn(metadata.labels, key) === value;
  const telling = labels
    .filter(([key]) => !generated.includes(key))
    .find(
      (pair) =>
        meant.every((one) => carries(one, pair)) && !strangers.some((one) => carries(one, pair)),
    );
  if (telling !== undefined) {
    const selector = Object.fromEntries([telling]);
    const patch = { spec: { selector } };
    return byPatch("have the Service select only the webhook's pods", service, { patch, left });
  }
  const key = Object.keys(service.spec?.selector ?? {})[0] ?? "";
  if ((pod.metadata.ownerReferences ?? []).length === 0) {
    return kubectl("take the label off the pod", ...wordsOn("label", pod, `${key}-`));
  }
  const makes = ({ spec }: Deployment, one: Pod): boolean =>
    selects(spec?.selector, one.metadata.labels ?? {});
  // the webhook's own Deployment may select it, too
  const maker = deployments.find((one) => makes(one, pod) && !meant.some((own) => makes(one, own)));
  const where = maker === undefined ? "what makes it" : objectLabel(maker);
  const says = `give the pods of ${where} another value of the label ${key}, or move them to another namespace`;
  return describeOne(says, pod);
}
