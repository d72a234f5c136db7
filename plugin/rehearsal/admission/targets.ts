/** Where an entry is really called: the Service as stored, and the process that plays it here. */
import { isIP } from "node:net";
import { asArray, getOwn, asString } from "../../domain/values";
import type { StateView } from "../model";
import type { Target } from "./connections";
import type { Callee, Entry } from "./entries";
import { notAnswered } from "./trust";

/** The port of a Service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/**
 * Where a Service's port is on this machine. `refused`: nothing can be reached there, with Go's
 * words for it (`dial tcp 10.0.0.1:443: connect: connection refused`). Undefined: the code behind
 * it is not a part of the rehearsal, and the entry is not called.
 */
export type ServiceRoute = (
  service: ServicePort,
  state: StateView,
) => { readonly host: string; readonly port: number } | { readonly refused: string } | undefined;

/** Why an entry is left out. */
interface Skipped {
  readonly skipped: string;
}

/** The target of a call, or why there is none in a rehearsal; throws CallFailure as a dialling API server. */
export function targetOf(entry: Entry, route: ServiceRoute, state: StateView): Target | Skipped {
  const { callee } = entry;
  return callee.kind === "url"
    ? targetOfUrl(callee.url, entry)
    : targetOfService(callee, entry, { route, state });
}

function targetOfService(
  callee: Callee & { readonly kind: "service" },
  { caBundle, timeoutSeconds }: Entry,
  { route, state }: { readonly route: ServiceRoute; readonly state: StateView },
): Target | Skipped {
  const { namespace, port, path } = callee;
  const name = `${callee.name}.${namespace}.svc`;
  const address = addressOf(`${name}:${port}`, path, timeoutSeconds);
  const service = state.get({ group: "", plural: "services" }, callee.name, namespace);
  const problem = judgeService(service, callee);
  if (problem !== undefined) throw notAnswered(address.url, problem);
  const found = route({ namespace, name: callee.name, port }, state);
  if (found === undefined) {
    return { skipped: `the code behind service ${namespace}/${callee.name} is not rehearsed` };
  }
  if ("refused" in found) throw notAnswered(address.url, found.refused);
  const clusterIP = asString(getOwn(getOwn(service, "spec"), "clusterIP"));
  const shown = clusterIP === undefined ? `${found.host}:${found.port}` : `${clusterIP}:${port}`;
  return { ...found, ...address, name, shown, caBundle };
}

function judgeService(service: unknown, { name, port }: ServicePort): string | undefined {
  if (service === undefined) return `service ${JSON.stringify(name)} not found`;
  const spec = getOwn(service, "spec");
  if (getOwn(spec, "type") === "ExternalName") return undefined;
  if (getOwn(spec, "clusterIP") === "None") return 'cannot route to service with ClusterIP "None"';
  const ports = asArray(getOwn(spec, "ports")).map((one) => getOwn(one, "port"));
  if (ports.includes(port)) return undefined;
  return `no service port ${port} found for service ${JSON.stringify(name)}`;
}

/** Nothing outside this machine is called. */
function targetOfUrl(address: string, { caBundle, timeoutSeconds }: Entry): Target | Skipped {
  const { protocol, hostname, pathname, port } = new URL(address);
  const host = hostname === "localhost" ? "127.0.0.1" : hostname.replace(/^\[(.*)\]$/, "$1");
  const isLoopback = host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (!isLoopback || protocol !== "https:") {
    return { skipped: `${hostname} is outside of this machine, where a rehearsal calls nobody` };
  }
  const number = port === "" ? 443 : Number(port);
  return {
    host,
    port: number,
    ...addressOf(port === "" ? hostname : `${hostname}:${port}`, pathname, timeoutSeconds),
    name: hostname === "localhost" ? hostname : host,
    shown: `${host}:${number}`,
    caBundle,
  };
}

type Address = Pick<Target, "authority" | "path" | "url">;

/** As Go prints it: with the port even where it is the usual one. */
function addressOf(authority: string, path: string, timeoutSeconds: number): Address {
  const { pathname } = new URL(path, "https://path");
  const called = `${pathname}?timeout=${timeoutSeconds}s`;
  return { authority, path: called, url: `https://${authority}${called}` };
}
