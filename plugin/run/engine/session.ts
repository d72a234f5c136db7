/**
 * Writes: judged, tried by dry run, kept, noted, bound to what was read, looked up where no answer
 * came, and told. What nobody confirmed is not sent.
 */
import { holds, patchOf, reverseOf } from "../../domain/cluster/edits";
import { exitCodes, UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { type KubeObject, objectLabel, preconditionsOf } from "../../domain/objects";
import { certain, ChangedError, noted, requireConfirmed } from "../outcome";
import { BlockedError } from "../recorder";
import type { RunPorts } from "../run-ports";
import {
  actsOf,
  type Conflicts,
  conflictsOf,
  droppedFrom,
  kubectlPatch,
  type Patch,
  plannedStep,
  refOf,
  stepOf,
  type Taking,
} from "./change";

export type SessionPorts = Omit<RunPorts, "yaml" | "clock">;

export interface SessionOptions {
  readonly fieldManager: string;
  readonly dryRun: "none" | "client" | "server";
  /** Fields that a person has said to take from their managers. */
  readonly takeFields?: readonly string[];
}

/** Controllers write the status between a read and a write; an attempt is a new read. */
const maxAttempts = 5;

/** The patch for the object as it is after a conflict; undefined where it is as wanted, or gone. */
type Again = (error: ChangedError) => Promise<Patch | undefined>;

/** The writes of one run. */
export class Session {
  /** How many writes came into force. */
  written = 0;
  readonly taking: Taking;

  constructor(
    private readonly ports: SessionPorts,
    private readonly options: SessionOptions,
    /** Managers beside the tool's own whose fields it writes. */
    others: readonly string[] = [],
  ) {
    const { fieldManager, takeFields = [] } = options;
    this.taking = { ours: [fieldManager, ports.names.fieldManager, ...others], takeFields };
  }

  conflictsOf(patch: Pick<Patch, "object" | "edits" | "owned">): Conflicts {
    return conflictsOf(patch, this.taking);
  }

  /** Throws 5 where another owner or manager keeps the patch from being sent. */
  requireFree(patch: Patch): void {
    const { conflicts } = this.conflictsOf(patch);
    if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, conflicts);
  }

  /** Throws 5 where the patch for the object as it is by now does more than what was confirmed. */
  requireConfirmed(confirmed: Patch, now: Patch): void {
    this.requireFree(now);
    requireConfirmed(actsOf(confirmed, this.taking), actsOf(now, this.taking));
  }

  /** Sends it with dryRun=All, unless only the client is asked; a field that would be lost is an error. */
  async rehearse(patch: Patch): Promise<void> {
    if (this.options.dryRun === "client") return;
    requireKept(await this.#patch(patch, true), patch);
  }

  /** Tries it, and tells it as planned. */
  async plan(patch: Patch): Promise<void> {
    await this.rehearse(patch);
    this.ports.recorder.done(plannedStep(patch, this.ports.command), "planned");
  }

  /**
   * Sends it as a step, its old values kept first. After a conflict `again` gives the patch for the
   * object as it is by now, undefined where nothing is left to do, and throws where that is not the
   * same work.
   */
  async send(patch: Patch, again: Again): Promise<void> {
    await this.keep(patch);
    this.ports.signal.throwIfAborted();
    await this.ports.recorder.step(stepOf(patch), async () => {
      const isWritten = await this.#attempts(patch, again);
      return { result: isWritten ? "changed" : "unchanged", value: undefined };
    });
  }

  /** Keeps the old values as a patch of their own, for the object may hold a license. */
  async keep(patch: Patch): Promise<void> {
    const { journal, recorder, command } = this.ports;
    const { object, edits } = patch;
    const { name, namespace } = refOf(patch);
    const file = await journal.save({
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { name, ...(namespace !== undefined && { namespace }) },
      ...reverseOf(edits),
    });
    const putBack = command([...kubectlPatch(patch), "--patch-file", file]);
    recorder.backup({ object: objectLabel(object), file, command: putBack });
  }

  /** False where the object came to be as wanted by other hands. */
  async #attempts(first: Patch, again: Again): Promise<boolean> {
    let patch = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#write(patch);
        return true;
      } catch (error) {
        if (!(error instanceof ChangedError) || attempt >= maxAttempts) throw error;
        const next = await again(error);
        if (next === undefined) return false;
        this.requireConfirmed(first, next);
        const what = isSameSpec(patch.object, next.object) ? "its status" : "it";
        this.ports.recorder.note(
          `${objectLabel(next.object)}: ${what} was written meanwhile, once more`,
        );
        patch = next;
      }
    }
  }

  async #write(patch: Patch): Promise<void> {
    const { action, object: label, why } = stepOf(patch);
    const stored = await noted(this.ports, { action, object: label, why }, () =>
      certain({
        send: () => this.#patch(patch, false),
        seen: () => this.#readBack(patch),
        label,
      }),
    );
    this.written += 1;
    requireKept(stored, patch);
  }

  /** Not cancelled by an interrupt: the outcome has to be known. */
  async #readBack(patch: Patch): Promise<KubeObject | undefined> {
    const { signal } = new AbortController();
    const found = await this.ports.cluster.get(refOf(patch), { signal });
    const isSame = found?.metadata.uid === patch.object.metadata.uid;
    return isSame && holds(found, patch.edits) ? found : undefined;
  }

  /** A dry run is bound to the object alone: a status that moves does not refuse it. */
  async #patch(patch: Patch, dryRun: boolean): Promise<KubeObject> {
    const { uid, resourceVersion } = preconditionsOf(patch.object);
    const metadata = {
      ...(uid !== undefined && { uid }),
      ...(!dryRun && resourceVersion !== undefined && { resourceVersion }),
    };
    const { fieldManager } = this.options;
    const body = { ...patchOf(patch.edits), metadata };
    return await this.ports.cluster.patch(refOf(patch), body, {
      type: "merge",
      fieldManager,
      ...(dryRun && { dryRun }),
    });
  }
}

/** The same object with the same spec: only its status has moved. */
export function isSameSpec(one: KubeObject, other: KubeObject): boolean {
  return (
    one.metadata.uid === other.metadata.uid && one.metadata.generation === other.metadata.generation
  );
}

/** Asks once; a no ends the run before anything is written. */
export async function requireYes(
  { ask }: { readonly ask: (question: string) => Promise<boolean> },
  question: string,
): Promise<void> {
  if (!(await ask(question))) throw notConfirmed();
}

export function notConfirmed(): UsageError {
  return new UsageError("not confirmed, nothing was written", { hint: "run again and answer yes" });
}

/**
 * A run that writes keeps a record, so its folder has to be writable; for one that has nothing to
 * write the problem is a warning, which is returned.
 */
export async function requireHome(
  { journal }: Pick<RunPorts, "journal">,
  writes: boolean,
): Promise<readonly Finding[]> {
  const problem = await journal.problem();
  if (problem === undefined) return [];
  if (writes) {
    throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that can be written" });
  }
  return [
    {
      code: "HOME-NOT-WRITABLE",
      severity: "warning",
      cause: problem,
      fix: "set ENGINE_HOME to a folder that can be written; a run that writes needs it",
      source: "cli contract, Runs",
    },
  ];
}

/** A definition without the field drops it silently (facts 7). */
function requireKept(stored: KubeObject, patch: Patch): void {
  const findings = droppedFrom(stored, patch);
  if (findings.length > 0) throw new BlockedError(exitCodes.failed, findings);
}
