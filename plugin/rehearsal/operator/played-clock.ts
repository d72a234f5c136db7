/** Virtual time in which the operator plays along: whoever sleeps finds what was done meanwhile. */
import type { Clock } from "../../run/ports";
import { inTurn } from "../in-turn";
import type { VirtualClock } from "../virtual-clock";
import type { Play } from "./play";

/** No wait of a rehearsal sees as many acts: one that does sees a play that goes round in circles. */
const mostActs = 5_000;

/** Before a sleep is over, everything that is due within it has been done at its time. */
export class PlayedClock implements Clock {
  private readonly turn = inTurn();
  private acts = 0;

  constructor(
    private readonly inner: VirtualClock,
    private readonly play: Play,
    /** While it says no, time passes without the operator. */
    private readonly isAwake: () => boolean = always,
  ) {}

  now(): number {
    return this.inner.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.isAwake()) return this.inner.sleep(ms, signal);
    signal?.throwIfAborted();
    const until = this.inner.now() + ms;
    await this.turn(() => this.playUntil(until));
    await this.inner.sleep(Math.max(0, until - this.inner.now()), signal);
    await this.turn(() => this.act());
  }

  /** Lets the operator play until nothing is left to do. */
  async settle(): Promise<void> {
    if (!this.isAwake()) return;
    await this.turn(() => this.playUntil(Number.POSITIVE_INFINITY));
  }

  private async playUntil(until: number): Promise<void> {
    this.acts = 0;
    for (;;) {
      await this.act();
      const due = await this.play.dueAt();
      if (due === undefined || due > until) return;
      this.inner.advance(Math.max(0, due - this.inner.now()));
    }
  }

  private async act(): Promise<void> {
    while (await this.play.step()) {
      this.acts += 1;
      if (this.acts > mostActs) throw new Error("the operator at play goes round in circles");
    }
  }
}

function always(): boolean {
  return true;
}
