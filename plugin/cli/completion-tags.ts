/** Release tags that a shell is offered: those of the files on the line, else those that go with what runs. */
import { openRelease } from "../adapters/release/open";
import { parseDocuments as parse } from "../adapters/kubernetes/text/yaml";
import { compareTags } from "../domain/base/versions";
import { asString, getPath } from "../domain/base/values";
import { type OperatorRelease, operatorRelease } from "../domain/engine-cluster/operator";
import { unreadFacts } from "../domain/facts/facts";
import { kinds } from "../domain/kube/kinds";
import type { KubeObject } from "../domain/kube/objects";
import { getTyped } from "../ports/typed";
import { type Names, renderTerm } from "../domain/names/names";
import { judgeContents } from "../domain/release/contents";
import { clusterVersionFor, offeredReleases, platforms } from "../domain/release/platforms";
import type { KubeClient } from "../ports/kubernetes";
import type { Suggestion } from "./complete";

/** Of the operator, or of the image of the clusters. */
export type TagOffer = "release" | "tag";

/** What the line says of the release. */
export interface AskedRelease {
  readonly release: string | undefined;
  readonly target: string | undefined;
}

interface Opening {
  readonly names: Names;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** What the line itself decides; undefined where it says nothing of the release. */
export async function findTagsOnLine(
  what: TagOffer,
  { release, target }: AskedRelease,
  opening: Opening,
): Promise<readonly Suggestion[] | undefined> {
  // an address is not called while a person types
  if (release !== undefined && !release.includes("://")) {
    return await readTags(what, release, opening);
  }
  if (what === "release" || target === undefined) return undefined;
  const tag = clusterVersionFor(target);
  return tag === undefined ? [] : [[tag, `belongs to operator ${target}`]];
}

async function readTags(
  what: TagOffer,
  given: string,
  { names, env, signal }: Opening,
): Promise<readonly Suggestion[]> {
  const release = await openRelease(given, { names, env, signal });
  const tags = platforms.flatMap((platform) => {
    const read = judgeContents(release, { platform, names, parse });
    if (read.is !== "read") return [];
    const { operatorVersion, clusterVersion } = read.contents;
    return (what === "release" ? operatorVersion : clusterVersion) ?? [];
  });
  return [...new Set(tags)].map((tag) => [tag, `the one of ${release.source}`]);
}

/** What an operator that runs may be upgraded to; all that is known where none is seen. */
export function listReleases({ version }: Partial<OperatorRelease>): readonly Suggestion[] {
  const later = offeredReleases.filter(
    (tag) => version === undefined || compareTags(tag, version) > 0,
  );
  const all = later.map((tag): Suggestion => [tag, "operator release"]);
  return version === undefined ? all : [[version, "the release that runs"], ...all];
}

/** What belongs to the operator, and what the clusters ask for. */
export function listClusterTags(
  { version, clusterTag }: Partial<OperatorRelease>,
  clusters: readonly KubeObject[],
  { ec, ecFields }: Names,
): readonly Suggestion[] {
  const wanted = clusters.flatMap((cluster): readonly Suggestion[] => {
    const tag = asString(getPath(cluster, ecFields.versionTag));
    const { name = "" } = cluster.metadata;
    return tag === undefined ? [] : [[tag, `${renderTerm(ec)} ${name} asks for it`]];
  });
  const own =
    clusterTag === undefined
      ? []
      : ([[clusterTag, `belongs to operator ${String(version)}`]] as const);
  // the last of one key stays, in the place of the first
  return [...new Map([...own, ...wanted, ...own])];
}

/** The release of the operator in the namespace of the connection; nothing where it is not seen. */
export async function readOperatorRelease(
  names: Names,
  { cluster, signal }: { readonly cluster: KubeClient; readonly signal: AbortSignal },
): Promise<Partial<OperatorRelease>> {
  const { namespace } = cluster;
  const { deployment: name } = names.operator;
  const ref = { resource: kinds.deployment, namespace, name };
  const found = await getTyped(cluster, ref, { signal }).catch(() => undefined);
  if (found === undefined) return {};
  const unread = unreadFacts(names, namespace);
  return operatorRelease({ ...unread, objects: { ...unread.objects, deployments: [found] } });
}
