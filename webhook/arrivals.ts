/** The bodies that are still on their way: none may take longer than it may, and they make room. */

/** A body that arrives. */
export interface Arrival {
  /** The end of its time, by `performance.now()`. */
  readonly latest: number;
  /** Ends the wait for it. */
  giveUp(why: "late" | "shed"): void;
  /** True for a large one whose sender is too slow for the room that it takes. */
  isSlow(now: number): boolean;
}

/** How late it may be noticed: far less than a review has left when its time for the body is over. */
const lookMs = 50;

/** Arrivals, the oldest first. One timer looks after all: one for each would cost more than a review. */
export class Arrivals {
  private readonly waiting = new Set<Arrival>();
  private timer: NodeJS.Timeout | undefined;

  add(arrival: Arrival): void {
    this.waiting.add(arrival);
    this.timer ??= setInterval(() => {
      this.look();
    }, lookMs);
  }

  delete(arrival: Arrival): void {
    this.waiting.delete(arrival);
  }

  /** Sends the caller away that has been sending for longest; false when there is none. */
  shedOldest(): boolean {
    for (const arrival of this.waiting) {
      arrival.giveUp("shed");
      return true;
    }
    return false;
  }

  /** Sends the oldest caller away that is too slow; false when there is none. */
  shedSlow(): boolean {
    const now = performance.now();
    for (const arrival of this.waiting) {
      if (!arrival.isSlow(now)) continue;
      arrival.giveUp("shed");
      return true;
    }
    return false;
  }

  private look(): void {
    const now = performance.now();
    for (const arrival of this.waiting) if (arrival.latest <= now) arrival.giveUp("late");
    if (this.waiting.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
