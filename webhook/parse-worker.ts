/** The thread that parses large reviews, so that small ones never wait for them. */
import type { MessagePort } from "node:worker_threads";
import type { Names } from "../plugin/domain/names";
import { judgedPart } from "../plugin/domain/rules/judged-part";
import { parseReview, type ReviewRequest, UnreadableReview } from "./envelope";

/** A body to parse. */
export interface Question {
  readonly bytes: Uint8Array;
}

/** What is in it: the request with the judged parts of its objects, or why it cannot be read. */
export type Parsed =
  { readonly request: ReviewRequest } | { readonly unreadable: string; readonly uid?: string };

/** What is said of a judged field that cannot be handed over. */
export const tooDeep = "the review is nested too deeply";

/** Answers questions one after the other, for as long as the port is open. */
export function serveParser(port: MessagePort, names: Names): void {
  port.on("message", ({ bytes }: Question) => {
    const parsed = parseOne(bytes, names);
    try {
      port.postMessage(parsed);
    } catch {
      // what is too deep to be copied is no database either
      port.postMessage({ unreadable: tooDeep });
    }
  });
}

function parseOne(bytes: Uint8Array, names: Names): Parsed {
  try {
    if (hasTooMany(bytes)) throw new UnreadableReview("the review holds too many values");
    const request = parseReview(bytes);
    const object = judgedPart(request.object, names);
    const oldObject = judgedPart(request.oldObject, names);
    return { request: { ...request, object, oldObject } };
  } catch (error) {
    const { message, uid } = error instanceof UnreadableReview ? error : unknownFailure;
    return { unreadable: message, ...(uid !== undefined && { uid }) };
  }
}

const unknownFailure = new UnreadableReview("the body cannot be read");

/** Twice what the densest object has that the API server takes; a value costs many times its bytes. */
const mostValues = 1_000_000;
const [quote, backslash, comma, brace, bracket] = Buffer.from('"\\,{[');

/** Counts what begins a value outside of texts: the parser's memory goes with that, not with bytes. */
function hasTooMany(bytes: Uint8Array): boolean {
  let values = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) inText = !inText;
    else if (inText) at += Number(byte === backslash);
    else if (byte === comma || byte === brace || byte === bracket) values += 1;
  }
  return values > mostValues;
}
