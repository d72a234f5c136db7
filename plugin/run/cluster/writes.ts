/** The one write of an upgrade: a patch of its fields alone, bound to the EC that was read. */
import { clusterFinding } from "../../domain/cluster/codes";
import { type FieldEdit, holds, patchOf, reverseOf, shownEdits } from "../../domain/cluster/edits";
import { exitCodes } from "../../domain/errors";
import {
  type KubeObject,
  objectLabel,
  preconditionsOf,
  type Ref,
  type Resource,
} from "../../domain/objects";
import { at } from "../../domain/values";
import { certain, noted } from "../outcome";
import { plannedWrite } from "../planned";
import { BlockedError, type StepInfo } from "../recorder";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";

/** The EC and what is to be written to it. */
export interface ClusterWrite {
  readonly resource: Resource;
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
}

/** How the write is named in the report. */
export function stepOf({ ec, edits }: Pick<ClusterWrite, "ec" | "edits">): StepInfo {
  const object = objectLabel(ec);
  return { id: "cluster.patch", action: "patch", object, why: shownEdits(edits) };
}

/** The same with all that a person decides by. */
export function plannedOf({ command }: UpgradeClusterDeps, write: ClusterWrite): StepInfo {
  const { resource, ec, edits } = write;
  const { name = "" } = ec.metadata;
  const kind = `${resource.plural}.${resource.group}`;
  const patch = JSON.stringify(patchOf(edits));
  return {
    ...stepOf(write),
    write: plannedWrite({
      verb: "patch",
      ref: refOf({ resource, ec }),
      before: ec,
      risk: "all pods of the cluster are renewed one after the other; a cluster is not lowered again",
      reverse:
        "until the first pod is renewed, by the printed command; the run saves the old values",
      command: command(["kubectl", "patch", kind, name, "--type=merge", "-p", patch]),
    }),
  };
}

/** Writes the fields, and sees that all of them are stored. */
export async function writeEdits(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  write: ClusterWrite,
): Promise<KubeObject> {
  const { ec, edits } = write;
  const { action, object, why } = stepOf(write);
  const stored = await noted(deps, { action, object, why }, () =>
    certain({ send: () => send(deps, options, { ...write, dryRun: false }), seen, label: object }),
  );
  requireStored(stored, edits);
  return stored;

  // an interrupt does not keep it from being seen
  async function seen(): Promise<KubeObject | undefined> {
    const found = await deps.cluster.get(refOf(write), { signal: new AbortController().signal });
    return found?.metadata.uid === ec.metadata.uid && holds(found, edits) ? found : undefined;
  }
}

/** Sends the write with dryRun=All: what the API server would drop shows as well. */
export async function tryEdits(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  write: ClusterWrite,
): Promise<void> {
  requireStored(await send(deps, options, { ...write, dryRun: true }), write.edits);
}

/** Keeps the old values as a patch of their own: the spec may hold a license. */
export async function saveOldValues(
  { journal, recorder, command }: UpgradeClusterDeps,
  { resource, ec, edits }: ClusterWrite,
): Promise<void> {
  const { name = "", namespace } = ec.metadata;
  const file = await journal.save({
    apiVersion: ec.apiVersion,
    kind: ec.kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...reverseOf(edits),
  });
  const kind = `${resource.plural}.${resource.group}`;
  recorder.backup({
    object: objectLabel(ec),
    file,
    command: command(["kubectl", "patch", kind, name, "--type=merge", "--patch-file", file]),
  });
}

async function send(
  { cluster }: UpgradeClusterDeps,
  { fieldManager }: UpgradeClusterOptions,
  write: ClusterWrite & { readonly dryRun: boolean },
): Promise<KubeObject> {
  const { ec, edits, dryRun } = write;
  const body = { ...patchOf(edits), metadata: preconditionsOf(ec) };
  return await cluster.patch(refOf(write), body, { type: "merge", dryRun, fieldManager });
}

function refOf({ resource, ec }: Pick<ClusterWrite, "resource" | "ec">): Ref {
  const { name = "", namespace } = ec.metadata;
  return { resource, name, ...(namespace !== undefined && { namespace }) };
}

/** A definition without the field drops it silently (domain facts 7). */
function requireStored(stored: KubeObject, edits: readonly FieldEdit[]): void {
  const dropped = edits.filter(({ path, to }) => at(stored, path) !== to);
  if (dropped.length === 0) return;
  throw new BlockedError(
    exitCodes.failed,
    dropped.map(({ path }) =>
      clusterFinding("fieldPruned", {
        object: objectLabel(stored),
        field: path.join("."),
        cause: `the API server did not keep ${path.join(".")}: the EC's definition does not have it`,
      }),
    ),
  );
}
