/** A Service and the pods behind it: where they listen, and the lines that change them. */
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { chooseCause, findLivingOwner, type LeftMarks } from "../kube/owners";
import { asArray, getOwn, getPath } from "../base/values";

/** A port that a container declares. */
interface Declared {
  readonly name: unknown;
  readonly number: unknown;
}

/** A pod that has ended is no endpoint, whatever its labels. */
export function isOver(pod: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(String(getPath(pod, ["status", "phase"])));
}

/** The containers of a pod; those that stay beside the others are among the init containers. */
export function listContainers(pod: KubeObject): readonly unknown[] {
  const sidecars = asArray(getPath(pod, ["spec", "initContainers"])).filter(
    (one) => getOwn(one, "restartPolicy") === "Always",
  );
  return [...asArray(getPath(pod, ["spec", "containers"])), ...sidecars];
}

/** The TCP ports that a container declares. */
export function listPorts(container: unknown): readonly Declared[] {
  return asArray(getOwn(container, "ports"))
    .filter(isTcp)
    .map((port) => ({ name: getOwn(port, "name"), number: getOwn(port, "containerPort") }));
}

/** Where the kubelet asks whether a container is ready: something answers there in a pod that is. */
function listProbedPorts(container: unknown): readonly unknown[] {
  return ["httpGet", "tcpSocket", "grpc"].map((how) =>
    getPath(container, ["readinessProbe", how, "port"]),
  );
}

/** True for a port of TCP, which an absent protocol stands for. */
export function isTcp(port: unknown): boolean {
  return (getOwn(port, "protocol") ?? "TCP") === "TCP";
}

/** Where a port of a Service leads to: a number, or the name of a container's port. */
export function readTarget(port: unknown): unknown {
  return getOwn(port, "targetPort") ?? getOwn(port, "port");
}

/**
 * Whether a pod opens a port. A number may be open without being declared; a name that no
 * container declares leads nowhere.
 */
export function opens(pod: KubeObject, target: unknown): "yes" | "no" | "unknown" {
  const containers = listContainers(pod);
  const declared = containers.map(listPorts);
  if (declared.flat().some(({ name, number }) => name === target || number === target))
    return "yes";
  if (containers.some((one) => listProbedPorts(one).includes(target))) return "yes";
  if (typeof target === "string") return "no";
  return declared.some((ports) => ports.length === 0) ? "unknown" : "no";
}

/** A pod that says where it listens, and names none of the ports that the Service sends to, is another one's. */
export function mayListen(pod: KubeObject, service: KubeObject): boolean {
  const declared = listContainers(pod).flatMap(listPorts);
  const targets = asArray(getPath(service, ["spec", "ports"])).map(readTarget);
  return (
    declared.length === 0 ||
    targets.length === 0 ||
    declared.some(({ name, number }) => targets.includes(name) || targets.includes(number))
  );
}

/** A line of kubectl on an object of a namespace. */
export function lineOn(act: string, object: KubeObject): string {
  return `kubectl ${act} ${readName(object)} --namespace=${readNamespace(object)}`;
}

/** The line that changes an object by a patch: merged, or as operations. */
export function patchLine(object: KubeObject, patch: object): string {
  const type = Array.isArray(patch) ? "json" : "merge";
  const line = lineOn(`patch ${object.kind.toLowerCase()}`, object);
  return `${line} --type=${type} --patch='${JSON.stringify(patch)}'`;
}

/** Whoever else owns the object, and its own way, between the words of a fix; "" where nobody does any more. */
export function ownerBeside(object: KubeObject, left: LeftMarks | undefined): string {
  const owner = findLivingOwner(object, left);
  if (owner === undefined) return "";
  return ` (${chooseCause(owner, `${owner.name} owns the ${object.kind}`)}: ${owner.way})`;
}
