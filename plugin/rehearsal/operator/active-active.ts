/** The operator's work on active-active databases: their state follows that of their instances (S65). */
import { leadingEngineVersion, parseEngineVersion } from "../../domain/versions";
import { at, list, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { isManaged } from "./clusters";
import { askedOf } from "./database-wish";
import { identity, productKinds, type Scene } from "./scene";
import { hashOf, sameButTimes, statusWith, writeStatus } from "./writes";

/** What the operator has to tell of active-active databases. */
export function activeActiveActs(scene: Scene): readonly Act[] {
  if (!scene.ecs.some((ec) => isManaged(scene, ec))) return [];
  return scene.eaadbs.flatMap((eaadb) => ofOne(scene, eaadb));
}

/** Some instance is on its way while it does not run the version that is asked for. */
function isPending({ names, edbs }: Scene, eaadb: KubeObject): boolean {
  const wanted = parseEngineVersion(askedOf(names, eaadb));
  if (wanted === undefined) return false;
  const linked = list(at(eaadb, names.eaadbFields.linkedEdbs));
  return edbs
    .filter(({ metadata }) => linked.includes(metadata.name))
    .some((edb) => {
      const runs = leadingEngineVersion(at(edb, names.fields.statusVersion));
      return (
        runs === undefined ||
        runs.major < wanted.major ||
        (runs.major === wanted.major && runs.minor < wanted.minor)
      );
    });
}

function ofOne(scene: Scene, eaadb: KubeObject): readonly Act[] {
  const { names, times } = scene;
  const { eaadbFields } = names;
  const pending = isPending(scene, eaadb);
  const fields: readonly (readonly [readonly string[], unknown])[] = [
    [eaadbFields.status, pending ? "active-change-pending" : "active"],
    [eaadbFields.specStatus, "Valid"],
    [eaadbFields.replicationStatus, text(at(eaadb, eaadbFields.replicationStatus)) ?? "up"],
    ...(pending
      ? [
          [
            eaadbFields.lastTaskUid,
            hashOf([eaadb.metadata.name, eaadb.metadata.generation]),
          ] as const,
        ]
      : []),
  ];
  const status = statusWith(eaadb, fields);
  if (sameButTimes(status, eaadb["status"])) return [];
  const target = {
    resource: productKinds(names).eaadb,
    object: eaadb,
    manager: names.operator.deployment,
  };
  return [
    {
      key: `${identity(eaadb)} ${hashOf(status)}`,
      afterMs: times.reactMs,
      run: ({ cluster }) => writeStatus(cluster, target, status),
    },
  ];
}
