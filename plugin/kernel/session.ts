/**
 * Writes: judged, tried by dry run, kept, noted, bound to what was read, looked up where no answer
 * came, and told. What nobody confirmed is not sent.
 */
import {
  type WriteAction,
  findUnconfirmed,
  type StepInfo,
  type Result,
} from "../domain/kube/planned-write";
import { findDeletion } from "../domain/kube/deletion";
import {
  exitCodes,
  type StatusCause,
  UnknownOutcomeError,
  UntriedError,
  BlockedError,
} from "../domain/base/errors";
import { type KubeObject, objectLabel } from "../domain/kube/objects";
import {
  resolveOutcome,
  makeChangedError,
  ChangedError,
  listHeldFields,
  sendJournaled,
  requireConfirmed,
  sendChange,
} from "./send";
import type { RunPorts } from "./world";
import {
  listActs,
  type Apply,
  type Change,
  type Conflicts,
  findConflicts,
  findDropped,
  invertChange,
  isDone,
  findLive,
  planStep,
  changeRef,
  type PlannedChange,
  describeResult,
  describeStep,
  type Taking,
} from "../domain/kube/change";
import { KeptObjects } from "./journal";
import { compareStates } from "./preview";

export type SessionPorts = Omit<RunPorts, "yaml" | "clock">;

export interface SessionOptions {
  readonly fieldManager: string;
  readonly dryRun: "none" | "client" | "server";
  /** Fields that a person has said to take from their managers. */
  readonly takeFields?: readonly string[];
  /** Managers beside the tool's own whose fields it writes. */
  readonly others?: readonly string[];
  /** A plan tells each object as it is and as it would be. */
  readonly shows?: boolean | undefined;
  /** What continues while a write is noted and sent that does not take another one back. */
  readonly during?: <T>(write: Promise<T>) => Promise<T>;
}

/** Controllers write the status between a read and a write; an attempt is a new read. */
const maxAttempts = 5;

/** The change for the object as it is after a conflict; undefined where it is up to date, or gone. */
type Again = (error: ChangedError) => Promise<Change | undefined>;

/** What is stored after a write; undefined after a deletion. */
interface WriteOutcome {
  readonly stored: KubeObject | undefined;
}

/** An apply tried: the fields of others that it takes, and what would be stored. */
export interface Tried {
  readonly held: readonly StatusCause[];
  readonly stored: KubeObject | undefined;
}

/** The writes of one run. */
export class Session {
  /** The objects of the writes that came into force, and of the calls, in their order. */
  readonly done: string[] = [];
  readonly taking: Taking;
  /** By object: of thousands of objects only those of a write are compared with it. */
  readonly #confirmed = new Map<string, readonly WriteAction[]>();
  readonly #kept: KeptObjects;
  /** What takes the writes back, where something does; the writes themselves may be thousands. */
  readonly #inverses: Change[] = [];

  constructor(
    private readonly ports: SessionPorts,
    private readonly options: SessionOptions,
  ) {
    const { fieldManager, takeFields = [], others = [] } = options;
    this.taking = { ours: [fieldManager, ports.names.fieldManager, ...others], takeFields };
    this.#kept = new KeptObjects(ports.journal);
    ports.recorder.backups(() => this.#kept.backups(ports.command));
  }

  /** How many writes and calls came into force. */
  get written(): number {
    return this.done.length;
  }

  findConflicts(change: Change): Conflicts {
    return findConflicts(change, this.taking);
  }

  /** Throws 5 where another owner or manager keeps it from being sent, 3 where it is being deleted. */
  requireFree(change: Change): void {
    this.requireStaying([change]);
    const { conflicts } = this.findConflicts(change);
    if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, conflicts);
  }

  /** Throws 3 where one of the objects is being deleted: the write would be lost with it. */
  requireStaying(changes: readonly Change[]): void {
    const findings = changes.flatMap((change) => findDeletion(findLive(change)) ?? []);
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
  }

  /** These are confirmed from now on; a write that does more than such ones is not sent (5, PLAN-EXCEEDED). */
  noteConfirmed(changes: readonly Change[]): void {
    this.#noteActs(this.#listActs(changes));
  }

  /** The same for requests to other servers and programs. */
  noteConfirmedCalls(calls: readonly PlannedCall[]): void {
    this.#noteActs(calls.map(describeCall));
  }

  #noteActs(acts: readonly WriteAction[]): void {
    for (const act of acts) {
      this.#confirmed.set(act.object, [...(this.#confirmed.get(act.object) ?? []), act]);
    }
  }

  /** Whether it does no more than what was confirmed. */
  isConfirmed(change: Change): boolean {
    const acts = this.#listActs([change]);
    return findUnconfirmed(this.#findConfirmed(acts), acts).length === 0;
  }

  /** Throws what `requireFree` throws, and 5 where these do more than what was confirmed. */
  requireSendable(changes: readonly Change[]): void {
    for (const change of changes) this.requireFree(change);
    const acts = this.#listActs(changes);
    requireConfirmed(this.#findConfirmed(acts), acts);
  }

  #findConfirmed(acts: readonly WriteAction[]): readonly WriteAction[] {
    const objects = [...new Set(acts.map(({ object }) => object))];
    return objects.flatMap((object) => this.#confirmed.get(object) ?? []);
  }

  #listActs(changes: readonly Change[]): readonly WriteAction[] {
    return changes.flatMap((change) => listActs(change, this.taking));
  }

  /**
   * Sends it with dryRun=All, unless only the client is asked; a field that would be lost is an error.
   * Undefined where it was not tried, which includes what no cluster can judge before an earlier part is done.
   */
  async tryOut(change: Change): Promise<KubeObject | undefined> {
    this.requireStaying([change]);
    if (this.options.dryRun === "client") return undefined;
    const stored = await this.#sendRequest(change, true).catch((error: unknown) => {
      if (error instanceof UntriedError) return undefined;
      throw error;
    });
    requireKept(stored, change);
    return stored;
  }

  /**
   * Tries an apply, and over the fields of others where some are in the way and `judge` lets them be
   * taken: these, and what would be stored.
   */
  async tryOver(
    change: Apply,
    judge: (held: readonly StatusCause[]) => void = () => undefined,
  ): Promise<Tried> {
    try {
      return { held: [], stored: await this.tryOut(change) };
    } catch (error) {
      const held = listHeldFields(error);
      if (held.length === 0) throw error;
      judge(held);
      return { held, stored: await this.tryOut({ ...change, force: true }) };
    }
  }

  /** Tries it, and tells it as planned. */
  async planWrite(change: Change): Promise<PlannedChange> {
    return this.tellPlanned(change, await this.tryOut(change));
  }

  /** Tells it as planned; without what a dry run has stored, where none could judge it yet. */
  tellPlanned(change: Change, stored?: KubeObject): PlannedChange {
    const { recorder, command, names } = this.ports;
    const { write, ...info } = planStep(change, command, this.options.fieldManager);
    const states = this.options.shows === true && compareStates(change, stored, names);
    const step = { ...info, write: { ...write, ...(states && { states }) } };
    recorder.addStep(step, "planned");
    return { change, stored, step };
  }

  /**
   * Sends it as a step, what it changes kept first, and gives what is stored then. After a conflict
   * `again` gives the change for the object as it is by now, undefined where nothing is left to do,
   * and throws where that is not the same work; without it, the conflict is thrown.
   */
  async send(change: Change, again?: Again): Promise<KubeObject | undefined> {
    this.requireSendable([change]);
    await this.#kept.save(change);
    return await this.#writeAsStep(change, again);
  }

  /**
   * The same for a write that takes this run's own work back: an interrupt does not stop it. With
   * `otherwise` it is read back, and that is thrown where what is stored does not show it.
   */
  async undo(change: Change, otherwise?: Error): Promise<KubeObject | undefined> {
    const back: Change = { ...change, urgent: true };
    return await this.#writeAsStep(back, undefined, async () => {
      if (otherwise !== undefined && !(await this.#readBack(back))) throw otherwise;
    });
  }

  /** Takes back what this run has patched and deleted, the last first, and sees that it is as before. */
  async undoAll(): Promise<void> {
    const now = new Map<string, KubeObject>();
    for (const made of [...this.#inverses].reverse()) {
      // an object that was written twice is bound to what the first way back has made of it
      const label = objectLabel(made.object);
      const object = (made.verb === "patch" ? now.get(label) : undefined) ?? made.object;
      const inverse = { ...made, object };
      const stored = await this.undo(inverse);
      if (stored !== undefined) now.set(label, stored);
      await this.requireStored(inverse);
    }
  }

  /** Reads it back; throws ChangedError where what is stored does not show the write. */
  async requireStored(change: Change): Promise<void> {
    if ((await this.#readBack(change)) === undefined) {
      throw makeChangedError(undefined, objectLabel(change.object));
    }
  }

  /** Sends a request to another server or program as a step, once, and gives what it ended with. */
  async call<A, T>(call: CallChange<A, T>): Promise<T> {
    const { recorder, signal } = this.ports;
    const acts = [describeCall(call)];
    requireConfirmed(this.#findConfirmed(acts), acts);
    signal.throwIfAborted();
    return await recorder.step(call.step, async () => {
      const answer = await sendJournaled(this.ports, call.step, () => observeAnswer(call));
      this.done.push(call.step.object);
      return await call.end(answer);
    });
  }

  async #writeAsStep(
    change: Change,
    again?: Again,
    proven?: () => Promise<void>,
  ): Promise<KubeObject | undefined> {
    if (change.urgent !== true) this.ports.signal.throwIfAborted();
    return await this.ports.recorder.step(describeStep(change), async () => {
      const end = await this.#writeWithRetries(change, again);
      await proven?.();
      return { result: end.isWritten ? describeResult(change) : "unchanged", value: end.stored };
    });
  }

  /** Not written where the object came to be up to date by other hands. */
  async #writeWithRetries(
    first: Change,
    again: Again | undefined,
  ): Promise<{ readonly isWritten: boolean; readonly stored?: KubeObject | undefined }> {
    let change = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { isWritten: true, stored: await this.#write(change) };
      } catch (error) {
        if (!(error instanceof ChangedError) || again === undefined) throw error;
        if (attempt >= maxAttempts) throw error;
        const next = await again(error);
        if (next === undefined) return { isWritten: false };
        this.requireSendable([next]);
        const what = isSameSpec(change.object, next.object) ? "its status" : "it";
        this.ports.recorder.note(
          `${objectLabel(next.object)}: ${what} was changed in the meantime, trying again`,
        );
        change = next;
      }
    }
  }

  async #write(change: Change): Promise<KubeObject | undefined> {
    const { action, object: label, why } = describeStep(change);
    const notes = { action, object: label, why, urgent: change.urgent === true };
    const write = (): Promise<WriteOutcome> =>
      resolveOutcome<WriteOutcome>({
        send: async () => ({ stored: await this.#sendRequest(change, false) }),
        seen: () => this.#readBack(change),
        label,
        refused: (error) => error,
      });
    const during = change.urgent === true ? undefined : this.options.during;
    const work = sendJournaled(this.ports, notes, write).catch((error: unknown) => {
      if (error instanceof UnknownOutcomeError) this.#kept.noteWritten(change);
      throw error;
    });
    const { stored } = await (during?.(work) ?? work);
    this.done.push(label);
    const inverse = invertChange(change, stored);
    if (inverse !== undefined) this.#inverses.push(inverse);
    this.#kept.noteWritten(change);
    requireKept(stored, change);
    return stored;
  }

  /** Not canceled by an interrupt: the outcome has to be known. */
  async #readBack(change: Change): Promise<WriteOutcome | undefined> {
    const stored = await this.ports.cluster.get(changeRef(change), new AbortController());
    return isDone(change, stored) ? { stored } : undefined;
  }

  #sendRequest(change: Change, dryRun: boolean): Promise<KubeObject | undefined> {
    const { fieldManager } = this.options;
    return sendChange(this.ports.cluster, change, { fieldManager, dryRun, taking: this.taking });
  }
}

/** The same object with the same spec: only its status has moved. */
export function isSameSpec(one: KubeObject, other: KubeObject): boolean {
  return (
    one.metadata.uid === other.metadata.uid && one.metadata.generation === other.metadata.generation
  );
}

/** A definition without the field drops it silently (facts 7). */
function requireKept(stored: KubeObject | undefined, change: Change): void {
  if (stored === undefined || change.verb !== "patch") return;
  const findings = findDropped(stored, change);
  if (findings.length > 0) throw new BlockedError(exitCodes.failed, findings);
}

/** Sent once; what came of it is looked for where no definite answer came, never sent again. */
export interface CallChange<A, T = void> {
  readonly step: StepInfo;
  /** What is confirmed of it; absent: the call as such, whatever it carries by then. */
  readonly does?: string;
  readonly send: () => Promise<A>;
  /**
   * What came of it all the same; undefined where nothing shows that it was done. Not canceled by
   * an interrupt: the outcome has to be known. Absent: the error says that it is open.
   */
  readonly readBack?: (error: unknown) => Promise<A | undefined>;
  /** The end of its step: what the answer has begun may be followed first. */
  readonly end: (answer: A) => Promise<CallEnd<T>>;
}

/** How a call ended, as its step tells it. */
export interface CallEnd<T> {
  readonly result: Result;
  readonly value: T;
  readonly why?: string;
}

/** What can be said of a call before it is sent. */
interface PlannedCall extends Pick<CallChange<never>, "does"> {
  readonly step: Pick<StepInfo, "object">;
}

/** What a call does, for comparison with one that is made again. */
function describeCall({ step, does = "call it" }: PlannedCall): WriteAction {
  return { object: step.object, does };
}

/** The answer, or what came of the call where none was definite. */
export async function observeAnswer<A>({
  send,
  readBack,
}: Pick<CallChange<A, unknown>, "send" | "readBack">): Promise<A> {
  try {
    return await send();
  } catch (error) {
    const found = await readBack?.(error);
    if (found === undefined) throw error;
    return found;
  }
}
