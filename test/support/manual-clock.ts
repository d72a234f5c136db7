/** Time that passes only when someone sleeps: a wait of minutes takes no time at all. */
import type { Clock } from "../../plugin/ports/kubernetes";

/** Where every test begins. */
export const testTime = Date.parse("2026-08-01T10:15:30.000Z");

/** Time that passes by hand alone: sleeps and alarms wait until a test lets them. */
export class HandClock implements Clock {
  private readonly due = new Set<{ readonly at: number; readonly ring: () => void }>();
  private time = testTime;

  now(): number {
    return this.time;
  }

  /** Milliseconds that sleeps and alarms have still to wait. */
  get waits(): readonly number[] {
    return [...this.due].map(({ at }) => at - this.time);
  }

  alarm(ms: number, ring: () => void): () => void {
    const entry = { at: this.time + ms, ring };
    this.due.add(entry);
    return () => {
      this.due.delete(entry);
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const off = this.alarm(ms, resolve);
      signal?.addEventListener("abort", () => {
        off();
        reject(signal.reason as Error);
      });
    });
  }

  pass(ms: number): void {
    this.time += ms;
    for (const entry of [...this.due]) {
      if (entry.at <= this.time && this.due.delete(entry)) entry.ring();
    }
  }
}

export class ManualClock implements Clock {
  /** Every sleep that was asked for, in milliseconds. */
  readonly sleeps: number[] = [];
  /** Called before each sleep: the place to let the world change while someone waits. */
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
