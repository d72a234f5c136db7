/** Large reviews: a bounded amount of them in memory, parsed one at a time on a thread of their own. */
import type { Worker } from "node:worker_threads";
import type { Arrivals } from "./arrivals";
import { type ReviewRequest, UnreadableReview } from "./envelope";
import { type Parsed, tooDeep } from "./parse-worker";

/** What is larger takes the loop for longer than a small review may wait (admission facts 10). */
export const bigBody = 256 * 1024;

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

/** What one call takes of the budget. */
export class Room {
  private bytes = 0;

  constructor(
    private readonly budget: BodyBudget,
    private readonly arriving: Arrivals,
  ) {}

  /** Takes so much in place of what it has; false when there is none, and then it has nothing. */
  take(bytes: number): boolean {
    this.leave();
    // large bodies that hardly move make room for one that comes
    while (!this.budget.take(bytes)) if (!this.arriving.shedSlow()) return false;
    this.bytes = bytes;
    return true;
  }

  /** Has room for so many bytes, and more than it needs now; false when there is none. */
  grow(bytes: number): boolean {
    return bytes <= Math.max(bigBody, this.bytes) || this.take(2 * bytes);
  }

  leave(): void {
    this.budget.give(this.bytes);
    this.bytes = 0;
  }
}

interface Waiting {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly resolve: (request: ReviewRequest) => void;
  readonly reject: (error: Error) => void;
}

/** Parses on a thread that is started with the first large review. */
export class BigBodies {
  private worker: Worker | undefined;
  /** Held back until the thread is free: what makes one review fail must not take others along. */
  private readonly queue: Waiting[] = [];
  private current: Waiting | undefined;
  private stopped = false;

  constructor(private readonly open: () => Worker) {}

  /** The review in the bytes, whose memory goes to the thread; throws UnreadableReview. */
  parse(body: Uint8Array): Promise<ReviewRequest> {
    const { buffer } = body;
    const whole = body.byteLength === buffer.byteLength && buffer instanceof ArrayBuffer;
    const bytes = whole ? new Uint8Array(buffer) : new Uint8Array(body);
    return new Promise((resolve, reject) => {
      this.queue.push({ bytes, resolve, reject });
      this.next();
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.worker?.terminate();
  }

  private next(): void {
    if (this.current !== undefined || this.stopped) return;
    this.current = this.queue.shift();
    if (this.current === undefined) return;
    const { bytes } = this.current;
    (this.worker ??= this.start()).postMessage({ bytes }, [bytes.buffer]);
  }

  private start(): Worker {
    const worker = this.open();
    worker.unref();
    worker.on("message", (parsed: Parsed) => {
      this.settle(parsed);
    });
    // the thread's stack is deeper than this one's: what it could send need not be readable here
    worker.on("messageerror", () => {
      this.settle({ unreadable: tooDeep });
    });
    // out of memory, for one: what it was asked is beyond reading, and the next gets a new thread
    for (const event of ["error", "exit"]) {
      worker.on(event, () => {
        this.lose(worker);
      });
    }
    return worker;
  }

  private settle(parsed: Parsed): void {
    const { current } = this;
    this.current = undefined;
    if ("request" in parsed) current?.resolve(parsed.request);
    else current?.reject(new UnreadableReview(parsed.unreadable, parsed.uid));
    this.next();
  }

  private lose(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.settle({ unreadable: "the body takes too much memory to be read" });
  }
}
