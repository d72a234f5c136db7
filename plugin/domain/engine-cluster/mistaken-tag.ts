/** A tag that is a release of the operator, written where the cluster's own belongs (domain facts 8). */
import { factNamed, type Facts, isKnown } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { Pod } from "../kube/models";
import { type KubeObject, readName, readNamespace, objectLabel } from "../kube/objects";
import { type Remedy, tool } from "../base/remedy";
import { asString, getPath } from "../base/values";
import { compareTags, isOlder } from "../base/versions";
import { findContainer, listPods } from "../rollout/stateful-set";
import { clusterVersionFor, releasePairs } from "../release/platforms";
import { parseImage } from "../release/images";
import { rollFindings } from "../rollout/findings";
import { isReady, podTroubles } from "../rollout/pod-causes";
import type { Timed } from "../rollout/progress";
import { clusterFinding } from "./findings";
import { operatorRelease } from "./operator";

/** Said at once: a tag that no operator brings about, so that another one may be set while it is under way. */
export function mistakenTag(
  facts: Facts,
  ec: KubeObject,
  operatorBefore?: string,
): readonly Finding[] {
  const ofOperator = findOperatorTag(facts, ec, operatorBefore);
  // one tag is advised, not two
  return ofOperator.length > 0 ? ofOperator : findLoweredTag(facts, ec);
}

/**
 * True where the roll ends at its first pod, which waits for the image in vain: once a second pod has the tag, the
 * first one has run it, and a cluster is never lowered.
 */
export function isOutOfReach(facts: Facts, ec: KubeObject): boolean {
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const set = factNamed(facts, "statefulSets", {
    name: readName(ec),
    namespace: readNamespace(ec),
  });
  if (tag === undefined || set === undefined) return false;
  const [begun, ...others] = listPods(facts, set).filter((pod) => readTag(facts, pod) === tag);
  if (begun === undefined || others.length > 0) return false;
  const isServing = Number(set.status?.readyReplicas) > 0;
  return isServing && lacksImage(facts, begun) && !hasRun(begun);
}

/** A container that ran once may have raised the cluster's version, though its image is gone since. */
function hasRun(pod: Pod): boolean {
  return (
    pod.status?.containerStatuses?.some(({ restartCount }) => Number(restartCount) > 0) === true
  );
}

/** Troubles of pods that a mistaken tag explains: neither its image nor that they are not ready is to be mended. */
export function listExplained(troubles: readonly Timed[]): readonly Timed[] {
  const { image, notReady } = rollFindings;
  const lacking = troubles.filter(({ code }) => code === image.code).map(({ object }) => object);
  return troubles.filter(
    ({ code, object }) => [image.code, notReady.code].includes(code) && lacking.includes(object),
  );
}

function lacksImage(facts: Facts, pod: Pod): boolean {
  const { code } = rollFindings.image;
  return podTroubles(pod, { facts }).some((one) => one.code === code && one.definite === true);
}

/** The tag of the container that runs the cluster. */
function readTag({ names }: Facts, pod: Pod): string | undefined {
  const container = findContainer(pod.spec, names.pods.container);
  return parseImage(container?.image)?.tag;
}

/** The upgrade has begun, and is not undone: pods that are ready run a later release than is asked for. */
function findLoweredTag(facts: Facts, ec: KubeObject): readonly Finding[] {
  const { names } = facts;
  const path = names.ecFields.versionTag;
  const tag = asString(getPath(ec, path));
  const place = { name: readName(ec), namespace: readNamespace(ec) };
  const set = factNamed(facts, "statefulSets", place);
  if (tag === undefined || set === undefined) return [];
  const newer = listPods(facts, set)
    .filter(isReady)
    .map((pod) => readTag(facts, pod))
    .find((one) => isOlder(tag, one));
  if (newer === undefined) return [];
  return [
    clusterFinding(
      "tagLowered",
      {
        object: objectLabel(ec),
        field: path.join("."),
        cause: `${tag} is older than ${newer}, which pods of it run already`,
        remedies: [
          setTag(
            "set the later tag again, and repair what stands against it",
            ec,
            chooseTarget(facts, newer),
          ),
        ],
      },
      names,
    ),
  ];
}

/** No repository holds such an image of the cluster. */
function findOperatorTag(
  facts: Facts,
  ec: KubeObject,
  operatorBefore: string | undefined,
): readonly Finding[] {
  const path = facts.names.ecFields.versionTag;
  const tag = asString(getPath(ec, path));
  if (tag === undefined) return [];
  const told = explainMistake(facts, tag, operatorBefore);
  if (told === undefined) return [];
  const right = rightTag(tag);
  const set = "set the cluster's own tag";
  const line = `upgrade-cluster ${readName(ec)} --target`;
  return [
    clusterFinding(
      "mistakenTag",
      {
        object: objectLabel(ec),
        field: path.join("."),
        cause: `${tag} is a release of the operator and not of the cluster; ${told}`,
        remedies: [
          right === undefined
            ? { says: `${set}, as the release notes of the operator name it, with ${line} TAG` }
            : setTag(set, ec, chooseTarget(facts, right)),
        ],
      },
      facts.names,
    ),
  ];
}

function setTag(says: string, ec: KubeObject, tag: string): Remedy {
  const name = readName(ec);
  const line = `upgrade-cluster ${name} --target ${tag}`;
  return tool(`${says}, with ${line}`, "upgrade-cluster", name, `--target=${tag}`);
}

/** Why a tag is one of the operator and not of the cluster; undefined where it is none. */
export function explainMistake(
  facts: Facts,
  tag: string,
  operatorBefore?: string,
): string | undefined {
  const right = rightTag(tag);
  if (right !== undefined) return `its cluster release is ${right}`;
  return isOperators(facts, tag, operatorBefore)
    ? "the operator that runs here is of it, and no pod of the cluster is ready with it"
    : undefined;
}

/** The operator that runs lets only its own cluster release be set, and none is set back. */
function chooseTarget(facts: Facts, tag: string): string {
  const { clusterTag } = operatorRelease(facts);
  return clusterTag !== undefined && isOlder(tag, clusterTag) ? clusterTag : tag;
}

/** The release of the operator that runs here, or did, of which no ready pod shows that a cluster has it too. */
function isOperators(facts: Facts, tag: string, operatorBefore: string | undefined): boolean {
  const releases = [operatorRelease(facts).version, operatorBefore];
  if (!releases.includes(tag) || !isKnown(facts, "pods")) return false;
  const { container } = facts.names.pods;
  return !facts.objects.pods
    .filter(isReady)
    .some(({ spec }) =>
      spec?.containers?.some(
        ({ name, image }) => name === container && parseImage(image)?.tag === tag,
      ),
    );
}

/** The cluster's tag of the operator release that this tag is; undefined where it is none. */
export function rightTag(tag: string): string | undefined {
  const isCluster = releasePairs.some(([, cluster]) => compareTags(cluster, tag) === 0);
  return isCluster ? undefined : clusterVersionFor(tag);
}
