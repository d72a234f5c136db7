/** The one write of a database's upgrade: a patch of its version alone (S61, S62). */
import type { FieldEdit } from "../../domain/cluster/edits";
import { databaseFinding } from "../../domain/databases/codes";
import type { Target } from "../../domain/databases/target";
import type { Finding } from "../../domain/findings";
import type { KubeObject } from "../../domain/objects";
import { type Patch, refOf } from "../engine/change";
import type { UpgradeDatabaseDeps } from "./deps";
import { databaseResources } from "./read";

/** A database and what is to be written to it. */
export interface DatabaseWrite {
  readonly target: Target;
  readonly edits: readonly FieldEdit[];
  /** The database is somebody else's. */
  readonly owned: readonly Finding[];
}

export function databasePatch(
  { names }: Pick<UpgradeDatabaseDeps, "names">,
  { target, edits, owned }: DatabaseWrite,
): Patch {
  const { namespace = "" } = target.object.metadata;
  return {
    verb: "patch",
    id: "database.patch",
    resource: databaseResources(names)[target.kind],
    object: target.object,
    edits,
    risk: "the shards of the database restart; its version is not lowered again",
    reverse: "none once the upgrade has begun; the run saves the old value",
    where: ["--namespace", namespace],
    owned,
    dropped: (lost, object) =>
      lost.map(({ path }) => databaseFinding("fieldPruned", { object, field: path.join(".") })),
  };
}

/** The database as it is now; undefined where it is gone. */
export async function readAgain(
  { cluster, signal }: UpgradeDatabaseDeps,
  patch: Patch,
): Promise<KubeObject | undefined> {
  return await cluster.get(refOf(patch), { signal });
}
