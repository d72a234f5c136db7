/** What becomes of a call that a mistake in the program ends: it costs that call alone, never the process. */
import type { ServerResponse } from "node:http";
import { plain } from "../plugin/domain/rules/wording";
import { errorText, type Log } from "./log";
import type { Metrics } from "./metrics";
import { faultReply } from "./reply";

/** Counts and logs what a call has thrown. */
export type CrashTeller = (error: unknown) => void;

/** Tells it to the log and to the metrics. */
export function crashTeller(log: Log, metrics: Metrics): CrashTeller {
  return (error) => {
    metrics.panic();
    log.error(crashFields(error), "a call failed");
  };
}

/** A 500, so that failurePolicy decides; a caller that has part of an answer is cut off. */
export function answerCrash(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = faultReply({ code: 500, message: "the call failed" });
  const length = Buffer.byteLength(body);
  // its body may still be on the way, so that no other call can follow on this connection
  const framing = { "content-length": length, connection: "close" };
  response.writeHead(status, { ...headers, "content-type": "application/json", ...framing });
  response.end(body);
}

/** A message may quote what it stumbled over: escaped and cut, and the frames without it. */
export function crashFields(crash: unknown): object {
  const frames = (crash instanceof Error ? (crash.stack ?? "") : "").match(/^ +at .*$/gm) ?? [];
  return { because: plain(errorText(crash)), frames: frames.map((frame) => frame.trim()) };
}
