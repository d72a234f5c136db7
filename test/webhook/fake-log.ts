/** A log that keeps its lines, and tells when one has come. */
import type { Log } from "../../webhook/log";

export interface Line {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class FakeLog implements Log {
  readonly lines: Line[] = [];
  private waiting: (() => void)[] = [];

  debug = this.keep("debug");
  info = this.keep("info");
  warn = this.keep("warn");
  error = this.keep("error");

  review(...parts: readonly object[]): void {
    this.info(Object.assign({}, ...parts) as object, "review");
  }

  of(message: string): readonly Line[] {
    return this.lines.filter((line) => line.message === message);
  }

  /** Resolves when so many lines with the message are there; the last of them. */
  async seen(message: string, count = 1): Promise<Line> {
    for (;;) {
      const line = this.of(message)[count - 1];
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private keep(level: Line["level"]) {
    return (fields: object, message: string): void => {
      this.lines.push({ level, message, fields: { ...fields } });
      this.waiting.splice(0).forEach((tell) => {
        tell();
      });
    };
  }
}
