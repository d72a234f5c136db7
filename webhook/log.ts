/** The log: one JSON line per event on stdout. */
import pino from "pino";

export const logLevels = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;

export type LogLevel = (typeof logLevels)[number];

/** What the parts of the webhook need of a log: constant messages, the rest as fields. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** The line of one review, at the level info; may come a moment later than the others. */
  review(fields: object): void;
}

/** Lines of reviews are written together: each write of its own costs more than the line. */
const gatherBytes = 8 * 1024;
const gatherMs = 200;

/** Lines go to a stream in the order of the calls; by default to stdout, without blocking a review. */
export function createLog(level: LogLevel, out?: pino.DestinationStream): Log {
  const gathered = out === undefined ? gather() : undefined;
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    out ?? gathered,
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
    review: (fields) => {
      if (!silent) log.info(fields, "review");
    },
  };
}

/** Stdout, written to when there is enough, now and then, and at the end of the process. */
function gather() {
  const out = pino.destination({ fd: 1, sync: false, minLength: gatherBytes });
  setInterval(() => {
    out.flush();
  }, gatherMs).unref();
  process.on("exit", () => {
    out.flushSync();
  });
  return out;
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
