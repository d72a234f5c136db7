/** How the status of an EDB is written, and what it says at rest (domain facts 7, 11). */
import { at } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import type { FieldValue } from "./rest-service";
import { identity, productKinds, type Scene } from "./scene";
import { hashOf, statusWith, writeStatus } from "./writes";

/** States of a database that the play enters. */
export const databaseStates = {
  active: "active",
  pending: "active-change-pending",
  notMade: "creation-failed",
} as const;

/** What a database says when nothing is left to do. */
export function restFields(
  { names }: Scene,
  edb: KubeObject,
  specStatus = "Valid",
): readonly FieldValue[] {
  const { edbFields } = names;
  return [
    [edbFields.status, databaseStates.active],
    [edbFields.specStatus, specStatus],
    [edbFields.observedGeneration, edb.metadata.generation],
  ];
}

/** Why a spec is not taken, and what else is to be told. */
export interface Refused {
  readonly why: string;
  readonly also?: readonly FieldValue[];
}

/** The spec is told to be invalid, once in the log as well. */
export function refuse(scene: Scene, edb: KubeObject, { why, also = [] }: Refused): readonly Act[] {
  const fields = [...restFields(scene, edb, "Invalid"), ...notMade(scene, edb), ...also];
  if (statusSays(edb, fields)) return [];
  const told = become(scene, edb, fields);
  const { name = "", namespace = "" } = edb.metadata;
  const run: Act["run"] = async (hands) => {
    await told.run(hands);
    const line = { level: "error", logger: "controllers.database", msg: "Invalid Spec" } as const;
    hands.log({ ...line, error: why, Namespace: namespace, Name: name });
  };
  return [{ ...told, run }];
}

/** What was never made is not active (domain facts 7). */
function notMade({ names: { edbFields } }: Scene, edb: KubeObject): readonly FieldValue[] {
  const told = at(edb, edbFields.status);
  const isNew = told === undefined || told === databaseStates.notMade;
  return isNew ? [[edbFields.status, databaseStates.notMade]] : [];
}

/** Whether the status says all of that already. */
export function statusSays(edb: KubeObject, fields: readonly FieldValue[]): boolean {
  const after = { status: statusWith(edb, fields) };
  return fields.every(([path]) => at(after, path) === at(edb, path));
}

/** Writes fields of the status, a moment after their cause. */
export function become(scene: Scene, edb: KubeObject, fields: readonly FieldValue[]): Act {
  const { names, times } = scene;
  const manager = names.operator.deployment;
  const target = { resource: productKinds(names).edb, object: edb, manager };
  const status = statusWith(edb, fields);
  return {
    key: `${identity(edb)} ${edb.metadata.generation ?? 0} ${hashOf(status)}`,
    afterMs: times.reactMs,
    run: ({ cluster }) => writeStatus(cluster, target, status),
  };
}
