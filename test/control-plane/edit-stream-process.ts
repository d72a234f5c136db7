/**
 * The other side of edit-stream.ts: a process of its own that sends edits at a steady rate, so that
 * neither the plugin nor the test's own work delays them. Reads its orders from standard input as one
 * line of JSON; each answer is a line of JSON on standard output; ends when its input ends.
 */
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";

export interface StreamOrders {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** One of each twin is sent so often. */
  readonly everyMs: number;
  readonly edits: Readonly<Record<Twin, readonly Edit[]>>;
}

export type Twin = "valid" | "invalid";

/** A request that is sent as it is; the edits of a twin take turns. */
export interface Edit {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
}

/** What one edit met with; times are of this machine's clock, in milliseconds. */
export interface Answer {
  readonly twin: Twin;
  readonly from: number;
  readonly to: number;
  /** 0 when no answer came. */
  readonly status: number;
  readonly message: string;
}

function send({
  url,
  ca,
  token,
  edits,
}: StreamOrders): (twin: Twin, turn: number) => Promise<void> {
  agent = new Agent({ ca, keepAlive: true, maxSockets: 32 });
  return (twin, turn) => {
    const edit = edits[twin][turn % edits[twin].length];
    if (edit === undefined) {
      return Promise.resolve();
    }
    const from = Date.now();
    return new Promise((resolve) => {
      const done = (status: number, message: string): void => {
        const answer: Answer = { twin, from, to: Date.now(), status, message };
        process.stdout.write(`${JSON.stringify(answer)}\n`);
        resolve();
      };
      const call = request(new URL(edit.path, url), {
        method: edit.method,
        agent,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: "application/json",
          "Content-Type": edit.contentType,
          "Content-Length": Buffer.byteLength(edit.body),
          "User-Agent": "edit-stream",
        },
      });
      call.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => {
          done(response.statusCode ?? 0, messageOf(text));
        });
        response.on("error", (error) => {
          done(0, error.message);
        });
      });
      call.on("error", (error) => {
        done(0, error.message);
      });
      call.end(edit.body);
    });
  };
}

let agent: Agent | undefined;
const mostUnderWay = 64;

function messageOf(text: string): string {
  return (JSON.parse(text) as { readonly message?: string }).message ?? "";
}

const lines = createInterface({ input: process.stdin });
const underWay = new Set<Promise<void>>();
let timer: NodeJS.Timeout | undefined;

lines.once("line", (line) => {
  const orders = JSON.parse(line) as StreamOrders;
  const edit = send(orders);
  const begun = performance.now();
  let turn = 0;
  timer = setInterval(() => {
    // A timer that comes late does not slow the pace: what is due by now is sent, unless a server
    // that is too slow for it would only be buried.
    for (; turn * orders.everyMs <= performance.now() - begun; turn += 1) {
      if (underWay.size > mostUnderWay) continue;
      for (const twin of ["valid", "invalid"] as const) {
        const sent = edit(twin, turn);
        underWay.add(sent);
        void sent.finally(() => underWay.delete(sent));
      }
    }
  }, orders.everyMs);
});
lines.once("close", () => {
  clearInterval(timer);
  // Kept connections would hold the process.
  void Promise.all(underWay).then(() => agent?.destroy());
});
