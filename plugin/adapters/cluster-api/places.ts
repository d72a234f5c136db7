/** Names under which a cluster's REST API is known inside Kubernetes (S76; domain facts 9). */
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../domain/objects";
import { at } from "../../domain/values";

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
export function placesOf(ec: KubeObject, names: Names): ApiPlaces {
  const { name = "", namespace = "" } = ec.metadata;
  const nodes = at(ec, names.ecFields.nodes);
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
export function podOf(host: string, { fqdn, service, pods }: ApiPlaces): string | undefined {
  const [pod = "", ...rest] = host.split(".");
  const domain = rest.join(".");
  return pods.includes(pod) && ["", fqdn, service].includes(domain) ? pod : undefined;
}
