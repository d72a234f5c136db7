/** The operator that acts on an EC: whether it is ready, and which cluster release it manages (S9, S19). */
import { parseImage } from "../release/images";
import { factNamed, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { Deployment } from "../kube/models";
import { readAnnotation, type KubeObject, objectLabel, readName } from "../kube/objects";
import { clusterVersionFor } from "../release/platforms";
import { findContainer } from "../rollout/stateful-set";
import { getPath, asString } from "../base/values";
import {
  compareReleaseTags,
  compareTags,
  isOlder,
  parseReleaseTag,
  type ReleaseTag,
} from "../base/versions";
import { clusterFinding } from "./findings";
import type { ClusterWish } from "./edits";
import { isAutoUpgraded } from "./fields";
import { renderTerm } from "../names/names";
import { chooseCause, findLivingOwner } from "../kube/owners";

/** The release that runs, and the cluster release that it manages; undefined where it is not known. */
export interface OperatorRelease {
  readonly version: string | undefined;
  readonly clusterTag: string | undefined;
}

function findDeployment(facts: Facts): Deployment | undefined {
  const name = facts.names.operator.deployment;
  return factNamed(facts, "deployments", { name, namespace: facts.namespace });
}

/** Read from the operator's image tag, else the chart's annotation (domain facts 8). */
export function operatorRelease(facts: Facts): OperatorRelease {
  const { operator, annotations } = facts.names;
  const deployment = findDeployment(facts);
  const container = findContainer(deployment?.spec?.template?.spec, operator.container);
  const tags = [
    parseImage(container?.image)?.tag,
    readAnnotation(deployment, annotations.operatorVersion),
  ];
  const version = tags.find((tag) => parseReleaseTag(tag) !== undefined);
  return {
    version,
    clusterTag: version === undefined ? undefined : clusterVersionFor(version),
  };
}

/** The tag below which an EC is not managed: of an operator without a known pair, the first of its line (domain facts 8). */
export function lowestManaged(facts: Facts): string | undefined {
  const { version, clusterTag } = operatorRelease(facts);
  const line = parseReleaseTag(version)?.numbers.slice(0, 3).join(".");
  return clusterTag ?? (line === undefined ? undefined : `${line}-0`);
}

/** What a cluster asks for, and what its pods run. */
export interface ClusterReleases {
  readonly version: string;
  /** Absent where the pods were not read. */
  readonly running?: readonly string[];
}

/** The first that is older than the operator; equal in the first three numbers is not (domain facts 8). */
export function findBehind<T extends ClusterReleases>(
  facts: Facts,
  clusters: readonly T[],
): T | undefined {
  const lowest = lowestManaged(facts);
  return clusters.find((cluster) => isOlder(chooseRelease(cluster), lowest));
}

/** One that asks for no release is at what its pods run. */
export function chooseRelease({ version, running }: ClusterReleases): string {
  return parseReleaseTag(version) === undefined ? (running?.[0] ?? version) : version;
}

/** True for an EC that its operator does not look after until it follows, which it does not by itself (S10). */
export function isSuspended(facts: Facts, ec: KubeObject): boolean {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  return isOlder(tag, lowestManaged(facts)) && !isAutoUpgraded(ec, facts.names);
}

/** What is wrong with the tag that is asked of the operator. */
export function operatorFindings(
  facts: Facts,
  ec: KubeObject,
  wish: ClusterWish,
): readonly Finding[] {
  const deployment = findDeployment(facts);
  return deployment === undefined
    ? []
    : pairFindings(operatorRelease(facts), { ec, deployment, wish });
}

interface Pairing {
  readonly ec: KubeObject;
  readonly deployment: Deployment;
  readonly wish: ClusterWish;
}

function pairFindings(
  { version, clusterTag }: OperatorRelease,
  { ec, deployment, wish }: Pairing,
): readonly Finding[] {
  const shown = version === undefined ? "" : ` ${version}`;
  if (clusterTag === undefined) {
    if (wish.auto && wish.tag === undefined) {
      const cause = `it is not known which release the operator${shown} brings`;
      return [clusterFinding("autoTargetUnknown", { object: objectLabel(ec), cause })];
    }
    if (isPast(wish.tag, version))
      return [
        clusterFinding("targetNotManaged", {
          object: objectLabel(deployment),
          cause: `the operator${shown} is of an earlier release than ${String(wish.tag)}`,
          fix: "upgrade the operator first, with upgrade-operator",
        }),
      ];
    const cause = `it is not known which cluster release the operator${shown} manages`;
    return [clusterFinding("operatorUnknown", { object: objectLabel(deployment), cause })];
  }
  // its small image counts as the usual one (domain facts 8)
  if (wish.tag === undefined || compareTags(wish.tag, clusterTag) === 0) return [];
  const cause = `the operator${shown} manages ${clusterTag} and no other cluster release, not ${wish.tag}`;
  const fix = `give --target ${clusterTag}, or upgrade the operator first`;
  return [clusterFinding("targetNotManaged", { object: objectLabel(deployment), cause, fix })];
}

/** The operator comes first: a cluster of a later line than its own is nothing that it manages (S9). */
function isPast(tag: string | undefined, version: string | undefined): boolean {
  const [target, runs] = [parseReleaseTag(tag), parseReleaseTag(version)];
  if (target === undefined || runs === undefined) return false;
  // build numbers of operator and cluster are unrelated (domain facts 8)
  const line = ({ numbers: [major, minor, patch] }: ReleaseTag): ReleaseTag => ({
    numbers: [major, minor, patch, 0, 0],
    suffix: "",
  });
  return compareReleaseTags(line(runs), line(target)) < 0;
}

/** The facts with an operator of this release, ready: the upgrade continues only when it is. */
export function withOperator(facts: Facts, version: string): Facts {
  const { operator, images } = facts.names;
  const image = `${images.operator}:${version}`;
  const deployments = facts.objects.deployments.map((deployment) =>
    deployment.metadata.name === operator.deployment ? withImage(deployment, image) : deployment,
  );
  // the pod that it starts takes the lease anew
  return { ...facts, objects: { ...facts.objects, deployments, leases: [] } };
}

function withImage(deployment: Deployment, image: string): Deployment {
  const { spec } = deployment;
  const pod = spec?.template?.spec;
  const containers = pod?.containers?.map((each) => ({ ...each, image }));
  const template = { ...spec?.template, spec: { ...pod, containers } };
  return {
    ...deployment,
    spec: { ...spec, template, replicas: 1 },
    status: {
      observedGeneration: deployment.metadata.generation,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    },
  };
}

/** Helm, OLM or a GitOps controller would write its own values again (domain facts 4.4). */
export function findOwnership(
  ec: KubeObject,
  { names, left }: Pick<Facts, "names" | "left">,
): readonly Finding[] {
  const owner = findLivingOwner(ec, left);
  if (owner === undefined) return [];
  const cause = chooseCause(owner, `${owner.name} owns it and would undo or fight the change`);
  return [
    clusterFinding("owned", { object: objectLabel(ec), cause, fix: describeWay(owner) }, names),
  ];
}

/** OLM brings operators alone; the EC is what another operator's object made of it. */
function describeWay({ name, way }: { readonly name: string; readonly way: string }): string {
  return name === "OLM" ? "change the object that OLM or the other operator made it from" : way;
}

/** The clusters of the operator's namespace. */
export function ownClusters({ objects, namespace }: Facts): readonly KubeObject[] {
  return objects.ecs.filter(({ metadata }) => metadata.namespace === namespace);
}

/** That the namespace has no EC of that name, with those that it has. */
export function clusterAbsent(facts: Facts, name: string): Finding {
  const { names, namespace } = facts;
  const there = ownClusters(facts).map(readName).join(", ");
  return clusterFinding(
    "absent",
    {
      object: [names.ec.kind, namespace, name].join("/"),
      cause: `namespace ${namespace} has no ${renderTerm(names.ec)} ${name}; it has ${there === "" ? "none" : there}`,
    },
    names,
  );
}
