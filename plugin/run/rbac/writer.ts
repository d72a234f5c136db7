/** Single writes: noted before they are sent and after their outcome was seen. */
import { ApiError, exitCodes } from "../../domain/errors";
import { type KubeObject, preconditionsOf, objectLabel } from "../../domain/objects";
import { covers } from "../../domain/operator/differences";
import type { Write } from "../../domain/rbac/plan";
import { judgeConflict } from "../../domain/webhook/conflicts";
import { isPersonsManager } from "../../domain/owners";
import { certain, changedError, noted } from "../outcome";
import { BlockedError, type StepInfo } from "../recorder";
import type { PutBack, Saved } from "./backups";
import type { RbacDeps, RbacOptions } from "./deps";
import { plannedApply, plannedDelete, refOf } from "./planned";

/** Applies and deletes roles and bindings. */
export class Writer {
  /** By object: one that is planned again is put back from what its write took the place of. */
  readonly #saved = new Map<string, Saved>();
  /** How many writes came into force. */
  written = 0;

  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
  ) {}

  get saved(): readonly Saved[] {
    return [...this.#saved.values()];
  }

  /** Applies the complete object, bound to the one that was read; dry runs send or plan it. */
  async apply(write: Write, why: string): Promise<KubeObject> {
    const { object, live } = write;
    if (this.options.dryRun !== "none") {
      if (this.#rehearses) await this.#send(write, true);
      this.planApply(write, why);
      return object;
    }
    const info = applyInfo(object, why);
    if (live !== undefined) await this.#save(live, "replace");
    return await this.deps.recorder.step(info, async () => {
      const value = await this.#noted(info, () => this.#certain(write, info.object));
      return { result: live === undefined ? "created" : "changed", value };
    });
  }

  /** Deletes the object if it is still the one that was read; it is saved when it can be put back. */
  async delete(object: KubeObject, why: string, putBack?: PutBack): Promise<void> {
    const info = deleteInfo(object, why);
    const send = async (dryRun: boolean): Promise<void> => {
      try {
        await this.deps.cluster.delete(refOf(object), preconditionsOf(object), { dryRun });
      } catch (error) {
        const gone = error instanceof ApiError && error.status === 404;
        throw gone ? changedError(error, info.object) : changed(error, info.object);
      }
    };
    if (this.options.dryRun !== "none") {
      if (this.#rehearses) await send(true);
      this.planDelete(object, why, putBack);
      return;
    }
    if (putBack !== undefined) await this.#save(object, putBack);
    await this.deps.recorder.step(info, async () => {
      const seen = async (): Promise<true | undefined> => {
        const stored = await this.#stored(object);
        return stored?.metadata.uid === object.metadata.uid ? undefined : true;
      };
      const sent = async (): Promise<true> => {
        await send(false);
        return true;
      };
      await this.#noted(info, () => certain({ send: sent, seen, label: info.object }));
      return { result: "deleted", value: undefined };
    });
  }

  /** Records that the object would be applied; nothing is sent. */
  planApply(write: Write, why: string): void {
    const info = applyInfo(write.object, why);
    const planned = plannedApply(this.deps, this.options, write);
    this.deps.recorder.done({ ...info, write: planned }, "planned");
  }

  /** Records that the object would be deleted; nothing is sent. */
  planDelete(object: KubeObject, why: string, putBack?: PutBack): void {
    const planned = plannedDelete(this.deps, object, putBack);
    this.deps.recorder.done({ ...deleteInfo(object, why), write: planned }, "planned");
  }

  /** A dry run sends what the server can judge: not what follows on a state that is only assumed. */
  get #rehearses(): boolean {
    return this.options.dryRun === "server" && this.options.assumeExpanded !== true;
  }

  async #certain(
    write: Pick<Write, "object"> & Partial<Write>,
    label: string,
  ): Promise<KubeObject> {
    const { object } = write;
    const seen = async (): Promise<KubeObject | undefined> => {
      const stored = await this.#stored(object);
      return covers(stored, object) ? stored : undefined;
    };
    const send = (): Promise<KubeObject> => this.#send(write, false);
    return await certain({ send, seen, label, refused: (error) => error });
  }

  /** The object as stored; an interrupt does not keep it from being seen. */
  #stored(object: KubeObject): Promise<KubeObject | undefined> {
    return this.deps.cluster.get(refOf(object), { signal: new AbortController().signal });
  }

  /** A person's own kubectl is taken over from; anybody else's fields are a conflict. */
  async #send({ object, live }: Write, dryRun: boolean): Promise<KubeObject> {
    const { cluster, names } = this.deps;
    const { fieldManager, takeFields } = this.options;
    const metadata = { ...object.metadata, ...(live !== undefined && preconditionsOf(live)) };
    const apply = (force: boolean): Promise<KubeObject> =>
      cluster.apply({ ...object, metadata }, { fieldManager, dryRun, force });
    const label = objectLabel(object);
    const ours = [fieldManager, names.fieldManager];
    if (live !== undefined && isPersons(live, ours))
      return await this.#unchanged(apply(true), label);
    try {
      return await apply(false);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      if (error.causes.length === 0 || live === undefined) throw changed(error, label);
      const verdict = judgeConflict({ causes: error.causes, object: label, ours, takeFields });
      if (verdict.is === "refuse") throw new BlockedError(exitCodes.conflict, verdict.findings);
    }
    return await this.#unchanged(apply(true), label);
  }

  async #unchanged<T>(sent: Promise<T>, label: string): Promise<T> {
    try {
      return await sent;
    } catch (error) {
      throw changed(error, label);
    }
  }

  async #save(object: KubeObject, verb: PutBack): Promise<void> {
    const file = await this.deps.journal.save(object);
    const label = objectLabel(object);
    this.#saved.set(label, { object: label, file, verb });
  }

  async #noted<T>({ action, object, why }: StepInfo, act: () => Promise<T>): Promise<T> {
    return await noted(this.deps, { action, object, why }, async () => {
      const value = await act();
      this.written += 1;
      return value;
    });
  }
}

function applyInfo(object: KubeObject, why: string): StepInfo {
  return { id: "rbac.apply", action: "apply", object: objectLabel(object), why };
}

function deleteInfo(object: KubeObject, why: string): StepInfo {
  return { id: "rbac.delete", action: "delete", object: objectLabel(object), why };
}

/** Nobody but people's own kubectl and this tool has written the object as it was read. */
function isPersons({ metadata }: KubeObject, ours: readonly string[]): boolean {
  const managers = metadata.managedFields ?? [];
  return managers.every(({ manager = "" }) => isPersonsManager(manager, ours));
}

function changed(error: unknown, label: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 409 || error.causes.length > 0) {
    return error;
  }
  return changedError(error, label);
}
