/** A caller that writes bytes, not requests: what no HTTP client would send. */
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { PemPair } from "../../support/tls";

/** Where to, and how it is encrypted; without a CA it is not. */
export interface Target {
  readonly port: number;
  readonly ca?: string;
  readonly servername?: string | undefined;
  /** Whose certificate is shown; nobody's without it. */
  readonly as?: PemPair;
}

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** One open connection; whatever happens to it is kept, nothing is thrown. */
export class RawConnection {
  private readonly chunks: Buffer[] = [];
  private readonly waiting = new Set<() => void>();
  isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      this.chunks.push(chunk);
      this.tell();
    });
    socket.on("close", () => {
      this.isClosed = true;
      this.tell();
    });
  }

  /** Resolves when it is open, or closed again. */
  static async open({ port, ca, servername, as }: Target): Promise<RawConnection> {
    const where = { host: "127.0.0.1", port };
    const name =
      servername === undefined ? {} : { servername, checkServerIdentity: () => undefined };
    const identity = as && { cert: as.certPem, key: as.keyPem };
    const socket =
      ca === undefined ? connectTcp(where) : connectTls({ ...where, ca, ...name, ...identity });
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve) => {
      const opened = ca === undefined ? "connect" : "secureConnect";
      for (const event of [opened, "close"]) {
        socket.once(event, () => {
          resolve();
        });
      }
    });
    return connection;
  }

  /** Resolves when the bytes were handed to the system, or never will be. */
  async write(bytes: string | Buffer): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((resolve) => {
      this.socket.once("close", resolve);
      this.socket.write(bytes, () => {
        this.socket.off("close", resolve);
        resolve();
      });
    });
  }

  /** All that came. */
  text(): string {
    return Buffer.concat(this.chunks).toString("latin1");
  }

  /** So many answers, or those that came before the connection closed. */
  async answers(count: number): Promise<readonly RawAnswer[]> {
    await this.until(() => this.isClosed || parseAnswers(this.text()).length >= count);
    return parseAnswers(this.text());
  }

  async closed(): Promise<void> {
    await this.until(() => this.isClosed);
  }

  /** The whole exchange of a call: what came until the other side closed or one answer is there. */
  async reply(): Promise<string> {
    await this.answers(1);
    return this.text();
  }

  destroy(): void {
    this.socket.destroy();
  }

  private async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          this.waiting.delete(done);
          resolve();
        };
        this.waiting.add(done);
      });
    }
  }

  private tell(): void {
    for (const look of [...this.waiting]) look();
  }
}

/** The complete answers of a text; interim ones (100) do not count. */
function parseAnswers(text: string): readonly RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const head = rest.slice(0, end);
    const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
    const from = end + 4;
    if (rest.length < from + length) return answers;
    const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]);
    if (status >= 200) answers.push({ status, head, body: rest.slice(from, from + length) });
    rest = rest.slice(from + length);
  }
}
