/** What the REST API of an EC can run and follows: the newest version is resolved with it before a call (S67, S88). */
import type { ApiNode } from "../rest-api/records";
import { lowestVersion } from "../rules/clusters";
import type { Finding } from "../base/findings";
import { renderTerm, type Names } from "../names/names";
import { type Release, findReleases } from "../rules/engine-version";
import type { ClusterFacts, ClusterLookup } from "../rules/types";
import { asString, getOwn, type Json } from "../base/values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  parseLeadingEngineVersion,
} from "../base/versions";
import { databaseFinding } from "./findings";

/** What the nodes can run, and the policy of the cluster; undefined where the REST API does not report it. */
export interface ApiOffer {
  /** Versions of every node that reports any, each as major.minor, 7.2 and later. */
  readonly versions: readonly string[] | undefined;
  readonly policy: string | undefined;
  /** Absent: they were not read. */
  readonly nodes?: readonly ApiNode[];
}

/** The answers of the two calls as one value. */
export function readOffer(
  nodes: readonly ApiNode[] | undefined,
  policy: Json | undefined,
  { clusterFields }: Names,
): ApiOffer {
  const told = (nodes ?? []).map(listVersions).filter((versions) => versions.length > 0);
  const [first, ...others] = told;
  return {
    versions: first?.filter((version) => others.every((one) => one.includes(version))),
    policy: asString(getOwn(policy, clusterFields.upgradePolicy)),
    ...(nodes !== undefined && { nodes }),
  };
}

function listVersions({ supportedVersions }: ApiNode): readonly string[] {
  const versions = supportedVersions
    .flatMap((text): EngineVersion[] => {
      const version = parseLeadingEngineVersion(text);
      return version !== undefined && compareEngineVersions(version, lowestVersion) >= 0
        ? [version]
        : [];
    })
    .sort(compareEngineVersions);
  return [...new Set(versions.map(formatEngineVersion))];
}

/**
 * The database with what its REST API offers: the policy `major` holds if either says so, and an EC
 * that publishes no versions has those of its nodes.
 */
export function withOffer<T extends { readonly lookup: ClusterLookup }>(
  target: T,
  offer: ApiOffer | undefined,
  { majorChannel }: Names,
): T & { readonly offer?: ApiOffer } {
  const { lookup } = target;
  if (offer === undefined || lookup.is !== "found") return target;
  const { cluster } = lookup;
  const policy = offer.policy === majorChannel ? majorChannel : cluster.policy;
  const offered = (offer.versions ?? []).map((version) => ({ version, major: false }));
  const versions = cluster.versions.length === 0 ? offered : cluster.versions;
  return { ...target, offer, lookup: { ...lookup, cluster: { ...cluster, policy, versions } } };
}

/** What the EC and its REST API say differently. */
export function offerFindings(
  { object, cluster }: { readonly object: string; readonly cluster: ClusterFacts },
  { versions, policy }: ApiOffer,
  names: Names,
): readonly Finding[] {
  const { majorChannel } = names;
  const ec = renderTerm(names.ec);
  const { publisher, texts } = findReleases({ is: "found", cluster }, names);
  const published = [...texts].join(", ");
  const isKnown = publisher !== undefined && versions !== undefined;
  const hasOtherPolicy = policy !== undefined && policy !== cluster.policy;
  const causes = [
    ...(isKnown && published !== versions.join(", ")
      ? [
          `the ${ec} publishes ${published}, and its nodes can all run ${renderVersions(versions)}: only a version of both is taken`,
        ]
      : []),
    ...(hasOtherPolicy && [policy, cluster.policy].includes(majorChannel)
      ? [
          `the upgrade policy of the ${ec} is ${asString(cluster.policy) ?? "not set"}, and that of its REST API ${policy}: ${majorChannel} counts`,
        ]
      : []),
  ];
  return causes.map((cause) => databaseFinding("offerDiffers", { object, cause }, names));
}

/** Those of an EC's releases that all of its nodes can run, where that was asked. */
export function pickOffered(
  { versions }: Partial<ApiOffer> = {},
  releases: readonly Release[],
): readonly Release[] {
  if (versions === undefined) return releases;
  return releases.filter(({ text }) => versions.includes(text));
}

/** The database that is called, with what its EC and, once it was asked, its REST API report. */
interface Choosing {
  /** Its label. */
  readonly object: string;
  readonly lookup: ClusterLookup;
  readonly offer?: ApiOffer;
}

/** What stands against the version of a call, or why a channel comes to none; before the REST API was asked, nothing. */
export function judgeChoice(
  { object, lookup, offer }: Choosing,
  version: EngineVersion | undefined,
  names: Names,
): readonly Finding[] {
  if (offer === undefined) return [];
  if (version !== undefined) {
    const text = formatEngineVersion(version);
    const { versions } = offer;
    if (versions === undefined || versions.includes(text)) return [];
    const cause = `not every node can run ${text}: all of them can run ${renderVersions(versions)}`;
    return [databaseFinding("notOffered", { object, cause }, names)];
  }
  const ec = renderTerm(names.ec);
  const { publisher, valid } = findReleases(lookup, names);
  const both = pickOffered(offer, valid).map(({ text }) => text);
  const kind = both.length === 0 ? "" : "major ";
  const cause =
    publisher === undefined
      ? `neither the ${ec} nor the nodes in its REST API report the versions that they can run, so the version is not known`
      : `the ${ec} and its nodes can both run ${renderVersions(both)}, and there is no ${kind}release among them to upgrade to`;
  return [databaseFinding("latestUnknown", { object, cause }, names)];
}

function renderVersions(versions: readonly string[]): string {
  return versions.length === 0 ? "no version" : versions.join(", ");
}
