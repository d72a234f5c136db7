/**
 * Answers leave together: those that are ready in one turn of the event loop are written one right
 * after the other. An answer on its own wakes whoever waits for it, and that costs more than the rules.
 */

/** A call whose answer is ready. */
export interface Answering {
  /** Writes the answer. */
  readonly send: () => void;
  /** Counts and logs it: what nobody waits for. */
  readonly tell: () => void;
  /** Takes what one of the others throws. */
  readonly fail: (error: unknown) => void;
}

/** The answers of this turn. */
export class Answers {
  private ready: Answering[] = [];

  /** Sends it when all that has arrived was judged. */
  add(call: Answering): void {
    if (this.ready.length === 0) {
      setImmediate(() => {
        this.leave();
      });
    }
    this.ready.push(call);
  }

  private leave(): void {
    const calls = this.ready;
    this.ready = [];
    const sent = calls.filter((call) => succeeds(call, "send"));
    for (const call of sent) succeeds(call, "tell");
  }
}

/** The failure of one call is no other's. */
function succeeds(call: Answering, what: "send" | "tell"): boolean {
  try {
    call[what]();
    return true;
  } catch (error) {
    call.fail(error);
    return false;
  }
}
