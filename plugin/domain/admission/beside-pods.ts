/**
 * What stands beside the pods of the webhook: the proxy of a mesh, which may refuse the API server, and a budget that
 * lets none of them be evicted. Neither proves that calls fail (admission facts 2; domain facts 11).
 */
import type { Finding } from "../base/findings";
import { type Facts, factNamed } from "../facts/facts";
import type { Deployment, Pod, Service } from "../kube/models";
import { objectLabel } from "../kube/objects";
import { selects } from "../kube/selectors";
import { findEvictionHeld } from "../rollout/budgets";
import { isReady } from "../rollout/pod-causes";
import { type EntryInForce, readServiceName, readServiceNamespace } from "./configuration";
import { describeConsequence, policiesOf } from "./consequence";
import { listSelected } from "./endpoints";
import { webhookFinding } from "./findings";
import { findPortNumber } from "./network";
import {
  byPatch,
  describeOne,
  isTcp,
  listContainers,
  readTarget,
  seeObject,
  type Target,
} from "./service";

/** The proxy of a mesh, by the name of its container, and the annotation of ports that it leaves alone. */
const proxies: Readonly<Record<string, { readonly mesh: string; readonly skips: string }>> = {
  "istio-proxy": { mesh: "Istio", skips: "traffic.sidecar.istio.io/excludeInboundPorts" },
  "linkerd-proxy": { mesh: "Linkerd", skips: "config.linkerd.io/skip-inbound-ports" },
  "kuma-sidecar": { mesh: "Kuma", skips: "traffic.kuma.io/exclude-inbound-ports" },
};

/** A ready pod that an entry calls, with the port of its Service. */
interface Called {
  readonly pod: Pod;
  readonly port: Target;
}

/** The ready pods that these entries call in the operator's namespace, each once. */
function listCalled(inForce: readonly EntryInForce[], facts: Facts): readonly Called[] {
  const { namespace, objects } = facts;
  const called = inForce.flatMap(({ entry }) => {
    const name = String(readServiceName(entry));
    const isHere = readServiceNamespace(entry) === namespace;
    const service = isHere ? factNamed(facts, "services", { name, namespace }) : undefined;
    if (service === undefined) return [];
    const port = findTarget(service, entry.clientConfig?.service?.port ?? 443);
    return (listSelected(service, objects.pods) ?? [])
      .filter(isReady)
      .map((pod) => ({ pod, port: findPortNumber(pod, port) }));
  });
  return [
    ...new Map(called.map((one) => [`${objectLabel(one.pod)}:${String(one.port)}`, one])),
  ].map(([, one]) => one);
}

function findTarget({ spec }: Service, port: Target): Target {
  return readTarget(spec?.ports?.find((one) => one.port === port && isTcp(one)));
}

/** A pod whose calls pass the proxy of a mesh: one for each mesh, since the others are its copies. */
export function judgeMesh(inForce: readonly EntryInForce[], facts: Facts): readonly Finding[] {
  const found = listCalled(inForce, facts).flatMap(({ pod, port }) =>
    listContainers(pod).flatMap(({ name }) => {
      const proxy = proxies[String(name)];
      return proxy === undefined || isSkipped(pod, proxy.skips, port)
        ? []
        : [{ pod, port, container: String(name), ...proxy }];
    }),
  );
  const byMesh = new Map([...found].reverse().map((one) => [one.mesh, one]));
  return [...byMesh.values()].map(({ pod, port, container, mesh, skips }) => {
    const workload = facts.objects.deployments.find((one) => isOf(pod, one));
    const annotations = workload?.spec?.template?.metadata?.annotations ?? {};
    const value = [annotations[skips], String(port)].filter(Boolean).join(",");
    const says = `nothing, where ${mesh} takes calls without mTLS on port ${String(port)}; else leave the port out of its proxy`;
    const patch = { spec: { template: { metadata: { annotations: { [skips]: value } } } } };
    return webhookFinding("mesh", {
      object: objectLabel(pod),
      cause: `its calls pass the proxy of ${mesh} (container ${container}): where the mesh asks every caller for mTLS, it refuses the API server, which is in no mesh, and ${describeConsequence(policiesOf(inForce))}`,
      remedies: [
        workload === undefined
          ? seeObject(`${says}, by the annotation ${skips} of its pods`, pod)
          : byPatch(says, workload, { patch, left: facts.left }),
      ],
    });
  });
}

function isOf({ metadata }: Pod, { spec }: Deployment): boolean {
  return spec?.selector !== undefined && selects(spec.selector, { ...metadata.labels });
}

/** True where the annotation names the port: ports and ranges, with commas. */
function isSkipped({ metadata }: Pod, annotation: string, port: Target): boolean {
  return (metadata.annotations?.[annotation] ?? "").split(",").some((part) => {
    const [first, last = first] = part.trim().split("-").map(Number);
    return Number(first) <= Number(port) && Number(port) <= Number(last);
  });
}

/** A budget that never lets one of the pods be evicted, though all are healthy. */
export function judgeEviction(inForce: readonly EntryInForce[], facts: Facts): readonly Finding[] {
  const pods = listCalled(inForce, facts).map(({ pod }) => pod);
  const held = findEvictionHeld(facts, pods);
  if (held?.allow === undefined) return [];
  return [
    webhookFinding("evictionHeld", {
      object: objectLabel(held.budget),
      cause: held.because,
      remedies: [describeOne(held.allow, held.budget)],
    }),
  ];
}
