/** Ways to a cluster's REST API: an address, the Service from inside, a pod's port from outside. */
import type { Duplex } from "node:stream";
import { kinds } from "../../domain/kube/kinds";
import { systemRoots } from "../http/trust";
import { readHost, readPort, proxyFor, tunnelTo } from "../http/tunnel";
import type { KubeClient } from "../../ports/kubernetes";
import type { Names } from "../../domain/names/names";
import { ApiError } from "../../domain/base/errors";
import { type KubeObject, readName } from "../../domain/kube/objects";
import { getPath } from "../../domain/base/values";
import type { Pod } from "../../domain/kube/models";
import { listTyped } from "../../ports/typed";

/** Finds the host of one of the cluster's own pods by the address that it is redirected to. */
export type FindNode = (url: URL, signal: AbortSignal) => Promise<string | undefined>;

/** One way. A host is what the Host header names, and where a connection leads. */
export interface Route {
  /** For people. */
  readonly address: string;
  /** Where requests go first. */
  readonly host: string;
  /** Names that a certificate may be for, beside the host. */
  readonly names: readonly string[];
  /** Hosts of every node, where each can be reached by itself. */
  readonly nodes: readonly string[];
  /** Whether a redirect may lead there: the same set of hosts, by this way. */
  readonly leadsTo: (url: URL) => boolean;
  /** Whether an address is one of the cluster's own nodes, reached this way or not. */
  readonly isNode: (url: URL) => boolean;
  /** The name of the node at a pod's own address; undefined where none of the cluster has it, or it may not be read. */
  readonly nodeAt?: FindNode | undefined;
  /** Port that redirects without one stay at. */
  readonly port: number;
  /** The host to send to for an address that it leads to. */
  readonly hostFor: (url: URL) => string;
  /** Where a connection to a host is dialed. */
  readonly dialed: (host: string) => URL;
  /** A raw connection in which TLS is spoken, where none is dialed. */
  readonly open?: ((host: string, signal: AbortSignal) => Promise<Duplex>) | undefined;
  /** The hosts to try in turn while nobody answers at all. */
  readonly alternatives: readonly string[];
}

/** By the address that a person gave: an Ingress, a Route, or a forwarded port. */
export function routeByUrl(url: URL, places: ApiPlaces, env: NodeJS.ProcessEnv): Route {
  const { fqdn } = places;
  const end = { host: readHost(url), port: readPort(url) };
  const open = tunnelTo(url, proxyFor(url, env), () => systemRoots(env));
  return {
    address: url.origin,
    // a number is not a name of the cluster: behind it is a forwarded port (S76)
    host: isNumeric(url) ? fqdn : url.host,
    port: end.port,
    names: [end.host, fqdn],
    nodes: [],
    hostFor: () => (isNumeric(url) ? fqdn : url.host),
    leadsTo: (there) =>
      readPort(there) === end.port && [end.host, fqdn].includes(readHost(there).toLowerCase()),
    isNode: (there) => isNode(there, places),
    dialed: () => url,
    open: open && ((_host, signal) => open(signal)),
    alternatives: [],
  };
}

function isNumeric(url: URL): boolean {
  const host = readHost(url);
  return host === "localhost" || host.includes(":") || /^[\d.]+$/.test(host);
}

/** By the Service, from a pod of the same Kubernetes cluster. */
export function routeInside(places: ApiPlaces, nodeAt?: FindNode): Route {
  const { service, fqdn, port, namespace, ec } = places;
  return {
    ...amongPods(places, [service, fqdn, `${ec}.${namespace}`]),
    nodeAt,
    address: `https://${service}:${port}`,
    dialed: (host) => new URL(`https://${host === fqdn ? service : host}:${port}`),
    alternatives: [],
  };
}

/** By a port of a pod, through the API server; `pods` are tried in turn. */
export function routeForwarded(
  places: ApiPlaces,
  forward: NonNullable<KubeClient["forward"]>,
  nodeAt?: FindNode,
): Route {
  const { service, fqdn, port, pods, namespace } = places;
  const resource = { ...kinds.namespace, plural: "pods", kind: "Pod" };
  const [first = ""] = pods;
  const podAt = (host: string) => ({
    pod: { resource, name: findPod(host, places) ?? first, namespace },
    port,
  });
  return {
    ...amongPods(places, [service, fqdn]),
    nodeAt,
    address: `https://${fqdn}:${port} through pods/${first} in namespace ${namespace}`,
    dialed: (host) => new URL(`https://${host}:${port}`),
    open: (host, signal) => forward(podAt(host), signal),
    alternatives: pods.slice(1).map((pod) => `${pod}.${service}`),
  };
}

/** What both ways to the pods themselves have in common. */
function amongPods(places: ApiPlaces, names: readonly string[]) {
  const { service, fqdn, port, pods } = places;
  return {
    ...{ host: fqdn, port, names, hostFor: readHost },
    nodes: pods.map((pod) => `${pod}.${service}`),
    isNode: (there: URL) => isNode(there, places),
    leadsTo: (there: URL) => readPort(there) === port && isAmong(there, names, places),
  };
}

/** By its name, or as an address at the port of the REST API, where pods are reached by number. */
function isNode(url: URL, places: ApiPlaces): boolean {
  const host = readHost(url).toLowerCase();
  const isNumber = /^[\d.]+$|:/.test(host) && readPort(url) === places.port;
  return isNumber || host === places.fqdn || findPod(host, places) !== undefined;
}

/** Looks for the pod of the cluster that has the address, at the port of the REST API. */
export function findNodeAt(cluster: Pick<KubeClient, "list">, places: ApiPlaces): FindNode {
  const { namespace, pods, port, service } = places;
  return async (url, signal) => {
    if (!isNumeric(url) || readPort(url) !== port) return undefined;
    try {
      const found = await listTyped(cluster, kinds.pod, { namespace, signal });
      const pod = found
        ?.filter(({ metadata }) => pods.includes(String(metadata.name)))
        .find((one) => listAddresses(one).includes(readHost(url)));
      return pod && `${readName(pod)}.${service}`;
    } catch (error) {
      // the redirect is explained then, as it came
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  };
}

function listAddresses({ status }: Pod): readonly string[] {
  return (status?.podIPs ?? []).flatMap(({ ip }) => ip ?? []);
}

function isAmong(url: URL, known: readonly string[], places: ApiPlaces): boolean {
  const host = readHost(url).toLowerCase();
  return known.includes(host) || findPod(host, places) !== undefined;
}

/** Where the REST API of one EC is. */
export interface ApiPlaces {
  readonly namespace: string;
  readonly ec: string;
  /** The cluster's domain name: the Host header, and the name in its certificate (S76). */
  readonly fqdn: string;
  /** Name of the Service that a pod reaches. */
  readonly service: string;
  readonly port: number;
  /** The cluster's pods, the first one first. */
  readonly pods: readonly string[];
}

/** The places of an EC. */
export function findPlaces(ec: KubeObject, names: Names): ApiPlaces {
  const { name = "", namespace = "" } = ec.metadata;
  const nodes = getPath(ec, names.ecFields.nodes);
  const count = typeof nodes === "number" && nodes > 0 && nodes < 1000 ? Math.floor(nodes) : 1;
  return {
    namespace,
    ec: name,
    fqdn: `${name}.${namespace}.svc.cluster.local`,
    service: `${name}.${namespace}.svc`,
    port: Number(names.restPort),
    pods: Array.from({ length: count }, (_, index) => `${name}-${index}`),
  };
}

/** The pod that a host name of the cluster means: `ec-1.ec.namespace.svc`, or the name alone. */
export function findPod(host: string, { fqdn, service, pods }: ApiPlaces): string | undefined {
  const [pod = "", ...rest] = host.split(".");
  const domain = rest.join(".");
  return pods.includes(pod) && ["", fqdn, service].includes(domain) ? pod : undefined;
}
