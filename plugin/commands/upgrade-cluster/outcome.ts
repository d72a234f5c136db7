/** The cluster once an EC is upgraded, for what is planned after it. */
import type { Facts } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, refTo } from "../../domain/kube/objects";
import type { WantedCluster } from "../../domain/engine-cluster/rollout";
import { bundledVersions } from "../../domain/release/platforms";
import { parseImage } from "../../domain/release/images";
import { podsOfCluster } from "../../domain/scc/refusals";
import { asArray, getOwn, getPath, withValue } from "../../domain/base/values";
import { type Projection, unchanged } from "../../kernel/projected";

/** What is planned for an EC: the object as its edits leave it, and what its pods are to run. */
export interface UpgradedCluster {
  readonly ec: KubeObject;
  readonly wanted: WantedCluster;
}

/**
 * The EC Running the wanted tag, also where the operator chooses it, and publishing what that release bundles;
 * its pods of other tags are gone. What a database may become is decided by the EC, so dry runs of databases
 * tell nothing.
 */
export function clusterOutcome(facts: Facts, { ec, wanted }: UpgradedCluster): Projection {
  const { names } = facts;
  const { ecFields, fields, entryFields } = names;
  const { tag } = wanted;
  const versions = bundledVersions(tag) ?? [];
  const published = versions.map((version) => ({
    [entryFields.bundledType]: names.engineDbType,
    [entryFields.bundledVersion]: version,
  }));
  const told: readonly (readonly [readonly string[], unknown])[] = [
    [ecFields.state, "Running"],
    [ecFields.specStatus, "Valid"],
    ...(tag === undefined ? [] : [[ecFields.versionTag, tag] as const]),
    [fields.bundledDatabaseVersions, published],
  ];
  const stored = told.reduce<KubeObject>(
    (object, [path, value]) => withValue(object, path, value) as KubeObject,
    ec,
  );
  const replaced = podsOfCluster(ec, facts.objects.pods, names).filter(
    (pod) => !tagsOf(pod).includes(tag),
  );
  const { group } = names;
  return {
    ...unchanged,
    stored: [stored],
    gone: replaced.map((pod) => refTo(kinds.pod, pod)),
    shades: [names.edb, names.eaadb].map(({ kind }) => ({ group, kind })),
  };
}

function tagsOf(pod: KubeObject): readonly (string | undefined)[] {
  return asArray(getPath(pod, ["spec", "containers"])).map(
    (container) => parseImage(getOwn(container, "image"))?.tag,
  );
}
