/** The reviews that are being answered: so many at once, and a drain waits for them. */

export class InFlight {
  /**
   * What ends the calls whose bodies are still arriving, the oldest first. They hold places too,
   * and have to make room: slow senders could take all of them otherwise.
   */
  readonly arriving = new Set<() => void>();
  private count = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  /** How many there are. */
  get size(): number {
    return this.count;
  }

  /** False when there are as many as there may be: shedding keeps the others fast, queueing does not. */
  enter(): boolean {
    if (this.count >= this.most && !this.makeRoom()) return false;
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

  /** Sends the caller away that has been sending for longest; its place is left a moment later. */
  private makeRoom(): boolean {
    for (const giveUp of this.arriving) {
      giveUp();
      return true;
    }
    return false;
  }

  /** Resolves when none is left. */
  async idle(): Promise<void> {
    if (this.count === 0) return;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
