/** What listens at the address of the Service, in each of its conducts. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import type { Pair } from "../certificate";
import type { Site } from "../site";
import {
  answerJson,
  isWrong,
  listenAt,
  type Review,
  reviewOf,
  type StandIn,
  verdictOn,
} from "../stand-in-webhook";
import { until } from "../until";
import type { Conduct } from "./ways";

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const refusal = "refused on purpose";
const judge = (review: Review): object => verdictOn(review, isWrong(review) ? refusal : undefined);

/** Answers a review as it is made of it. */
const reviewed =
  (make: (review: Review) => object) =>
  async ({ request, response }: Call): Promise<void> => {
    answerJson(response, make(await reviewOf(request)));
  };

/** Answers all alike. */
const said =
  (status: number, type: string, text: string) =>
  ({ response }: Call): void => {
    response.writeHead(status, { "Content-Type": type }).end(text);
  };

const judged = reviewed(judge);

/** Those that speak HTTP after a handshake. */
const answers: Readonly<Partial<Record<Conduct, (call: Call) => void | Promise<void>>>> = {
  judges: judged,
  asksForCertificate: judged,
  oldTls: judged,
  hangs: () => undefined,
  slow: async (call) => {
    const review = await reviewOf(call.request);
    setTimeout(() => {
      answerJson(call.response, judge(review));
    }, 2_500).unref();
  },
  notFoundElsewhere: async (call) => {
    if (call.request.url?.startsWith("/admission") === true) await judged(call);
    else said(404, "text/plain", "404 page not found\n")(call);
  },
  forbids: said(403, "text/plain", "RBAC: access denied"),
  panics: said(500, "text/plain", "panic: runtime error: invalid memory address\n"),
  overloaded: said(503, "text/plain", "upstream connect error or disconnect"),
  html: said(200, "text/html", "<!doctype html><title>Sign in</title>"),
  empty: said(200, "application/json", ""),
  otherJson: said(200, "application/json", '{"status":"ok"}'),
  otherVersion: reviewed((review) => ({
    ...judge(review),
    apiVersion: "admission.k8s.io/v1beta1",
  })),
  noUid: reviewed(({ request, ...review }) =>
    judge({ ...review, request: { ...request, uid: "" } }),
  ),
  noResponse: reviewed((review) => review),
  patches: reviewed((review) => {
    const { response, ...verdict } = verdictOn(review);
    const patch = Buffer.from("[]").toString("base64");
    return { ...verdict, response: { ...response, patchType: "JSONPatch", patch } };
  }),
  allows: reviewed((review) => verdictOn(review)),
  refuses: reviewed((review) => verdictOn(review, refusal)),
  refusesUpdates: reviewed((review) =>
    review.request.operation === "UPDATE" ? verdictOn(review, "") : judge(review),
  ),
};

const handshakes: Readonly<Partial<Record<Conduct, (pair: Pair) => ServerOptions>>> = {
  asksForCertificate: ({ cert }) => ({ requestCert: true, rejectUnauthorized: true, ca: cert }),
  // the library has these versions still, and asks for a lower level to speak them
  oldTls: () => ({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }),
};

/** A fatal alert of TLS: 80, internal error. */
const internalError = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x50]);

/** Those that never finish a handshake. */
const sockets: Readonly<Partial<Record<Conduct, (socket: Socket) => void>>> = {
  closes: (socket) => void socket.destroy(),
  alerts: (socket) => void socket.once("data", () => socket.end(internalError)),
};

export interface ProcessOptions {
  readonly site: Site;
  readonly host: string;
  readonly pair: Pair;
  readonly conduct: Conduct;
}

export async function startProcess(options: ProcessOptions): Promise<StandIn> {
  const { host, pair, conduct, site } = options;
  if (conduct === "gone") return { close: () => Promise.resolve() };
  if (conduct === "drops") return dropAt(site, host);
  if (conduct === "plainHttp") {
    return listenAt(
      host,
      createHttpServer((_, response) => response.writeHead(400).end()),
    );
  }
  const onSocket = sockets[conduct];
  if (onSocket !== undefined) return listenAt(host, createServer(onSocket));
  const answer = answers[conduct];
  if (answer === undefined) throw new Error(`no process that ${conduct}`);
  const server = createHttpsServer(
    { cert: pair.cert, key: pair.privateKey, ...handshakes[conduct]?.(pair) },
    (request, response) => {
      Promise.resolve(answer({ request, response })).catch(() => response.destroy());
    },
  );
  return listenAt(host, server);
}

const listener = `require("node:net").createServer().listen({ host: process.argv[1], port: 443, backlog: 1 })`;

/**
 * Takes no connection, as a network that drops packets: its queue is full and it is stopped, so that the kernel drops
 * whatever comes.
 */
async function dropAt(site: Site, host: string): Promise<StandIn> {
  const args = ["-e", listener, host];
  const daemon = site.start({ name: "dropping", file: process.execPath, args });
  await until("the listener", async () => {
    const { socket, opened } = dial(host);
    const isOpen = await opened;
    socket.destroy();
    return isOpen || undefined;
  });
  if (daemon.pid === undefined) throw new Error("the listener has no process");
  process.kill(daemon.pid, "SIGSTOP");
  const queue: Socket[] = [];
  for (let isFree = true; isFree;) {
    const { socket, opened } = dial(host);
    queue.push(socket);
    isFree = await opened;
  }
  return {
    close: async () => {
      for (const socket of queue) socket.destroy();
      await daemon.stop();
    },
  };
}

/** Whether a connection is opened at once; on loopback it is, or never. */
function dial(host: string): { readonly socket: Socket; readonly opened: Promise<boolean> } {
  const socket = connect({ host, port: 443, timeout: 300 });
  const opened = new Promise<boolean>((resolve) => {
    socket
      .once("connect", () => {
        resolve(true);
      })
      .once("timeout", () => {
        resolve(false);
      })
      .once("error", () => {
        resolve(false);
      });
  });
  return { socket, opened };
}
