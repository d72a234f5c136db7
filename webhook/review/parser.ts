/** Large reviews: a bounded amount of them in memory, parsed one at a time on a thread of their own. */
import type { MessagePort, Worker } from "node:worker_threads";
import { parseReview, type ReviewRequest, UnreadableReview } from "./request";
import type { Names } from "../../plugin/domain/names";

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

interface ParseRequest {
  readonly bytes: Uint8Array;
}

/** What is in it: the request with the judged parts of its objects, or why it cannot be read. */
export type Parsed =
  { readonly request: ReviewRequest } | { readonly unreadable: string; readonly uid?: string };

/** What is said of a judged field that cannot be handed over. */
const tooDeep = "the review is nested too deeply";

/** Answers questions one after the other, for as long as the port is open. */
export function serveParser(port: MessagePort, names: Names): void {
  port.on("message", ({ bytes }: ParseRequest) => {
    const parsed = parseOne(bytes, names);
    try {
      port.postMessage(parsed);
    } catch {
      // what is too deep to be copied is no database either
      port.postMessage({ unreadable: tooDeep });
    }
  });
}

function parseOne(bytes: Uint8Array, names: Names): Parsed {
  try {
    const { buffer, byteOffset, length } = bytes;
    return { request: parseReview(Buffer.from(buffer, byteOffset, length), names) };
  } catch (error) {
    const { message, uid } = error instanceof UnreadableReview ? error : unknownFailure;
    return { unreadable: message, ...(uid !== undefined && { uid }) };
  }
}

const unknownFailure = new UnreadableReview("the body cannot be read");
