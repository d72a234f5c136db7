/** Servers that misbehave, each in one way: what an API server may find where it looks for a webhook. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttp } from "node:http";
import { createServer as createHttps, type ServerOptions } from "node:https";
import { connect, createServer as createTcp, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { once } from "node:events";
import type { Pair } from "./tls";

/** One that is not listening yet. */
export type Misbehaving = () => Server;

/** What the API server sends, as far as an answer needs it. */
export interface Asked {
  readonly uid: string;
  readonly apiVersion: string;
}

/** Connections that are taken and treated so, without a look at what is sent. */
export const onConnection =
  (treat: (socket: Socket) => void): Misbehaving =>
  () =>
    createTcp((socket) => {
      socket.on("error", () => undefined);
      treat(socket);
    });

/** Bytes that come instead of TLS, as soon as the client has begun. */
export const saying = (bytes: Uint8Array | string): Misbehaving =>
  onConnection((socket) => {
    socket.once("data", () => socket.end(bytes));
  });

const handshake = 22;

/** A fatal alert (RFC 8446, section 6) as the answer to the client's first message. */
export const alerting = (description: number): Misbehaving =>
  saying(Uint8Array.of(21, 3, 3, 0, 2, 2, description));

/** The first message of a server (RFC 5246, section 7.4.1.3). */
export function serverHello(version: number, cipher: number): Buffer {
  const body = Buffer.alloc(38);
  body.writeUInt16BE(version, 0);
  body.writeUInt16BE(cipher, 35);
  return Buffer.concat([Buffer.of(handshake, 3, 3, 0, 42, 2, 0, 0, 38), body]);
}

/** The webhook's protocol without TLS. */
export const plainHttp: Misbehaving = () => createHttp((_request, response) => response.end("hi"));

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** HTTPS that answers so. */
export const https =
  ({ cert, key }: Pair, listener: Listener, options: ServerOptions = {}): Misbehaving =>
  () =>
    createHttps({ cert, key, ...options }, listener);

/**
 * TLS, and behind it this in answer to the request, and the end: once it has come whole, else an API server that is
 * still writing tells of that.
 */
export const insideTls = (pair: Pair, said: string | Uint8Array = ""): Misbehaving =>
  afterRequest(pair, "http/1.1", (socket, heard) => {
    if (isWhole(heard)) socket.end(said);
  });

/** A frame of HTTP/2 (RFC 9113, section 4.1). */
export function frame(type: number, stream: number, payload: readonly number[] = []): Buffer {
  const flags = type === frames.headers ? endOfHeaders : 0;
  const head = [0, 0, payload.length, type, flags, 0, 0, 0, stream];
  return Buffer.from([...head, ...payload]);
}

export const frames = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7 } as const;
const endOfStream = 1;
const endOfHeaders = 4;
const prefaceBytes = 24;

/** HTTP/2, which API servers speak to addresses of their own machine: these frames, and the end. */
export const http2 = (pair: Pair, ...said: readonly Buffer[]): Misbehaving =>
  afterRequest(
    pair,
    "h2",
    (socket, heard) => {
      if (isEnded(heard)) socket.end(Buffer.concat(said));
    },
    frame(frames.settings, 0),
  );

/** Looks at all that has come each time that more does, until it has ended the connection. */
function afterRequest(
  { cert, key }: Pair,
  protocol: string,
  look: (socket: Socket, heard: Buffer) => void,
  first?: Buffer,
): Misbehaving {
  return () =>
    createTls({ cert, key, ALPNProtocols: [protocol] }, (socket) => {
      let heard = Buffer.of();
      socket.on("error", () => undefined);
      if (first !== undefined) socket.write(first);
      socket.on("data", (bytes: Buffer) => {
        heard = Buffer.concat([heard, bytes]);
        if (!socket.writableEnded) look(socket, heard);
      });
    });
}

function isWhole(heard: Buffer): boolean {
  const head = heard.indexOf("\r\n\r\n");
  const [, length = "0"] = /content-length: (\d+)/i.exec(heard.toString("latin1", 0, head)) ?? [];
  return head >= 0 && heard.length >= head + 4 + Number(length);
}

function isEnded(heard: Buffer): boolean {
  for (let at = prefaceBytes; at + 9 <= heard.length; at += 9 + heard.readUIntBE(at, 3)) {
    const [type, flags] = heard.subarray(at + 3);
    if (type === frames.data && ((flags ?? 0) & endOfStream) !== 0) return true;
  }
  return false;
}

/** Before a server with TLS 1.2: the signature over its key exchange is another one. */
export function spoilingSignature(behind: Misbehaving): Misbehaving {
  const inner = behind();
  return onConnection((near) => {
    void (async () => {
      if (!inner.listening) {
        inner.listen(0, "127.0.0.1").unref();
        await once(inner, "listening");
      }
      const { port } = inner.address() as { readonly port: number };
      const far = connect(port, "127.0.0.1").on("error", () => undefined);
      near.pipe(far);
      far.on("data", (bytes: Buffer) => near.write(spoiled(bytes)));
      far.on("end", () => near.end());
    })();
  });
}

const serverKeyExchange = 12;

/** The records of a server's flight, one after the other. */
function spoiled(bytes: Buffer): Buffer {
  for (let at = 0; at + 5 < bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) {
    if (bytes[at] !== handshake || bytes[at + 5] !== serverKeyExchange) continue;
    const last = at + 4 + bytes.readUInt16BE(at + 3);
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
  }
  return bytes;
}

/** Answers a review with what is made of it. */
export const answering =
  (make: (asked: Asked) => unknown): Listener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
        readonly apiVersion: string;
        readonly request: { readonly uid: string };
      };
      const body = make({ uid: review.request.uid, apiVersion: review.apiVersion });
      response.setHeader("Content-Type", "application/json");
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  };
