/** One change as a request: bound to what was read, a refusal told as what it means. */
import { buildPatch } from "../domain/kube/edits";
import {
  ApiError,
  EngineError,
  exitCodes,
  type StatusCause,
  TimeoutError,
  UnavailableError,
  UnknownOutcomeError,
  BlockedError,
} from "../domain/base/errors";
import { renderFix } from "../domain/base/remedy";
import { type KubeObject, objectLabel, readPreconditions } from "../domain/kube/objects";
import { isPersons, judgeConflict } from "../domain/kube/owners";
import { readAnswer } from "../domain/admission/answers";
import { adviceFor, nameOfRefuser, type Refuser, findRefuser } from "../domain/admission/refusers";
import type { KubeClient } from "../ports/kubernetes";
import type { Recorder } from "./recorder";
import {
  type Apply,
  type Change,
  isSecret,
  findLive,
  changeRef,
  type Taking,
  withMetadata,
} from "../domain/kube/change";
import { type WriteAction, findUnconfirmed } from "../domain/kube/planned-write";
import type { Journal } from "./journal";

/** Someone changed the object since it was read: read and plan again. */
export class ChangedError extends EngineError {
  readonly code = "CHANGED-SINCE-READ";
  readonly exitCode = exitCodes.conflict;
}

/** Stops with 5 where a plan made again would send more than was confirmed. */
export function requireConfirmed(
  confirmed: readonly WriteAction[],
  now: readonly WriteAction[],
): void {
  const findings = findUnconfirmed(confirmed, now);
  if (findings.length > 0) throw new BlockedError(exitCodes.conflict, findings);
}

/** Where a write is noted. */
export interface Notes {
  readonly journal: Pick<Journal, "intent" | "outcome">;
  readonly recorder: Pick<Recorder, "note">;
}

/** A line for the record before the write, and one after it with what came of it. */
export async function sendJournaled<T>(
  notes: Notes,
  write: {
    readonly action: string;
    readonly object: string;
    readonly why: string;
    /** Sent even where the line cannot be kept. */
    readonly urgent?: boolean;
  },
  act: () => Promise<T>,
): Promise<T> {
  const { action, object, why, urgent = false } = write;
  await notes.journal.intent({ action, object, why }).catch((error: unknown) => {
    if (!urgent) throw error;
  });
  try {
    const value = await act();
    await observeWrite(notes, { action, object, result: "done" });
    return value;
  } catch (error) {
    const result = error instanceof EngineError ? `failed: ${error.code}` : "failed";
    await observeWrite(notes, { action, object, result });
    throw error;
  }
}

/** What has happened has happened: a record that cannot be kept does not undo it. */
async function observeWrite(
  { journal, recorder }: Notes,
  line: { readonly action: string; readonly object: string; readonly result: string },
): Promise<void> {
  await journal.outcome(line).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error;
    const { action, object } = line;
    recorder.note(`the outcome of ${action} ${object} is not in the record: ${error.message}`);
  });
}

/** A write without a definite answer leaves its outcome open: the object is read to see it. */
export async function resolveOutcome<T>(write: {
  readonly send: () => Promise<T>;
  /** The outcome when what is stored shows that the write was done. */
  readonly seen: () => Promise<T | undefined>;
  readonly label: string;
  /** What a definite refusal means; absent: see explainChanged. */
  readonly refused?: (error: unknown) => unknown;
}): Promise<T> {
  try {
    return await write.send();
  } catch (error) {
    const { label, refused = (said) => explainChanged(said, label) } = write;
    if (!leavesOpen(error)) throw refused(error);
    const outcome = await write.seen().catch((cause: unknown) => {
      throw unknownOutcome(cause, write.label);
    });
    if (outcome !== undefined) return outcome;
    throw error instanceof UnavailableError ? notDone(error, write.label) : error;
  }
}

/** A cut connection, a deadline or an error of the server itself: the write may have been done. */
function leavesOpen(error: unknown): boolean {
  if (error instanceof UnavailableError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && error.status >= 500;
}

/** Read back, so nothing is open: the object does not show the write. */
function notDone(cause: UnavailableError, label: string): UnavailableError {
  const message = `the write of ${label} did not take effect: it got no answer, and the object read back does not show it`;
  return new UnavailableError(message, {
    cause,
    hint: "check the network, then run the same command again: it continues from what is there",
  });
}

function unknownOutcome(cause: unknown, label: string): unknown {
  if (!(cause instanceof EngineError)) return cause;
  const message = `the write of ${label} was sent, and whether it was done cannot be seen: ${cause.message}`;
  return new UnknownOutcomeError(message, { cause });
}

/** A conflict, or an object that is gone, as what it means; anything else as it is. */
function explainChanged(error: unknown, label: string): unknown {
  if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) return error;
  return makeChangedError(error, label);
}

/** The object is not what it was. */
export function makeChangedError(cause: unknown, label: string): ChangedError {
  return new ChangedError(`${label} was changed or deleted by someone else since it was read`, {
    cause,
    hint: "another run or a person is changing it: run the same command again when they are done",
  });
}

/** How it is sent. */
interface WriteSendOptions {
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly taking: Taking;
}

/**
 * Sends it, and gives what is stored then; undefined after a deletion. Throws ChangedError where the
 * object is not what was read, BlockedError for fields of others, and what the API server refuses.
 */
export async function sendChange(
  cluster: KubeClient,
  change: Change,
  sending: WriteSendOptions,
): Promise<KubeObject | undefined> {
  try {
    return await requestWrite(cluster, change, sending);
  } catch (error) {
    throw refusal(isSecret(change) ? withheld(error, objectLabel(change.object)) : error, change);
  }
}

async function requestWrite(
  cluster: KubeClient,
  change: Change,
  sending: WriteSendOptions,
): Promise<KubeObject | undefined> {
  const { object } = change;
  const { dryRun, fieldManager } = sending;
  const options = { fieldManager, ...(dryRun && { dryRun }) };
  switch (change.verb) {
    case "patch": {
      const body = withMetadata(buildPatch(change.edits), bindTo(object, dryRun));
      return await cluster.patch(changeRef(change), body, { type: "merge", ...options });
    }
    case "rewrite":
      return await cluster.patch(changeRef(change), change.operations, {
        type: "json",
        ...options,
      });
    case "create":
      return await cluster.create(object, options);
    case "update":
      return await cluster.update(bindObject(change), options);
    case "apply":
      return await applyObject(cluster, change, sending);
    case "delete":
      await cluster.delete(changeRef(change), readPreconditions(object), dryRun ? { dryRun } : {});
      return undefined;
  }
}

/** A person's own kubectl is taken over from; anybody else's fields are a conflict (S18). */
async function applyObject(
  cluster: KubeClient,
  change: Apply,
  { fieldManager, dryRun, taking }: WriteSendOptions,
): Promise<KubeObject> {
  const { live, force = false } = change;
  const apply = (forced: boolean): Promise<KubeObject> =>
    cluster.apply(bindObject(change), { fieldManager, force: forced, ...(dryRun && { dryRun }) });
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
function bindObject({ object, live }: Apply): KubeObject {
  const metadata = { ...object.metadata, ...(live !== undefined && readPreconditions(live)) };
  return { ...object, metadata };
}

/** A dry run is bound to the object alone where a controller may write its status meanwhile. */
function bindTo(object: KubeObject, dryRun: boolean): object {
  const { uid, resourceVersion } = readPreconditions(object);
  const moves = object.metadata.generation !== undefined;
  return {
    ...(uid !== undefined && { uid }),
    ...((!dryRun || !moves) && resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The fields of others that an apply met; none where it failed for another reason. */
export function listHeldFields(error: unknown): readonly StatusCause[] {
  const cause = error instanceof ChangedError ? error.cause : undefined;
  return cause instanceof ApiError && cause.status === 409 ? cause.causes : [];
}

/** A conflict, or an object that is gone, as what it means; where one is made, its namespace is gone. */
function refusal(error: unknown, change: Change): unknown {
  if (!(error instanceof ApiError)) return error;
  const isGone = error.status === 404 && findLive(change) !== undefined;
  if (error.status !== 409 && !isGone) return error;
  return makeChangedError(error, objectLabel(change.object));
}

/** A name is one token of a fixed form: nothing of the object is in it. */
function refuserName(refuser: Refuser | undefined): string {
  if (refuser === undefined) return "the API server";
  const isWebhook = refuser.kind === "webhook";
  const name = `${isWebhook ? "admission " : ""}${nameOfRefuser(refuser)}`;
  return refuser.fails ? `the API server, because ${name} does not answer` : name;
}

/** A refusal may quote what it refuses, a private key too: what is left of it cannot. */
function withheld(error: unknown, object: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status } = error;
  const refuser = findRefuser(readAnswer(error), []);
  const word = (reason = ""): string => (/^[A-Za-z]{1,40}$/.test(reason) ? reason : "");
  const reason = word(error.reason);
  return new ApiError(
    `${object} was refused by ${refuserName(refuser)} (${[status, reason].join(" ").trim()}); its words are not shown, they may quote the private key`,
    {
      ...{ status, reason, causes: error.causes.map((cause) => ({ reason: word(cause.reason) })) },
    },
    {
      hint:
        refuser === undefined
          ? "ask an administrator for the reason in the log of what refused it, then run again"
          : renderFix([{ ...adviceFor(refuser), then: { says: "run again" } }]),
    },
  );
}

const maxAttempts = 3;

/** What is done with a plan, and how another one is made. */
interface PlannedWork<P, T> {
  readonly work: (plan: P) => Promise<T>;
  /** Throws where the new plan is not the same work (5, PLAN-EXCEEDED). */
  readonly again: (error: ChangedError, plan: P) => Promise<P>;
  /** How often it is tried; absent: three times. Some objects' status is written all the time. */
  readonly attempts?: number;
}

/** Works by the plan; each time that what it was made from has changed meanwhile, by another one. */
export async function workByPlan<P, T>(
  { recorder }: { readonly recorder: Pick<Recorder, "note"> },
  first: P,
  { work, again, attempts = maxAttempts }: PlannedWork<P, T>,
): Promise<T> {
  let plan = first;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(plan);
    } catch (error) {
      if (!(error instanceof ChangedError) || attempt >= attempts) throw error;
      recorder.note(`${error.message}: reading and planning again`);
      plan = await again(error, plan);
    }
  }
}
