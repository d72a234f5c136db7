/** The room that calls take: so many at once, and so many bytes of large bodies in memory. */
import { parseDuration } from "../../plugin/domain/base/duration";

/** What is larger takes the loop for longer than a small review may wait (admission facts 10). */
export const bigBody = 256 * 1024;

/** A body that is still on its way. */
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

/**
 * Arrivals, the oldest first: 300 bodies that do not arrive would
 * take all places otherwise (load.test.ts). One timer looks after all.
 */
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

  /** Sends the oldest caller away that is still sending, or that is too slow; false without one. */
  shed(which: "any" | "slow"): boolean {
    const now = performance.now();
    for (const arrival of this.waiting) {
      if (which === "slow" && !arrival.isSlow(now)) continue;
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

/** The calls that are being answered: so many at once, and a drain waits for them. */
export class InFlight {
  /** They hold places too, and have to free space: slow senders could take all of them otherwise. */
  readonly arriving = new Arrivals();
  private count = 0;
  private all = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  get size(): number {
    return this.count;
  }

  /** How many were ever taken. */
  get taken(): number {
    return this.all;
  }

  /**
   * False when there are as many as there may be: shedding keeps the others fast, queueing does not.
   * A caller that makes room leaves its place a moment later.
   */
  enter(): boolean {
    if (this.count >= this.most && !this.arriving.shed("any")) return false;
    this.count += 1;
    this.all += 1;
    return true;
  }

  leave(): void {
    this.count -= 1;
    if (this.count === 0) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Resolves when none is left. */
  async idle(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}

/** The bytes of large bodies that may be in memory; what comes on top is turned away. */
export class BodyBudget {
  private taken = 0;

  constructor(private readonly most: number) {}

  /** False when there is no room; a small body needs none. */
  take(bytes: number): boolean {
    if (bytes <= bigBody) return true;
    // one is always let in, however large it may be
    if (this.taken > 0 && this.taken + bytes > this.most) return false;
    this.taken += bytes;
    return true;
  }

  give(bytes: number): void {
    if (bytes > bigBody) this.taken -= bytes;
  }
}

export interface SharedRoom {
  readonly inFlight: InFlight;
  readonly budget: BodyBudget;
}

/** What one call takes of it, until it leaves. */
export class Room {
  private bytes = 0;

  private constructor(private readonly shared: SharedRoom) {}

  /** A place, and the memory for a body that says how long it is; or what there is none of. */
  static take(shared: SharedRoom, bytes: number): Room | "no place" | "no memory" {
    if (!shared.inFlight.enter()) return "no place";
    const room = new Room(shared);
    if (room.reserve(bytes)) return room;
    room.leave();
    return "no memory";
  }

  get arriving(): Arrivals {
    return this.shared.inFlight.arriving;
  }

  /** Has room for so many bytes, and more than it needs now; false when there is none. */
  grow(bytes: number): boolean {
    return bytes <= Math.max(bigBody, this.bytes) || this.reserve(2 * bytes);
  }

  /** Gives the memory back at once: a body that makes room for another one is dropped. */
  release(): void {
    this.shared.budget.give(this.bytes);
    this.bytes = 0;
  }

  leave(): void {
    this.release();
    this.shared.inFlight.leave();
  }

  /** Takes so much in place of what it has; false when there is none, and then it has nothing. */
  private reserve(bytes: number): boolean {
    const { budget } = this.shared;
    this.release();
    // large bodies that hardly move free space for one that comes
    while (!budget.take(bytes)) if (!this.arriving.shed("slow")) return false;
    this.bytes = bytes;
    return true;
  }
}

/** The API server's own default, for calls without a `timeout`. */
const usual = 10_000;
/** The longest that a registration can ask for. */
const longest = 30_000;
/** The API server rounds the time left up to whole seconds. */
const margin = 1_000;

/** The time for a call in milliseconds: a second less than asked, a quarter of it where that is next to nothing. */
export function timeFor(url = ""): number {
  const query = url.indexOf("?");
  const timeout = query < 0 ? null : new URLSearchParams(url.slice(query)).get("timeout");
  const asked = parseDuration(timeout ?? "") ?? usual;
  const most = Math.min(asked > 0 ? asked : usual, longest);
  return Math.max(most - margin, most / 4);
}
