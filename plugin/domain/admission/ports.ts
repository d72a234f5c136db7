/** Whether what a Service selects listens where the Service sends to (Facts 4.5). */
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel } from "../kube/objects";
import { selects } from "../kube/selectors";
import { type Names } from "../names/names";
import { asArray, few, getOwn, getPath, isObject, renderValue } from "../base/values";
import { webhookFinding } from "./findings";
import {
  listContainers,
  lineOn,
  opens,
  ownerBeside,
  patchLine,
  listPorts,
  readTarget,
} from "./service";

/** A Service with the pods that it selects, and one of its ports. */
export interface Selection {
  readonly service: KubeObject;
  readonly port: unknown;
  readonly pods: readonly KubeObject[];
  /** Those of the namespace, to tell what makes a pod; undefined where they are not known. */
  readonly deployments: readonly KubeObject[] | undefined;
  readonly names: Names;
}

/** An error where no container of any pod opens the port that the Service sends to. */
export function judgeTarget({ service, port, pods, names }: Selection): Finding | undefined {
  const target = readTarget(port);
  const [first] = pods;
  if (first === undefined || pods.some((pod) => opens(pod, target) !== "no")) return undefined;
  const index = asArray(getPath(service, ["spec", "ports"])).indexOf(port);
  const path = `/spec/ports/${index}/targetPort`;
  const value = findListeningPort(first, names);
  return webhookFinding("targetPort", {
    object: objectLabel(service),
    field: `spec.ports[${index}].targetPort`,
    cause: `it sends to port ${renderValue(target)}, which no container of ${few(pods.map(objectLabel))} opens: every call would fail`,
    fix:
      value === undefined
        ? `send to the port on which the webhook listens; which ports the pod has: ${lineOn("describe pod", first)}`
        : `send to port ${value}, on which it listens${ownerBeside(service)}, with: ${patchLine(service, [{ op: "add", path, value }])}`,
  });
}

/** The port that the admission container declares, or the only one of the pod. */
export function findListeningPort(pod: KubeObject, names: Names): number | undefined {
  const containers = listContainers(pod);
  const own = containers.filter((one) => getOwn(one, "name") === names.operator.admissionContainer);
  const ports = (own.length > 0 ? own : containers).flatMap(listPorts);
  const [first] = ports;
  return ports.length === 1 && typeof first?.number === "number" ? first.number : undefined;
}

/** An error for each pod that does not listen, beside others that do: every call that meets it fails. */
export function judgeStrangers(selection: Selection): readonly Finding[] {
  const { service, port, pods, names } = selection;
  const target = readTarget(port);
  const right = pods.filter((pod) => opens(pod, target) === "yes");
  const meant = right.length > 0 ? right : pods.filter((pod) => hasAdmission(pod, names));
  const known = new Set(meant.flatMap(listContainers).map((one) => getOwn(one, "name")));
  const isStranger = (pod: KubeObject): boolean =>
    opens(pod, target) !== "yes" &&
    !listContainers(pod).some((container) => known.has(getOwn(container, "name")));
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
      fix: adviceOn(pod, selection, { meant: own, strangers }),
    }),
  );
}

/** Pods that listen on the port too, beside the webhook's, and have nothing of it: neither a container nor its Secret. */
function listOtherServers(
  { names }: Selection,
  listening: readonly KubeObject[],
): readonly KubeObject[] {
  const own = listening.filter((pod) => hasAdmission(pod, names));
  const known = new Set(own.flatMap(listContainers).map((one) => getOwn(one, "name")));
  const isOwn = (pod: KubeObject): boolean =>
    listContainers(pod).some((container) => known.has(getOwn(container, "name")));
  return own.length === 0
    ? []
    : listening.filter((pod) => !isOwn(pod) && !mountsSecret(pod, names.webhook.secret));
}

function mountsSecret(pod: KubeObject, secret: string): boolean {
  return asArray(getPath(pod, ["spec", "volumes"])).some(
    (volume) => getPath(volume, ["secret", "secretName"]) === secret,
  );
}

function hasAdmission(pod: KubeObject, { operator }: Names): boolean {
  return listContainers(pod).some((one) => getOwn(one, "name") === operator.admissionContainer);
}

/** What a controller gives to each of its pods by itself. */
const generated = ["pod-template-hash", "controller-revision-hash"];

function adviceOn(
  pod: KubeObject,
  { service, deployments = [] }: Selection,
  {
    meant,
    strangers,
  }: { readonly meant: readonly KubeObject[]; readonly strangers: readonly KubeObject[] },
): string {
  const labels = Object.entries(meant[0]?.metadata.labels ?? {});
  const carries = ({ metadata }: KubeObject, [key, value]: readonly [string, string]): boolean =>
    getOwn(metadata.labels, key) === value;
  const telling = labels
    .filter(([key]) => !generated.includes(key))
    .find(
      (pair) =>
        meant.every((one) => carries(one, pair)) && !strangers.some((one) => carries(one, pair)),
    );
  if (telling !== undefined) {
    const selector = Object.fromEntries([telling]);
    return `have the Service select the webhook's pods alone${ownerBeside(service)} with: ${patchLine(service, { spec: { selector } })}`;
  }
  const asked = getPath(service, ["spec", "selector"]);
  const key = Object.keys(isObject(asked) ? asked : {})[0] ?? "";
  if ((pod.metadata.ownerReferences ?? []).length === 0) {
    return `take the label off the pod with: ${lineOn("label pod", pod)} ${key}-`;
  }
  const makes = (deployment: KubeObject, one: KubeObject): boolean =>
    selects(getPath(deployment, ["spec", "selector"]), one.metadata.labels ?? {});
  // the webhook's own Deployment may select it, too
  const maker = deployments.find((one) => makes(one, pod) && !meant.some((own) => makes(one, own)));
  const where = maker === undefined ? "what makes it" : objectLabel(maker);
  return `give the pods of ${where} another value of the label ${key}, or move them to another namespace; whose they are: ${lineOn("describe pod", pod)}`;
}
