/** Time that passes when someone waits. */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock, Repeated, RepeatedAct } from "./kubernetes";

/** Work that is due again and again while virtual time passes: who waits carries it out in between. */
export class RepeatedWork {
  readonly #all = new Set<{ readonly act: RepeatedAct; dueAt: number }>();
  #isBusy = false;

  begin(act: RepeatedAct, clock: Pick<Clock, "now">): Repeated {
    const work = { act, dueAt: clock.now() };
    this.#all.add(work);
    return {
      soon: () => {
        work.dueAt = clock.now();
      },
      stop: () => {
        this.#all.delete(work);
        return Promise.resolve();
      },
    };
  }

  /** Lets time pass until then by `pass`, and does what is due in between; what it throws is thrown to who waits. */
  async passUntil(
    until: number,
    clock: Pick<Clock, "now">,
    pass: (ms: number) => Promise<void>,
  ): Promise<void> {
    // what the work itself waits for passes as it is
    const due = (): number =>
      this.#isBusy ? Infinity : Math.min(...[...this.#all].map(({ dueAt }) => dueAt));
    while (due() <= until) {
      const ms = due() - clock.now();
      if (ms > 0) await pass(ms);
      await this.#act(clock);
    }
    await pass(Math.max(0, until - clock.now()));
  }

  async #act(clock: Pick<Clock, "now">): Promise<void> {
    this.#isBusy = true;
    try {
      for (const work of [...this.#all].filter(({ dueAt }) => dueAt <= clock.now())) {
        work.dueAt = Infinity;
        const ms = await work.act();
        work.dueAt = Math.min(work.dueAt, clock.now() + Math.max(1, ms));
      }
    } finally {
      this.#isBusy = false;
    }
  }
}

/** Time that passes when someone waits or a request is sent. */
export class VirtualClock implements Clock {
  readonly #work = new RepeatedWork();

  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }

  /** Advances at once, but lets real answers come in first: whoever polls must not starve them. */
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.#work.passUntil(this.time + ms, this, async (some) => {
      signal?.throwIfAborted();
      this.time += some;
      await turn();
      signal?.throwIfAborted();
    });
  }

  repeat(act: RepeatedAct): Repeated {
    return this.#work.begin(act, this);
  }
}
