/** The log: one JSON line per event on stdout. */
import pino from "pino";
import { reviewLine } from "./log-line";

export const logLevels = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;

export type LogLevel = (typeof logLevels)[number];

/** What the parts of the webhook need of a log: constant messages, the rest as fields. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The line of one review, at the level info; may come a moment later than the others. */
  review(...parts: readonly Readonly<Record<string, unknown>>[]): void;
}

/** Lines of reviews are written together: each write of its own costs more than the line. */
const gatherLength = 32 * 1024;
const gatherMs = 200;

/** Lines go to a stream in the order of the calls; by default to stdout, without blocking a review. */
export function createLog(level: LogLevel, out?: pino.DestinationStream): Log {
  const gathered = out === undefined ? new Gathered(stdout()) : undefined;
  const stream = out ?? gathered;
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const at = (name: "debug" | "info" | "warn" | "error") => (fields: object, message: string) => {
    log[name](fields, message);
    gathered?.flush();
  };
  const silent = !log.isLevelEnabled("info");
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    // As the others are written; past the logger, which takes longer than the rules do.
    review: (...parts) => {
      if (!silent) stream?.write(reviewLine(parts));
    },
  };
}

function stdout() {
  return pino.destination({ fd: 1, sync: false });
}

/** Lines on their way to a file, handed over when there are enough, now and then, and at the end of the process. */
class Gathered {
  private lines = "";

  constructor(private readonly out: ReturnType<typeof stdout>) {
    setInterval(() => {
      this.flush();
    }, gatherMs).unref();
    process.on("exit", () => {
      this.flush();
      out.flushSync();
    });
  }

  write(line: string): void {
    this.lines += line;
    if (this.lines.length >= gatherLength) this.flush();
  }

  flush(): void {
    const { lines } = this;
    if (lines === "") return;
    this.lines = "";
    this.out.write(lines);
  }
}

/** The text of an error for a log field, with the causes behind it; never a stack. */
export function errorText(error: unknown): string {
  if (!isErrorLike(error)) return String(error);
  const { message, cause } = error;
  return cause === undefined ? message : `${message}: ${errorText(cause)}`;
}

/** By its shape: an abort's DOMException need not be an Error. */
function isErrorLike(
  value: unknown,
): value is { readonly message: string; readonly cause?: unknown } {
  return typeof value === "object" && value !== null && "message" in value;
}
