/** What several checks look at, read once from the facts: the operator, its clusters, its databases. */
import type { Sourced } from "../advisories/row";
import type { ProbeOutcome } from "../admission/probe-outcome";
import { clusterLookups } from "../engine-cluster/fields";
import { operatorRelease } from "../engine-cluster/operator";
import { factNamed, type Facts } from "../facts/facts";
import type { Names } from "../names/names";
import type { Deployment, ValidatingWebhookConfiguration } from "../kube/models";
import { type KubeObject, readName, readNamespace } from "../kube/objects";
import { type Configured, readConfiguredNamespaces } from "../rbac/managed";
import type { ClusterLookup, Edit } from "../rules/types";
import { getOwn } from "../base/values";
import { isOlder, parseReleaseTag, type ReleaseTag } from "../base/versions";
import type { RoleFiles } from "../rbac/lines";
import { clusterVersionFor } from "../release/platforms";
import type { ReleaseContents } from "../release/contents";

/** What is wanted; without any of it the cluster is judged as it stands. */
export interface CheckTarget {
  /** Release of the operator. */
  readonly operatorVersion?: string | undefined;
  /** The cluster's tag as a person gives it; absent: what belongs to the operator's release. */
  readonly clusterTag?: string | undefined;
  /** The engine version that databases are to have. */
  readonly engineVersion?: string | undefined;
  /** What is known of releases; absent: what ships with the tool. */
  readonly advised?: readonly Sourced[] | undefined;
  /** The one EC that is asked about; absent: all of the operator's. */
  readonly cluster?: string | undefined;
  /** What the release's files hold. */
  readonly contents?: ReleaseContents;
  /** The webhook's template of the release, else the shipped one, rendered for the namespace. */
  readonly webhook?: ValidatingWebhookConfiguration;
  /** The template is the one that the tool ships. */
  readonly shippedWebhook?: boolean;
  /** The files for managed namespaces: the release's, else the shipped ones. */
  readonly rbac?: RoleFiles;
}

/** A release as it is written and as it is compared. */
export interface Tagged {
  readonly tag: string;
  readonly release: ReleaseTag;
}

/** A database and the EC that it belongs to. */
export interface PlacedDatabase {
  readonly object: KubeObject;
  readonly kind: Edit["kind"];
  readonly lookup: ClusterLookup;
}

/** The cluster as checks see it. */
export interface CheckContext {
  readonly facts: Facts;
  readonly names: Names;
  readonly target: CheckTarget;
  /** What the webhook was seen to do. */
  readonly probe?: ProbeOutcome | undefined;
  readonly deployment: Deployment | undefined;
  /** The operator's release that runs, where it tells. */
  readonly installed: Tagged | undefined;
  /** The operator's release that is wanted. */
  readonly wanted: Tagged | undefined;
  /** The ECs of the operator's namespace, or the one that is asked about. */
  readonly clusters: readonly KubeObject[];
  readonly configured: Configured;
  /** The managed namespaces, those that are only told of included; without the operator's own. */
  readonly managed: readonly string[];
  /** The databases of those namespaces and of the operator's. */
  readonly databases: readonly PlacedDatabase[];
}

/** Reads the situation; what was not read counts as empty, and no check that needs it is asked. */
export function describeSituation(
  facts: Facts,
  target: CheckTarget,
  probe?: ProbeOutcome,
): CheckContext {
  const { names, namespace, objects } = facts;
  const { deployment, configured, managed } = readManaged(facts);
  return {
    facts,
    names,
    target,
    probe,
    deployment,
    installed: parseTag(operatorRelease(facts).version),
    wanted: parseTag(target.operatorVersion ?? target.contents?.operatorVersion),
    clusters: objects.ecs.filter(
      ({ metadata }) =>
        metadata.namespace === namespace && metadata.name === (target.cluster ?? metadata.name),
    ),
    configured,
    managed,
    databases: databasesIn(facts, new Set([namespace, ...managed])),
  };
}

/** The namespaces whose databases the operator upgrades, as far as it is known. */
export function listPlaces(facts: Facts): ReadonlySet<string> {
  return new Set([facts.namespace, ...readManaged(facts).managed]);
}

function readManaged(facts: Facts): Pick<CheckContext, "configured" | "deployment" | "managed"> {
  const { names, namespace } = facts;
  const deployment = factNamed(facts, "deployments", { name: names.operator.deployment });
  const configMap = factNamed(facts, "configMaps", { name: names.configMap.name });
  const configured = readConfiguredNamespaces({ deployment, configMap, names });
  const managed = listManaged(configured, facts).filter((name) => name !== namespace);
  return { configured, deployment, managed };
}

/** A release tag with its numbers, undefined for what is none. */
export function parseTag(tag: string | undefined): Tagged | undefined {
  const release = parseReleaseTag(tag);
  return tag === undefined || release === undefined ? undefined : { tag, release };
}

/** True for a release before another. */
export function isBefore({ tag }: Tagged, other: string): boolean {
  return isOlder(tag, other);
}

/** The tag of the cluster that is asked for, or that belongs to the operator's release; undefined where none is known. */
export function findWantedTag({
  target: { clusterTag, contents },
  wanted,
}: Pick<CheckContext, "target" | "wanted">): string | undefined {
  return clusterTag ?? contents?.clusterVersion ?? (wanted && clusterVersionFor(wanted.tag));
}

/** The release that will be in force: the wanted one, else the one that runs. */
export function findGoal({ wanted, installed }: CheckContext): Tagged | undefined {
  return wanted ?? installed;
}

/** True where the prerequisites of 7.8.2-6 and later hold (S121-S125): also without a target. */
export function isForNewBase({ wanted }: CheckContext): boolean {
  return wanted === undefined || !isBefore(wanted, "7.8.2-6");
}

function listManaged(configured: Configured, { objects }: Facts): readonly string[] {
  if (configured.is === "list") return configured.namespaces;
  if (configured.is !== "label") return [];
  const cut = `${configured.selector}=`.indexOf("=");
  const key = configured.selector.slice(0, cut);
  const value = configured.selector.slice(cut + 1);
  return objects.namespaces
    .filter(({ metadata }) => {
      const found = getOwn(metadata.labels, key);
      return configured.bareKey === undefined ? found === value : found !== undefined;
    })
    .map(readName);
}

function databasesIn(facts: Facts, places: ReadonlySet<string>): readonly PlacedDatabase[] {
  const lookUp = clusterLookups(facts);
  const placeDatabases = (kind: Edit["kind"], objects: readonly KubeObject[]) =>
    objects
      .filter((object) => places.has(readNamespace(object)))
      .map((object) => ({ object, kind, lookup: lookUp(object, kind) }));
  const { edbs, eaadbs } = facts.objects;
  return [...placeDatabases("edb", edbs), ...placeDatabases("eaadb", eaadbs)];
}

/** The active-active databases among them. */
export function activeActiveDatabases({ databases }: CheckContext): readonly KubeObject[] {
  return databases.filter(({ kind }) => kind === "eaadb").map(({ object }) => object);
}
