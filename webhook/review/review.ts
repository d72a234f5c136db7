/** One review: bytes → request → verdict → answer, in the order of admission facts 7; nothing here throws. */
import { withSubject } from "../../plugin/domain/rules/fields";
import { type Names, renderTerm } from "../../plugin/domain/names/names";
import { type Bypass, judgeBypass } from "../../plugin/domain/rules/bypass";
import { isExempt, judgeEdit, needsCluster } from "../../plugin/domain/rules/order";
import type { Edit, RuleOptions } from "../../plugin/domain/rules/types";
import { plain } from "../../plugin/domain/rules/wording";
import { isObject } from "../../plugin/domain/base/values";
import { ClustersUnreadable, TooManyLiveReads } from "../clusters/clusters";
import { isAbsent, isMissing, findLookups, liveLookups, type Places } from "../clusters/find";
import { errorText } from "../log";
import {
  type ReviewInput,
  type ReviewOutcome,
  renderFailure,
  renderFound,
  renderSpared,
  type Reviewed,
} from "./answer";
import { parseReview, type ReviewRequest, UnreadableReview } from "./request";

export interface ReviewContext extends Omit<Places, "names" | "namespace"> {
  readonly options: RuleOptions;
  /** The groups whose members may pass by the rules in an emergency; absent: nobody. */
  readonly bypassGroups?: readonly string[];
  /** The longest that a bypass may still last, in milliseconds; absent: a day. */
  readonly bypassMostMs?: number;
}

/** Answers a review by a time of `performance.now()`; whatever happens, as far as it can be told. */
export async function answerReview(
  body: Buffer,
  context: ReviewContext,
  until: number,
): Promise<Reviewed> {
  const { names } = context.options;
  let asked: ReviewInput | undefined;
  try {
    const request = parseReview(body, names);
    asked = { request, names };
    const kind = findKind(request, names);
    if (kind === undefined) return renderSpared(asked, "not judged");
    const change = readEdit(request, kind);
    // each step that can end it comes before what it spares
    if (isExempt(change)) return renderSpared(asked, "being deleted");
    const edit = withSubject(change, names);
    if (!needsCluster(edit, names)) return renderSpared(asked, "unchanged");
    const bypass = findBypass(request, context);
    const found = judge(edit, { places: listPlaces(request, context), context, until });
    return renderFound(asked, await (bypass.is === "granted" ? orUnknown(found) : found), bypass);
  } catch (error) {
    return renderFailure(error, asked);
  }
}

/** Databases alone, when they are made or changed; the rest passes, also when a registration sends it (C12). */
function findKind(request: ReviewRequest, names: Names): Edit["kind"] | undefined {
  const { operation, subresource, resource } = request;
  const edited = operation === "CREATE" || operation === "UPDATE";
  if (!edited || subresource !== undefined || resource.group !== names.group) return undefined;
  if (resource.plural === names.edb.plural) return "edb";
  return resource.plural === names.eaadb.plural ? "eaadb" : undefined;
}

/** The change that a review of a judged kind asks for; throws UnreadableReview without its objects. */
function readEdit({ operation, object, oldObject, uid }: ReviewRequest, kind: Edit["kind"]): Edit {
  if (!isObject(object)) throw new UnreadableReview("the review's request has no object", uid);
  if (operation === "CREATE") return { kind, before: undefined, after: object };
  if (!isObject(oldObject)) {
    throw new UnreadableReview("the review's request has no oldObject", uid);
  }
  return { kind, before: oldObject, after: object };
}

function listPlaces(
  { namespace }: ReviewRequest,
  { clusters, operatorNamespace, absences, liveReads, options: { names } }: ReviewContext,
): Places {
  return { clusters, names, namespace, operatorNamespace, absences, liveReads };
}

const dayMs = 86_400_000;

function findBypass(
  { object, groups }: ReviewRequest,
  { bypassGroups: allowed = [], bypassMostMs: mostMs = dayMs, options: { names } }: ReviewContext,
): Bypass {
  return judgeBypass({ object, groups, allowed, now: Date.now(), mostMs, names });
}

/** By what, where and until when an edit is judged. */
interface ReviewTask {
  readonly context: ReviewContext;
  readonly places: Places;
  readonly until: number;
}

/** By what is known, where that will do: a denial that rests on it may not, nor an EC that is not known. */
async function judge(edit: Edit, question: ReviewTask): Promise<ReviewOutcome> {
  const { places, context } = question;
  const { clusters, names } = places;
  if (!clusters.hasSynced()) {
    return {
      is: "unknown",
      because: `the clusters (${renderTerm(names.ec)}) have not been read yet`,
    };
  }
  const lookups = findLookups(edit, places);
  const verdict = judgeEdit(edit, lookups, context.options);
  if (verdict.causes.length > 0 && verdict.dependsOnCluster) {
    return judgeLive(edit, question, "confirm");
  }
  if (isMissing(lookups) && !isAbsent(lookups, places)) return judgeLive(edit, question, "missing");
  return { is: "judged", verdict, lookups, ageMs: clusters.ageMs() };
}

/** By the ECs as they are now (C14). */
async function judgeLive(
  edit: Edit,
  { places, context, until }: ReviewTask,
  reason: "confirm" | "missing",
): Promise<ReviewOutcome> {
  try {
    const leftMs = Math.max(0, Math.ceil(until - performance.now()));
    const lookups = await liveLookups(edit, places, AbortSignal.timeout(leftMs));
    const verdict = judgeEdit(edit, lookups, context.options);
    const [bad, good, isGood] =
      reason === "confirm"
        ? (["confirmed", "overturned", verdict.causes.length === 0] as const)
        : (["absent", "found", !isMissing(lookups)] as const);
    const live = { reason, outcome: isGood ? good : bad };
    return { is: "judged", verdict, lookups, live };
  } catch (error) {
    if (!(error instanceof ClustersUnreadable)) throw error;
    const outcome = error instanceof TooManyLiveReads ? "shed" : "unreadable";
    return { is: "unknown", because: plain(errorText(error)), live: { reason, outcome } };
  }
}

/** In an emergency nothing may stand in the way: not even a rule that fails. */
async function orUnknown(found: Promise<ReviewOutcome>): Promise<ReviewOutcome> {
  try {
    return await found;
  } catch (error) {
    return { is: "unknown", because: plain(errorText(error)) };
  }
}
