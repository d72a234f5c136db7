/** The operator's work on databases: a new version is taken on, and reached (S61–S66; domain facts 7, 11). */
import {
  compareEngineVersions,
  formatEngineVersion,
  leadingEngineVersion,
} from "../../domain/versions";
import { at, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { isManaged } from "./clusters";
import { become, databaseStates, refuse, restFields } from "./database-status";
import { wishOf, type Wish } from "./database-wish";
import { databasesOf } from "./prerequisites";
import type { FieldValue } from "./rest-service";
import { numberAt, type Scene } from "./scene";
import { servedDatabaseActs } from "./served-database";
import { hashOf } from "./writes";

const { pending, notMade } = databaseStates;

/** What the operator has to do about the databases of the ECs that it looks after. */
export function databaseActs(scene: Scene): readonly Act[] {
  return scene.ecs
    .filter((ec) => isManaged(scene, ec))
    .flatMap((ec) =>
      databasesOf(scene, ec).flatMap((edb) => {
        const wish = wishOf(scene, ec, edb);
        const served = scene.rest?.find(edb);
        const isStuck = scene.misbehave.stuckDatabase === edb.metadata.name;
        if (served === undefined || isStuck) return ofDatabase(scene, edb, wish);
        return servedDatabaseActs(scene, edb, { wish, served });
      }),
    );
}

function ofDatabase(scene: Scene, edb: KubeObject, wish: Wish): readonly Act[] {
  const { edbFields } = scene.names;
  const state = text(at(edb, edbFields.status));
  const isNoted = numberAt(edb, edbFields.observedGeneration, 0) === edb.metadata.generation;
  const reached = isReached(scene, edb, wish);
  if (reached && isNoted && state !== undefined && state !== pending) return [];
  if (wish.refused !== undefined) return refuse(scene, edb, { why: wish.refused });
  if (state === undefined || state === notMade)
    return [become(scene, edb, bornFields(scene, wish))];
  if (reached || wish.version === undefined) return [become(scene, edb, restFields(scene, edb))];
  return raise(scene, edb, formatEngineVersion(wish.version));
}

/** Lowering is not done: a database that runs more has what is asked for. */
function isReached({ names }: Scene, edb: KubeObject, { version }: Wish): boolean {
  if (version === undefined) return true;
  const runs = leadingEngineVersion(at(edb, names.fields.statusVersion));
  return runs !== undefined && compareEngineVersions(runs, version) >= 0;
}

/** Pending with an action of its own, then the version. */
function raise(scene: Scene, edb: KubeObject, version: string): readonly Act[] {
  const { names, times, misbehave } = scene;
  const { edbFields, fields } = names;
  const { namespace, name } = edb.metadata;
  if (text(at(edb, edbFields.status)) !== pending) {
    const begun: readonly FieldValue[] = [
      [edbFields.status, pending],
      [edbFields.lastActionUid, hashOf([namespace, name, version])],
      [edbFields.lastActionStatus, "active"],
    ];
    return [become(scene, edb, begun)];
  }
  if (misbehave.stuckDatabase === name) return [];
  const done: readonly FieldValue[] = [
    [fields.statusVersion, `${version}.0`],
    ...restFields(scene, edb),
    [edbFields.lastActionStatus, "completed"],
  ];
  return [{ ...become(scene, edb, done), afterMs: times.databaseMs }];
}

/** A database that was just made: the next number, and the version that it asks for, or the newest. */
function bornFields(
  { names, edbs, rest }: Scene,
  { version, newest }: Wish,
): readonly FieldValue[] {
  const taken = edbs.map((edb) => Number(text(at(edb, names.edbFields.databaseUid)) ?? 0));
  const first = version ?? newest;
  return [
    [names.edbFields.databaseUid, String(Math.max(0, ...taken, ...(rest?.uids ?? [])) + 1)],
    [names.edbFields.status, "pending"],
    ...(first === undefined
      ? []
      : [[names.fields.statusVersion, `${formatEngineVersion(first)}.0`] as const]),
  ];
}
