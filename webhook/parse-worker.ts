/** The thread that parses large reviews, so that small ones never wait for them. */
import type { MessagePort } from "node:worker_threads";
import type { Names } from "../plugin/domain/names";
import { judgedPart } from "../plugin/domain/rules/judged-part";
import { parseReview, type ReviewRequest, UnreadableReview } from "./envelope";

/** A body to parse. */
export interface Question {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** What is in it: the request with the judged parts of its objects, or why it cannot be read. */
export type Parsed =
  | { readonly id: number; readonly request: ReviewRequest }
  | { readonly id: number; readonly unreadable: string; readonly uid?: string };

/** Answers questions one after the other, for as long as the port is open. */
export function serveParser(port: MessagePort, names: Names): void {
  port.on("message", ({ id, bytes }: Question) => {
    const parsed = parseOne({ id, bytes }, names);
    try {
      port.postMessage(parsed);
    } catch {
      // what is too deep to be copied is no database either
      port.postMessage({ id, unreadable: "the review is nested too deeply" });
    }
  });
}

function parseOne({ id, bytes }: Question, names: Names): Parsed {
  try {
    const request = parseReview(bytes);
    const object = judgedPart(request.object, names);
    const oldObject = judgedPart(request.oldObject, names);
    return { id, request: { ...request, object, oldObject } };
  } catch (error) {
    const { message, uid } = error instanceof UnreadableReview ? error : unknownFailure;
    return { id, unreadable: message, ...(uid !== undefined && { uid }) };
  }
}

const unknownFailure = new UnreadableReview("the body cannot be read");
