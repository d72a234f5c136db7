/** The reviews that are being answered: so many at once, and a drain waits for them. */
import { Arrivals } from "./arrivals";

export class InFlight {
  /** They hold places too, and have to make room: slow senders could take all of them otherwise. */
  readonly arriving = new Arrivals();
  private count = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** How many there are. */
  get size(): number {
    return this.count;
  }

  /**
   * False when there are as many as there may be: shedding keeps the others fast, queueing does not.
   * A caller that makes room leaves its place a moment later.
   */
  enter(): boolean {
    if (this.count >= this.most && !this.arriving.shedOldest()) return false;
    this.count += 1;
    return true;
  }

  leave(): void {
    this.count -= 1;
    if (this.count === 0)
      this.waiting.splice(0).forEach((resolve) => {
        resolve();
      });
  }

  /** Resolves when none is left. */
  async idle(): Promise<void> {
    if (this.count === 0) return;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
