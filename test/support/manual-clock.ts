/** Time that passes only when somebody sleeps: a wait of minutes takes no time at all. */
import type { Clock } from "../../plugin/run/ports";

/** Where every test begins. */
export const testTime = Date.parse("2026-08-01T10:15:30.000Z");

export class ManualClock implements Clock {
  /** Every sleep that was asked for, in milliseconds. */
  readonly sleeps: number[] = [];
  /** Called before each sleep: the place to let the world change while somebody waits. */
  beforeSleep: (ms: number) => void = () => {};

  constructor(private time = testTime) {}

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.beforeSleep(ms);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    this.sleeps.push(ms);
    this.time += ms;
    return Promise.resolve();
  }
}
