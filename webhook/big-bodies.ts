/** Large reviews: a bounded amount of them in memory, parsed one at a time on a thread of their own. */
import type { Worker } from "node:worker_threads";
import { type ReviewRequest, UnreadableReview } from "./envelope";
import type { Parsed } from "./parse-worker";

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

interface Waiting {
  readonly resolve: (request: ReviewRequest) => void;
  readonly reject: (error: Error) => void;
}

/** Parses on a thread that is started with the first large review. */
export class BigBodies {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;

  constructor(private readonly open: () => Worker) {}

  /** The review in the bytes, whose memory goes to the thread; throws UnreadableReview. */
  parse(bytes: Uint8Array): Promise<ReviewRequest> {
    const id = this.asked++;
    const whole = bytes.byteLength === bytes.buffer.byteLength;
    const own = whole ? bytes : new Uint8Array(bytes);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      (this.worker ??= this.start()).postMessage({ id, bytes: own }, [own.buffer as ArrayBuffer]);
    });
  }

  async stop(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = this.open();
    worker.unref();
    worker.on("message", (parsed: Parsed) => {
      this.answer(parsed);
    });
    // out of memory, for one: what it was asked is beyond reading, and the next gets a new thread
    worker.on("error", () => {
      this.lose(worker);
    });
    worker.on("exit", () => {
      this.lose(worker);
    });
    return worker;
  }

  private answer(parsed: Parsed): void {
    const waiting = this.waiting.get(parsed.id);
    this.waiting.delete(parsed.id);
    if ("request" in parsed) waiting?.resolve(parsed.request);
    else waiting?.reject(new UnreadableReview(parsed.unreadable, parsed.uid));
  }

  private lose(worker: Worker): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) {
      reject(new UnreadableReview("the body takes too much memory to be read"));
    }
    this.waiting.clear();
  }
}
