/** `POST /explain`: a review in, the rules tried and the nearest edit that would pass out. */
import type { IncomingMessage } from "node:http";
import { explainEdit, type Explanation } from "../../plugin/domain/rules/explain";
import type { Edit } from "../../plugin/domain/rules/types";
import { plain } from "../../plugin/domain/rules/wording";
import { ClustersUnreadable } from "../clusters/clusters";
import { isMissing, knownLookups, liveLookups } from "../clusters/find";
import { errorText } from "../log";
import { announcedBy, discardBody, judgeHead, readBody, tooLarge } from "./body";
import { abortAfter, timeFor } from "./deadline";
import { type Fault, faultReply, type Reply, textReply } from "./reply";
import { UnreadableReview } from "./request";
import {
  editOf,
  judgedKind,
  placesOf,
  type ReviewTask,
  readReview,
  type ReviewContext,
} from "./review";
import { Room, type SharedRoom } from "./room";

/** What an explanation needs: what a review is judged by, and the room that calls share. */
export interface ExplainContext extends ReviewContext, SharedRoom {
  readonly maxBody: number;
}

const tooMany = { code: 429, message: "too many calls at once" } as const;
const noBody = { code: 503, message: "the body did not arrive" } as const;

/** The answer to a call, whose body is read here, under the limits that a review's has. */
export async function explainCall(
  request: IncomingMessage,
  context: ExplainContext,
): Promise<Reply> {
  const { maxBody } = context;
  const since = performance.now();
  const until = since + timeFor(request.url);
  const refuse = async (fault: Fault) => {
    await discardBody(request, maxBody);
    return faultReply(fault);
  };
  const fault = judgeHead(request, maxBody);
  if (fault !== undefined) return refuse(fault);
  const room = Room.take(context, announcedBy(request));
  if (typeof room === "string") return refuse(tooMany);
  try {
    const body = await readBody(request, { bytes: maxBody, since, until, room });
    switch (body) {
      case "too large":
        return await refuse(tooLarge(maxBody));
      case "crowded":
        return await refuse(tooMany);
      case "shed":
        return faultReply(tooMany);
      case "late":
      case "gone":
        return faultReply(noBody);
      default:
        return await explainReview(body, context, until);
    }
  } finally {
    room.leave();
  }
}

/** The explanation of a review; never a verdict: nothing is counted, nothing comes into force. */
async function explainReview(
  body: Uint8Array,
  context: ReviewContext,
  until: number,
): Promise<Reply> {
  try {
    const request = await readReview(body, context);
    const { names } = context.options;
    const kind = judgedKind(request, names);
    const question = { places: placesOf(request, context), context, until };
    const said = kind === undefined ? untouched : await explain(editOf(request, kind), question);
    return textReply(JSON.stringify({ uid: request.uid, ...said }));
  } catch (error) {
    return faultReply(faultOf(error));
  }
}

const untouched = { allowed: true, spared: "not judged", rules: [], clusters: {}, data: "none" };

interface Shown extends Explanation {
  readonly data: "known" | "live" | "none";
  readonly dataAgeSeconds?: number;
}

/** By what is known; a refusal and an EC that is not known are looked at as they are now (C14). */
async function explain(edit: Edit, { places, context, until }: ReviewTask): Promise<Shown> {
  const { clusters } = places;
  const { options } = context;
  const known = knownLookups(edit, places);
  const explained = explainEdit(edit, known, options);
  if (explained.spared !== undefined) return { ...explained, data: "none" };
  if (!clusters.synced()) throw new ClustersUnreadable("the clusters have not been read yet");
  if (explained.allowed && !isMissing(known)) {
    return { ...explained, data: "known", dataAgeSeconds: (clusters.ageMs() ?? 0) / 1_000 };
  }
  const live = await liveLookups(edit, places, abortAfter(until - performance.now()));
  return { ...explainEdit(edit, live, options), data: "live", dataAgeSeconds: 0 };
}

function faultOf(error: unknown): Fault {
  if (error instanceof UnreadableReview) return { code: 400, message: error.message };
  if (error instanceof ClustersUnreadable) {
    return { code: 503, message: `cannot judge: ${plain(errorText(error))}` };
  }
  return { code: 500, message: "a rule failed" };
}
