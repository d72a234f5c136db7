/** A Service and the pods behind it: where they listen, and the commands that change them. */
import { kubectl, look, type Remedy } from "../base/remedy";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { chooseCause, findLivingOwner, type LeftMarks } from "../kube/owners";
import type { Container, ContainerPort, Pod, Service, ServicePort } from "../kube/models";

/** Where a port of a Service leads to: a number, or the name of a container's port. */
export type Target = ServicePort["targetPort"];

/** A pod that has ended is no endpoint, whatever its labels. */
export function isOver({ status }: Pod): boolean {
  return ["Succeeded", "Failed"].includes(String(status?.phase));
}

/** The containers of a pod; those that stay beside the others are among the init containers. */
export function listContainers({ spec }: Pod): readonly Container[] {
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [spec?.containers, sidecars].flatMap((containers) => containers ?? []);
}

/** The TCP ports that a container declares. */
export function listPorts({ ports }: Container): readonly ContainerPort[] {
  return ports?.filter(isTcp) ?? [];
}

/** Where the kubelet asks whether a container is ready: something answers there in a pod that is. */
function listProbedPorts({ readinessProbe }: Container): readonly Target[] {
  const { httpGet, tcpSocket, grpc } = readinessProbe ?? {};
  return [httpGet, tcpSocket, grpc].map((how) => how?.port);
}

/** True for a port of TCP, which an absent protocol stands for. */
export function isTcp({ protocol }: Pick<ServicePort, "protocol">): boolean {
  return (protocol ?? "TCP") === "TCP";
}

/** Where a port of a Service leads to. */
export function readTarget(port: ServicePort | undefined): Target {
  return port?.targetPort ?? port?.port;
}

/**
 * Whether a pod opens a port. A number may be open without being declared; a name that no
 * container declares leads nowhere.
 */
export function opens(pod: Pod, target: Target): "yes" | "no" | "unknown" {
  const containers = listContainers(pod);
  const declared = containers.map(listPorts);
  if (declared.flat().some((port) => isPort(port, target))) return "yes";
  if (containers.some((one) => listProbedPorts(one).includes(target))) return "yes";
  if (typeof target === "string") return "no";
  return declared.some((ports) => ports.length === 0) ? "unknown" : "no";
}

/** True for a port of that number or name. */
export function isPort({ name, containerPort }: ContainerPort, target: Target): boolean {
  return name === target || containerPort === target;
}

/** A pod that says where it listens, and names none of the ports that the Service sends to, is another one's. */
export function mayListen(pod: Pod, { spec }: Service): boolean {
  const declared = listContainers(pod).flatMap(listPorts);
  const targets = (spec?.ports ?? []).map(readTarget);
  return (
    declared.length === 0 ||
    targets.length === 0 ||
    declared.some((port) => targets.some((target) => isPort(port, target)))
  );
}

/** Words of kubectl on an object of a namespace. */
export function wordsOn(
  act: string,
  object: KubeObject,
  ...more: readonly string[]
): readonly string[] {
  const kind = object.kind.toLowerCase();
  return [act, kind, readName(object), `--namespace=${readNamespace(object)}`, ...more];
}

/** A remedy of an object by a patch: merged, or as operations. Whoever else owns the object is named. */
export function byPatch(
  says: string,
  object: KubeObject,
  { patch, left }: { readonly patch: object; readonly left: LeftMarks | undefined },
): Remedy {
  const type = Array.isArray(patch) ? "json" : "merge";
  const words = wordsOn("patch", object, `--type=${type}`, `--patch=${JSON.stringify(patch)}`);
  return kubectl(`${says}${ownerBeside(object, left)}`, ...words);
}

/** What a person does, with the object as it is. */
export function seeObject(says: string, object: KubeObject): Remedy {
  return look(says, ...wordsOn("get", object, "-o", "yaml"));
}

/** What a person does, with what kubectl tells of an object. */
export function describeOne(says: string, object: KubeObject): Remedy {
  return look(says, ...wordsOn("describe", object));
}

/** Whoever else owns the object, and its own way, between the words of a fix; "" where nobody does any more. */
export function ownerBeside(object: KubeObject, left: LeftMarks | undefined): string {
  const owner = findLivingOwner(object, left);
  if (owner === undefined) return "";
  return ` (${chooseCause(owner, `${owner.name} owns the ${object.kind}`)}: ${owner.way})`;
}
