/** Finds the ECs that an edit concerns: in what is known, or live (C14, C16, C18). */
import { lookUpCluster, referenceOf } from "../plugin/domain/clusters";
import type { Names } from "../plugin/domain/names";
import { needsOldCluster } from "../plugin/domain/rules/order";
import type { ClusterFacts, ClusterLookup, Edit, Lookups } from "../plugin/domain/rules/types";
import type { Clusters } from "./clusters";

/** Where to look. */
export interface Places {
  readonly clusters: Clusters;
  readonly names: Names;
  /** The database's. */
  readonly namespace: string;
  readonly operatorNamespace: string;
}

/** The ECs as last heard of. */
export function knownLookups(edit: Edit, places: Places): Lookups {
  const after = knownLookup(referenceOf(edit.after, edit.kind, places.names), places);
  if (!needsOldCluster(edit, places.names)) return { after };
  const before = knownLookup(referenceOf(edit.before, edit.kind, places.names), places);
  return { after, before };
}

function knownLookup(reference: string | undefined, places: Places): ClusterLookup {
  const { clusters, namespace, operatorNamespace } = places;
  const near = clusters.in(namespace);
  const own = reference === undefined ? undefined : near.find(({ name }) => name === reference);
  if (own !== undefined && namespace !== "") return { is: "found", cluster: own };
  const isOne = operatorNamespace === namespace || operatorNamespace === "";
  const all = isOne ? near : [...near, ...clusters.in(operatorNamespace)];
  return lookUpCluster({ reference, namespace, operatorNamespace, all });
}

/** The ECs as they are now. Throws when one cannot be read, or not by the deadline. */
export async function liveLookups(
  edit: Edit,
  places: Places,
  signal: AbortSignal,
): Promise<Lookups> {
  const look = (object: Edit["before"]) =>
    liveLookup(referenceOf(object, edit.kind, places.names), places, signal);
  if (!needsOldCluster(edit, places.names)) return { after: await look(edit.after) };
  const [after, before] = await Promise.all([look(edit.after), look(edit.before)]);
  return { after, before };
}

/** True when an EC is missing from what is known: only a live read may say that it does not exist. */
export function isMissing({ after, before }: Lookups): boolean {
  return after.is === "missing" || before?.is === "missing";
}

async function liveLookup(
  reference: string | undefined,
  places: Places,
  signal: AbortSignal,
): Promise<ClusterLookup> {
  const { namespace, operatorNamespace, clusters } = places;
  const all: ClusterFacts[] = [];
  for (const place of new Set([namespace, operatorNamespace])) {
    if (place === "") continue;
    if (reference === undefined) {
      all.push(...(await clusters.liveIn(place, signal)));
      continue;
    }
    const cluster = await clusters.live({ namespace: place, name: reference }, signal);
    if (cluster !== undefined) {
      all.push(cluster);
      break;
    }
  }
  return lookUpCluster({ reference, namespace, operatorNamespace, all });
}
