/** What the probe of a webhook takes. */
import { factSources } from "../facts/facts";
import type { Needs, NeedsPlace } from "../facts/needs";
import { kinds } from "../kube/kinds";
import type { Names } from "../names/names";
import type { Resource } from "../kube/objects";
import { type Permission, permissionOn } from "../kube/permissions";
import type { ProbePair } from "./probe";

/** An edit by which a webhook is proven. */
export interface Probed {
  readonly resource: Pick<Resource, "group" | "plural">;
  readonly namespace: string | undefined;
  readonly verb: "create" | "update";
}

/** Which edits prove a webhook, and where, follows from entries that persons may have changed: any, until it is read. */
export function probedAnywhere(names: Names): readonly Probed[] {
  const { edbs, eaadbs, ercs } = factSources(names);
  return [edbs, eaadbs, ercs].map(({ resource }) => ({
    ...{ resource, namespace: undefined, verb: "create" },
  }));
}

/** The dry runs of a pair: of a new object, or of one that is stored. */
export function probedBy({ resource, accept: { metadata } }: ProbePair): Probed {
  const verb = metadata.uid === undefined ? "create" : "update";
  return { resource, namespace: metadata.namespace, verb };
}

/** What these take. */
export function probeNeed({ resource, namespace, verb }: Probed): Permission {
  const why = "to prove the webhook with dry runs (or go without proof: --no-probe)";
  return permissionOn(verb, resource, { why, namespace });
}

/** What it takes to watch the webhook for as long as a run takes, and to see what stands behind its Service. */
export function watchNeeds(place: NeedsPlace): Needs {
  const { names, namespace } = place;
  const behind = { why: "to see how many pods answer for the webhook", namespace };
  return {
    reads: [],
    may: probedAnywhere(names).map(probeNeed),
    beside: [permissionOn("list", kinds.endpointSlice, behind), ...forwardNeeds(place)],
  };
}

/** What it takes to ask the webhook's pods themselves. */
export function forwardNeeds({ namespace }: NeedsPlace): readonly Permission[] {
  const why = "to ask each pod of the webhook by its own address";
  const ports = { ...kinds.pod, plural: `${kinds.pod.plural}/portforward` };
  // a WebSocket is opened with a GET: older API servers ask for get, newer ones for create too
  return ["create", "get"].map((verb) => permissionOn(verb, ports, { why, namespace }));
}
