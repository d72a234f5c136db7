/** Time that passes when someone waits. */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "./kubernetes";

/** Time that passes when someone waits or a request is sent. */
export class VirtualClock implements Clock {
  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }

  /** Advances at once, but lets real answers come in first: whoever polls must not starve them. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.time += ms;
    await turn();
    signal?.throwIfAborted();
  }
}
