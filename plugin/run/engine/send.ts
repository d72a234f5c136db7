/** One change as a request: bound to what was read, a refusal told as what it means. */
import { patchOf } from "../../domain/cluster/edits";
import { ApiError, exitCodes, type StatusCause } from "../../domain/errors";
import { type KubeObject, objectLabel, preconditionsOf } from "../../domain/objects";
import { isPersons, judgeConflict } from "../../domain/owners";
import { changedError, ChangedError } from "./outcome";
import type { Cluster } from "../ports";
import { BlockedError } from "./recorder";
import {
  type Apply,
  type Change,
  isSecret,
  liveOf,
  refOf,
  type Taking,
  withMetadata,
} from "./change";

/** How it is sent. */
export interface Sending {
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly taking: Taking;
}

/**
 * Sends it, and gives what is stored then; undefined after a deletion. Throws ChangedError where the
 * object is not what was read, BlockedError for fields of others, and what the API server refuses.
 */
export async function sendChange(
  cluster: Cluster,
  change: Change,
  sending: Sending,
): Promise<KubeObject | undefined> {
  try {
    return await requested(cluster, change, sending);
  } catch (error) {
    throw refusal(isSecret(change) ? withheld(error, objectLabel(change.object)) : error, change);
  }
}

async function requested(
  cluster: Cluster,
  change: Change,
  sending: Sending,
): Promise<KubeObject | undefined> {
  const { object } = change;
  const { dryRun, fieldManager } = sending;
  const options = { fieldManager, ...(dryRun && { dryRun }) };
  switch (change.verb) {
    case "patch": {
      const body = withMetadata(patchOf(change.edits), bindingOf(object, dryRun));
      return await cluster.patch(refOf(change), body, { type: "merge", ...options });
    }
    case "rewrite":
      return await cluster.patch(refOf(change), change.operations, { type: "json", ...options });
    case "create":
      return await cluster.create(object, options);
    case "update":
      return await cluster.update(bound(change), options);
    case "apply":
      return await applied(cluster, change, sending);
    case "delete":
      await cluster.delete(refOf(change), preconditionsOf(object), dryRun ? { dryRun } : {});
      return undefined;
  }
}

/** A person's own kubectl is taken over from; anybody else's fields are a conflict (S18). */
async function applied(
  cluster: Cluster,
  change: Apply,
  { fieldManager, dryRun, taking }: Sending,
): Promise<KubeObject> {
  const { live, force = false } = change;
  const apply = (forced: boolean): Promise<KubeObject> =>
    cluster.apply(bound(change), { fieldManager, force: forced, ...(dryRun && { dryRun }) });
  if (force !== "judged") return await apply(force);
  if (live !== undefined && isPersons(live, taking.ours)) return await apply(true);
  try {
    return await apply(false);
  } catch (error) {
    requireTakeable(error, change, taking);
  }
  return await apply(true);
}

/** Throws unless the error is a conflict over fields that may be taken. */
function requireTakeable(error: unknown, { object, live }: Apply, taking: Taking): void {
  const isConflict = error instanceof ApiError && error.status === 409 && error.causes.length > 0;
  if (!isConflict || live === undefined) throw error;
  requireTaken(error.causes, object, taking);
}

/** Throws 5 where some of these fields may not be taken. */
export function requireTaken(
  causes: readonly StatusCause[],
  object: KubeObject,
  taking: Taking,
): void {
  const verdict = judgeConflict({ causes, object: objectLabel(object), ...taking });
  if (verdict.is === "refuse") throw new BlockedError(exitCodes.conflict, verdict.findings);
}

/** The object, bound to the one that was read. */
function bound({ object, live }: Apply): KubeObject {
  const metadata = { ...object.metadata, ...(live !== undefined && preconditionsOf(live)) };
  return { ...object, metadata };
}

/** A dry run is bound to the object alone where a controller may write its status meanwhile. */
function bindingOf(object: KubeObject, dryRun: boolean): object {
  const { uid, resourceVersion } = preconditionsOf(object);
  const moves = object.metadata.generation !== undefined;
  return {
    ...(uid !== undefined && { uid }),
    ...((!dryRun || !moves) && resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The fields of others that an apply met; none where it failed for another reason. */
export function heldFields(error: unknown): readonly StatusCause[] {
  const cause = error instanceof ChangedError ? error.cause : undefined;
  return cause instanceof ApiError && cause.status === 409 ? cause.causes : [];
}

/** A conflict, or an object that is gone, as what it means; where one is made, its namespace is gone. */
function refusal(error: unknown, change: Change): unknown {
  if (!(error instanceof ApiError)) return error;
  const isGone = error.status === 404 && liveOf(change) !== undefined;
  if (error.status !== 409 && !isGone) return error;
  return changedError(error, objectLabel(change.object));
}

/** A refusal may quote what it refuses, a private key too: what is left of it cannot. */
function withheld(error: unknown, object: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message, retryAfter } = error;
  const [, webhook] = /^admission webhook "([\w.-]{1,253})" denied/.exec(message) ?? [];
  const by = webhook === undefined ? "the API server" : `admission webhook ${webhook}`;
  const word = (reason = ""): string => (/^[A-Za-z]{1,40}$/.test(reason) ? reason : "");
  const reason = word(error.reason);
  return new ApiError(
    `${object} was refused by ${by} (${[status, reason].join(" ").trim()}); its words are not shown, they may quote the private key`,
    {
      ...{ status, reason, causes: error.causes.map((cause) => ({ reason: word(cause.reason) })) },
      ...(retryAfter !== undefined && { retryAfter }),
    },
    { hint: "ask an administrator for the reason in the log of what refused it, then run again" },
  );
}
