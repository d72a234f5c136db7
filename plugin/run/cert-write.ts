/** The writes of `cert create`: save what is replaced, then write, and put back what a failure took away. */
import { secretObject } from "../domain/certificate";
import { ApiError, exitCodes, UnknownOutcomeError } from "../domain/errors";
import type { Names } from "../domain/names";
import { type KubeObject, preconditionsOf } from "../domain/objects";
import { CertificateStop, secretRef } from "./cert-parts";
import { firstOf, sameContent, savedCopy, successorOf, updateOf } from "./cert-secret";
import { certain } from "./outcome";
import type { Cluster, ManagedWrite } from "./ports";
import type { Journal } from "./record";
import type { Recorder, StepInfo } from "./recorder";
import type { Result } from "./report";

/** What is there now, and how it is replaced. */
export interface Replacement {
  readonly existing: KubeObject;
  /** True when it cannot be updated and has to be deleted first. */
  readonly deletes: boolean;
  /** Name of the Secret that keeps it. */
  readonly copyName: string;
  /** The command that puts it back. */
  readonly restore: string;
}

export interface WriterDeps {
  readonly cluster: Cluster;
  readonly names: Names;
  readonly signal: AbortSignal;
  readonly journal: Journal;
}

export interface WriterOptions {
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

interface Write extends StepInfo {
  readonly result: Result;
  /** Sent even when the journal fails: a Secret is missing until it is done. */
  readonly urgent?: boolean;
  readonly send: (options: ManagedWrite) => Promise<unknown>;
  /** Whether what is stored under the name shows that it was done. */
  readonly stored: (found: KubeObject | undefined) => boolean;
}

export class SecretWriter {
  constructor(
    private readonly deps: WriterDeps,
    private readonly options: WriterOptions,
    private readonly recorder: Recorder,
  ) {}

  async write(wanted: KubeObject, replacement: Replacement | undefined): Promise<void> {
    this.deps.signal.throwIfAborted();
    if (replacement === undefined) {
      await this.#create(firstOf(wanted, this.deps.names), "there is none yet (S27)");
      return;
    }
    await this.#save(replacement);
    // The last moment to stop: a deletion and what follows it are one act.
    this.deps.signal.throwIfAborted();
    if (replacement.deletes) await this.#deleteAndCreate(wanted, replacement);
    else await this.#update(wanted, replacement);
  }

  async #save({ existing, copyName, restore }: Replacement): Promise<void> {
    const copy = savedCopy(existing, copyName, this.deps.names);
    const file = labelOf(copy);
    await this.#send(copy, {
      id: "cert.save",
      action: "apply",
      object: file,
      why: `it keeps the pair that is replaced; put it back with: ${restore}`,
      result: "created",
      send: (options) => this.deps.cluster.create(copy, options),
      stored: (found) => isStored(found, copy),
    });
    if (this.options.dryRun === "none") {
      this.recorder.backup({ object: labelOf(existing), file, command: restore });
    }
  }

  async #create(object: KubeObject, why: string, urgent = false): Promise<void> {
    await this.#send(object, {
      id: "cert.write",
      action: "apply",
      object: labelOf(object),
      why,
      result: "created",
      urgent,
      send: (options) => this.deps.cluster.create(object, options),
      stored: (found) => isStored(found, object),
    });
  }

  async #update(wanted: KubeObject, { existing }: Replacement): Promise<void> {
    await this.#send(existing, {
      id: "cert.write",
      action: "apply",
      object: labelOf(existing),
      why: "it holds another pair",
      result: "changed",
      send: (options) => this.deps.cluster.update(updateOf(existing, wanted), options),
      stored: (found) => isStored(found, wanted),
    });
  }

  async #deleteAndCreate(wanted: KubeObject, replacement: Replacement): Promise<void> {
    const { existing } = replacement;
    await this.#delete(replacement);
    const successor = successorOf(existing, wanted);
    if (this.options.dryRun !== "none") {
      // Nothing was deleted: a dry run of the creation could only say that it exists.
      this.recorder.done(
        { id: "cert.write", action: "apply", object: labelOf(successor), why: "in its place" },
        "planned",
      );
      return;
    }
    try {
      await this.#create(successor, "in the place of the deleted one", true);
    } catch (error) {
      if (error instanceof UnknownOutcomeError) throw unseen(replacement, error);
      await this.#putBack(replacement, successor, error);
    }
  }

  async #delete(replacement: Replacement): Promise<void> {
    const { existing } = replacement;
    const { namespace, name } = placeOf(existing);
    try {
      await this.#send(existing, {
        id: "cert.delete",
        action: "delete",
        object: labelOf(existing),
        why: "it cannot be updated in place",
        result: "deleted",
        send: (options) =>
          this.deps.cluster.delete(secretRef(namespace, name), preconditionsOf(existing), options),
        stored: (found) => found?.metadata.uid !== existing.metadata.uid,
      });
    } catch (error) {
      throw error instanceof UnknownOutcomeError ? unseen(replacement, error) : error;
    }
  }

  /** The deleted Secret again, as it was; throws what that has come to. */
  async #putBack(
    { existing, restore }: Replacement,
    successor: KubeObject,
    error: unknown,
  ): Promise<void> {
    const object = labelOf(existing);
    const reason = messageOf(error);
    try {
      const former = successorOf(existing, { ...existing, metadata: placeOf(existing) });
      await this.#create(former, "put back, because its successor was not accepted", true);
    } catch (cause) {
      // the lost creation may have been carried out after the look for it
      if (isStored(await this.#find(existing).catch(() => undefined), successor)) return;
      throw new CertificateStop(
        exitCodes.rollbackIncomplete,
        `${object} was deleted and not replaced (${reason}); putting it back failed: ${messageOf(cause)}`,
        `put it back with: ${restore}`,
      );
    }
    throw new CertificateStop(
      exitCodes.rolledBack,
      `${object} could not be replaced and was put back: ${reason}`,
      "remove what refuses the new Secret, then run again",
    );
  }

  /** Not to be interrupted: it says what became of a write. */
  #find(object: KubeObject): Promise<KubeObject | undefined> {
    const { namespace, name } = placeOf(object);
    return this.deps.cluster.get(secretRef(namespace, name));
  }

  /** One write: journal, step, dry run and the meaning of refusals in one place. */
  async #send(target: KubeObject, { result, urgent, send, stored, ...info }: Write): Promise<void> {
    const { dryRun, fieldManager } = this.options;
    if (dryRun === "client") {
      this.recorder.done(info, "planned");
      return;
    }
    if (dryRun === "none") await this.#intended(info, urgent ?? false);
    const attempt = async (): Promise<true> => {
      try {
        await send({ fieldManager, ...(dryRun === "server" && { dryRun: true }) });
        return true;
      } catch (error) {
        throw translated(error, { object: info.object, creates: result === "created" });
      }
    };
    const seen = async (): Promise<true | undefined> =>
      stored(await this.#find(target)) || undefined;
    await this.recorder.step(info, async () => {
      try {
        if (dryRun === "server") await attempt();
        else await certain({ send: attempt, seen, label: info.object });
      } catch (error) {
        await this.#observed(info, "failed");
        throw error;
      }
      return { result: dryRun === "none" ? result : "planned", value: undefined };
    });
    await this.#observed(info, result);
  }

  async #intended({ id, action, object, why }: StepInfo, urgent: boolean): Promise<void> {
    try {
      await this.deps.journal.intent({ id, action, object, why });
    } catch (error) {
      if (!urgent) throw error;
    }
  }

  /** What has happened has happened: a record that cannot be kept does not undo it. */
  async #observed({ id, action, object }: StepInfo, result: Result): Promise<void> {
    if (this.options.dryRun !== "none") return;
    try {
      await this.deps.journal.outcome({ id, action, object, result });
    } catch {
      this.recorder.note(`${object}: ${result}, but the record of the run could not be kept`);
    }
  }
}

/** What the API server's refusal of a write means here; only a creation needs the namespace alone. */
function translated(
  error: unknown,
  { object, creates }: { readonly object: string; readonly creates: boolean },
): unknown {
  if (!(error instanceof ApiError)) return error;
  const terminating = error.causes.some(({ reason }) => reason === "NamespaceTerminating");
  if (terminating || (creates && error.status === 404)) {
    return new CertificateStop(
      exitCodes.blocked,
      `${object} cannot be written: its namespace ${terminating ? "is being deleted" : "does not exist"}`,
      "give the namespace of the webhook with -n, or create it first",
    );
  }
  if (error.status === 409 || error.status === 404) {
    return new CertificateStop(
      exitCodes.conflict,
      `${object} was changed by somebody else since it was read`,
      "run the same command again: it reads and judges anew",
    );
  }
  return withheld(error, object);
}

/** A refusal may quote what it refuses, the private key too: what is left of it cannot. */
function withheld({ status, reason, message, retryAfter }: ApiError, object: string): ApiError {
  const [, webhook] = /^admission webhook "([\w.-]{1,253})" denied/.exec(message) ?? [];
  const by = webhook === undefined ? "the API server" : `admission webhook ${webhook}`;
  const kind = /^[A-Za-z]{1,40}$/.test(reason) ? ` ${reason}` : "";
  return new ApiError(
    `${object} was refused by ${by} (${status}${kind}); its words are not shown, they may quote the private key`,
    { status, reason: kind.trim(), ...(retryAfter !== undefined && { retryAfter }) },
    { hint: "ask an administrator for the reason in the log of what refused it, then run again" },
  );
}

/** Sent, and neither its answer nor its effect could be seen: both ways on are named. */
function unseen({ existing, restore }: Replacement, cause: UnknownOutcomeError): CertificateStop {
  return new CertificateStop(
    exitCodes.unavailable,
    `${labelOf(existing)} may be missing: ${cause.message}`,
    `run the same command again when the API server answers, or put the former one back with: ${restore}`,
  );
}

function isStored(found: KubeObject | undefined, wanted: KubeObject): boolean {
  return found !== undefined && sameContent(found, wanted);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function labelOf(object: KubeObject): string {
  return secretObject(placeOf(object));
}

function placeOf({ metadata }: KubeObject) {
  const { namespace = "", name = "" } = metadata;
  return { namespace, name };
}
