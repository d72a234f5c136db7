/** What keeps a Service from leading anywhere, whatever is behind it: another name that is gone, a port that it lacks. */
import type { Finding } from "../base/findings";
import { asString } from "../base/values";
import type { Namespace, Pod, Service, ServicePort } from "../kube/models";
import { objectLabel, readName } from "../kube/objects";
import type { LeftMarks } from "../kube/owners";
import type { Names } from "../names/names";
import type { CalledService } from "./configuration";
import { listSelected } from "./endpoints";
import { webhookFinding } from "./findings";
import { findListeningPort } from "./ports";
import { byPatch, readTarget, seeObject } from "./service";

/** What was read beside the Service; a list that is not known is undefined. */
interface Beside {
  readonly names: Names;
  /** Of the Service. */
  readonly namespace: string;
  readonly lists: {
    readonly namespaces?: readonly Namespace[] | undefined;
    readonly services?: readonly Service[] | undefined;
    readonly pods?: readonly Pod[] | undefined;
  };
  /** The objects whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/** `name.namespace.svc`, with the domain of the cluster or without. */
const serviceName = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.|$)/;

/** `https://service.namespace.svc:443/path` */
export const serviceUrl =
  /^https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\.[a-z0-9.-]*)?(?::(\d+))?(?:\/|$)/;

/** The Service of the cluster that this one is another name of; undefined for any other. */
export function readAlias({ spec }: Service): CalledService | undefined {
  if (spec?.type !== "ExternalName") return undefined;
  const target = asString(spec.externalName) ?? "";
  const [, name, namespace] = serviceName.exec(target) ?? [];
  return name === undefined || namespace === undefined ? undefined : { name, namespace };
}

/** Of another name only one of the cluster's own is known to lead anywhere. */
export function judgeAlias(service: Service, beside: Beside): Finding | undefined {
  const alias = readAlias(service);
  const missing = alias && findMissing(alias, beside);
  if (missing === undefined) return undefined;
  const target = String(service.spec?.externalName);
  return webhookFinding("serviceMissing", {
    object: objectLabel(service),
    field: "spec.externalName",
    cause: `it is another name of ${target}, and ${missing} does not exist: every call would fail`,
    remedies: [
      seeObject(
        "save the Service, delete it and apply the one of the release with upgrade-operator --release SOURCE",
        service,
      ),
    ],
  });
}

function findMissing(
  { name, namespace: place }: CalledService,
  { namespace, lists }: Beside,
): string | undefined {
  const { namespaces, services } = lists;
  if (place !== namespace) {
    const isGone = namespaces?.some((one) => readName(one) === place) === false;
    return isGone ? `namespace ${place}` : undefined;
  }
  const isGone = services?.some((one) => readName(one) === name) === false;
  return isGone ? `Service ${place}/${name}` : undefined;
}

/** Adds the port where the Service has others for other things, and changes the only one. */
export function reportMissingPort(
  { service, ports }: { readonly service: Service; readonly ports: readonly ServicePort[] },
  port: ServicePort["port"],
  { lists, names, left }: Beside,
): Finding {
  const [first] = ports;
  const same = ports.findIndex((one) => one.port === port);
  const [pod] = listSelected(service, lists.pods) ?? [];
  const targetPort = (pod && findListeningPort(pod, names)) ?? readTarget(first);
  const operation =
    same >= 0
      ? { op: "add", path: `/spec/ports/${same}/protocol`, value: "TCP" }
      : ports.length === 1
        ? { op: "replace", path: "/spec/ports/0/port", value: port }
        : { op: "add", path: "/spec/ports/-", value: { name: "webhook", port, targetPort } };
  const has = ports.map((one) => String(one.port)).join(", ");
  return webhookFinding("servicePort", {
    object: objectLabel(service),
    field: "spec.ports",
    cause:
      same >= 0
        ? `its port ${String(port)} is not one of TCP: every call fails`
        : `port ${String(port)} is called, it has ${has}: every call fails`,
    remedies: [
      byPatch("give the Service the port that is called", service, { patch: [operation], left }),
    ],
  });
}
