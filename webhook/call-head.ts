/** What is known of a call of the admission path before its body: whether it may go on, and for how long. */
import type { IncomingMessage } from "node:http";
import type { Callers } from "./callers";
import { budgetOf } from "./deadline";
import type { Fault } from "./reply";

/** Why the caller may not ask at all. */
export function judgeCaller(
  { socket }: IncomingMessage,
  callers: Callers | undefined,
): Fault | undefined {
  const message = callers?.problem(socket);
  return message === undefined ? undefined : { code: 403, message };
}

/** What can be refused before the body is read. */
export function judgeHead(request: IncomingMessage, maxBody: number): Fault | undefined {
  const { method, headers } = request;
  if (method !== "POST") return { code: 405, message: "reviews are sent with POST" };
  if (!isJson(headers["content-type"] ?? "")) {
    return { code: 415, message: "the content type has to be application/json in UTF-8" };
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return { code: 415, message: "a content encoding is not accepted" };
  }
  return announcedBy(request) > maxBody ? tooLarge(maxBody) : undefined;
}

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [type, ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith("charset="));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return type?.trim() === "application/json" && utf8;
}

/** The answer to a body over the limit, announced or not. */
export function tooLarge(maxBody: number): Fault {
  return { code: 413, message: `the body is larger than ${maxBody} bytes` };
}

/** The length of the body; of one that does not say it room is taken for what has come. */
export function announcedBy({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

let lastUrl = "";
let lastBudget = budgetOf(null);

/** An API server calls with the same path and the same time again and again. */
export function budgetFor(url = ""): number {
  if (url === lastUrl) return lastBudget;
  const query = url.indexOf("?");
  lastBudget = budgetOf(query < 0 ? null : new URLSearchParams(url.slice(query)).get("timeout"));
  lastUrl = url;
  return lastBudget;
}
