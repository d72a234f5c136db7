/** Single writes: noted before they are sent and after their outcome was seen. */
import { ApiError, exitCodes } from "../../domain/errors";
import { type KubeObject, preconditionsOf, objectLabel } from "../../domain/objects";
import { kindsIn } from "../../domain/rbac/kinds";
import type { Write } from "../../domain/rbac/plan";
import { judgeConflict } from "../../domain/webhook/conflicts";
import { isPersonsManager } from "../../domain/webhook/owners";
import { changedError, noted } from "../outcome";
import { BlockedError, type StepInfo } from "../recorder";
import type { RbacDeps, RbacOptions } from "./deps";

/** What was kept of an object before it was replaced or deleted. */
export interface Saved {
  readonly object: string;
  readonly file: string;
  readonly verb: "replace" | "create";
}

/** Applies and deletes roles and bindings. */
export class Writer {
  readonly saved: Saved[] = [];
  /** How many writes came into force. */
  written = 0;

  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
  ) {}

  /** Applies the complete object, bound to the one that was read; dry runs send or plan it. */
  async apply({ object, live }: Write, why: string): Promise<KubeObject> {
    const label = objectLabel(object);
    const info: StepInfo = { id: "rbac.apply", action: "apply", object: label, why };
    if (await this.#planned(info, () => this.#send({ object, ...(live && { live }) }, true))) {
      return object;
    }
    if (live !== undefined) await this.#save(live, "replace");
    return await this.deps.recorder.step(info, async () => {
      const act = (): Promise<KubeObject> => this.#send({ object, ...(live && { live }) }, false);
      const value = await this.#noted(info, act);
      return { result: live === undefined ? "created" : "changed", value };
    });
  }

  /** Deletes the object if it is still the one that was read. */
  async delete(object: KubeObject, why: string, keep = true): Promise<void> {
    const info: StepInfo = {
      id: "rbac.delete",
      action: "delete",
      object: objectLabel(object),
      why,
    };
    const { name = "", namespace } = object.metadata;
    const { role, binding } = kindsIn(namespace);
    const resource = object.kind === role.kind ? role : binding;
    const ref = { resource, name, ...(namespace !== undefined && { namespace }) };
    const send = async (dryRun: boolean): Promise<void> => {
      try {
        await this.deps.cluster.delete(ref, preconditionsOf(object), { dryRun });
      } catch (error) {
        const gone = error instanceof ApiError && error.status === 404;
        throw gone ? changedError(error, info.object) : changed(error, info.object);
      }
    };
    if (await this.#planned(info, () => send(true))) return;
    if (keep) await this.#save(object, "create");
    await this.deps.recorder.step(info, async () => {
      await this.#noted(info, () => send(false));
      return { result: "deleted", value: undefined };
    });
  }

  /** In a dry run the write is planned, or sent without coming into force. */
  async #planned(info: StepInfo, rehearse: () => Promise<unknown>): Promise<boolean> {
    const { dryRun } = this.options;
    if (dryRun === "none") return false;
    if (dryRun === "server") await rehearse();
    this.deps.recorder.done(info, "planned");
    return true;
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

  async #save(object: KubeObject, verb: "replace" | "create"): Promise<void> {
    const file = await this.deps.journal.save(object);
    this.saved.push({ object: objectLabel(object), file, verb });
  }

  async #noted<T>({ action, object, why }: StepInfo, act: () => Promise<T>): Promise<T> {
    return await noted(this.deps, { action, object, why }, async () => {
      const value = await act();
      this.written += 1;
      return value;
    });
  }
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
