/** One look serves everybody who waits: it is taken once a poll, however many ask for it. */
import { pollMs, waitFor, type WaitPorts } from "../engine/wait";

/** Looks, and looks again. */
export abstract class SharedPoller<T> {
  #last: { readonly seen: T; readonly at: number } | undefined;
  #coming: Promise<T> | undefined;

  constructor(private readonly ports: WaitPorts) {}

  protected abstract read(): Promise<T>;

  /** What is so now: read at most a poll ago. */
  async now(): Promise<T> {
    const last = this.#last;
    if (last !== undefined && this.ports.clock.now() - last.at < pollMs) return last.seen;
    return await this.#read();
  }

  /** What is so a poll later; whoever asks meanwhile is given the same. */
  next(): Promise<T> {
    this.#coming ??= this.#later();
    return this.#coming;
  }

  async #later(): Promise<T> {
    const { clock, signal } = this.ports;
    try {
      await clock.sleep(pollMs, signal);
    } finally {
      // who asks from here on has perhaps written after this look
      this.#coming = undefined;
    }
    return await waitFor(this.ports, {
      look: async () => ({ is: "done", value: await this.#read() }),
    });
  }

  async #read(): Promise<T> {
    const at = this.ports.clock.now();
    const seen = await this.read();
    this.#last = { seen, at };
    return seen;
  }
}
