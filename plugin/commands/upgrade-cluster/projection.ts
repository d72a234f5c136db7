/** The cluster once an EC is upgraded, for what is planned after it. */
import { isBusy } from "../../domain/database/state";
import { selectDatabases } from "../../domain/database/target";
import type { Facts } from "../../domain/facts/facts";
import type { Pod } from "../../domain/kube/models";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, refTo } from "../../domain/kube/objects";
import type { WantedCluster } from "../../domain/engine-cluster/rollout";
import { listBundledVersions } from "../../domain/release/platforms";
import { parseImage } from "../../domain/release/images";
import { findClusterPods } from "../../domain/scc/pods";
import { asString, getPath, withValue } from "../../domain/base/values";
import { type Projection, unchanged } from "../../kernel/projection";

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
export function projectUpgrade(facts: Facts, { ec, wanted }: UpgradedCluster): Projection {
  const { names } = facts;
  const { ecFields, fields, entryFields } = names;
  const { tag } = wanted;
  const versions = listBundledVersions(tag) ?? [];
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
  const pods = findClusterPods(ec, facts.objects.pods, names);
  const replaced = pods.filter((pod) => !listTags(pod).includes(tag));
  const { group } = names;
  return {
    ...unchanged,
    stored: [stored, ...settleDatabases(facts, ec)],
    gone: replaced.map((pod) => refTo(kinds.pod, pod)),
    shades: [names.edb, names.eaadb].map(({ kind }) => ({ group, kind })),
  };
}

/** What works on a database now has come to its end by then, or is waited for before it is written. */
function settleDatabases(facts: Facts, { metadata }: KubeObject): readonly KubeObject[] {
  const { names } = facts;
  const all = selectDatabases(facts, { names: [], everywhere: true, via: "resource" });
  return all.targets.flatMap(({ ec, kind, object }): readonly KubeObject[] => {
    const path = (kind === "edb" ? names.edbFields : names.eaadbFields).status;
    const isOwn = ec !== undefined && ec.metadata.uid === metadata.uid;
    if (!isOwn || !isBusy(asString(getPath(object, path)))) return [];
    return [withValue(object, path, "active") as KubeObject];
  });
}

function listTags({ spec }: Pod): readonly (string | undefined)[] {
  return (spec?.containers ?? []).map(({ image }) => parseImage(image)?.tag);
}
