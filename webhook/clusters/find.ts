/** Finds the ECs that an edit concerns: in what is known, or live (C14, C16, C18). */
import { lookUpCluster, readReference } from "../../plugin/domain/rules/clusters";
import type { Names } from "../../plugin/domain/names/names";
import { needsOldCluster } from "../../plugin/domain/rules/order";
import type { ClusterFacts, ClusterLookup, Edit, Lookups } from "../../plugin/domain/rules/types";
import { type Clusters, TooManyLiveReads } from "./clusters";
import type { InFlight } from "../review/room";

export interface Places {
  readonly clusters: Clusters;
  readonly names: Names;
  readonly namespace: string;
  readonly operatorNamespace: string;
  /** What was not there a moment ago; absent: it is always asked. */
  readonly absences?: Absences | undefined;
  /** The calls that may wait for the API server at once; absent: any number. */
  readonly liveReads?: Pick<InFlight, "enter" | "leave"> | undefined;
}

/** The ECs as last heard of. */
export function findLookups(edit: Edit, places: Places): Lookups {
  const after = findLookup(readReference(edit.after, edit.kind, places.names), places);
  if (!needsOldCluster(edit, places.names)) return { after };
  const before = findLookup(readReference(edit.before, edit.kind, places.names), places);
  return { after, before };
}

function findLookup(reference: string | undefined, places: Places): ClusterLookup {
  const { clusters, namespace, operatorNamespace } = places;
  const lookedIn = namespace === operatorNamespace ? [namespace] : [namespace, operatorNamespace];
  const known = lookedIn.filter((place) => place !== "").map((place) => clusters.in(place));
  if (reference !== undefined) {
    for (const each of known) {
      const cluster = each.get(reference);
      if (cluster !== undefined) return { is: "found", cluster };
    }
  }
  const all = reference === undefined ? known.flatMap((each) => [...each.values()]) : [];
  return lookUpCluster({ reference, namespace, operatorNamespace, all });
}

/** The ECs as they are now. Throws ClustersUnreadable when one cannot be read, or not by the deadline. */
export async function liveLookups(
  edit: Edit,
  places: Places,
  signal: AbortSignal,
): Promise<Lookups> {
  const { liveReads } = places;
  if (liveReads?.enter() === false) {
    throw new TooManyLiveReads("too many reviews wait for the API server");
  }
  try {
    return await lookLive(edit, places, signal);
  } finally {
    liveReads?.leave();
  }
}

async function lookLive(edit: Edit, places: Places, signal: AbortSignal): Promise<Lookups> {
  const look = (object: Edit["before"]) =>
    liveLookup(readReference(object, edit.kind, places.names), places, signal);
  if (!needsOldCluster(edit, places.names)) return { after: await look(edit.after) };
  const [after, before] = await Promise.all([look(edit.after), look(edit.before)]);
  return { after, before };
}

/** True when an EC is missing from what is known: only a live read may say that it does not exist. */
export function isMissing({ after, before }: Lookups): boolean {
  return after.is === "missing" || before?.is === "missing";
}

/** True when a live read has said a moment ago that the ECs that are missing do not exist. */
export function isAbsent({ after, before = after }: Lookups, { absences }: Places): boolean {
  return absences?.covers(after) === true && absences.covers(before);
}

async function liveLookup(
  reference: string | undefined,
  places: Places,
  signal: AbortSignal,
): Promise<ClusterLookup> {
  const { namespace, operatorNamespace, clusters, absences } = places;
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
  const lookup = lookUpCluster({ reference, namespace, operatorNamespace, all });
  absences?.remember(lookup);
  return lookup;
}

/** How long an answer of the API server holds. */
const keptMs = 1_000;
/** The names come from callers, who can make up any number. */
const most = 1_024;
/** Longer than a name and two namespaces. */
const longestKey = 1_024;

/** The lookups that a live read has answered with "no such EC". */
export class Absences {
  /** The ends of their times, the oldest first. */
  private readonly ends = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** True for one that found an EC or was remembered a moment ago. */
  covers(lookup: ClusterLookup): boolean {
    return lookup.is !== "missing" || (this.ends.get(lookupKey(lookup)) ?? 0) > this.now();
  }

  remember(lookup: ClusterLookup): void {
    const key = lookup.is === "missing" ? lookupKey(lookup) : "";
    if (key === "" || key.length > longestKey) return;
    this.ends.delete(key);
    this.ends.set(key, this.now() + keptMs);
    for (const oldest of this.ends.keys()) {
      if (this.ends.size <= most) return;
      this.ends.delete(oldest);
    }
  }
}

function lookupKey({ name, lookedIn }: ClusterLookup & { readonly is: "missing" }): string {
  return `${lookedIn.join(" ")}/${name ?? ""}`;
}
