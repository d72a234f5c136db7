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
}

/** Lines go to a stream in the order of the calls; by default to stdout, without blocking a review. */
export function createLog(level: LogLevel, out?: pino.DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    out ?? pino.destination({ fd: 1, sync: false }),
  );
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
