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
  review(entry: Readonly<Record<string, unknown>>, took: object): void;
}

/** Lines of reviews are written together: each write of its own costs more than the line. */
const gathered = { minLength: 15 * 1024, periodicFlush: 200 };

/** Lines go to a stream in the order of the calls; by default to stdout, without blocking a review. */
export function createLog(level: LogLevel, out?: pino.DestinationStream): Log {
  const stdout =
    out === undefined ? pino.destination({ fd: 1, sync: false, ...gathered }) : undefined;
  const stream = out ?? stdout;
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
    stdout?.flush();
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    review: (entry, took) => {
      log.info({ ...entry, ...took }, "review");
    },
  };
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
