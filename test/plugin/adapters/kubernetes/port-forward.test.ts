/** A port of a pod as a stream, over a socket that behaves as real ones do under load. */
import { EventEmitter } from "node:events";
import { text } from "node:stream/consumers";
import type WebSocket from "ws";
import { forwardPort } from "../../../../plugin/adapters/kubernetes/port-forward";

/** A socket whose sends leave only when the test says so. */
class HeldSocket extends EventEmitter {
  readonly sent: Buffer[] = [];
  readonly leaving: (() => void)[] = [];
  paused = true;
  isClosed = false;

  send(message: Buffer, _options: unknown, done: () => void): void {
    this.sent.push(message);
    this.leaving.push(done);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  close(): void {
    this.isClosed = true;
    this.emit("close");
  }

  terminate(): void {
    this.isClosed = true;
  }

  receive(...messages: readonly (readonly number[] | string)[]): void {
    for (const message of messages) this.emit("message", Buffer.from(message as string));
  }
}

const [data, errors] = [0, 1];
const port = [0xe3, 0x24];

async function open() {
  const socket = new HeldSocket();
  const asked: string[] = [];
  const stream = await forwardPort({ namespace: "engine", pod: "ec-0", port: 9443 }, (path) => {
    asked.push(path);
    return Promise.resolve(socket as unknown as WebSocket);
  });
  return { socket, asked, stream };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the pod's own path is asked for, with the port", async () => {
  const { asked } = await open();
  expect(asked).toEqual(["/api/v1/namespaces/engine/pods/ec-0/portforward?ports=9443"]);
});

const letters = [...Buffer.from("ok")];

test.each([
  [
    "in a message of its own",
    [
      [data, ...port],
      [data, ...letters],
    ],
  ],
  [
    "in two messages",
    [
      [data, port[0]],
      [data, port[1]],
      [data, ...letters],
    ],
  ],
  [
    "in two messages, the second with content",
    [
      [data, port[0]],
      [data, port[1], ...letters],
    ],
  ],
  ["in one message with content", [[data, ...port, ...letters]]],
  ["behind a message that is empty", [[data], [data, ...port], [data, ...letters]]],
  [
    "between those of the other channel",
    [
      [data, port[0]],
      [errors, ...port],
      [data, port[1]],
      [data, ...letters],
    ],
  ],
] as const)("a port header that arrives %s is no content", async (_name, messages) => {
  const { socket, stream } = await open();
  socket.receive(...(messages as readonly (readonly number[])[]));
  socket.emit("close");
  expect(await text(stream)).toBe("ok");
});

test("a message without a channel is passed over", async () => {
  const { socket, stream } = await open();
  socket.receive([], [data, ...port], [data, ...letters]);
  socket.emit("close");
  expect(await text(stream)).toBe("ok");
});

test("what the kubelet says of a failure ends the stream with it", async () => {
  const { socket, stream } = await open();
  const failed = new Promise<Error>((resolve) => stream.on("error", resolve));
  socket.receive([errors, ...port], [errors, ...letters]);
  expect((await failed).message).toBe("ok");
  expect(socket.isClosed).toBe(true);
});

test("a piece is sent when the one before it has left, and writes wait for that", async () => {
  const { socket, stream } = await open();
  const piece = Buffer.alloc(64 * 1024, "x");
  const written: number[] = [];
  for (const n of [1, 2, 3, 4]) stream.write(piece, () => written.push(n));
  await settle();
  expect(socket.sent).toHaveLength(1);
  expect(written.length).toBeLessThan(4);
  expect(stream.writableNeedDrain).toBe(true);
  while (socket.leaving.length > 0) {
    socket.leaving.shift()?.();
    await settle();
  }
  expect(written).toEqual([1, 2, 3, 4]);
  expect(Buffer.concat(socket.sent.map((each) => each.subarray(1)))).toEqual(
    Buffer.concat([piece, piece, piece, piece]),
  );
  expect(new Set(socket.sent.map((each) => each[0]))).toEqual(new Set([data]));
});

test("the socket rests while nobody reads what it has brought", async () => {
  const { socket, stream } = await open();
  socket.receive([data, ...port]);
  socket.emit("message", Buffer.concat([Buffer.of(data), Buffer.alloc(256 * 1024)]));
  expect(socket.paused).toBe(true);
  stream.resume();
  await settle();
  expect(socket.paused).toBe(false);
});

test("the end of what is written closes the socket", async () => {
  const { socket, stream } = await open();
  stream.end();
  await settle();
  expect(socket.isClosed).toBe(true);
});

test("a stream that is given up takes its socket with it", async () => {
  const { socket, stream } = await open();
  stream.destroy();
  await settle();
  expect(socket.isClosed).toBe(true);
});
