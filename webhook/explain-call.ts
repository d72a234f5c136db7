/** `POST /explain` over HTTP: its body comes under the limits that a review's has. */
import type { IncomingMessage } from "node:http";
import { type BodyBudget, Room } from "./big-bodies";
import { type Body, discardBody, readBody } from "./body";
import { announcedBy, budgetFor, judgeHead, tooLarge } from "./call-head";
import { Deadline } from "./deadline";
import { explainReview } from "./explain";
import type { InFlight } from "./in-flight";
import { type Fault, faultReply, type Reply } from "./reply";
import type { ReviewContext } from "./review";

/** What an explanation needs: what a review is judged by, and the places that calls share. */
export interface ExplainContext extends ReviewContext {
  readonly maxBody: number;
  readonly budget: BodyBudget;
  readonly inFlight: InFlight;
}

/** The answer to a call, whose body is read here. */
export async function explainCall(
  request: IncomingMessage,
  context: ExplainContext,
): Promise<Reply> {
  const { maxBody, inFlight, budget } = context;
  const fault = judgeHead(request, maxBody);
  if (fault !== undefined) return refuse(request, fault, maxBody);
  if (!inFlight.enter()) return refuse(request, tooMany, maxBody);
  const room = new Room(budget, inFlight.arriving);
  try {
    if (!room.take(announcedBy(request))) return await refuse(request, tooMany, maxBody);
    return await explainBody(request, context, room);
  } finally {
    room.leave();
    inFlight.leave();
  }
}

const tooMany = { code: 429, message: "too many calls at once" } as const;

async function refuse(request: IncomingMessage, fault: Fault, maxBody: number): Promise<Reply> {
  await discardBody(request, { bytes: 2 * maxBody, ms: 1_000 });
  return faultReply(fault);
}

async function explainBody(
  request: IncomingMessage,
  context: ExplainContext,
  room: Room,
): Promise<Reply> {
  const { maxBody, inFlight } = context;
  const since = performance.now();
  const ms = budgetFor(request.url);
  const limits = { bytes: maxBody, ms, since, arriving: inFlight.arriving, room };
  const body = await new Promise<Body>((resolve) => {
    readBody(request, limits, resolve);
  });
  switch (body.is) {
    case "whole":
      return explainReview(body.bytes, context, new Deadline(ms, undefined, since));
    case "too large":
      return refuse(request, tooLarge(maxBody), maxBody);
    case "crowded":
      return refuse(request, tooMany, maxBody);
    case "shed":
      return faultReply(tooMany);
    case "late":
    case "gone":
      return faultReply({ code: 503, message: "the body did not arrive" });
  }
}
